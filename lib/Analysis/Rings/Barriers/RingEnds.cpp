//===- RingEnds.cpp - ends of rows that threads copy ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a thread's ordinary write is followed by an engine's access to the same
// bytes, a proxy fence must be in between. Two facts show that there is no such
// access:
//
// - In global memory bulk copies end at the last multiple of 16 bytes before a
//   row's end, wherever their box starts. No bulk copy of that memref accesses
//   the bytes after it, which a thread stores.
// - In a slot the prefix of a row that an engine fills gets shorter as the box
//   moves on. While boxes only move forward, no engine fills bytes that a
//   thread filled earlier.
//
// If rows always begin at the same offset of the innermost dimension, no engine
// accesses the granule in which they end, either. There is no place for a fence
// after a copy by cp.async, so cp.async copies only such ends.
//
//===----------------------------------------------------------------------===//

#include "RingEnds.h"

#include "../../Sync/SyncPositions.h"
#include "NamedBarriers.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

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

void carousel::planEnds(gpu::GPUFuncOp kernel, RingBarrierPlan &plan) {
  EndPlanner(kernel, plan).run();
}
