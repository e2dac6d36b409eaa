//===- RingLowering.cpp - lowers the rings of one kernel ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates buffers and barriers, and lowers slots, waits and ring barriers.
// IssueTransfers.cpp lowers produce and submit, and the transfers in them.
//
//===----------------------------------------------------------------------===//

#include "RingLowering.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace carousel;

bool carousel::isRingOp(Operation *op) {
  auto isRing = [](Type type) { return isa<RingType>(type); };
  return isa<RingCreateOp, RingProduceOp, RingWaitOp, RingReleaseOp, RingTileOp,
             RingLoadOp, RingStoreOp, RingSubmitOp, RingWaitStoresOp,
             RingSyncOp, RingRolesOp, SerializeOp, GridTicketOp>(op) ||
         llvm::any_of(op->getOperandTypes(), isRing) ||
         llvm::any_of(op->getResultTypes(), isRing);
}

RingLowering::RingLowering(gpu::GPUFuncOp kernel, const TargetSpec &target,
                           RingBarrierPlan plan)
    : kernel(kernel), target(target), plan(std::move(plan)),
      top(kernel.getLoc(), kernel.getContext()) {
  // Ops at the top come before this one, in the order of their making.
  top.setInsertionPointToStart(&kernel.getBody().front());
  top.setInsertionPoint(createIndex(top, 0).getDefiningOp());
}

void RingLowering::run() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isRingOp(op))
      ops.push_back(op);
  });

  createBuffers();
  createBarriers();
  initBarriers();
  auto lowerAll = [&](auto lower) {
    using Op =
        typename llvm::function_traits<decltype(lower)>::template arg_t<0>;
    for (Operation *&op : ops)
      if (auto match = dyn_cast_or_null<Op>(op)) {
        lower(match);
        op = nullptr;
      }
  };
  padGroups();
  findFirstRounds();
  // Tiles first: the sections of produce and submit are cloned with them.
  lowerAll([&](RingTileOp op) { lowerTile(op); });
  // Transfers go with the op that they stand in.
  for (Operation *&op : ops)
    if (isa_and_nonnull<RingLoadOp, RingStoreOp>(op))
      op = nullptr;
  lowerAll([&](RingProduceOp op) { lowerProduce(op); });
  lowerAll([&](RingSubmitOp op) { lowerSubmit(op); });
  lowerAll([&](RingWaitOp op) { lowerWait(op); });
  lowerAll([&](RingReleaseOp op) { lowerRelease(op); });
  lowerAll([&](RingWaitStoresOp op) { lowerWaitStores(op); });
  lowerAll([&](RingSyncOp sync) {
    ImplicitLocOpBuilder b(sync.getLoc(), sync);
    meet(b, plan.getThreads(sync), sync.getScope());
    sync.erase();
  });
  lowerAll([&](GridTicketOp op) { lowerTicket(op); });
  lowerAll([&](SerializeOp op) { lowerTurn(op); });
  // Last: they say who the threads of an op are.
  lowerAll([&](RingRolesOp op) { lowerRoles(op); });
  lowerAll([&](RingCreateOp op) { op.erase(); });

  mergeGuardedRegions();
  // What was cloned for transfers that another section has, users first.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

template <typename Key>
static Value lookup(const std::vector<std::pair<Key, Value>> &values,
                    const Key &key) {
  auto it = llvm::find_if(
      values, [&](const auto &entry) { return entry.first == key; });
  return it == values.end() ? Value() : it->second;
}

/// The thread's number in the block, an i32.
Value RingLowering::getBlockThread() {
  if (blockThread)
    return blockThread;
  std::array<int64_t, 3> block = *getKnownBlock(kernel);
  gpu::Dimension dims[] = {gpu::Dimension::x, gpu::Dimension::y,
                           gpu::Dimension::z};
  int64_t stride = 1;
  for (auto [extent, dim] : llvm::zip_equal(block, dims)) {
    if (extent == 1 && (stride > 1 || dim != gpu::Dimension::z))
      continue;
    Value id =
        createCast(top, gpu::ThreadIdOp::create(top, dim), top.getI32Type());
    id = createFolded<arith::MulIOp>(top, id, stride);
    blockThread =
        blockThread ? createFolded<arith::AddIOp>(top, blockThread, id) : id;
    stride *= extent;
  }
  return blockThread;
}

