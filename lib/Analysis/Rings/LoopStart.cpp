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
#include "Transfers/LoopTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace carousel;

/// The memrefs that the first loads read: their sources, and those from which
/// their operands come.
static SmallVector<Value> getMemRefsRead(const LoopPlan &plan) {
  SmallVector<Value> read;
  for (const LoadRingPlan &ring : plan.rings) {
    for (LoadOp load : ring.loads)
      read.push_back(load.getGlobal());
    for (Operation *op : ring.slice)
      op->walk([&](Operation *inner) {
        llvm::copy_if(
            inner->getOperands(), std::back_inserter(read),
            [](Value operand) { return isa<MemRefType>(operand.getType()); });
      });
  }
  return read;
}

/// Whether loads that read the memrefs `read` may start before `op` instead of
/// after it: nothing in it writes these, or orders CTAs.
static bool mayStartBefore(Operation *op, ArrayRef<Value> read) {
  return !op->walk([&](Operation *inner) {
              bool orders = isa<SerializeOp, GridSerialWaitOp,
                                GridSerialReleaseOp, GridDependencyWaitOp,
                                GridLaunchDependentsOp, GridTicketOp>(inner) ||
                            takesOverFromCTAs(inner) ||
                            inner->hasAttr(CarouselDialect::kPipeline);
              forEachWritten(inner, [&](Value target) {
                orders |= !target || llvm::any_of(read, [&](Value memref) {
                  return mayOverlap(target, memref);
                });
              });
              return orders ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

Operation *carousel::findStart(gpu::GPUFuncOp kernel, const LoopPlan &plan) {
  scf::ForOp loop = plan.loop;
  Operation *start = loop;
  if (plan.mode != PipelineMode::Unified || plan.rings.empty() ||
      isRotatedWhile(loop))
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
  SmallVector<Value> read = getMemRefsRead(plan);
  auto isThere = [&](Operation *place) {
    return llvm::all_of(needed, [&](Value value) {
      return !loop.isDefinedOutsideOfLoop(value) ||
             dominance.properlyDominates(value, place);
    });
  };
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    // A region may take longer than the loads.
    if (op->getNumRegions() != 0 || !mayStartBefore(op, read))
      break;
    if (isa<LoadOp>(op) && isThere(op))
      start = op;
  }
  return start;
}
