//===- RingBarriers.cpp - barriers of rings -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds each ring's producers and consumers, counts arrivals, and computes the
// layout of slots. C160, C163 to C165 and C337 of docs/Spec.md. A ring whose
// uses can be distinguished by the commit groups of the threads that fill it
// needs no mbarriers.
//
// If a thread's ordinary write is followed by an engine's access to the same
// bytes, a proxy fence must be in between. The issuing thread copies the row
// ends of bulk copies. In global memory, bulk copies end at the last multiple
// of 16 bytes before a row's end, wherever their box starts: none of that
// memref accesses the bytes after it. In a slot, the prefix of a row that an
// engine fills gets shorter as the box moves on: while boxes only move forward,
// no engine fills bytes that a thread filled earlier. If rows always begin at
// the same offset of the innermost dimension, no engine accesses the granule in
// which they end, either. There is no place for a fence after a copy by
// cp.async, so cp.async copies only such ends.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingBarriers.h"

#include "../../Sync/SyncPositions.h"
#include "NamedBarriers.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// use - base if that is a known constant.
static std::optional<int64_t> getDistance(Value use, Value base) {
  if (use == base)
    return 0;
  auto sum = use.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  if (sum.getLhs() == base)
    return getConstantIntValue(sum.getRhs());
  if (sum.getRhs() == base)
    return getConstantIntValue(sum.getLhs());
  return std::nullopt;
}

/// Whether `use` is loop-carried, and increases by one in each iteration.
static bool countsIterations(scf::ForOp loop, Value use) {
  auto argument = dyn_cast<BlockArgument>(use);
  if (!argument || argument.getOwner() != loop.getBody() ||
      argument == loop.getInductionVar())
    return false;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
  return getDistance(yielded->get(), argument) == 1;
}

/// The loop's counter to which `use` adds a constant, or null.
static Value findCounter(scf::ForOp loop, Value use) {
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (getDistance(use, argument) && countsIterations(loop, argument))
      return argument;
  return {};
}

/// The op of the loop's body that is `op`, or contains it under branches only,
/// or null.
static Operation *findInBody(scf::ForOp loop, Operation *op) {
  while (op->getParentOp() != loop) {
    op = op->getParentOp();
    if (!isa<scf::IfOp>(op))
      return nullptr;
  }
  return op;
}

/// Returns nullopt if mbarriers are better: for rings that aren't loaded ahead,
/// whose waits would also wait for all other copies in flight.
///
/// Consider a wait for use k in a loop that, once in each iteration and before
/// this wait, fills use k + d. It leaves d groups pending: d groups have been
/// committed since the group of use k, in the loop or before it. For uses that
/// were filled before the loop, d - 1 empty groups are committed right before
/// the loop. Groups of other rings in between only make a wait stricter. Every
/// other wait leaves no group pending.
static std::optional<CommitGroups> planCommitGroups(RingCreateOp ring) {
  CommitGroups groups;
  SmallVector<RingProduceOp> produces;
  SmallVector<RingWaitOp> waits;
  for (Operation *user : ring.getRing().getUsers()) {
    if (auto produce = dyn_cast<RingProduceOp>(user)) {
      produces.push_back(produce);
      groups.ends[produce] = produce;
    } else if (auto wait = dyn_cast<RingWaitOp>(user)) {
      waits.push_back(wait);
      groups.pending[wait] = 0;
    }
  }
  for (RingWaitOp wait : waits) {
    // In the loop, or under a branch of it: a wait for a later iteration.
    auto loop = wait->getParentOfType<scf::ForOp>();
    Operation *place = loop ? findInBody(loop, wait) : nullptr;
    if (!place)
      continue;
    SmallVector<RingProduceOp> inside;
    llvm::copy_if(produces, std::back_inserter(inside),
                  [&](Operation *op) { return loop->isAncestor(op); });
    if (inside.size() != 1)
      continue;
    RingProduceOp produce = inside.front();
    Operation *end = findInBody(loop, produce);
    Value counter = findCounter(loop, wait.getUse());
    if (!end || !end->isBeforeInBlock(place) || !counter)
      continue;
    std::optional<int64_t> ahead = getDistance(produce.getUse(), counter),
                           awaited = getDistance(wait.getUse(), counter);
    if (!ahead || *awaited < 0 || *ahead <= *awaited)
      continue;
    groups.ends[produce] = end;
    groups.pending[wait] = *ahead - *awaited;
    if (llvm::none_of(groups.padding,
                      [&](auto &padded) { return padded.first == loop; }))
      groups.padding.emplace_back(loop, *ahead - 1);
  }
  if (groups.padding.empty())
    return std::nullopt;
  return groups;
}

