//===- RingBarriers.cpp - the lowering plan of rings ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds each ring's producers and consumers, counts arrivals, and computes the
// layout of slots. C160, C163 to C165 and C337 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingBarriers.h"

#include "CommitGroups.h"
#include "NamedBarriers.h"
#include "RingEnds.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

int64_t carousel::getScopeThreads(const ThreadRange &range,
                                  TransferScope scope) {
  switch (scope) {
  case TransferScope::CTA:
    return range.count;
  case TransferScope::Warpgroup:
    return rules::kWarpgroupSize;
  case TransferScope::Warp:
    return rules::kWarpSize;
  }
  llvm_unreachable("all scopes are handled");
}

int64_t carousel::getScopeInstances(const ThreadRange &range,
                                    TransferScope scope) {
  return range.count / getScopeThreads(range, scope);
}

bool carousel::arrivesByWarp(const ThreadRange &range) {
  return range.count % rules::kWarpSize == 0;
}

ThreadRange RingBarrierPlan::getThreads(Operation *op) const {
  auto roles = op->getParentOfType<RingRolesOp>();
  if (!roles)
    return {0, threads};
  if (roles.getConsumer().isAncestor(op->getParentRegion()))
    return {0, roles.getConsumerThreads()};
  return {roles.getConsumerThreads(), roles.getProducerThreads()};
}

const PlannedRing &RingBarrierPlan::lookup(Value ring) const {
  auto it = llvm::find_if(rings, [&](const PlannedRing &planned) {
    return planned.ring.getRing() == ring;
  });
  assert(it != rings.end() && "rings are made by ring.create");
  return *it;
}

bool RingBarrierPlan::hasEngineLoads() const {
  return llvm::any_of(shapes, [](const auto &entry) {
    auto load = dyn_cast<RingLoadOp>(entry.first);
    return load && isByOneThread(load);
  });
}

bool RingBarrierPlan::isShared() const {
  return llvm::any_of(
      rings, [](const PlannedRing &planned) { return planned.ctas != 1; });
}

bool RingBarrierPlan::issuesBulkGroups(const ThreadRange &range,
                                       TransferScope scope) const {
  return llvm::is_contained(bulkScopes, ScopeKey(range, scope));
}

const NamedBarriers *
RingBarrierPlan::getNamedBarriers(const ThreadRange &range,
                                  TransferScope scope) const {
  auto it = llvm::find_if(namedBarriers, [&](const auto &entry) {
    return entry.first == ScopeKey(range, scope);
  });
  return it == namedBarriers.end() ? nullptr : &it->second;
}

namespace {

class BarrierPlanner {
public:
  BarrierPlanner(gpu::GPUFuncOp kernel, bool commitGroups)
      : kernel(kernel), commitGroups(commitGroups) {}

  FailureOr<RingBarrierPlan> run();

private:
  LogicalResult planBlock();
  LogicalResult planShapes();
  LogicalResult verifyRoles(RingRolesOp roles);
  LogicalResult verifyScope(Operation *op, TransferScope scope);
  LogicalResult planRing(RingCreateOp ring);
  LogicalResult planThreads(PlannedRing &planned);
  LogicalResult planCTAs(PlannedRing &planned);
  void planTiles(PlannedRing &planned);
  void planStores(RingSubmitOp submit);

  gpu::GPUFuncOp kernel;
  bool commitGroups;
  RingBarrierPlan plan;
};

} // namespace

//===----------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------===//

// C160
LogicalResult BarrierPlanner::planBlock() {
  std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel);
  if (!block)
    return kernel.emitError("expected carousel.launch or known_block_size on a "
                            "kernel with rings, got neither");
  plan.threads = (*block)[0] * (*block)[1] * (*block)[2];
  return success();
}

