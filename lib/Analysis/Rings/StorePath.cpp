//===- StorePath.cpp - stores through shared memory or not ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A write of a tile may become a write of global memory if nothing observes
// the difference: the tile has no other use, and the global memref no other
// access. Where both paths are possible, the faster launch is taken.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/StorePath.h"
#include "RingDepth.h"
#include "Transfers/LoopTransfers.h"

#include "carousel/Analysis/Engines/TransferShape.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/IndexFunction.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Support/Format.h"

#include <set>

using namespace mlir;
using namespace carousel;

/// Global memory is moved in sectors of this number of bytes.
static constexpr int64_t kSectorBytes = 32;

static Obstacle makeObstacle(const Twine &text) {
  return Obstacle(Miss::StoresFromShared, text.str());
}

//===----------------------------------------------------------------------===//
// Whether registers can be stored
//===----------------------------------------------------------------------===//

namespace {

class StorePathPlanner {
public:
  /// `body` is the block of a loop that its iterations execute.
  StorePathPlanner(gpu::GPUFuncOp kernel, Block &body, StoreOp store,
                   const Divisibility &facts)
      : kernel(kernel), body(body), store(store), facts(facts),
        elementBytes(
            cast<TransferOpInterface>(store.getOperation()).getTileBytes() /
            store.getTile().getType().getNumElements()) {}

  /// Sets the writes and bounds of the plan, or its obstacle.
  void run(StorePathPlan &plan);
  /// Whether the warps write whole sectors.
  bool isCoalesced(const StorePathPlan &plan);

private:
  Obstacle explainUse();
  Obstacle explainTile(StorePathPlan &plan);
  Obstacle explainWrite(Operation *op, StorePathPlan &plan);
  Obstacle explainGlobal(const StorePathPlan &plan);
  void computeBounds(StorePathPlan &plan);
  int64_t computeAlignment(int64_t ofWrite);
  std::optional<int64_t> evaluatePlace(IndexFunction &function,
                                       const RegisterWrite &write);

  gpu::GPUFuncOp kernel;
  Block &body;
  StoreOp store;
  const Divisibility &facts;
  int64_t elementBytes;
};

} // namespace

/// Explains what the op is beyond its elements and their place.
Obstacle StorePathPlanner::explainUse() {
  if (store.getReduceAttr())
    return makeObstacle("it reduces");
  if (isMulticast(store.getGlobal()))
    return makeObstacle("its memref is a multicast address");
  if (store->getBlock() != &body)
    return makeObstacle(store->getParentOp() == body.getParentOp()
                            ? Twine("it stands in the loop's condition")
                            : "it stands in an inner " +
                                  quoteName(store->getParentOp()));
  EngineAttr engine = store.getEngineAttr();
  if (engine.getKind() == EngineKind::CpAsync)
    return makeObstacle("its engine only loads");
  return {};
}

/// The alignment in global memory of a write that is aligned to `ofWrite` bytes
/// in the tile. The engine's conditions hold of the box and its rows.
int64_t StorePathPlanner::computeAlignment(int64_t ofWrite) {
  EngineAttr engine = store.getEngineAttr();
  int64_t alignment = engine.getKind() == EngineKind::Vector
                          ? engine.getWidth()
                          : rules::kBulkGranule;
  alignment = std::min(alignment, std::max(ofWrite, elementBytes));
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(store.getTile().getType().getStridesAndOffset(strides, offset)))
    return elementBytes;
  // In the tile's first row, an aligned address has an aligned index.
  for (int64_t stride : ArrayRef(strides).drop_back())
    while (ShapedType::isDynamic(stride) ||
           (stride * elementBytes) % alignment != 0) {
      if (alignment <= elementBytes)
        return elementBytes;
      alignment /= 2;
    }
  return alignment;
}

