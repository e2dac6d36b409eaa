//===- TilePermutation.h - indices of swizzled tiles -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the arithmetic that computes where an element of a swizzled tile lies
// (carousel/Analysis/Engines/TileSwizzle.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_TILEPERMUTATION_H
#define CAROUSEL_PASSES_RING_TILEPERMUTATION_H

#include "carousel/Analysis/Engines/TileSwizzle.h"
#include "mlir/IR/Builders.h"

namespace carousel {

class TilePermutation {
public:
  TilePermutation(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::MemRefType tile, Swizzle swizzle)
      : builder(builder), loc(loc), tile(tile),
        pattern(getSwizzlePattern(swizzle, tile)) {}

  /// The indices of the place of an element, or of the first one of a vector
  /// within a piece of 16 bytes. `indices`, of type index, are those that it
  /// has without a swizzle.
  llvm::SmallVector<mlir::Value> apply(mlir::ValueRange indices);

private:
  mlir::Value swizzle(mlir::Value row, mlir::Value column);
  mlir::Value linearize(mlir::ValueRange indices);

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value value, int64_t by);
  mlir::Value divide(mlir::Value value, int64_t by);
  mlir::Value remainder(mlir::Value value, int64_t by);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::MemRefType tile;
  SwizzlePattern pattern;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_TILEPERMUTATION_H