// C164
LogicalResult BarrierPlanner::planShapes() {
  Divisibility facts;
  WalkResult result = kernel.walk([&](TransferOpInterface op) {
    if (!isa<RingLoadOp, RingStoreOp>(op))
      return WalkResult::advance();
    TransferShape shape = computeTransferShape(op, facts);
    std::string reason = explainEngine(op, shape);
    if (!reason.empty()) {
      op->emitOpError("expected ") << reason;
      return WalkResult::interrupt();
    }
    plan.shapes[op] = std::move(shape);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult BarrierPlanner::verifyRoles(RingRolesOp roles) {
  // C160
  int64_t threads = roles.getProducerThreads() + roles.getConsumerThreads();
  if (threads != plan.threads)
    return roles.emitOpError("expected roles of the block's ")
           << plan.threads << " threads in all, got " << threads;
  // C163
  WalkResult result = roles->walk([](Operation *op) {
    if (!isa<gpu::BarrierOp, gpu::AllReduceOp, RingRolesOp>(op) ||
        !op->getParentOfType<RingRolesOp>())
      return WalkResult::advance();
    op->emitOpError("expected no op in a role that all threads of the block "
                    "must execute, got '")
        << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

// C160
LogicalResult BarrierPlanner::verifyScope(Operation *op, TransferScope scope) {
  // All threads of the role, from any first thread on.
  if (scope == TransferScope::CTA)
    return success();
  ThreadRange range = plan.getThreads(op);
  int64_t size = getScopeThreads(range, scope);
  if (range.count % size == 0 && range.first % size == 0)
    return success();
  return op->emitOpError("expected threads in multiples of ")
         << size << " for scope " << stringifyTransferScope(scope) << ", got "
         << range.count << " from thread " << range.first << " on";
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// In program order, so that errors are at the later of two ops.
static SmallVector<Operation *> getUsersInOrder(Value ring) {
  SmallVector<Operation *> users(ring.getUsers());
  llvm::SmallDenseSet<Operation *> all(users.begin(), users.end());
  users.clear();
  ring.getParentRegion()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (all.contains(op))
      users.push_back(op);
  });
  return users;
}

/// C165: the producers and the consumers.
LogicalResult BarrierPlanner::planThreads(PlannedRing &planned) {
  RingCreateOp ring = planned.ring;
  Operation *producer = nullptr, *consumer = nullptr;
  bool isReleased = false;
  for (Operation *user : getUsersInOrder(ring.getRing())) {
    if (!isa<RingProduceOp, RingWaitOp, RingReleaseOp, RingTileOp>(user))
      return user->emitOpError("expected ring ops to use a ring, got '")
             << user->getName() << "'";
    if (isa<RingTileOp>(user))
      continue;
    bool produces = isa<RingProduceOp>(user);
    Operation *&first = produces ? producer : consumer;
    ThreadRange &range = produces ? planned.producers : planned.consumers;
    ThreadRange threads = plan.getThreads(user);
    if (failed(verifyScope(user, ring.getScope())))
      return failure();
    if (first && !(range == threads)) {
      InFlightDiagnostic error = user->emitOpError("expected all ")
                                 << (produces ? "producers" : "consumers")
                                 << " of a ring to be of one role, got threads "
                                 << threads.first << " to "
                                 << threads.first + threads.count - 1;
      error.attachNote(first->getLoc())
          << "threads " << range.first << " to "
          << range.first + range.count - 1 << " here";
      return error;
    }
    first = user;
    range = threads;
    planned.hasFull |= isa<RingProduceOp, RingWaitOp>(user);
    isReleased |= isa<RingReleaseOp>(user);
  }
  if (consumer && !producer)
    return consumer->emitOpError(
        "expected a ring.produce for the ring waited on, got none");
  bool sharesThreads =
      !producer || !consumer || planned.producers == planned.consumers;
  if (!sharesThreads &&
      (ring.getScope() != TransferScope::CTA ||
       (isReleased && ring.getRelease() != SlotRelease::EmptyBarrier)))
    return ring.emitOpError("expected scope cta and release empty_barrier "
                            "between two roles, got scope ")
           << stringifyTransferScope(ring.getScope()) << " and release "
           << stringifySlotRelease(ring.getRelease());
  if (producer)
    planned.instances = getScopeInstances(planned.producers, ring.getScope());
  // If no consumer releases slots, barriers in the kernel order the accesses.
  planned.hasEmpty =
      producer && isReleased && ring.getRelease() == SlotRelease::EmptyBarrier;
  return success();
}

/// C337: the CTAs of the launch's cluster.
LogicalResult BarrierPlanner::planCTAs(PlannedRing &planned) {
  RingCreateOp ring = planned.ring;
  planned.ctas = ring.getMulticast();
  if (planned.ctas == 1)
    return success();
  int64_t ctas = countClusterCTAs(kernel);
  if (planned.ctas != ctas)
    return ring.emitOpError("expected multicast to the ")
           << ctas << " CTAs of the launch's cluster, got " << planned.ctas;
  if (!llvm::hasSingleElement(kernel.getBody()))
    return ring.emitOpError("expected a kernel of one block with multicast, "
                            "got ")
           << kernel.getBody().getBlocks().size() << " blocks";
  if (!planned.hasEmpty || !arrivesByWarp(planned.consumers))
    return ring.emitOpError("expected whole warps that release the slots of a "
                            "ring with multicast, got ")
           << (planned.hasEmpty ? planned.consumers.count : 0) << " threads";
  return success();
}

/// The alignment that a transfer requires of its tile's slot.
static int64_t getSlotAlignment(TransferOpInterface op) {
  if (op.getEngineAttr() && op.getEngineAttr().getKind() == EngineKind::Tensor)
    return op.getMap().getType().getSharedAlignment();
  return rules::kBulkGranule;
}

void BarrierPlanner::planTiles(PlannedRing &planned) {
  int64_t stages = planned.ring.getRing().getType().getStages();
  for (MemRefType type : planned.ring.getRing().getType().getTiles()) {
    PlannedTile &tile = planned.tiles.emplace_back();
    tile.type = type;
  }
  kernel.walk([&](TransferOpInterface op) {
    auto tile = getRootBuffer(op.getTile()).getDefiningOp<RingTileOp>();
    if (!tile || tile.getRing() != planned.ring.getRing())
      return;
    int64_t &alignment = planned.tiles[tile.getIndex()].alignment;
    alignment = std::max(alignment, getSlotAlignment(op));
  });
  for (PlannedTile &tile : planned.tiles) {
    int64_t bytes = tile.type.getNumElements() *
                    getElementBytes(tile.type.getElementType());
    // With one slot no next slot needs alignment.
    tile.stride = stages == 1 ? bytes : llvm::alignTo(bytes, tile.alignment);
  }
}

LogicalResult BarrierPlanner::planRing(RingCreateOp ring) {
  // C165
  if (ring->getBlock() != &kernel.getBody().front())
    return ring.emitOpError(
               "expected a ring at the top of its kernel, got one under '")
           << ring->getParentOp()->getName() << "'";
  PlannedRing planned;
  planned.ring = ring;
  if (failed(planThreads(planned)) || failed(planCTAs(planned)))
    return failure();
  bool isFilled = false;
  for (Operation *user : ring.getRing().getUsers())
    if (auto produce = dyn_cast<RingProduceOp>(user))
      produce.walk([&](RingLoadOp load) {
        EngineKind kind = load.getEngineAttr().getKind();
        isFilled = true;
        planned.leaderArrives |=
            kind == EngineKind::Tensor || kind == EngineKind::Bulk;
        planned.cpAsyncArrives |= kind == EngineKind::CpAsync;
        planned.storesArrive |= kind == EngineKind::Vector ||
                                mayStoreByThreads(load, plan.shapes.at(load));
      });
  // A thread must arrive even if there is nothing to wait for.
  planned.leaderArrives |= !isFilled;
  planned.syncsWarpWhenFilled =
      ring.getScope() == TransferScope::Warp && planned.storesArrive &&
      !planned.leaderArrives && !planned.cpAsyncArrives;
  if (planned.syncsWarpWhenFilled)
    planned.hasFull = planned.storesArrive = false;
  int64_t threads = getScopeThreads(planned.producers, ring.getScope());
  auto countArrivals = [&](const ThreadRange &range) {
    int64_t size = getScopeThreads(range, ring.getScope());
    return arrivesByWarp(range) ? size / rules::kWarpSize : size;
  };
  if (commitGroups && planned.cpAsyncArrives && !planned.leaderArrives &&
      !planned.storesArrive && planned.producers == planned.consumers &&
      // Waits are barriers, which in a role or a warpgroup are named barriers.
      (ring.getScope() == TransferScope::Warp ||
       (ring.getScope() == TransferScope::CTA &&
        planned.producers.count == plan.threads)))
    planned.groups = planCommitGroups(ring);
  if (planned.groups)
    planned.hasFull = planned.hasEmpty = planned.cpAsyncArrives = false;
  planned.fullArrivals =
      (planned.leaderArrives ? 1 : 0) + (planned.cpAsyncArrives ? threads : 0) +
      (planned.storesArrive ? countArrivals(planned.producers) : 0);
  planned.emptyArrivals = countArrivals(planned.consumers) * planned.ctas;
  planTiles(planned);
  plan.rings.push_back(std::move(planned));
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void BarrierPlanner::planStores(RingSubmitOp submit) {
  bool issuesGroups = false;
  submit.walk([&](RingStoreOp store) { issuesGroups |= isByOneThread(store); });
  ScopeKey key(plan.getThreads(submit), submit.getScope());
  if (issuesGroups && !llvm::is_contained(plan.bulkScopes, key))
    plan.bulkScopes.push_back(key);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

FailureOr<RingBarrierPlan> BarrierPlanner::run() {
  if (failed(planBlock()) || failed(planShapes()))
    return failure();
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto roles = dyn_cast<RingRolesOp>(op))
      return WalkResult(verifyRoles(roles));
    if (auto sync = dyn_cast<RingSyncOp>(op))
      return WalkResult(verifyScope(op, sync.getScope()));
    if (auto storeWait = dyn_cast<RingWaitStoresOp>(op))
      return WalkResult(verifyScope(op, storeWait.getScope()));
    if (auto submit = dyn_cast<RingSubmitOp>(op)) {
      planStores(submit);
      return WalkResult(verifyScope(op, submit.getScope()));
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  // C165
  result = kernel.walk([](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<RingType>(operand.getType()) &&
          !operand.getDefiningOp<RingCreateOp>()) {
        op->emitOpError(
            "expected a ring that carousel.ring.create defines, got "
            "another value of type ")
            << operand.getType();
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  result = kernel.walk(
      [&](RingCreateOp ring) { return WalkResult(planRing(ring)); });
  if (result.wasInterrupted())
    return failure();
  mergeReleases(kernel, plan);
  findSynchronizedProduces(kernel, plan);
  planEnds(kernel, plan);
  if (failed(planNamedBarriers(kernel, plan)))
    return failure();
  return std::move(plan);
}

FailureOr<RingBarrierPlan> carousel::planRingBarriers(gpu::GPUFuncOp kernel,
                                                      bool commitGroups) {
  return BarrierPlanner(kernel, commitGroups).run();
}

static void print(llvm::raw_ostream &os, const ThreadRange &range) {
  os << "threads " << range.first << " to " << range.first + range.count - 1;
}

void RingBarrierPlan::print(llvm::raw_ostream &os) const {
  for (const PlannedRing &planned : rings) {
    RingCreateOp ring = planned.ring;
    os << "ring of " << ring.getRing().getType().getStages() << " slots";
    if (planned.instances > 1)
      os << ", " << planned.instances << " of them";
    os << ":";
    if (planned.syncsWarpWhenFilled)
      os << " full when the warp meets";
    if (planned.groups)
      os << " commit groups";
    if (planned.hasFull) {
      os << " full by " << planned.fullArrivals << " arrivals of ";
      ::print(os, planned.producers);
    }
    if (planned.hasEmpty) {
      os << ", empty by " << planned.emptyArrivals << " arrivals of ";
      ::print(os, planned.consumers);
      if (planned.ctas != 1)
        os << " of " << planned.ctas << " CTAs";
    }
    for (const PlannedTile &tile : planned.tiles)
      os << ", tile every " << tile.stride << " bytes aligned to "
         << tile.alignment;
    os << "\n";
  }
  for (const auto &[key, barriers] : namedBarriers) {
    os << "named barriers " << barriers.first << " to "
       << barriers.first + barriers.count - 1 << " for ";
    ::print(os, key.first);
    os << " by " << stringifyTransferScope(key.second) << "\n";
  }
  os << mergedReleases.size() << " releases merged with a barrier\n";
}