Obstacle StorePathPlanner::explainWrite(Operation *op, StorePathPlan &plan) {
  Value target, value;
  std::optional<OperandRange> indices;
  int64_t elements = 1, alignment = 0;
  if (auto scalar = dyn_cast<memref::StoreOp>(op)) {
    target = scalar.getMemRef();
    value = scalar.getValue();
    indices.emplace(scalar.getIndices());
    alignment = elementBytes;
  } else if (auto vector = dyn_cast<vector::StoreOp>(op)) {
    if (vector.getVectorType().getRank() != 1 ||
        vector.getVectorType().isScalable())
      return makeObstacle("its tile is written by vectors of " +
                          Twine(vector.getVectorType().getRank()) +
                          " dimensions");
    target = vector.getBase();
    value = vector.getValueToStore();
    indices.emplace(vector.getIndices());
    elements = vector.getVectorType().getNumElements();
    alignment = vector.getAlignment().value_or(0);
  } else {
    return makeObstacle("its tile is accessed by " + quoteName(op));
  }
  if (target != store.getTile())
    return makeObstacle("its tile is accessed through another view by " +
                        quoteName(op));
  Operation *above = body.findAncestorOpInBlock(*op);
  if (!above || !above->isBeforeInBlock(store))
    return makeObstacle("its tile is written by " + quoteName(op) +
                        " elsewhere than before it in the loop");
  DominanceInfo dominance(kernel);
  for (Value offset : store.getOffsets())
    if (!dominance.properlyDominates(offset, op))
      return makeObstacle("its offsets are computed after its tile is written");
  if (!dominance.properlyDominates(store.getGlobal(), op))
    return makeObstacle("its memref is computed after its tile is written");
  plan.writes.push_back(
      {op, value, *indices, elements, computeAlignment(alignment)});
  return {};
}

Obstacle StorePathPlanner::explainTile(StorePathPlan &plan) {
  Value buffer = getRootBuffer(store.getTile());
  auto argument = dyn_cast<BlockArgument>(buffer);
  bool isAttribution =
      argument && argument.getOwner() == &kernel.getBody().front();
  if (!buffer.getDefiningOp<memref::AllocOp>() && !isAttribution)
    return makeObstacle("its tile isn't a buffer of the kernel");
  std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
  if (!accesses)
    return makeObstacle("its tile is passed to where it can't be followed");
  SmallVector<Operation *> writes;
  for (Operation *op : *accesses) {
    if (op == store)
      continue;
    Obstacle obstacle = explainWrite(op, plan);
    if (!obstacle.empty())
      return obstacle;
    writes.push_back(op);
  }
  if (!coversTile(kernel, body, store, writes))
    return makeObstacle(
        "it isn't visible that each iteration writes the whole tile");
  return {};
}

