//===- RingPlanQueries.cpp - what a plan of rings says --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over a plan, its text, and the rule for requested stages.
//
//===----------------------------------------------------------------------===//

#include "RingDepth.h"

#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/Views.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;

int64_t LoopPlan::getSlotBytes() const {
  int64_t bytes = 0;
  for (const LoadRingPlan &ring : rings)
    bytes += getProduct(ring.stages, carousel::getSlotBytes(ring));
  for (const StoreRingPlan &store : stores)
    bytes += getProduct(store.stages, getBytes(store.buffer));
  return bytes;
}

int64_t LoopPlan::getPrefetch() const {
  int64_t most = 0;
  for (const LoadRingPlan &ring : rings)
    most = std::max(most, ring.prefetch);
  return most;
}

bool LoopPlan::hasInPlaceStore(StoreOp store) const {
  return llvm::any_of(rings, [&](const LoadRingPlan &ring) {
    return llvm::is_contained(ring.inPlaceStores, store);
  });
}

const LoopPlan *RingPlan::lookup(scf::ForOp loop) const {
  for (const LoopPlan &plan : loops)
    if (plan.loop == loop)
      return &plan;
  return nullptr;
}

void RingPlan::print(raw_ostream &os) const {
  for (const LoopPlan &plan : loops) {
    os << "loop: " << stringifyPipelineMode(plan.mode) << ", "
       << stringifyTransferScope(plan.request.getScope())
       << (plan.hasPeeledEpilogue ? ", peeled" : "") << '\n';
    for (const LoadRingPlan &ring : plan.rings)
      os << "  loads: " << ring.loads.size() << ", stages " << ring.stages
         << ", prefetch " << ring.prefetch << ", "
         << stringifySlotRelease(ring.release) << ", slots of "
         << getSlotBytes(ring) << " bytes"
         << (ring.leads == 0 ? "" : ", leads ")
         << (ring.leads == 0 ? "" : std::to_string(ring.leads))
         << (ring.inPlaceStores.empty() ? "" : ", stored in place")
         << (ring.usedOutside.empty() ? "" : ", used outside") << '\n';
    for (const StoreRingPlan &store : plan.stores)
      os << "  store: stages " << store.stages << ", slots of "
         << getBytes(store.buffer) << " bytes\n";
  }
  if (roles)
    os << "roles: " << roles->producers << " producers, " << roles->consumers
       << " consumers\n";
  for (const RingMiss &miss : misses)
    os << "missed: " << miss.op->getName() << ": " << miss.reason << '\n';
}

LogicalResult carousel::verifyListedStages(Operation *loop) {
  auto pipeline = loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
  if (!pipeline || pipeline.getStagesOfEach().empty())
    return success();
  size_t loads = 0, counts = pipeline.getStagesOfEach().size();
  loop->walk([&](LoadOp load) {
    loads += load.getScope() == pipeline.getScope() &&
             getPipelinedLoop(load) == loop;
  });
  if (loads == counts)
    return success();
  return loop->emitOpError("expected a number of stages for each of the ")
         << loads << " loads of scope "
         << stringifyTransferScope(pipeline.getScope()) << ", got " << counts;
}
