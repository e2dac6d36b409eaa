//===- RingPlan.cpp - rings of a kernel -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects a loop's transfers, asks LoopTransfers for the obstacles to each,
// and decides about release, roles, and the prefetch distance. RingDepth
// computes how many slots fit. Has the sums over a plan, too, its text, and the
// rule for requested stages.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingPlan.h"
#include "RingDepth.h"
#include "RingRoles.h"
#include "Transfers/LoopTransfers.h"

#include "carousel/Analysis/Rings/ProductRotation.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

class LoopPlanner {
public:
  LoopPlanner(gpu::GPUFuncOp kernel, const ChipModel &target)
      : kernel(kernel), target(target) {}

  RingPlan run();

private:
  void planLoop(scf::ForOp loop, PipelineAttr request);
  bool planLoads(LoopPlan &plan, LoopTransfers &transfers,
                 SmallVectorImpl<LoadOp> &candidates,
                 const llvm::DenseMap<Operation *, int64_t> &requests);
  void planState(LoopPlan &plan, LoopTransfers &transfers,
                 const llvm::SetVector<unsigned> &carried);
  std::pair<StoreOp, Obstacle> planInPlaceStores(LoopPlan &plan,
                                                 LoopTransfers &transfers);
  void addRing(LoopPlan &plan, LoadRingPlan &&added);
  bool giveUp(SmallVectorImpl<LoadOp> &candidates, Value buffer, LoadOp given);
  void planStores(LoopPlan &plan, LoopTransfers &transfers,
                  ArrayRef<StoreOp> stores);
  SlotRelease chooseRelease(const LoopPlan &plan, const LoadRingPlan &ring);
  void chooseDepth();
  void choosePrefetch(const LoopPlan &plan, LoadRingPlan &ring);
  bool isPeeled(const LoopPlan &plan);
  void miss(Operation *op, Miss miss, const Twine &reason) {
    result.misses.push_back({op, miss, reason.str()});
  }

  gpu::GPUFuncOp kernel;
  const ChipModel &target;
  RingPlan result;
  /// Why no loads run ahead in each loop.
  llvm::DenseMap<Operation *, Obstacle> notAhead;
};

} // namespace

/// The loads among `loads` into `buffer`.
static SmallVector<LoadOp> getParts(Value buffer, ArrayRef<LoadOp> loads) {
  SmallVector<LoadOp> parts;
  llvm::copy_if(loads, std::back_inserter(parts), [&](LoadOp load) {
    return getRootBuffer(load.getTile()) == buffer;
  });
  return parts;
}

/// Merges two rings into one.
static void merge(LoadRingPlan &into, const LoadRingPlan &added) {
  into.loads.append(added.loads);
  for (Value buffer : added.buffers)
    if (!llvm::is_contained(into.buffers, buffer))
      into.buffers.push_back(buffer);
  into.slice.insert_range(added.slice);
  into.overtakesStores |= added.overtakesStores;
  into.usedOutside.insert_range(added.usedOutside);
  into.operandTiles.insert_range(added.operandTiles);
}

/// The ring that has a tile for `buffer`; null if there is none.
static LoadRingPlan *findRing(LoopPlan &plan, Value buffer) {
  for (LoadRingPlan &ring : plan.rings)
    if (llvm::is_contained(ring.buffers, buffer))
      return &ring;
  return nullptr;
}

/// The first store that reads what the loop's rings load, but can't do so in
/// place, and the reason. Records the others.
std::pair<StoreOp, Obstacle>
LoopPlanner::planInPlaceStores(LoopPlan &plan, LoopTransfers &transfers) {
  std::pair<StoreOp, Obstacle> obstacle;
  plan.loop.walk([&](StoreOp store) {
    Value buffer = getRootBuffer(store.getTile());
    LoadRingPlan *ring = findRing(plan, buffer);
    if (!ring)
      return WalkResult::advance();
    SmallVector<LoadOp> parts = getParts(buffer, ring->loads);
    Obstacle reason = transfers.explainInPlaceStore(store, parts);
    if (!reason.empty()) {
      obstacle = {store, reason};
      return WalkResult::interrupt();
    }
    ring->inPlaceStores.push_back(store);
    return WalkResult::advance();
  });
  return obstacle;
}

