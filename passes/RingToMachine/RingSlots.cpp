//===- RingSlots.cpp - slots and barriers of rings ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations and initial values at the kernel's top, the arithmetic of slots
// and parities, and mbarrier ops.
//
//===----------------------------------------------------------------------===//

#include "RingSlots.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Buffers and barriers
//===----------------------------------------------------------------------===//

/// The arguments that a ring's tiles are loaded from, by their names.
static std::string getRingName(gpu::GPUFuncOp func, RingCreateOp ring) {
  if (auto named = dyn_cast<NameLoc>(ring.getLoc()))
    return named.getName().str();
  SetVector<Value> loaded;
  for (Operation *user : ring.getRing().getUsers())
    if (auto produce = dyn_cast<RingProduceOp>(user))
      produce.walk([&](RingLoadOp load) {
        loaded.insert(getRootBuffer(load.getGlobal()));
      });
  std::string name;
  for (const KernelArgument &argument : getKernelArguments(func))
    if (loaded.contains(func.getArgument(argument.position)))
      name += (name.empty() ? "" : ", ") + argument.name;
  return name;
}

void RingSlots::create() {
  createBuffers();
  createBarriers();
  initBarriers();
}

/// The location of a ring's tiles, by which errors tell what they are: the
/// ring's, with its slots and the arguments of its loads.
static Location getSlotsLoc(Location ring, StringRef name, int64_t stages) {
  Builder builder(ring.getContext());
  auto named = dyn_cast<NameLoc>(ring);
  Location loc =
      FusedLoc::get({named ? named.getChildLoc() : ring},
                    builder.getArrayAttr({builder.getStringAttr(name),
                                          builder.getI64IntegerAttr(stages)}),
                    ring.getContext());
  return named ? Location(NameLoc::get(named.getName(), loc)) : loc;
}

