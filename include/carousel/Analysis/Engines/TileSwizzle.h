//===- TileSwizzle.h - swizzled tiles ---------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The permutation of 16-byte pieces that a swizzle makes in a tile whose rows
// are multiples of the swizzle's span. Also whether all accesses to a tile can
// be rewritten to it. PTX ISA: Tensors, Swizzling modes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_TILESWIZZLE_H
#define CAROUSEL_ANALYSIS_ENGINES_TILESWIZZLE_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace carousel {

/// The tile lies in memory as panels, one after the other. A panel has all rows
/// of the tile, and as many columns as the swizzle's span has elements. Piece p
/// of row r of a panel is stored at piece p xor ((r / rowsPerStep) mod steps).
struct SwizzlePattern {
  int64_t rowsPerStep = 1;
  int64_t steps = 1;
  int64_t pieceElements = 1; ///< elements in 16 bytes
  int64_t panelElements = 1; ///< elements in a row of a panel
  int64_t panels = 1;
  int64_t rows = 1; ///< positions of all dimensions but the innermost
};

/// The pattern of b32, b64 or b128 for rows that are multiples of the span.
SwizzlePattern getSwizzlePattern(Swizzle swizzle, mlir::MemRefType tile);

/// The swizzle that a transfer's engine gives its tile: that of the tensor map
/// or, for copies by threads, the one that the transfer asks for.
Swizzle getTileSwizzle(TransferOpInterface op);

/// The view of the whole tile that the op makes, with the same rows in the same
/// order, to which the tile's pattern applies; or null.
mlir::Value getViewOfRows(mlir::Operation *op);

/// The indices by which an op accesses `tile`, or nullopt if the op isn't a
/// load or store of elements within one piece of 16 bytes.
std::optional<mlir::MutableOperandRange> getTileIndices(mlir::Operation *op,
                                                        mlir::Value tile);

/// The reason why accesses to `tile` can't be rewritten for `swizzle`, or an
/// empty string.
std::string explainSwizzle(mlir::Value tile, Swizzle swizzle);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_TILESWIZZLE_H