/// The thread's number in its scope, an i32.
Value RingLowering::getThread(const ThreadRange &range, TransferScope scope) {
  ScopeKey key(range, scope);
  if (Value known = lookup(threads, key))
    return known;
  Value thread = getBlockThread();
  if (scope != TransferScope::CTA)
    thread = createFolded<arith::RemUIOp>(top, thread,
                                          getScopeThreads(range, scope));
  else
    thread = createFolded<arith::SubIOp>(top, thread, range.first);
  threads.emplace_back(key, thread);
  return thread;
}

/// The number of the thread's warp or warpgroup among those of its range, an
/// index.
Value RingLowering::getInstance(const ThreadRange &range, TransferScope scope) {
  ScopeKey key(range, scope);
  if (Value known = lookup(instances, key))
    return known;
  Value thread =
      createFolded<arith::SubIOp>(top, getBlockThread(), range.first);
  Value instance = createCast(
      top,
      createFolded<arith::DivUIOp>(top, thread, getScopeThreads(range, scope)),
      top.getIndexType());
  instances.emplace_back(key, instance);
  return instance;
}

/// Whether this is the thread that issues for its scope: always the same one,
/// since bulk groups belong to threads.
Value RingLowering::getLeader(const ThreadRange &range, TransferScope scope) {
  ScopeKey key(range, scope);
  if (Value known = lookup(leaders, key))
    return known;
  Value thread = getThread(range, scope);
  Value leader =
      arith::CmpIOp::create(top, arith::CmpIPredicate::eq, thread,
                            createConstant(top, thread.getType(), 0));
  leaders.emplace_back(key, leader);
  return leader;
}

Value RingLowering::getPolicy(EvictPriority priority) {
  if (priority == EvictPriority::Normal)
    return {};
  for (auto [known, policy] : policies)
    if (known == priority)
      return policy;
  Value policy = CachePolicyFractionalOp::create(
      top, priority, /*otherwise=*/EvictPriorityAttr(),
      /*fraction=*/FloatAttr());
  policies.emplace_back(priority, policy);
  return policy;
}

//===----------------------------------------------------------------------===//
// Buffers and barriers
//===----------------------------------------------------------------------===//

/// The arguments that a ring's tiles are loaded from, by their names.
static std::string getRingName(gpu::GPUFuncOp kernel, RingCreateOp ring) {
  if (auto named = dyn_cast<NameLoc>(ring.getLoc()))
    return named.getName().str();
  SetVector<Value> loaded;
  for (Operation *user : ring.getRing().getUsers())
    if (auto produce = dyn_cast<RingProduceOp>(user))
      produce.walk([&](RingLoadOp load) {
        loaded.insert(getRootBuffer(load.getGlobal()));
      });
  std::string name;
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (loaded.contains(kernel.getArgument(argument.position)))
      name += (name.empty() ? "" : ", ") + argument.name;
  return name;
}

void RingLowering::createBuffers() {
  for (const PlannedRing &planned : plan.rings) {
    RingCreateOp ring = planned.ring;
    top.setLoc(ring.getLoc());
    RingBuffers &ringBuffers = buffers[ring.getRing()];
    ringBuffers.name = getRingName(kernel, ring);
    int64_t stages = ring.getRing().getType().getStages();
    for (const PlannedTile &tile : planned.tiles) {
      auto type = MemRefType::get({tile.stride * stages}, top.getI8Type(),
                                  MemRefLayoutAttrInterface(),
                                  tile.type.getMemorySpace());
      ringBuffers.tiles.push_back(memref::AllocOp::create(
          top, type, top.getI64IntegerAttr(tile.alignment)));
    }
  }
  top.setLoc(kernel.getLoc());
}

