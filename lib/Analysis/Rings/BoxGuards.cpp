//===- BoxGuards.cpp - guards under which boxes are apart -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BoxGuards.h. RingBoxes makes the guards, and takes them as facts in a
// kernel that has them.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/BoxGuards.h"

#include "Transfers/LoopTransfers.h"

using namespace mlir;
using namespace carousel;

SmallVector<GuardAttr> carousel::findBoxGuards(gpu::GPUFuncOp kernel) {
  SmallVector<GuardAttr> guards;
  auto addAll = [&](ArrayRef<GuardAttr> more) {
    for (GuardAttr guard : more)
      if (!llvm::is_contained(guards, guard))
        guards.push_back(guard);
  };
  kernel.walk([&](scf::ForOp loop) {
    auto request =
        loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
    if (!request)
      return;
    LoopTransfers transfers(kernel, loop);
    loop.walk([&](LoadOp load) {
      if (getPipelinedLoop(load) != loop ||
          load.getScope() != request.getScope() ||
          !transfers.storesToSourceOf(load))
        return;
      SmallVector<GuardAttr> missing, inNest;
      if (!transfers.findMissingGuards(load, /*inNest=*/false, missing))
        return;
      addAll(missing);
      if (request.getMode() == PipelineMode::Specialized &&
          transfers.findMissingGuards(load, /*inNest=*/true, inNest))
        addAll(inNest);
    });
  });
  return guards;
}

bool carousel::isBetter(const RingPlan &guarded, const RingPlan &plan) {
  auto count = [](const RingPlan &plan) {
    size_t loads = 0, withProducers = 0;
    for (const LoopPlan &loop : plan.loops) {
      for (const LoadRingPlan &ring : loop.rings)
        loads += ring.loads.size();
      withProducers +=
          loop.mode == PipelineMode::Specialized && !loop.rings.empty();
    }
    return std::pair(loads, withProducers);
  };
  return count(guarded) > count(plan);
}