/// Adds a ring for one load to the plan, after the rings whose tiles it waits
/// for, or the load to the ring that it shares: that of its tile's other loads,
/// or the one of all loads whose tiles lead equally and are of one stage.
void LoopPlanner::addRing(LoopPlan &plan, LoadRingPlan &&added) {
  bool isShared = plan.request.getStagesOfEach().empty();
  if (isShared && added.request)
    added.request = added.getStagesFor(*added.request);
  LoadRingPlan *shared = findRing(plan, added.buffers.front());
  auto print = [](std::optional<int64_t> stages) {
    return stages ? std::to_string(*stages) : "auto";
  };
  if (shared && shared->request != added.request)
    miss(added.loads.front(), Miss::StagesOtherLoad,
         "stages " + print(shared->request) + " instead of " +
             print(added.request) + ": another load of its tile has the ring");
  auto mayShare = [&](const LoadRingPlan &ring) {
    return isShared && ring.leads == added.leads &&
           ring.isOfSecondStage == added.isOfSecondStage;
  };
  auto place = llvm::find_if(plan.rings, [&](const LoadRingPlan &ring) {
    return ring.leads < added.leads || mayShare(ring);
  });
  if (place != plan.rings.end() && mayShare(*place))
    shared = &*place;
  if (shared)
    merge(*shared, added);
  else
    plan.rings.insert(place, std::move(added));
}

/// Counts for each tile the rings that wait for it. The loads are in program
/// order, so that those that wait come later.
static void countLeads(MutableArrayRef<LoadRingPlan> loads) {
  llvm::DenseMap<Value, int64_t> leads;
  for (const LoadRingPlan &load : llvm::reverse(loads))
    for (Value tile : load.operandTiles) {
      int64_t &count = leads[tile];
      count = std::max(count, leads.lookup(load.buffers.front()) + 1);
    }
  for (LoadRingPlan &load : loads)
    load.leads = leads.lookup(load.buffers.front());
}

/// Removes the loads of `buffer` from the candidates, because one of them can't
/// be in a ring: `given`, or one that isn't a candidate any more.
bool LoopPlanner::giveUp(SmallVectorImpl<LoadOp> &candidates, Value buffer,
                         LoadOp given) {
  size_t count = candidates.size();
  llvm::erase_if(candidates, [&](LoadOp load) {
    bool isGiven = getRootBuffer(load.getTile()) == buffer;
    if (isGiven && load != given)
      miss(load, Miss::OtherLoad, "not ringed: another load of its tile isn't");
    return isGiven;
  });
  return candidates.size() != count;
}