/// The location of a ring's barriers, by which the simulated machine names
/// them.
static Location getNamedLoc(Location ring, StringRef name) {
  std::string prefix;
  if (auto named = dyn_cast<NameLoc>(ring))
    prefix = named.getName().str() + "_";
  return NameLoc::get(StringAttr::get(ring.getContext(), prefix + name), ring);
}

/// One array for a ring; with scopes below the CTA's a row for each of them.
void RingLowering::createBarriers() {
  for (const PlannedRing &planned : plan.rings) {
    RingCreateOp ring = planned.ring;
    SmallVector<int64_t> shape;
    if (ring.getScope() != TransferScope::CTA)
      shape.push_back(planned.instances);
    shape.push_back(ring.getRing().getType().getStages());
    auto type =
        MemRefType::get(shape, MbarrierType::get(kernel.getContext()),
                        MemRefLayoutAttrInterface(),
                        gpu::AddressSpaceAttr::get(
                            kernel.getContext(), gpu::AddressSpace::Workgroup));
    auto create = [&](StringRef name) {
      top.setLoc(getNamedLoc(ring.getLoc(), name));
      return memref::AllocOp::create(top, type);
    };
    if (planned.hasFull)
      buffers[ring.getRing()].full = create("full");
    if (planned.hasEmpty)
      buffers[ring.getRing()].empty = create("empty");
  }
  top.setLoc(kernel.getLoc());
}

/// Calls `body` for each of an array of barriers.
static void forEachBarrier(ImplicitLocOpBuilder &b, Value barriers,
                           function_ref<void(ValueRange)> body) {
  auto type = cast<MemRefType>(barriers.getType());
  createLoop(b, type.getNumElements(), [&](Value number) {
    body(createDelinearized(b, number, type.getShape()));
  });
}

/// One thread initialises all barriers of the kernel, and all threads meet once
/// before the first of them is used.
void RingLowering::initBarriers() {
  SmallVector<std::pair<Value, int64_t>> barriers;
  for (const PlannedRing &planned : plan.rings) {
    RingCreateOp ring = planned.ring;
    const RingBuffers &ringBuffers = buffers[ring.getRing()];
    if (ringBuffers.full)
      barriers.emplace_back(ringBuffers.full, planned.fullArrivals);
    if (ringBuffers.empty)
      barriers.emplace_back(ringBuffers.empty, planned.emptyArrivals);
  }
  // Descriptors are fetched while the barriers are initialised.
  SetVector<Value> maps;
  kernel.walk([&](TransferOpInterface op) {
    if (op.getMap() && isa<BlockArgument>(op.getMap()) &&
        op.getMap().getParentBlock() == &kernel.getBody().front())
      maps.insert(op.getMap());
  });
  if (barriers.empty() && maps.empty())
    return;
  Value isFirst = getLeader({0, plan.threads}, TransferScope::CTA);
  createIf(top, isFirst, [&] {
    for (Value map : maps)
      TensorMapPrefetchOp::create(top, map, TensorMapSpace::Param);
    for (auto [array, count] : barriers)
      forEachBarrier(
          top, array, [&, array = array, count = count](ValueRange indices) {
            MbarrierInitOp::create(top, array, indices, /*count=*/Value(),
                                   top.getI32IntegerAttr(count));
          });
    // The CTA's threads meet; an engine doesn't. Older targets have none.
    if (plan.hasEngineLoads() && target.info->sm >= rules::kBulkSM)
      FenceMbarrierInitOp::create(top);
  });
  if (!barriers.empty())
    gpu::BarrierOp::create(top);
}