/// Explains which op may see that elements are stored earlier, and by other
/// threads.
Obstacle StorePathPlanner::explainGlobal(const StorePathPlan &plan) {
  Obstacle obstacle;
  kernel.walk([&](Operation *op) {
    if (op == kernel || op == store)
      return WalkResult::advance();
    if (isa<SerializeOp, GridSerialWaitOp, GridSerialReleaseOp,
            GridDependencyWaitOp, GridLaunchDependentsOp, FenceThreadOp,
            WaitSignalOp>(op)) {
      obstacle = makeObstacle("the kernel has " + quoteName(op) +
                              ", which orders stores");
      return WalkResult::interrupt();
    }
    if (isa<memref::DimOp, ViewLikeOpInterface>(op) ||
        llvm::is_contained(
            llvm::map_range(plan.writes,
                            [](const RegisterWrite &w) { return w.op; }),
            op))
      return WalkResult::advance();
    for (Value operand : op->getOperands())
      if (isGlobalMemRef(operand.getType()) &&
          mayOverlap(operand, store.getGlobal())) {
        obstacle =
            makeObstacle("its memref is also accessed by " + quoteName(op));
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return obstacle;
}

void StorePathPlanner::computeBounds(StorePathPlan &plan) {
  TransferShape shape = computeTransferShape(store, facts);
  plan.mayEndBehind.assign(store.getGlobal().getType().getRank(), false);
  // The box covers all dimensions of a group but the first from their
  // beginning.
  for (auto [group, dim] : llvm::zip_equal(shape.globalGroups, shape.dims))
    plan.mayEndBehind[group.front()] = dim.mayEndBehind;
}

void StorePathPlanner::run(StorePathPlan &plan) {
  plan.store = store;
  plan.obstacle = explainUse();
  if (plan.obstacle.empty())
    plan.obstacle = explainTile(plan);
  if (plan.obstacle.empty())
    plan.obstacle = explainGlobal(plan);
  if (plan.obstacle.empty())
    computeBounds(plan);
  else
    plan.writes.clear();
}

/// The place of the write's first element in the tile, in the first iteration
/// of loops around it.
std::optional<int64_t>
StorePathPlanner::evaluatePlace(IndexFunction &function,
                                const RegisterWrite &write) {
  for (Operation *outer = write.op->getParentOp(); outer != body.getParentOp();
       outer = outer->getParentOp())
    if (auto inner = dyn_cast<scf::ForOp>(outer)) {
      std::optional<int64_t> lower =
          function.evaluateConstant(inner.getLowerBound());
      if (!lower)
        return std::nullopt;
      function.bind(inner.getInductionVar(), *lower);
    }
  int64_t place = 0;
  ArrayRef<int64_t> shape = store.getTile().getType().getShape();
  for (auto [index, extent] : llvm::zip_equal(write.indices, shape)) {
    std::optional<int64_t> number = function.evaluateConstant(index);
    if (!number)
      return std::nullopt;
    place = place * extent + *number;
  }
  return place;
}

bool StorePathPlanner::isCoalesced(const StorePathPlan &plan) {
  UniformValues uniform(kernel);
  return llvm::all_of(plan.writes, [&](const RegisterWrite &write) {
    IndexFunction function(kernel, uniform, body.getParentOp());
    std::set<int64_t> sectors;
    int64_t bytes = write.elements * elementBytes;
    std::optional<int64_t> threads = function.getBlockThreads();
    int64_t lanes = std::min<int64_t>(threads.value_or(0), rules::kWarpSize);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      function.setThread(lane);
      std::optional<int64_t> place = evaluatePlace(function, write);
      if (!place)
        return false;
      for (int64_t at = *place * elementBytes / kSectorBytes;
           at * kSectorBytes < *place * elementBytes + bytes; ++at)
        sectors.insert(at);
    }
    return lanes != 0 &&
           static_cast<int64_t>(sectors.size()) * kSectorBytes <=
               std::max(lanes * bytes, kSectorBytes) &&
           write.alignment >= std::min<int64_t>(bytes, rules::kBulkGranule);
  });
}

//===----------------------------------------------------------------------===//
// The faster path
//===----------------------------------------------------------------------===//

/// Registers must be predicted faster by this factor. Smaller gains weren't met
/// on an H200.
static constexpr double kWorthwhile = 0.97;
/// Bounds, address and the access.
static constexpr double kWriteInstructions = 6;
/// Election, fence, address and wait of a store by an engine.
static constexpr double kStoreInstructions = 10;

/// The predicted launch with the fastest number of stages, from those of the
/// plan, whose shared memory is known.
static double predictFastest(const ChipModel &target, const LoopPlan &loop,
                             const LoopWork &work, int64_t freedBytes,
                             bool fromRegisters) {
  int64_t slot = 0;
  for (const LoadRingPlan &ring : loop.rings)
    slot += getSlotBytes(ring);
  bool isOpen = llvm::any_of(
      loop.rings, [](const LoadRingPlan &ring) { return !ring.request; });
  SmallVector<LoopChoice> choices;
  int64_t most = isOpen ? 8 : loop.choice.stages;
  for (int64_t stages = isOpen ? 2 : most; stages <= most; ++stages) {
    LoopChoice choice = loop.choice;
    choice.stages = stages;
    choice.sharedBytes += (stages - loop.choice.stages) * slot - freedBytes;
    // Without a store, nothing but arrives releases the slots.
    LoadRingPlan ring;
    ring.stages = stages;
    ring.release =
        fromRegisters && loop.request.getScope() == TransferScope::CTA
            ? SlotRelease::EmptyBarrier
        : loop.rings.empty() ? SlotRelease::EmptyBarrier
                             : loop.rings.front().release;
    choice.prefetch = getDefaultPrefetch(ring);
    choice.storesFromRegisters = fromRegisters;
    if (choice.sharedBytes <= target.maxSharedPerBlock)
      choices.push_back(choice);
  }
  std::optional<unsigned> best = chooseFastest(target, work, choices);
  if (!best)
    return 0;
  LoopPrediction loopTime = predictLoop(target, work, choices[*best]);
  return predictLaunch(target, work, loopTime, kNominalBytes);
}

static void decide(StorePathPlan &plan, const LoopPlan &loop,
                   const ChipModel &target) {
  int64_t freed = 0;
  for (const StoreRingPlan &ring : loop.stores)
    if (ring.store == plan.store)
      freed = getProduct(ring.stages, getBytes(ring.buffer));
  if (freed == 0)
    freed = getBytes(getRootBuffer(plan.store.getTile()));
  double warps = llvm::divideCeil(std::max<int64_t>(loop.work.threads, 1),
                                  int64_t(rules::kWarpSize));
  LoopWork work = loop.work;
  double writes = 0;
  int64_t tileElements = plan.store.getTile().getType().getNumElements();
  for (const RegisterWrite &write : plan.writes)
    writes = std::max(writes, static_cast<double>(tileElements) /
                                  static_cast<double>(write.elements) /
                                  std::max<double>(work.threads, 1));
  work.instructions +=
      warps * (writes * kWriteInstructions - kStoreInstructions);
  work.instructions = std::max(work.instructions, 0.0);
  work.barriers = std::max(work.barriers - 1, 0.0);
  plan.sharedNs =
      predictFastest(target, loop, loop.work, 0, /*fromRegisters=*/false);
  plan.registersNs =
      predictFastest(target, loop, work, freed, /*fromRegisters=*/true);
  if (plan.registersNs != 0 &&
      (plan.sharedNs == 0 || plan.registersNs < kWorthwhile * plan.sharedNs))
    plan.path = StorePath::Registers;
}

/// Plans the stores of each scf.while. No model predicts its iterations, so
/// these go by registers on request only.
static void planWhileLoops(gpu::GPUFuncOp kernel, const Divisibility &facts,
                           std::vector<StorePathPlan> &plans) {
  kernel.walk([&](scf::WhileOp loop) {
    auto request =
        loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
    if (!request || request.getStores() != StorePath::Registers)
      return;
    loop.walk([&](StoreOp store) {
      if (getPipelinedLoop(store) != loop ||
          store.getScope() != request.getScope())
        return;
      StorePathPlan &plan = plans.emplace_back();
      plan.isGiven = true;
      StorePathPlanner(kernel, *loop.getAfterBody(), store, facts).run(plan);
      if (plan.obstacle.empty())
        plan.path = StorePath::Registers;
    });
  });
}

std::vector<StorePathPlan> carousel::planStorePaths(gpu::GPUFuncOp kernel,
                                                    const RingPlan &rings,
                                                    const ChipModel &target) {
  std::vector<StorePathPlan> plans;
  Divisibility facts;
  for (const LoopPlan &loop : rings.loops)
    scf::ForOp(loop.loop).walk([&](StoreOp store) {
      if (getPipelinedLoop(store) != loop.loop ||
          store.getScope() != loop.request.getScope())
        return;
      StorePathPlan &plan = plans.emplace_back();
      plan.store = store;
      std::optional<StorePath> request = loop.request.getStores();
      plan.isGiven = request.has_value();
      if (request == StorePath::Shared)
        return;
      StorePathPlanner planner(kernel, *scf::ForOp(loop.loop).getBody(), store,
                               facts);
      planner.run(plan);
      if (!plan.obstacle.empty())
        return;
      if (request == StorePath::Registers)
        plan.path = StorePath::Registers;
      else if (!planner.isCoalesced(plan))
        plan.obstacle =
            makeObstacle("its warps don't write whole sectors of aligned "
                         "memory");
      else
        decide(plan, loop, target);
    });
  planWhileLoops(kernel, facts, plans);
  return plans;
}

void StorePathPlan::print(llvm::raw_ostream &os) const {
  os << "store by " << stringifyStorePath(path) << (isGiven ? ", given" : "");
  if (!writes.empty())
    os << ", " << writes.size() << " writes";
  if (!obstacle.empty())
    os << ": " << obstacle.text;
  if (sharedNs != 0 || registersNs != 0)
    os << llvm::format(": shared %.0f ns, registers %.0f ns", sharedNs,
                       registersNs);
}
