//===- ReadConvolution.h - windows of convolutions --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds structured ops that are convolutions, which kernels compute as
// products, and where their first factor's elements are.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_READCONVOLUTION_H
#define CAROUSEL_PASSES_GRAPH_READING_READCONVOLUTION_H

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace carousel {

/// The first factor of a convolution, or what a pool reads.
struct ConvolutionImage {
  /// The image that the op reads, or that was padded to it.
  mlir::Value image;
  GraphAccess access; ///< without its tensor
  GraphOpKind kind = GraphOpKind::Convolution;
};

/// Whether an op adds products of two factors, each read at loops. Upstream's
/// interface also holds of the ors of ands, which aren't sums: those of bits
/// would be their parity.
bool isContraction(mlir::linalg::LinalgOp op);

/// Whether an op adds products of its two inputs, of which the first one has
/// windows.
bool hasWindows(mlir::linalg::LinalgOp op);

/// Finds the image of a convolution or pool; nullopt for other ops, and for
/// those whose form kernels lack, with the reason in `refusal`.
std::optional<ConvolutionImage> findConvolution(mlir::linalg::LinalgOp op,
                                                std::string &refusal);

/// Finds the op that inserts a tensor into zeros of as many dimensions, with
/// any strides, or null.
mlir::tensor::InsertSliceOp findInsertIntoZeros(mlir::Value image);

/// Finds the op that puts known numbers of zeros around a tensor, or null.
mlir::tensor::InsertSliceOp findPad(mlir::Value image);

/// Finds the padding of a convolution's or pool's image: zero, or a pool's.
mlir::TypedAttr findPadding(mlir::linalg::LinalgOp op);

/// Whether a pad adds no elements along a dimension.
bool isWhole(mlir::tensor::InsertSliceOp pad, int64_t dim);

/// Whether an op is a convolution or pool that reads what `pad` surrounds.
bool readsInsidePad(mlir::Operation *op, mlir::Operation *pad);

/// `strides` of the loops in an index that is a sum of them; false for others.
bool readLinear(mlir::AffineExpr expr, llvm::SmallVectorImpl<int64_t> &strides,
                int64_t &constant);

/// An index of an image: `stride` times the loop of a pixel, plus `dilation`
/// times that of an element of the kernel (a tap), plus `constant`.
struct ConvolutionIndex {
  std::optional<unsigned> pixel, tap;
  int64_t stride = 1, dilation = 1, constant = 0;

  bool isWindow() const { return pixel && tap; }
};

/// The loops of a convolution, whose inputs are the image and the weights, or
/// of a pool.
struct ConvolutionView {
  explicit ConvolutionView(mlir::linalg::LinalgOp op);

  bool isReduced(unsigned loop) const {
    return iterators[loop] == mlir::utils::IteratorType::reduction;
  }
  /// Elements of the kernel and channels are what is summed, or what is kept.
  bool isOfKernel(unsigned loop) const { return isReduced(loop) != isWgrad; }
  bool isInImage(unsigned loop) const { return maps[0].isFunctionOfDim(loop); }
  bool isInWeights(unsigned loop) const {
    return maps[1].isFunctionOfDim(loop);
  }
  mlir::AffineExpr getLoop(unsigned loop) const {
    return mlir::getAffineDimExpr(loop, maps[0].getContext());
  }
  /// The dimension of an operand along a loop.
  std::optional<unsigned> findDim(unsigned operand, unsigned loop) const {
    return maps[operand].getResultPosition(getLoop(loop));
  }
  /// Reads an index; nullopt if it isn't a sum of at most one loop of pixels
  /// and one of the kernel.
  std::optional<ConvolutionIndex> readIndex(unsigned dim) const;
  /// Finds the loops of image dimensions without windows, in their order.
  llvm::SmallVector<unsigned> findPlainLoops() const;
  /// Finds the loops along the image's pixels, in its order.
  llvm::SmallVector<unsigned> findPixels() const;
  /// Finds the channels of the result: the loop of the weights that the image
  /// lacks, if that is one.
  std::optional<unsigned> findOwnChannels() const;

  /// Iterations of the loops whose sums are indices of the image: of those
  /// that are reduced, and of the others.
  std::pair<double, double> countWindowIterations() const;
  /// Whether windows have more elements than the result has pixels: the
  /// gradient of weights is a convolution by all pixels of another image. Then
  /// these are what is summed. Where windows and results are about as large,
  /// the image has the last dimension of the one or of the other form.
  bool hasLongFilterLoops() const;
  /// The same for groups of one channel, whose images don't tell.
  bool hasLongStencil() const;

  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  llvm::SmallVector<int64_t> extents;
  bool isWgrad = false; ///< for the gradient of weights
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_READCONVOLUTION_H