/// Slots are counted in 32 bits: a kernel has fewer uses of a ring than that.
RingLowering::Slot RingLowering::getSlot(int64_t stages, Value use) {
  Slot &slot = slots[{use, stages}];
  if (slot.number)
    return slot;
  ImplicitLocOpBuilder b(use.getLoc(), kernel.getContext());
  b.setInsertionPointAfterValue(use);
  Value number = createCast(b, use, b.getI32Type());
  Value round = createFolded<arith::DivUIOp>(b, number, stages);
  slot.number = createCast(b, createFolded<arith::RemUIOp>(b, number, stages),
                           b.getIndexType());
  slot.parity = b.createOrFold<arith::TruncIOp>(b.getI1Type(), round);
  // The phase before the one that hands the slot back for this use. A barrier
  // in its first phase counts as having completed one of parity true, so the
  // first round finds every slot empty.
  slot.isFreed = createFolded<arith::XOrIOp>(
      b, slot.parity, createConstant(b, b.getI1Type(), 1));
  return slot;
}

BarrierElement RingLowering::getBarrier(ImplicitLocOpBuilder &b,
                                        const PlannedRing &planned,
                                        const ThreadRange &range,
                                        Value barriers, const Slot &slot) {
  RingCreateOp ring = planned.ring;
  BarrierElement element;
  element.barriers = barriers;
  if (ring.getScope() != TransferScope::CTA)
    element.indices.push_back(getInstance(range, ring.getScope()));
  element.indices.push_back(slot.number);
  return element;
}

