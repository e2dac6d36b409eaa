//===- RingDepth.cpp - the number of slots of rings -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns offsets to the kernel's buffers as --carousel-allocate-shared will,
// with slots and barriers of rings in place of the tiles that they replace.
// Takes the number of slots with the shortest predicted time
// (docs/Decisions.md) among those that fit. Lifetimes are those of the ring
// phase, or longer.
//
//===----------------------------------------------------------------------===//

#include "RingDepth.h"

#include "Transfers/LoopTransfers.h"

#include "carousel/Analysis/Decisions/EstimateWork.h"
#include "carousel/Analysis/SharedMemory/SharedMemoryPlan.h"
#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

/// More slots than this brought no gain.
constexpr int64_t kMostAutoStages = 8;
/// More bytes than any chip has.
constexpr int64_t kTooManyBytes = int64_t(1) << 48;
/// Reserved for later allocations: tickets, and reductions of the CTA, with
/// padding after static shared memory.
static int64_t getReserve(gpu::GPUFuncOp kernel) {
  constexpr int64_t kTickets = 1024, kReductions = 1024;
  bool hasReductions =
      kernel.walk([](gpu::AllReduceOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return kTickets + (hasReductions ? kReductions : 0);
}

/// The alignment that --carousel-allocate-shared gives everything.
constexpr int64_t kLeastAlignment = 16;

int64_t carousel::getProduct(int64_t count, int64_t bytes) {
  int64_t product;
  bool isLarge = llvm::MulOverflow(count, bytes, product);
  return isLarge ? kTooManyBytes : std::min(product, kTooManyBytes);
}

int64_t carousel::getBytes(Value buffer) {
  // --carousel-allocate-shared rejects buffers of unknown size.
  return std::min(
      getAllocationBytes(cast<MemRefType>(buffer.getType())).value_or(0),
      kTooManyBytes);
}

int64_t carousel::getSlotBytes(const LoadRingPlan &ring) {
  return std::accumulate(
      ring.buffers.begin(), ring.buffers.end(), int64_t(0),
      [](int64_t sum, Value buffer) { return sum + getBytes(buffer); });
}

int64_t carousel::getDefaultPrefetch(const LoadRingPlan &ring) {
  bool wantsSlack =
      ring.release == SlotRelease::EmptyBarrier || !ring.inPlaceStores.empty();
  return ring.stages - (wantsSlack && ring.stages > 2 ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Trip counts
//===----------------------------------------------------------------------===//

/// The trip count, which is at most `most`.
static std::optional<int64_t> getTripCount(scf::ForOp loop, int64_t most) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  // An unsigned loop compares these as larger numbers.
  bool isOther = loop.getUnsignedCmp() && (lower < 0 || upper < 0);
  if (!lower || !upper || !step || *step <= 0 || isOther)
    return std::nullopt;
  if (*upper <= *lower)
    return 0;
  uint64_t span = static_cast<uint64_t>(*upper) - static_cast<uint64_t>(*lower);
  return std::min<uint64_t>(llvm::divideCeil(span, *step), most);
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

namespace {

class SlotPlacer {
public:
  SlotPlacer(gpu::GPUFuncOp kernel, const ChipModel &target,
             const RingPlan &plan);

  /// The free bytes with the plan's current stages; negative if it doesn't fit.
  int64_t countFreeBytes() const;

private:
  Lifetime getPlace(Operation *op) const;
  bool isReplaced(Value buffer, Operation *access) const;
  bool remains(Value buffer) const;
  Lifetime getLifetime(Value buffer) const;
  int64_t getAlignment(Value buffer) const;
  int64_t countScopes(TransferScope scope) const;
  void placeFixed(Value buffer);
  void placeSlots(SmallVectorImpl<PlacedBuffer> &buffers, Value buffer,
                  int64_t stages, Lifetime lives) const;
  void placeLoads(SmallVectorImpl<PlacedBuffer> &buffers, const LoopPlan &loop,
                  const LoadRingPlan &ring) const;

  Block *entry;
  const RingPlan &plan;
  int64_t threads;   ///< of the block, as far as they are known
  int64_t limit = 0; ///< for buffers, after the part in use
  int64_t base = 0;  ///< dynamic shared memory that is in use before
  llvm::DenseMap<Operation *, int64_t> positions;
  /// Outside rings: the last of the transfers that share a barrier.
  llvm::MapVector<std::pair<TransferScope, EngineKind>, Operation *> loose;
  llvm::DenseSet<Operation *> ringed; ///< transfers
  /// The loops in which slots replace a buffer, and the buffers that they
  /// replace everywhere.
  llvm::DenseMap<Value, SmallVector<Operation *, 1>> ringedIn;
  llvm::DenseSet<Value> redirected;
  SmallVector<PlacedBuffer> fixed;
};

} // namespace

static bool isByEngine(TransferOpInterface op) {
  EngineAttr engine = op.getEngineAttr();
  return engine && (engine.getKind() == EngineKind::Tensor ||
                    engine.getKind() == EngineKind::Bulk);
}

/// The ops at the top of the kernel that `op` is in, or all.
Lifetime SlotPlacer::getPlace(Operation *op) const {
  // Roles count as one op.
  auto place = positions.end();
  if (!plan.roles)
    place = positions.find(entry->findAncestorOpInBlock(*op));
  if (place == positions.end())
    return Lifetime::whole();
  return {place->second, place->second};
}

/// Whether the allocation follows the effect of `op` on a buffer.
static bool isFollowed(Operation *op) {
  return isa<LoadOp, StoreOp, nvgpu::LdMatrixOp>(op) ||
         isa<memref::MemRefDialect, vector::VectorDialect,
             affine::AffineDialect, gpu::GPUDialect>(op->getDialect());
}

/// Whether slots replace the buffer at `access`.
bool SlotPlacer::isReplaced(Value buffer, Operation *access) const {
  return redirected.contains(buffer) ||
         llvm::any_of(ringedIn.lookup(buffer), [&](Operation *loop) {
           return loop->isAncestor(access);
         });
}

/// Whether the kernel keeps the buffer in addition to its slots, for example
/// for loops that load it without a ring.
bool SlotPlacer::remains(Value buffer) const {
  std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
  if (!accesses || !ringedIn.contains(buffer))
    return true;
  return llvm::any_of(*accesses,
                      [&](Operation *op) { return !isReplaced(buffer, op); });
}

/// From the buffer's first access to its last one, or to the last wait on a
/// barrier that loads to the buffer use. Slots live as long as their loop.
Lifetime SlotPlacer::getLifetime(Value buffer) const {
  std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
  if (!accesses)
    return Lifetime::whole();
  Lifetime lives;
  auto extend = [&](Operation *op) {
    Lifetime place = getPlace(op);
    lives.extend(place.first);
    lives.extend(place.last);
  };
  for (Operation *op : *accesses) {
    if (!op->getDialect() || !isFollowed(op))
      return Lifetime::whole();
    if (ringed.contains(op) ||
        (!redirected.contains(buffer) && isReplaced(buffer, op)))
      continue;
    extend(op);
    auto load = dyn_cast<LoadOp>(op);
    if (load && isByEngine(load))
      extend(loose.lookup({load.getScope(), load.getEngineAttr().getKind()}));
  }
  return lives;
}

int64_t SlotPlacer::getAlignment(Value buffer) const {
  int64_t alignment = kLeastAlignment;
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    alignment = std::max<int64_t>(alignment, alloc.getAlignment().value_or(1));
  if (std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer))
    for (Operation *op : *accesses)
      if (auto transfer = dyn_cast<TransferOpInterface>(op);
          transfer && transfer.getMap())
        alignment = std::max(alignment,
                             transfer.getMap().getType().getSharedAlignment());
  return alignment;
}

/// The number of rings that a ring of this scope stands for.
int64_t SlotPlacer::countScopes(TransferScope scope) const {
  if (scope == TransferScope::CTA)
    return 1;
  return llvm::divideCeil(threads, scope == TransferScope::Warp
                                       ? rules::kWarpSize
                                       : rules::kWarpgroupSize);
}

/// Barriers live for the whole kernel.
static PlacedBuffer makeBarriers(int64_t count) {
  PlacedBuffer barriers;
  barriers.bytes = getProduct(count, rules::kMbarrierAlignment);
  barriers.alignment = kLeastAlignment;
  barriers.lives = Lifetime::whole();
  return barriers;
}

void SlotPlacer::placeSlots(SmallVectorImpl<PlacedBuffer> &buffers,
                            Value buffer, int64_t stages,
                            Lifetime lives) const {
  PlacedBuffer &slots = buffers.emplace_back();
  slots.alignment = getAlignment(buffer);
  int64_t bytes = getBytes(buffer);
  // With one slot no next slot needs alignment.
  slots.bytes = stages == 1
                    ? bytes
                    : getProduct(stages, llvm::alignTo(bytes, slots.alignment));
  slots.lives = lives;
}

void SlotPlacer::placeLoads(SmallVectorImpl<PlacedBuffer> &buffers,
                            const LoopPlan &loop,
                            const LoadRingPlan &ring) const {
  int64_t stages = ring.request.value_or(ring.stages);
  for (Value buffer : ring.buffers) {
    Lifetime lives = getPlace(loop.loop);
    lives.extend(getPlace(loop.start).first);
    if (ring.usedOutside.contains(buffer)) {
      Lifetime all = getLifetime(buffer);
      lives.extend(all.first);
      lives.extend(all.last);
    }
    placeSlots(buffers, buffer, stages, lives);
  }
  int64_t barriers = getProduct(stages, countScopes(loop.request.getScope()));
  buffers.push_back(makeBarriers(barriers));
  if (ring.release == SlotRelease::EmptyBarrier)
    buffers.push_back(makeBarriers(barriers));
}

SlotPlacer::SlotPlacer(gpu::GPUFuncOp kernel, const ChipModel &target,
                       const RingPlan &plan)
    : entry(&kernel.getBody().front()), plan(plan),
      threads(rules::kMaxThreadsPerBlock) {
  if (std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel))
    threads = (*block)[0] * (*block)[1] * (*block)[2];
  for (auto [position, op] : llvm::enumerate(getTopLevelOps(kernel)))
    positions[op] = position;
  for (const LoopPlan &loop : plan.loops) {
    for (const StoreRingPlan &store : loop.stores)
      ringedIn[store.buffer].push_back(loop.loop);
    for (const LoadRingPlan &ring : loop.rings) {
      for (Value buffer : ring.buffers)
        ringedIn[buffer].push_back(loop.loop);
      redirected.insert_range(ring.usedOutside);
      for (LoadOp load : ring.loads)
        ringed.insert(load);
    }
  }
  kernel.walk([&](LoadOp load) {
    if (!ringed.contains(load) && load.getEngineAttr())
      loose[{load.getScope(), load.getEngineAttr().getKind()}] = load;
  });
  for (auto &[key, load] : loose)
    fixed.push_back(makeBarriers(countScopes(key.first)));
  kernel.walk([&](memref::AllocOp alloc) {
    if (isSharedMemRef(alloc.getType()) && alloc.getType().hasStaticShape() &&
        remains(alloc))
      placeSlots(fixed, alloc, 1, getLifetime(alloc));
  });

  SymbolTableCollection symbolTables;
  SharedMemoryUse use = computeSharedMemoryUse(kernel, symbolTables);
  int64_t declared = std::min<uint64_t>(use.staticBytes, kTooManyBytes);
  for (BlockArgument buffer : kernel.getWorkgroupAttributions())
    if (!remains(buffer))
      declared -= getBytes(buffer);
  limit = target.maxSharedPerBlock - getReserve(kernel) -
          padStaticShared(std::max<int64_t>(declared, 0));
  base = std::min<uint64_t>(use.dynamicEnd, kTooManyBytes);
  if (auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch))
    base = std::max(base, launch.getShared());
}

int64_t SlotPlacer::countFreeBytes() const {
  SmallVector<PlacedBuffer> buffers(fixed);
  for (const LoopPlan &loop : plan.loops) {
    for (const StoreRingPlan &store : loop.stores)
      placeSlots(buffers, store.buffer, store.stages, getPlace(loop.loop));
    for (const LoadRingPlan &ring : loop.rings)
      placeLoads(buffers, loop, ring);
  }
  return limit - placeByLifetime(buffers, base);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {

/// The stages of rings without a number, by the predicted time of the kernel.
class StageChooser {
public:
  StageChooser(gpu::GPUFuncOp kernel, const ChipModel &target, RingPlan &plan)
      : kernel(kernel), target(target), plan(plan),
        placer(kernel, target, plan) {}

  void run();

private:
  /// The fastest number of stages for the loop's open rings. `ignoresSize`:
  /// as if a CTA that is alone on its SM always fit.
  int64_t choose(LoopPlan &loop, bool ignoresSize);
  void setOpen(LoopPlan &loop, int64_t stages);
  LoopChoice describe(const LoopPlan &loop) const;
  void grow();

  gpu::GPUFuncOp kernel;
  const ChipModel &target;
  RingPlan &plan;
  SlotPlacer placer;
  llvm::DenseMap<Operation *, int64_t> wanted; // by loop
};

} // namespace

static bool isOpen(const LoadRingPlan &ring) { return !ring.request; }

static bool hasOpenRing(const LoopPlan &loop) {
  return llvm::any_of(loop.rings, isOpen);
}

void StageChooser::setOpen(LoopPlan &loop, int64_t stages) {
  for (LoadRingPlan &ring : loop.rings)
    if (isOpen(ring))
      ring.stages = ring.getStagesFor(stages);
}

LoopChoice StageChooser::describe(const LoopPlan &loop) const {
  LoopChoice choice;
  for (const LoadRingPlan &ring : loop.rings) {
    if (ring.leads != 0)
      continue;
    choice.stages = std::max(choice.stages, ring.stages);
    choice.prefetch = std::max(choice.prefetch, getDefaultPrefetch(ring));
  }
  // Producers fill all slots but the one in use.
  if (loop.mode == PipelineMode::Specialized)
    choice.prefetch = choice.stages - 1;
  else if (std::optional<int64_t> prefetch = loop.request.getPrefetch())
    choice.prefetch = std::min(*prefetch, choice.stages - 1);
  choice.sharedBytes =
      target.maxSharedPerBlock - getReserve(kernel) - placer.countFreeBytes();
  return choice;
}

int64_t StageChooser::choose(LoopPlan &loop, bool ignoresSize) {
  int64_t most = kMostAutoStages;
  bool fills = loop.feedsConsumers && loop.mode == PipelineMode::Specialized;
  // A role goes on with its ring in the next iteration of a loop around.
  bool goesOn = loop.mode == PipelineMode::Specialized &&
                loop.loop->getParentOfType<LoopLikeOpInterface>();
  if (std::optional<int64_t> trips = getTripCount(loop.loop, most);
      trips && !goesOn)
    most = std::max<int64_t>(*trips, 1);
  SmallVector<LoopChoice> choices;
  // A loop of one iteration has nothing to load ahead. A given distance needs
  // its slots.
  int64_t ahead = loop.request.getPrefetch().value_or(1);
  int64_t least =
      std::min(most, std::clamp<int64_t>(ahead, 1, kMostAutoStages - 1) + 1);
  for (int64_t stages = least; stages <= most; ++stages) {
    setOpen(loop, stages);
    LoopChoice choice = describe(loop);
    if (ignoresSize && !fills)
      choice.sharedBytes =
          std::min(choice.sharedBytes, target.maxSharedPerBlock);
    else if (choice.sharedBytes > target.maxSharedPerBlock - getReserve(kernel))
      break;
    choices.push_back(choice);
  }
  setOpen(loop, 1);
  // Products wait for nothing but their tiles, and a CTA of them has an SM for
  // itself. Measured on an H100, 64 x 1024 x 16384 with tiles of 64 x 64 takes
  // 54 us with eight stages, and 83 with four.
  if (fills)
    return choices.empty() ? least : choices.back().stages;
  std::optional<unsigned> best = chooseFastest(target, loop.work, choices);
  // If nothing fits, rings that share the memory may still get a slot more.
  return least + best.value_or(0);
}

/// The shallowest ring first, so that no ring has many slots while another one
/// has to wait for each load.
void StageChooser::grow() {
  llvm::SmallPtrSet<LoadRingPlan *, 4> isFull;
  while (true) {
    LoadRingPlan *least = nullptr;
    for (LoopPlan &loop : plan.loops)
      for (LoadRingPlan &ring : loop.rings)
        if (isOpen(ring) && !isFull.contains(&ring) &&
            ring.stages < ring.getStagesFor(wanted.lookup(loop.loop)) &&
            (!least || ring.stages < least->stages))
          least = &ring;
    if (!least)
      return;
    ++least->stages;
    if (placer.countFreeBytes() >= 0)
      continue;
    --least->stages;
    isFull.insert(least);
  }
}

void StageChooser::run() {
  llvm::DenseMap<Operation *, int64_t> ideal;
  for (LoopPlan &loop : plan.loops)
    if (hasOpenRing(loop)) {
      ideal[loop.loop] = choose(loop, /*ignoresSize=*/true);
      wanted[loop.loop] = choose(loop, /*ignoresSize=*/false);
    }
  grow();
  int64_t left = std::max<int64_t>(placer.countFreeBytes(), 0);
  for (LoopPlan &loop : plan.loops) {
    for (const LoadRingPlan &ring : loop.rings)
      if (int64_t most = ring.getStagesFor(ideal.lookup(loop.loop));
          isOpen(ring) && ring.stages < most)
        plan.misses.push_back(
            {loop.loop,
             ring.stages == 1 ? Miss::StagesNoneFit : Miss::StagesSharedMemory,
             ("fewer stages than wanted: " + Twine(ring.stages) + " of " +
              Twine(most) + ", with " + Twine(left) +
              " bytes of shared memory left for slots of " +
              Twine(getSlotBytes(ring)))
                 .str()});
    loop.choice = describe(loop);
    loop.prediction = predictLoop(target, loop.work, loop.choice);
  }
}

/// Divides the shared memory of an SM among so many CTAs.
static ChipModel divideShared(ChipModel target, int64_t ctas) {
  if (ctas > 1)
    target.maxSharedPerBlock =
        target.sharedPerSM / ctas - target.sharedReservedPerBlock;
  return target;
}

/// Sets open rings of loads to `loads` stages and those of stores to `stores`.
static void setStages(RingPlan &plan, int64_t loads, int64_t stores) {
  for (LoopPlan &loop : plan.loops) {
    for (LoadRingPlan &ring : loop.rings)
      ring.stages = ring.request.value_or(loads);
    for (StoreRingPlan &store : loop.stores)
      if (!loop.request.getStoreSlots())
        store.stages = stores;
  }
}

int64_t carousel::countExcess(gpu::GPUFuncOp kernel, const ChipModel &target,
                              const RingPlan &plan, int64_t ctas) {
  RingPlan least = plan;
  least.roles.emplace(); // slots of roles live as long as the kernel
  for (LoopPlan &loop : least.loops)
    loop.start = findStart(kernel, loop);
  setStages(least, 2, 1);
  SlotPlacer placer(kernel, divideShared(target, ctas), least);
  return std::max<int64_t>(-placer.countFreeBytes(), 0);
}

void carousel::chooseStages(gpu::GPUFuncOp kernel, const ChipModel &chip,
                            RingPlan &plan) {
  int64_t ctas = plan.roles ? plan.roles->ctas : 1;
  ChipModel target = divideShared(chip, ctas);
  if (ctas > 1) {
    setStages(plan, 2, kStoreStages);
    if (SlotPlacer(kernel, target, plan).countFreeBytes() < 0)
      setStages(plan, 2, 1);
  }
  for (LoopPlan &loop : plan.loops) {
    loop.work = estimateWork(kernel, loop.loop, target);
    for (LoadRingPlan &ring : loop.rings)
      ring.stages = ring.request.value_or(1);
  }
  StageChooser(kernel, target, plan).run();
}