void RingSlots::createBuffers() {
  for (const PlannedRing &planned : kernel.plan.rings) {
    RingCreateOp ring = planned.ring;
    RingBuffers &ringBuffers = buffers[ring.getRing()];
    ringBuffers.name = getRingName(kernel.func, ring);
    int64_t stages = ring.getRing().getType().getStages();
    kernel.top.setLoc(getSlotsLoc(ring.getLoc(), ringBuffers.name, stages));
    for (const PlannedTile &tile : planned.tiles) {
      auto type = MemRefType::get(
          {tile.stride * stages}, kernel.top.getI8Type(),
          MemRefLayoutAttrInterface(), tile.type.getMemorySpace());
      ringBuffers.tiles.push_back(memref::AllocOp::create(
          kernel.top, type, kernel.top.getI64IntegerAttr(tile.alignment)));
    }
  }
  kernel.top.setLoc(kernel.func.getLoc());
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
void RingSlots::createBarriers() {
  for (const PlannedRing &planned : kernel.plan.rings) {
    RingCreateOp ring = planned.ring;
    SmallVector<int64_t> shape;
    if (ring.getScope() != TransferScope::CTA)
      shape.push_back(planned.instances);
    shape.push_back(ring.getRing().getType().getStages());
    auto type = MemRefType::get(
        shape, MbarrierType::get(kernel.func.getContext()),
        MemRefLayoutAttrInterface(),
        gpu::AddressSpaceAttr::get(kernel.func.getContext(),
                                   gpu::AddressSpace::Workgroup));
    auto create = [&](StringRef name) {
      kernel.top.setLoc(getNamedLoc(ring.getLoc(), name));
      return memref::AllocOp::create(kernel.top, type);
    };
    if (planned.hasFull)
      buffers[ring.getRing()].full = create("full");
    if (planned.hasEmpty)
      buffers[ring.getRing()].empty = create("empty");
  }
  kernel.top.setLoc(kernel.func.getLoc());
}

/// Calls `body` for each of an array of barriers.
static void forEachBarrier(ImplicitLocOpBuilder &b, Value barriers,
                           function_ref<void(ValueRange)> body) {
  auto type = cast<MemRefType>(barriers.getType());
  createLoop(b, type.getNumElements(), [&](Value number) {
    body(createDelinearized(b, number, type.getShape()));
  });
}

static void meetCluster(ImplicitLocOpBuilder &b) {
  ClusterArriveOp::create(b, MemSemantics::Release, /*unaligned=*/false);
  ClusterWaitOp::create(b, /*unaligned=*/false);
}

/// One thread initialises all barriers of the kernel, and all threads meet once
/// before the first of them is used.
void RingSlots::initBarriers() {
  SmallVector<std::pair<Value, int64_t>> barriers;
  for (const PlannedRing &planned : kernel.plan.rings) {
    RingCreateOp ring = planned.ring;
    const RingBuffers &ringBuffers = buffers[ring.getRing()];
    if (ringBuffers.full)
      barriers.emplace_back(ringBuffers.full, planned.fullArrivals);
    if (ringBuffers.empty)
      barriers.emplace_back(ringBuffers.empty, planned.emptyArrivals);
  }
  // Descriptors are fetched while the barriers are initialised.
  SetVector<Value> maps;
  kernel.func.walk([&](TransferOpInterface op) {
    if (op.getMap() && isa<BlockArgument>(op.getMap()) &&
        op.getMap().getParentBlock() == &kernel.func.getBody().front())
      maps.insert(op.getMap());
  });
  if (barriers.empty() && maps.empty())
    return;
  Value isFirst =
      threads.getLeader({0, kernel.plan.threads}, TransferScope::CTA);
  createIf(kernel.top, isFirst, [&] {
    for (Value map : maps)
      TensorMapPrefetchOp::create(kernel.top, map, TensorMapSpace::Param);
    for (auto [array, count] : barriers)
      forEachBarrier(kernel.top, array,
                     [&, array = array, count = count](ValueRange indices) {
                       MbarrierInitOp::create(
                           kernel.top, array, indices, /*count=*/Value(),
                           kernel.top.getI32IntegerAttr(count));
                     });
    // The CTA's threads meet; an engine doesn't. Older targets have none.
    if (kernel.plan.hasEngineLoads() &&
        kernel.target.info->sm >= rules::kBulkSM)
      FenceMbarrierInitOp::create(kernel.top);
  });
  if (barriers.empty())
    return;
  if (!kernel.plan.isShared()) {
    gpu::BarrierOp::create(kernel.top);
    return;
  }
  meetCluster(kernel.top);
  // No CTA ends while another one may arrive at its barriers.
  Operation *end = kernel.func.getBody().front().getTerminator();
  ImplicitLocOpBuilder atEnd(end->getLoc(), end);
  meetCluster(atEnd);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Slots are counted in 32 bits: a kernel has fewer uses of a ring than that.
RingSlot RingSlots::getSlot(int64_t stages, Value use) {
  RingSlot &slot = slots[{use, stages}];
  if (slot.number)
    return slot;
  ImplicitLocOpBuilder b(use.getLoc(), kernel.func.getContext());
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

void RingSlots::setFirstRound(int64_t stages, Value use, Value parity) {
  slots[{use, stages}] = {use, parity, /*isFreed=*/Value()};
}

Value RingSlots::getTile(RingTileOp tile) {
  return buffers[tile.getRing()].tiles[tile.getIndex()];
}

//===----------------------------------------------------------------------===//
// Waits and arrivals
//===----------------------------------------------------------------------===//

BarrierElement RingSlots::getBarrier(const PlannedRing &planned,
                                     const ThreadRange &range, Value barriers,
                                     const RingSlot &slot) {
  RingCreateOp ring = planned.ring;
  BarrierElement element;
  element.barriers = barriers;
  if (ring.getScope() != TransferScope::CTA)
    element.indices.push_back(threads.getInstance(range, ring.getScope()));
  element.indices.push_back(slot.number);
  return element;
}

BarrierElement RingSlots::getFull(const PlannedRing &planned,
                                  const ThreadRange &range,
                                  const RingSlot &slot) {
  return getBarrier(planned, range, getBuffers(planned).full, slot);
}

/// Labels the threads' wait for a ring's `barriers`, "full" or "empty".
WaitLabelAttr RingSlots::getLabel(const PlannedRing &planned,
                                  StringRef barriers) {
  WaitRole role = WaitRole::All;
  if (!(planned.producers == planned.consumers))
    role = barriers == "empty" ? WaitRole::Producer : WaitRole::Consumer;
  std::string name = getBuffers(planned).name;
  if (!name.empty())
    name += ' ';
  return WaitLabelAttr::get(kernel.func.getContext(), name + barriers.str(),
                            role,
                            /*number=*/std::nullopt);
}

static void createWait(ImplicitLocOpBuilder &b, const BarrierElement &element,
                       Value parity, WaitLabelAttr label) {
  MbarrierWaitOp::create(b, element.barriers, element.indices,
                         /*state=*/Value(), parity, /*suspend_ns=*/Value(),
                         MemSemantics::Acquire, MemScope::CTA, label);
}

void RingSlots::waitForFull(ImplicitLocOpBuilder &b, const PlannedRing &planned,
                            const RingSlot &slot) {
  BarrierElement full = getFull(planned, planned.consumers, slot);
  createWait(b, full, slot.parity, getLabel(planned, "full"));
}

void RingSlots::waitForEmpty(ImplicitLocOpBuilder &b,
                             const PlannedRing &planned, const RingSlot &slot) {
  if (!planned.hasEmpty || !slot.isFreed)
    return;
  BarrierElement empty =
      getBarrier(planned, planned.producers, getBuffers(planned).empty, slot);
  createWait(b, empty, slot.isFreed, getLabel(planned, "empty"));
}

void RingSlots::arriveAtEmpty(ImplicitLocOpBuilder &b,
                              const PlannedRing &planned,
                              const RingSlot &slot) {
  RingCreateOp ring = planned.ring;
  BarrierElement empty =
      getBarrier(planned, planned.consumers, getBuffers(planned).empty, slot);
  if (planned.ctas != 1)
    return arriveAtAll(b, planned.ctas, empty);
  arrive(b, planned.consumers, ring.getScope(), empty);
}

void RingSlots::arriveAtAll(ImplicitLocOpBuilder &b, int64_t ctas,
                            const BarrierElement &barrier) {
  BarrierWarpOp::create(b, /*mask=*/Value());
  Value lane = threads.getThread({0, kernel.plan.threads}, TransferScope::Warp);
  Value arrives = createCompare(b, arith::CmpIPredicate::ult, lane,
                                createConstant(b, lane.getType(), ctas));
  createIf(b, arrives, [&] {
    auto type = cast<MemRefType>(barrier.barriers.getType());
    auto space = NVVM::NVVMMemorySpaceAttr::get(
        b.getContext(), NVVM::NVVMMemorySpace::SharedCluster);
    Value peer = ClusterMapSharedOp::create(
        b,
        MemRefType::get(type.getShape(), type.getElementType(),
                        type.getLayout(), space),
        barrier.barriers, lane);
    // All that the peers learn is that reads of the slot are over, for which
    // the scope of the CTA suffices (docs/MemoryModel.md).
    MbarrierArriveOp::create(b, /*state=*/Type(), peer, barrier.indices,
                             /*count=*/Value(), /*static_count=*/IntegerAttr(),
                             MemSemantics::Release, MemScope::CTA);
  });
}

Value RingSlots::getTurn(ImplicitLocOpBuilder &b, const PlannedRing &planned,
                         Value use) {
  if (!rank)
    rank = ClusterRankOp::create(kernel.top);
  Value ctas = createConstant(b, b.getI32Type(), planned.ctas);
  Value round =
      arith::RemUIOp::create(b, createCast(b, use, b.getI32Type()), ctas);
  Value distance =
      arith::SubIOp::create(b, arith::AddIOp::create(b, rank, ctas), round);
  return arith::RemUIOp::create(b, distance, ctas);
}

void RingSlots::arrive(ImplicitLocOpBuilder &b, const ThreadRange &range,
                       TransferScope scope, const BarrierElement &barrier,
                       bool isSynchronized) {
  auto arriveOnce = [&] {
    MbarrierArriveOp::create(b, /*state=*/Type(), barrier.barriers,
                             barrier.indices, /*count=*/Value(),
                             /*static_count=*/IntegerAttr());
  };
  if (!arrivesByWarp(range))
    return arriveOnce();
  // The warp's threads hand what they did to its first one.
  if (!isSynchronized)
    BarrierWarpOp::create(b, /*mask=*/Value());
  createIf(b, threads.getLeader({0, kernel.plan.threads}, TransferScope::Warp),
           arriveOnce);
}
