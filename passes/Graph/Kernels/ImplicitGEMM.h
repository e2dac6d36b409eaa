//===- ImplicitGEMM.h - a convolution on vectors ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration of the loop of a convolution: a product of matrices, one of
// which is a box of pixels. docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_IMPLICITGEMM_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_IMPLICITGEMM_H

#include "GroupMemory.h"

namespace carousel {

/// The schedule's dimensions that an op sums over.
llvm::SmallVector<unsigned> findSummed(const GroupProgram &program,
                                       unsigned op);

/// Adds the product of lhs, as (m, k) or (k, m), and rhs, as (k, n) or (n, k),
/// with k of \p summed.
mlir::Value contract(const GroupProgram &program, GroupVectors &vectors,
                     llvm::ArrayRef<unsigned> summed, StoredVector lhs,
                     StoredVector rhs, mlir::Value sum);

/// Whether the image has all remainders of a window's steps in one dimension,
/// with its channels.
bool isInterleaved(const GraphAccess &image);

/// Reads boxes of an image.
class ImageReader {
public:
  ImageReader(const GroupProgram &program, unsigned op, GroupVectors &vectors);

  /// The box that the pixels of this program need for one element of the
  /// kernel, with all dimensions of memory. Outside of the image is its
  /// padding.
  mlir::Value readBox(mlir::Value memref);
  /// The same with the dimensions of vectors, in the schedule's order.
  GroupValue read(mlir::Value memref);

protected:
  int64_t getTile(unsigned position) const {
    return vectors.schedule.dims[position].tile;
  }
  mlir::Value getIndex(int64_t value);
  template <typename Op> mlir::Value compute(mlir::Value lhs, mlir::Value rhs) {
    return builder.createOrFold<Op>(vectors.loc, lhs, rhs);
  }
  mlir::Value reshape(mlir::Value vector, llvm::ArrayRef<int64_t> shape);
  /// Transposes a vector from one order of the schedule's dimensions to
  /// another.
  mlir::Value permute(mlir::Value vector, llvm::ArrayRef<unsigned> from,
                      llvm::ArrayRef<unsigned> to);

  const GroupProgram &program;
  GroupVectors &vectors;
  mlir::OpBuilder &builder;
  mlir::linalg::LinalgOp structured;
  const GraphOp &node;
  const GraphAccess &image;
  llvm::SmallVector<unsigned> loops;
  unsigned depth = 0;
  llvm::SmallVector<unsigned> box; ///< pixels, in the image's order
  /// The windows among these that the image goes on behind.
  llvm::SmallVector<unsigned> open;

private:
  struct WindowIndex {
    mlir::Value index, remainder;
  };
  WindowIndex computeIndex(const GraphWindow &window);
  mlir::Value addGroup(mlir::Value index, mlir::Value group,
                       mlir::Value remainder);
};

/// Reads the factors of a convolution as matrices: pixels by channels of the
/// image, and these by channels of the result. Where pixels are summed, each
/// factor is pixels by its own channels.
class ImplicitGEMM : public ImageReader {
public:
  ImplicitGEMM(const GroupProgram &program, unsigned op, GroupVectors &vectors);

  StoredVector readImage(mlir::Value memref);
  /// The same of a tensor.empty (FuseGraph.cpp): zeros, as around an image.
  StoredVector makeImage(mlir::Type element);
  mlir::Value multiply(StoredVector factor, StoredVector weights,
                       mlir::Value sum);
  /// With zeros behind what is summed: the channels of the image, or pixels.
  mlir::Value maskImage(mlir::Value factor);

private:
  mlir::Value sumPixels(StoredVector factor, StoredVector weights,
                        mlir::Value sum);

  unsigned channels = 0;
  int64_t pixels = 1;
  llvm::SmallVector<unsigned> summed;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_IMPLICITGEMM_H