namespace {

class EndPlanner {
public:
  EndPlanner(gpu::GPUFuncOp kernel, RingBarrierPlan &plan);
  void run();

private:
  bool mayTouchStored(RingStoreOp store);
  /// The loads into the load's tile if engines access it in no other way.
  std::optional<SmallVector<RingLoadOp>> findLoads(RingLoadOp load);
  bool mayTouchFilled(RingLoadOp load, ArrayRef<RingLoadOp> loads);
  bool haveFixedEnds(ArrayRef<RingLoadOp> loads);
  bool movesForward(ArrayRef<RingLoadOp> loads);
  bool movesForward(RingLoadOp load, scf::ForOp loop);
  bool comesBehind(RingLoadOp load, scf::ForOp loop, RingLoadOp earlier,
                   scf::ForOp earlierLoop);
  IndexPosition getOffsetAt(RingLoadOp load, scf::ForOp loop, Value bound);

  gpu::GPUFuncOp kernel;
  RingBarrierPlan &plan;
  /// Transfers by engines, in program order.
  SmallVector<TransferOpInterface> transfers;
  std::optional<SyncPositions> positions;
};

} // namespace

EndPlanner::EndPlanner(gpu::GPUFuncOp kernel, RingBarrierPlan &plan)
    : kernel(kernel), plan(plan) {
  kernel.walk<WalkOrder::PreOrder>([&](TransferOpInterface op) {
    if (isa<RingLoadOp, RingStoreOp>(op.getOperation()) && isByOneThread(op))
      transfers.push_back(op);
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Whether an engine may access bytes that the issuing thread stores itself.
/// Different arguments of a kernel don't overlap if one of them is written.
bool EndPlanner::mayTouchStored(RingStoreOp store) {
  const TransferShape &shape = plan.shapes.at(store);
  Value global = store.getGlobal();
  auto isArgument = [&](Value memref) {
    return isa<BlockArgument>(memref) &&
           memref.getParentBlock() == &kernel.getBody().front();
  };
  if (shape.hasRowEnds() || !isArgument(global))
    return true;
  return llvm::any_of(transfers, [&](TransferOpInterface other) {
    if (other.getGlobal() != global) {
      Value root = getRootBuffer(other.getGlobal());
      return !isArgument(root) || mayOverlap(root, global);
    }
    const TransferShape &otherShape = plan.shapes.at(other);
    return other.getEngineAttr().getKind() != EngineKind::Bulk ||
           otherShape.hasRowEnds() ||
           otherShape.globalGroups != shape.globalGroups;
  });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The only loop around `op`, or null. nullopt if there are several, or an op
/// that may execute `op` several times.
static std::optional<scf::ForOp> getOnlyLoop(Operation *op) {
  scf::ForOp loop;
  for (op = op->getParentOp(); !isa<gpu::GPUFuncOp>(op);
       op = op->getParentOp()) {
    if (isa<scf::IfOp, RingProduceOp, RingRolesOp>(op))
      continue;
    if (loop || !isa<scf::ForOp>(op))
      return std::nullopt;
    loop = cast<scf::ForOp>(op);
  }
  return loop;
}

/// The load's offset with `bound` instead of the induction variable.
IndexPosition EndPlanner::getOffsetAt(RingLoadOp load, scf::ForOp loop,
                                      Value bound) {
  IndexPosition offset = positions->get(load.getOffsets().front());
  if (!loop)
    return offset;
  PositionMap map;
  map[positions->getNumber(loop.getInductionVar())] = positions->get(bound);
  return positions->substitute(offset, map);
}

/// Whether the load's box never moves back from one iteration to the next.
bool EndPlanner::movesForward(RingLoadOp load, scf::ForOp loop) {
  IndexPosition offset = positions->get(load.getOffsets().front());
  if (!offset.rest.isExact())
    return false;
  return llvm::all_of(offset.terms, [&](const auto &term) {
    Value value = positions->getValue(term.first);
    if (loop && value == loop.getInductionVar())
      return term.second > 0;
    return !loop || loop.isDefinedOutsideOfLoop(value);
  });
}

/// Whether the load's first box isn't before the last one of `earlier`.
bool EndPlanner::comesBehind(RingLoadOp load, scf::ForOp loop,
                             RingLoadOp earlier, scf::ForOp earlierLoop) {
  IndexPosition first =
      getOffsetAt(load, loop, loop ? loop.getLowerBound() : Value());
  // The induction variable is below the least of several bounds, and so is the
  // offset: movesForward.
  SmallVector<IndexPosition> ends = {
      getOffsetAt(earlier, earlierLoop,
                  earlierLoop ? earlierLoop.getUpperBound() : Value())};
  constexpr size_t most = 16; // enough for the loops that passes make
  for (size_t i = 0; i < ends.size() && ends.size() < most; ++i)
    for (auto [number, factor] : IndexPosition(ends[i]).terms)
      if (auto least =
              positions->getValue(number).getDefiningOp<arith::MinSIOp>();
          least && factor > 0)
        for (Value operand : least->getOperands()) {
          PositionMap map;
          map[number] = positions->get(operand);
          ends.push_back(positions->substitute(ends[i], map));
        }
  return llvm::any_of(ends, [&](const IndexPosition &end) {
    return positions->subtract(first, end).lo >= 0;
  });
}

/// Whether boxes never move back from one of the loads to the next.
bool EndPlanner::movesForward(ArrayRef<RingLoadOp> loads) {
  if (!positions)
    positions.emplace(kernel);
  SmallVector<std::pair<RingLoadOp, scf::ForOp>> earlier;
  for (RingLoadOp load : loads) {
    std::optional<scf::ForOp> loop = getOnlyLoop(load);
    if (!loop || !movesForward(load, *loop))
      return false;
    for (auto [before, loopBefore] : earlier)
      if ((*loop && *loop == loopBefore) ||
          !comesBehind(load, *loop, before, loopBefore))
        return false;
    earlier.emplace_back(load, *loop);
  }
  return true;
}

/// Whether both are the same tile of a ring, or the same buffer.
static bool isSameTile(Value lhs, Value rhs) {
  auto tile = lhs.getDefiningOp<RingTileOp>();
  auto other = rhs.getDefiningOp<RingTileOp>();
  if (!tile || !other)
    return lhs == rhs;
  return tile.getRing() == other.getRing() &&
         tile.getIndex() == other.getIndex();
}

std::optional<SmallVector<RingLoadOp>> EndPlanner::findLoads(RingLoadOp load) {
  SmallVector<RingLoadOp> loads;
  for (TransferOpInterface other : transfers) {
    if (!isSameTile(getRootBuffer(other.getTile()),
                    getRootBuffer(load.getTile())))
      continue;
    auto fills = dyn_cast<RingLoadOp>(other.getOperation());
    if (!fills || !isSameTile(fills.getTile(), load.getTile()) ||
        fills.getEngineAttr().getKind() != EngineKind::Bulk ||
        fills.getGlobal() != load.getGlobal())
      return std::nullopt;
    loads.push_back(fills);
  }
  return loads;
}

/// Whether an engine may access bytes that threads fill.
bool EndPlanner::mayTouchFilled(RingLoadOp load, ArrayRef<RingLoadOp> loads) {
  if (loads.size() == 1 && getOnlyLoop(load) == scf::ForOp())
    return false;
  return load.getGlobal().getType().getRank() != 1 ||
         plan.shapes.at(load).dims.front().mayBeginBefore ||
         !movesForward(loads);
}

/// Whether the value is the same whenever the kernel uses it.
static bool isOutsideLoops(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<gpu::GPUFuncOp>(value.getParentBlock()->getParentOp());
  for (op = op->getParentOp(); !isa<gpu::GPUFuncOp>(op); op = op->getParentOp())
    if (!isa<scf::IfOp, RingProduceOp, RingRolesOp>(op))
      return false;
  return true;
}

/// Whether the rows of all the loads begin at one offset of the innermost
/// dimension.
bool EndPlanner::haveFixedEnds(ArrayRef<RingLoadOp> loads) {
  if (!positions)
    positions.emplace(kernel);
  auto getBegin = [&](RingLoadOp load) {
    return positions->get(
        load.getOffsets()[plan.shapes.at(load).globalGroups.back().front()]);
  };
  IndexPosition first = getBegin(loads.front());
  if (!first.rest.isExact() ||
      !llvm::all_of(first.terms, [&](const auto &term) {
        return isOutsideLoops(positions->getValue(term.first));
      }))
    return false;
  return llvm::all_of(loads, [&](RingLoadOp load) {
    IndexInterval distance = positions->subtract(getBegin(load), first);
    return distance.isExact() && distance.lo == 0 &&
           plan.shapes.at(load).globalGroups ==
               plan.shapes.at(loads.front()).globalGroups;
  });
}

void EndPlanner::run() {
  for (TransferOpInterface op : transfers) {
    if (op.getEngineAttr().getKind() != EngineKind::Bulk)
      continue;
    auto load = dyn_cast<RingLoadOp>(op.getOperation());
    if (!load) {
      if (mayTouchStored(cast<RingStoreOp>(op.getOperation())))
        plan.orderedEnds.insert(op);
      continue;
    }
    std::optional<SmallVector<RingLoadOp>> loads = findLoads(load);
    bool isOrdered = !loads || mayTouchFilled(load, *loads);
    if (isOrdered)
      plan.orderedEnds.insert(op);
    if (!isOrdered || (loads && haveFixedEnds(*loads)))
      plan.asyncEnds.insert(op);
  }
}

/// Fills `plan.orderedEnds` and `plan.asyncEnds`. The plan already has its
/// shapes.
static void planEnds(gpu::GPUFuncOp kernel, RingBarrierPlan &plan) {
  EndPlanner(kernel, plan).run();
}

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
