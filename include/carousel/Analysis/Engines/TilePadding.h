//===- TilePadding.h - rows of tiles as whole granules ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines copy rows in granules of 16 bytes, from multiples of 16 bytes. The
// tile of a stencil has neither: its rows are a few elements wider than its
// output, and begin an element before it. This planner finds such tiles, and
// how much wider their rows become at both ends. Loads then read elements that
// no thread uses, so nothing may write these in the meantime. In: a kernel of
// the tile phase, before engines are chosen. Out: a plan, which
// --carousel-pad-tiles applies.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_TILEPADDING_H
#define CAROUSEL_ANALYSIS_ENGINES_TILEPADDING_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>
#include <string>
#include <vector>

namespace carousel {

/// The plan for the rows of one tile.
struct TilePadding {
  mlir::memref::AllocOp tile;
  llvm::SmallVector<LoadOp> loads;
  /// Loads and stores of elements and vectors, whose indices move.
  llvm::SmallVector<mlir::Operation *> accesses;
  /// Views of the tile, each after its source. Their types change.
  llvm::SmallVector<mlir::memref::SubViewOp> views;
  int64_t before = 0; ///< elements
  int64_t width = 0;  ///< elements of a row, with all padding
  /// The reason why the rows stay as they are, or empty.
  std::string refusal;
};

/// The plan for each loaded tile whose rows aren't multiples of a granule.
std::vector<TilePadding> planTilePadding(mlir::gpu::GPUFuncOp kernel,
                                         const ChipModel &target);

/// The indices of a load or store of elements or of a vector of one dimension,
/// or nullopt if the op isn't one.
std::optional<mlir::MutableOperandRange>
getElementIndices(mlir::Operation *access);

/// An index as a sum of a value, or of nothing, and a constant.
struct IndexSum {
  mlir::Value base; ///< null: 0
  int64_t constant = 0;
};
IndexSum splitIndex(mlir::Value index);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_TILEPADDING_H