/// What threads wait for that wait for a ring's `barriers`, "full" or "empty".
WaitLabelAttr RingLowering::getLabel(const PlannedRing &planned,
                                     StringRef barriers) {
  WaitRole role = WaitRole::All;
  if (!(planned.producers == planned.consumers))
    role = barriers == "empty" ? WaitRole::Producer : WaitRole::Consumer;
  std::string name = buffers[planned.ring.getRing()].name;
  if (!name.empty())
    name += ' ';
  return WaitLabelAttr::get(kernel.getContext(), name + barriers.str(), role,
                            /*number=*/std::nullopt);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void RingLowering::lowerTile(RingTileOp tile) {
  const PlannedRing &planned = plan.lookup(tile.getRing());
  Slot slot = getSlot(tile.getRing().getType().getStages(), tile.getUse());
  ImplicitLocOpBuilder b(tile.getLoc(), tile);
  Value shift = createFolded<arith::MulIOp>(
      b, slot.number, planned.tiles[tile.getIndex()].stride);
  Value bytes = buffers[tile.getRing()].tiles[tile.getIndex()];
  tile.getTile().replaceAllUsesWith(memref::ViewOp::create(
      b, tile.getTile().getType(), bytes, shift, /*sizes=*/ValueRange()));
  tile.erase();
}

static void createWait(ImplicitLocOpBuilder &b, const BarrierElement &element,
                       Value parity, WaitLabelAttr label) {
  MbarrierWaitOp::create(b, element.barriers, element.indices,
                         /*state=*/Value(), parity, /*suspend_ns=*/Value(),
                         MemSemantics::Acquire, MemScope::CTA, label);
}

void RingLowering::waitForEmpty(ImplicitLocOpBuilder &b,
                                const PlannedRing &planned, const Slot &slot) {
  if (!planned.hasEmpty || !slot.isFreed)
    return;
  RingCreateOp ring = planned.ring;
  BarrierElement empty = getBarrier(b, planned, planned.producers,
                                    buffers[ring.getRing()].empty, slot);
  createWait(b, empty, slot.isFreed, getLabel(planned, "empty"));
}

/// Groups that waits in a loop count on before the loop has committed any.
void RingLowering::padGroups() {
  for (const PlannedRing &planned : plan.rings) {
    if (!planned.groups)
      continue;
    for (auto [loop, count] : planned.groups->padding) {
      ImplicitLocOpBuilder b(loop->getLoc(), loop);
      for (int64_t i = 0; i < count; ++i)
        CpAsyncCommitGroupOp::create(b);
    }
  }
}

void RingLowering::lowerWait(RingWaitOp wait) {
  const PlannedRing &planned = plan.lookup(wait.getRing());
  if (planned.meetsWhenFilled) // in the produce
    return wait.erase();
  if (planned.groups) {
    ImplicitLocOpBuilder b(wait.getLoc(), wait);
    CpAsyncWaitGroupOp::create(b, planned.groups->pending.lookup(wait));
    RingCreateOp ring = planned.ring;
    meet(b, planned.consumers, ring.getScope());
    return wait.erase();
  }
  Slot slot = getSlot(wait.getRing().getType().getStages(), wait.getUse());
  ImplicitLocOpBuilder b(wait.getLoc(), wait);
  BarrierElement full = getBarrier(b, planned, planned.consumers,
                                   buffers[wait.getRing()].full, slot);
  createWait(b, full, slot.parity, getLabel(planned, "full"));
  wait.erase();
}

void RingLowering::lowerRelease(RingReleaseOp release) {
  const PlannedRing &planned = plan.lookup(release.getRing());
  RingCreateOp ring = planned.ring;
  ImplicitLocOpBuilder b(release.getLoc(), release);
  if (planned.hasEmpty) {
    Slot slot =
        getSlot(release.getRing().getType().getStages(), release.getUse());
    arrive(b, planned.consumers, ring.getScope(),
           getBarrier(b, planned, planned.consumers,
                      buffers[release.getRing()].empty, slot));
  } else if ((planned.groups ||
              ring.getRelease() != SlotRelease::EmptyBarrier) &&
             !plan.mergedReleases.contains(release)) {
    meet(b, planned.consumers, ring.getScope());
  }
  release.erase();
}

void RingLowering::arrive(ImplicitLocOpBuilder &b, const ThreadRange &range,
                          TransferScope scope, const BarrierElement &barrier,
                          bool isMet) {
  auto arriveOnce = [&] {
    MbarrierArriveOp::create(b, /*state=*/Type(), barrier.barriers,
                             barrier.indices, /*count=*/Value(),
                             /*static_count=*/IntegerAttr());
  };
  if (!arrivesByWarp(range))
    return arriveOnce();
  // The warp's threads hand what they did to its first one.
  if (!isMet)
    BarrierWarpOp::create(b, /*mask=*/Value());
  createIf(b, getLeader({0, plan.threads}, TransferScope::Warp), arriveOnce);
}

void RingLowering::lowerWaitStores(RingWaitStoresOp storeWait) {
  ThreadRange range = plan.getThreads(storeWait);
  // Stores that threads make themselves have read their tiles when they are
  // behind the submit, and are ordered like the thread's other stores.
  if (plan.issuesBulkGroups(range, storeWait.getScope())) {
    ImplicitLocOpBuilder b(storeWait.getLoc(), storeWait);
    createIf(b, getLeader(range, storeWait.getScope()), [&] {
      BulkWaitGroupOp::create(b, storeWait.getKind(), storeWait.getPending());
    });
  }
  storeWait.erase();
}

void RingLowering::meet(ImplicitLocOpBuilder &b, const ThreadRange &range,
                        TransferScope scope) {
  if (scope == TransferScope::Warp) {
    BarrierWarpOp::create(b, /*mask=*/Value());
    return;
  }
  const NamedBarriers *named = plan.getNamedBarriers(range, scope);
  if (!named) {
    gpu::BarrierOp::create(b);
    return;
  }
  IntegerAttr threads = b.getI32IntegerAttr(getScopeThreads(range, scope));
  if (named->count == 1) {
    BarrierSyncOp::create(b, /*id=*/Value(), b.getI32IntegerAttr(named->first),
                          threads);
    return;
  }
  Value id = createFolded<arith::AddIOp>(
      top, createCast(top, getInstance(range, scope), top.getI32Type()),
      named->first);
  BarrierSyncOp::create(b, id, /*static_id=*/IntegerAttr(), threads);
}