/// Plans the rings of loads. `requests` has the requested stages of each
/// candidate if each has a ring of its own. Returns false if a load had to be
/// given up because of a store or of another load, so that the plan must be
/// made again.
bool LoopPlanner::planLoads(
    LoopPlan &plan, LoopTransfers &transfers,
    SmallVectorImpl<LoadOp> &candidates,
    const llvm::DenseMap<Operation *, int64_t> &requests) {
  plan.rings.clear();
  llvm::SetVector<unsigned> carried;
  SmallVector<LoadOp> kept;
  std::vector<LoadRingPlan> rings;
  llvm::SetVector<Value> refused;
  // By buffer, those whose tiles its loads wait for.
  llvm::DenseMap<Value, llvm::SetVector<Value>> waiting;
  auto isKept = [&](Value tile) {
    return llvm::any_of(kept, [&](LoadOp load) {
      return getRootBuffer(load.getTile()) == tile;
    });
  };
  for (LoadOp load : candidates) {
    LoadRingPlan ring;
    LoadSlice slice;
    bool isUsedOutside = false;
    Value buffer = getRootBuffer(load.getTile());
    SmallVector<LoadOp> parts = getParts(buffer, candidates);
    Obstacle reason = transfers.explainLoad(load, parts, slice);
    if (reason.empty() && !llvm::all_of(slice.operandTiles, isKept))
      reason = {Miss::OperandTile,
                "its operands are read from a tile that uses no ring"};
    llvm::SetVector<Value> before = slice.operandTiles;
    for (Value tile : slice.operandTiles)
      before.insert_range(waiting.lookup(tile));
    before.insert_range(waiting.lookup(buffer));
    waiting[buffer] = before;
    if (reason.empty() && before.contains(buffer))
      reason = {Miss::OperandTile,
                "its operands are read from a part of its own buffer, or "
                "depend on it"};
    if (reason.empty())
      reason = transfers.explainOutside(load, parts, isUsedOutside);
    if (!reason.empty()) {
      miss(load, reason.miss, "not ringed: " + reason.text);
      refused.insert(buffer);
      continue;
    }
    kept.push_back(load);
    carried.insert_range(slice.carried);
    ring.slice = std::move(slice.ops);
    ring.operandTiles = std::move(slice.operandTiles);
    ring.loads.push_back(load);
    ring.buffers.push_back(buffer);
    if (isUsedOutside)
      ring.usedOutside.insert(buffer);
    ring.overtakesStores = transfers.storesToSourceOf(load);
    ring.isOfSecondStage = llvm::is_contained(plan.ofSecondStage, buffer);
    ring.request = plan.request.getStages();
    if (int64_t stages = requests.lookup(load))
      ring.request = stages;
    rings.push_back(std::move(ring));
  }
  countLeads(rings);
  for (LoadRingPlan &ring : rings)
    addRing(plan, std::move(ring));
  candidates = kept;
  bool isComplete = true;
  for (Value buffer : refused)
    isComplete &= !giveUp(candidates, buffer, LoadOp());
  if (!isComplete)
    return false;
  auto [store, reason] = planInPlaceStores(plan, transfers);
  if (!store) {
    planState(plan, transfers, carried);
    return true;
  }
  Value buffer = getRootBuffer(store.getTile());
  LoadOp given = getParts(buffer, candidates).front();
  miss(given, reason.miss,
       "not ringed: its tile is stored, and " + reason.text);
  giveUp(candidates, buffer, given);
  return false;
}

/// Plans what loads ahead need of the values that the loop carries.
void LoopPlanner::planState(LoopPlan &plan, LoopTransfers &transfers,
                            const llvm::SetVector<unsigned> &carried) {
  if (!isRotatedWhile(plan.loop)) {
    if (!carried.empty())
      notAhead[plan.loop] = {Miss::PrefetchCarried,
                             "loads depend on values that the loop carries"};
    return;
  }
  IterationState state;
  state.carried.insert(0);
  state.carried.insert_range(carried);
  Obstacle reason = transfers.explainState(state);
  if (reason.empty())
    plan.state = std::move(state);
  else
    notAhead[plan.loop] = reason;
}

/// A barrier of the threads if the loop already has one, otherwise arrives.
SlotRelease LoopPlanner::chooseRelease(const LoopPlan &plan,
                                       const LoadRingPlan &ring) {
  if (plan.mode == PipelineMode::Specialized)
    return SlotRelease::EmptyBarrier;
  if (plan.request.getRelease())
    return *plan.request.getRelease();
  if (plan.request.getMulticast() != 1)
    return SlotRelease::EmptyBarrier;
  switch (plan.request.getScope()) {
  case TransferScope::Warp:
    return SlotRelease::WarpBarrier;
  case TransferScope::Warpgroup:
    return SlotRelease::EmptyBarrier;
  case TransferScope::CTA:
    break;
  }
  bool meets = !plan.stores.empty() || !ring.inPlaceStores.empty();
  return meets ? SlotRelease::CTABarrier : SlotRelease::EmptyBarrier;
}

