//===- TileAssignment.h - how CTAs get their tiles --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans for each loop over the grid whether a CTA takes every n-th iteration,
// or draws the next one from a counter. In: a kernel of the tile phase. Out: a
// plan for each pipelined loop that asks for tickets or leaves the choice.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_TILEASSIGNMENT_H
#define CAROUSEL_ANALYSIS_RINGS_TILEASSIGNMENT_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/Misses.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

struct TileAssignmentPlan {
  mlir::scf::ForOp loop;
  TileAssignment request = TileAssignment::Static;
  /// Why the iterations can't be drawn, or empty.
  Obstacle obstacle;
  /// The loop begins at this times block_id x, and advances by this times
  /// grid_dim x. 0 with an obstacle.
  int64_t step = 0;
  bool usesTickets = false;
  // Predicted nanoseconds of a launch; 0 where not compared.
  double staticNs = 0, ticketsNs = 0;

  void print(llvm::raw_ostream &os) const;
};

/// The plans for a kernel's loops with `tiles = tickets` or `tiles = auto`.
std::vector<TileAssignmentPlan> planTileAssignments(mlir::gpu::GPUFuncOp kernel,
                                                    const ChipModel &target);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_TILEASSIGNMENT_H
