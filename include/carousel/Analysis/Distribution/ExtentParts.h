//===- ExtentParts.h - extents as sums of powers of two ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions take extents that are powers of two, since layouts have
// such extents. A product with another extent, as heads of 96 elements have it,
// is taken in parts: 64 + 32. The plan says along which dimensions of which
// vectors a kernel can be divided so: docs/BlockPhase.md, Products.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_EXTENTPARTS_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_EXTENTPARTS_H

#include "carousel/Analysis/Distribution/DimClasses.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <string>

namespace carousel {

/// The powers of two that an extent is the sum of, the largest first.
llvm::SmallVector<int64_t> getPartsOfExtent(int64_t extent);

class ExtentParts {
public:
  /// Finds the parts of a kernel without calls. Uses that share a constant
  /// vector count as one.
  explicit ExtentParts(mlir::gpu::GPUFuncOp kernel);

  /// The parts of each dimension: one of all elements unless it is divided.
  llvm::SmallVector<llvm::SmallVector<int64_t>>
  getParts(mlir::Value vector) const;
  bool isDivided(mlir::Value vector) const;

  /// A product along whose extent the kernel isn't divided, or is.
  struct Product {
    mlir::vector::ContractionOp op;
    int64_t extent;
    /// Empty if it is divided.
    std::string refusal;
  };
  llvm::ArrayRef<Product> getProducts() const { return products; }
  void print(llvm::raw_ostream &os) const;

private:
  // Classes of dimensions of vectors that are divided together.
  void unify(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB);
  /// An op takes all of such a dimension at once.
  void refuse(mlir::Value vector, unsigned dim, const llvm::Twine &reason);
  void refuseAll(mlir::Operation *op);

  void note(mlir::Operation *op);
  bool noteVectors(mlir::Operation *op);
  void noteTransfer(mlir::VectorTransferOpInterface op);
  void noteUnitDims(mlir::vector::ShapeCastOp op);
  void findProducts();

  mlir::gpu::GPUFuncOp kernel;
  struct Class {
    bool isWanted = false;
    std::string refusal;
  };
  DimClasses<Class> classes;
  llvm::SmallVector<Product> products;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_EXTENTPARTS_H