/// Stores of one buffer share a ring, or have none.
void LoopPlanner::planStores(LoopPlan &plan, LoopTransfers &transfers,
                             ArrayRef<StoreOp> stores) {
  llvm::MapVector<Value, SmallVector<StoreOp>> byBuffer;
  for (StoreOp store : stores)
    if (!plan.hasInPlaceStore(store))
      byBuffer[getRootBuffer(store.getTile())].push_back(store);
  for (auto &[buffer, parts] : byBuffer) {
    size_t misses = result.misses.size();
    for (StoreOp store : parts) {
      Obstacle reason = transfers.explainStore(store, parts);
      if (!reason.empty())
        miss(store, reason.miss, "not ringed: " + reason.text);
    }
    if (result.misses.size() != misses)
      continue;
    StoreRingPlan ring = {parts.front(), buffer,
                          plan.request.getStoreSlots().value_or(kStoreStages)};
    ring.others.assign(parts.begin() + 1, parts.end());
    plan.stores.push_back(std::move(ring));
  }
}

static bool hasPipelineInside(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    return op
        .walk([](Operation *inner) {
          return inner->hasAttr(CarouselDialect::kPipeline)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

void LoopPlanner::planLoop(scf::ForOp loop, PipelineAttr request) {
  LoopPlan plan;
  plan.loop = loop;
  plan.request = request;
  plan.mode = request.getMode();
  LoopTransfers transfers(kernel, loop);
  SmallVector<LoadOp> candidates;
  SmallVector<StoreOp> stores;
  bool hasTransfers = false, hasInnerTransfers = false;
  loop.walk([&](TransferOpInterface transfer) {
    bool isOwn = getPipelinedLoop(transfer) == loop;
    (isOwn ? hasTransfers : hasInnerTransfers) = true;
    if (!isOwn)
      return;
    if (transfer.getScope() != request.getScope()) {
      // Results of inner loops, which warpgroups write on their own.
      if (isa<StoreOp>(transfer) && hasPipelineInside(loop))
        return;
      miss(transfer, Miss::Scope,
           "not ringed: its scope is " +
               stringifyTransferScope(transfer.getScope()) +
               ", the pipeline's is " +
               stringifyTransferScope(request.getScope()));
      return;
    }
    if (auto load = dyn_cast<LoadOp>(transfer.getOperation()))
      candidates.push_back(load);
    else
      stores.push_back(cast<StoreOp>(transfer.getOperation()));
  });
  if (!hasTransfers && hasInnerTransfers)
    miss(loop, Miss::InnerPipeline,
         "no rings: its transfers belong to an inner loop with "
         "carousel.pipeline");
  llvm::DenseMap<Operation *, int64_t> requests;
  for (auto [load, stages] : llvm::zip(candidates, request.getStagesOfEach()))
    requests[load] = stages;
  while (!planLoads(plan, transfers, candidates, requests)) {
  }
  std::string whyUnified = chooseMode(kernel, target, plan);
  if (!whyUnified.empty())
    miss(loop, Miss::UnifiedProducts, "unified: " + whyUnified);
  if (plan.mode == PipelineMode::Specialized) {
    plan.ofSecondStage = findTilesOfSecondStage(loop);
    if (!plan.ofSecondStage.empty())
      planLoads(plan, transfers, candidates, requests);
  }
  // A ring has at least two slots.
  if (request.getStages() != 1 && request.getStoreSlots() != 1)
    planStores(plan, transfers, stores);
  result.loops.push_back(std::move(plan));
}

void LoopPlanner::choosePrefetch(const LoopPlan &plan, LoadRingPlan &ring) {
  std::optional<int64_t> asked = plan.request.getPrefetch();
  if (asked)
    *asked <<= ring.leads;
  ring.prefetch =
      std::min(asked.value_or(getDefaultPrefetch(ring)), ring.stages - 1);
  if (plan.mode == PipelineMode::Unified && !ring.request &&
      ring.prefetch < asked.value_or(0))
    miss(plan.loop, Miss::PrefetchStages,
         "prefetch " + Twine(ring.prefetch) + " instead of " + Twine(*asked) +
             ": the ring has " + Twine(ring.stages) + " stages");
  // A load ahead waits for the tiles that its operands are read from.
  int64_t most = ring.prefetch;
  for (const LoadRingPlan &source : plan.rings)
    if (llvm::any_of(source.buffers, [&](Value tile) {
          return ring.operandTiles.contains(tile);
        }))
      most = std::min(most, std::max<int64_t>(source.prefetch - 1, 0));
  if (most < ring.prefetch && plan.mode == PipelineMode::Unified)
    miss(plan.loop, Miss::PrefetchOperands,
         "prefetch " + Twine(most) + " instead of " + Twine(ring.prefetch) +
             ": the tile of the operands has too few stages");
  ring.prefetch = most;
  auto why = notAhead.find(plan.loop);
  if (why == notAhead.end())
    return;
  if (ring.prefetch != 0 && plan.mode == PipelineMode::Unified)
    miss(plan.loop, why->second.miss,
         "prefetch 0 instead of " + Twine(ring.prefetch) + ": " +
             why->second.text);
  ring.prefetch = 0;
}

/// Whether the iterations without loads ahead get a copy of the loop. Only on
/// request, because a test in each iteration costs almost nothing.
bool LoopPlanner::isPeeled(const LoopPlan &plan) {
  if (plan.request.getEpilogue() != PipelineEpilogue::Peeled)
    return false;
  if (plan.mode == PipelineMode::Specialized)
    miss(plan.loop, Miss::EpilogueSpecialized,
         "no peeled epilogue: producers have no iterations without "
         "loads");
  else if (plan.getPrefetch() == 0)
    miss(plan.loop, Miss::EpilogueNoPrefetch,
         "no peeled epilogue: no loads run ahead");
  else if (isRotatedWhile(plan.loop))
    miss(plan.loop, Miss::EpilogueWhile,
         "no peeled epilogue: the loop is an scf.while");
  else
    return true;
  return false;
}

void LoopPlanner::chooseDepth() {
  for (LoopPlan &plan : result.loops)
    plan.start = findStart(kernel, plan);
  for (LoopPlan &plan : result.loops)
    for (LoadRingPlan &ring : plan.rings)
      ring.release = chooseRelease(plan, ring);
  chooseStages(kernel, target, result);
  for (LoopPlan &plan : result.loops) {
    for (LoadRingPlan &ring : plan.rings)
      choosePrefetch(plan, ring);
    plan.hasPeeledEpilogue = isPeeled(plan);
    if (plan.mode == PipelineMode::Specialized && plan.request.getPrefetch())
      miss(plan.loop, Miss::PrefetchSpecialized,
           "prefetch " + Twine(*plan.request.getPrefetch()) +
               " without effect: producers run ahead as far as "
               "there are slots");
  }
}

RingPlan LoopPlanner::run() {
  // Inner loops come first.
  kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
    auto request = op->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
    if (!request)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      planLoop(loop, request);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      Obstacle reason = explainRotation(loop);
      if (!reason.empty())
        miss(loop, reason.miss, "no rings: " + reason.text);
    }
  });
  planRoles(kernel, target, result);
  chooseDepth();
  return std::move(result);
}

RingPlan carousel::planRings(gpu::GPUFuncOp kernel, const ChipModel &target) {
  return LoopPlanner(kernel, target).run();
}

RingPlanning::RingPlanning(Operation *kernel)
    : plan(planRings(
          cast<gpu::GPUFuncOp>(kernel),
          *getChipModel(kernel->getParentOfType<gpu::GPUModuleOp>()))) {}

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
