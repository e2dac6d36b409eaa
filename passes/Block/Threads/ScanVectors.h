//===- ScanVectors.h - scans by all threads ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread scans its own elements; totals go from lane to lane, and from
// warp to warp. docs/BlockPhase.md, Scans.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_SCANVECTORS_H
#define CAROUSEL_PASSES_BLOCK_THREADS_SCANVECTORS_H

#include "ReduceVectors.h"

#include "carousel/Dialect/IR/CarouselReduceOps.h"

namespace carousel {

/// The registers of a scan's results, by source.
struct ScannedRegisters {
  llvm::SmallVector<mlir::Value> scanned;
  /// In the layout without the dimension; a number where that has none.
  llvm::SmallVector<mlir::Value> totals;
};

/// \p layout is that of all sources, of which canScan holds. The initial values
/// have it without the dimension.
ScannedRegisters scanVectors(ThreadProgram &program, ScanOp op,
                             const LinearLayout &layout,
                             mlir::ValueRange sources, mlir::ValueRange inits,
                             const ExchangeTurn &turn);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_SCANVECTORS_H
