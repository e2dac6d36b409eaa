//===- LoopStart.cpp - where the first loads of a loop start --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel often loads something once before its loop, and waits for it. The
// loop's first loads start before that wait, if everything they need is there.
//
//===----------------------------------------------------------------------===//

#include "RingDepth.h"
#include "RingTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace carousel;

/// Whether the first loads of the loop may start before `op` instead of after
/// it: nothing in it writes what they read, or orders CTAs.
static bool mayStartBefore(Operation *op, const LoopPlan &plan) {
  return !op->walk([&](Operation *inner) {
              bool orders = isa<SerializeOp, GridSerialWaitOp,
                                GridSerialReleaseOp, GridDependencyWaitOp,
                                GridLaunchDependentsOp, GridTicketOp>(inner) ||
                            takesOverFromCTAs(inner) ||
                            inner->hasAttr(CarouselDialect::kPipeline);
              forEachWritten(inner, [&](Value target) {
                for (const LoadRingPlan &ring : plan.rings)
                  for (LoadOp load : ring.loads)
                    orders |= !target || mayOverlap(target, load.getGlobal());
              });
              return orders ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

Operation *carousel::findStart(gpu::GPUFuncOp kernel, const LoopPlan &plan) {
  scf::ForOp loop = plan.loop;
  Operation *start = loop;
  if (plan.mode != PipelineMode::Unified || plan.rings.empty())
    return start;
  DominanceInfo dominance(kernel);
  SmallVector<Value> needed = {loop.getLowerBound(), loop.getUpperBound(),
                               loop.getStep()};
  for (const LoadRingPlan &ring : plan.rings) {
    // Slots of a former execution of the loop, and stores that are overtaken,
    // are waited for at the loop.
    if (ring.overtakesStores || !ring.usedOutside.empty() ||
        !ring.inPlaceStores.empty())
      return start;
    for (LoadOp load : ring.loads)
      llvm::append_range(needed, getInputs(load));
    for (Operation *op : ring.slice)
      op->walk([&](Operation *inner) {
        llvm::append_range(needed, inner->getOperands());
      });
    for (LoadOp load : ring.loads)
      for (Operation *outer = load->getParentOp(); outer != loop;
           outer = outer->getParentOp())
        llvm::append_range(needed, outer->getOperands());
  }
  auto isThere = [&](Operation *place) {
    return llvm::all_of(needed, [&](Value value) {
      return !loop.isDefinedOutsideOfLoop(value) ||
             dominance.properlyDominates(value, place);
    });
  };
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    // What a region computes may take longer than the loads.
    if (op->getNumRegions() != 0 || !mayStartBefore(op, plan))
      break;
    if (isa<LoadOp>(op) && isThere(op))
      start = op;
  }
  return start;
}
