//===- RaiseToTransfersPlan.cpp - group moves to transfers ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RaiseToTransfers.h. Moves between the same two memrefs are tried in their
// own block first, then in the blocks around it. The transfer goes to the
// innermost block in which they form a whole tile. If they form none, the
// largest box of the tile is taken.
//
// A transfer stands for one order in which threads may execute the moves: all
// threads arrive, each makes its moves, and all go on. This requires that all
// threads reach the transfer with the same operands, and that no thread's moves
// depend on the ops between them.
//
//===----------------------------------------------------------------------===//

#include "RaiseToTransfersBoxes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

bool TransferPlan::isWholeTile() const {
  ArrayRef<int64_t> shape = cast<MemRefType>(tile.getType()).getShape();
  return shape == ArrayRef(tileExtents) && droppedTile.none() &&
         llvm::all_of(tileOffsets, [](const IndexForm &offset) {
           return offset == IndexForm(0);
         });
}

int64_t TransferPlan::getNumElements() const {
  int64_t elements = 1;
  for (int64_t extent : tileExtents)
    elements *= extent;
  return elements;
}

void TransferPlan::print(llvm::raw_ostream &os) const {
  os << moves.size() << (moves.size() == 1 ? " move" : " moves");
  if (!refusal.empty()) {
    os << " not raised: " << refusal;
    return;
  }
  if (threads == 1)
    os << " in every thread: ";
  else
    os << " in each of " << threads << " threads: ";
  llvm::interleave(tileExtents, os, "x");
  os << " elements " << (isLoad ? "from" : "to") << " [";
  llvm::interleaveComma(globalOffsets, os,
                        [&](const IndexForm &offset) { offset.print(os); });
  os << (inBounds ? "] in bounds" : "]");
}

using Plans = std::vector<TransferPlan>;

namespace {

class TransferPlanner {
public:
  explicit TransferPlanner(gpu::GPUFuncOp kernel)
      : kernel(kernel), uniform(kernel), threads(kernel) {}

  /// The moves are those between two memrefs, in one direction.
  void plan(ArrayRef<const Move *> moves, Plans &plans);

private:
  Plans planInBlock(Block *block, ArrayRef<const Move *> moves);
  Plans planInBlock(Block *block, ArrayRef<const Move *> moves, Value global);
  std::string explainControl(Block *block);
  bool isUniform(Value value);
  TransferPlan makePlan(const MovePlaces &places, Operation *first,
                        Operation *last);
  void fitRanks(TransferPlan &plan, const MoveBox &box,
                const llvm::SmallBitVector &mayLeave);
  std::string explainConflictOf(ArrayRef<const Move *> moves, Operation *first,
                                Operation *last);

  gpu::GPUFuncOp kernel;
  UniformValues uniform;
  ThreadDependence threads;
};

} // namespace

//===----------------------------------------------------------------------===//
// Where a transfer may stand
//===----------------------------------------------------------------------===//

/// Whether the value is uniform in a way that verify-tile sees as well.
bool TransferPlanner::isUniform(Value value) {
  return !threads.findVariation(value, TransferScope::CTA) &&
         IndexFunction(kernel, uniform).isSameInAllThreads(value);
}

/// Why not all threads come to a block together, or an empty string.
std::string TransferPlanner::explainControl(Block *block) {
  for (;;) {
    Operation *parent = block->getParentOp();
    if (!block->getParent()->hasOneBlock())
      return "the copy doesn't stand in structured control flow";
    if (parent == kernel)
      return {};
    bool isFollowed = isa<scf::ForOp, scf::IfOp, affine::AffineForOp>(parent);
    // A loop's initial values don't affect which threads execute its body.
    unsigned control = parent->getNumOperands();
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      control -= loop.getInits().size();
    if (!isFollowed ||
        !llvm::all_of(parent->getOperands().take_front(control),
                      [&](Value value) { return isUniform(value); }))
      return "not all threads visibly come to it together under '" +
             parent->getName().getStringRef().str() + "'";
    block = parent->getBlock();
  }
}

std::string TransferPlanner::explainConflictOf(ArrayRef<const Move *> moves,
                                               Operation *first,
                                               Operation *last) {
  llvm::SmallPtrSet<Operation *, 8> reads, writes;
  for (const Move *move : moves) {
    reads.insert(move->read);
    writes.insert(move->write);
  }
  const Move &move = *moves.front();
  return explainConflict(
      reads, writes, move.isLoad ? move.globalRoot : move.tileRoot,
      move.isLoad ? move.tileRoot : move.globalRoot, first, last);
}

//===----------------------------------------------------------------------===//
// From boxes to operands
//===----------------------------------------------------------------------===//

/// Drops dims of extent 1 until those of the tile are the last ones of the
/// global memref.
void TransferPlanner::fitRanks(TransferPlan &plan, const MoveBox &box,
                               const llvm::SmallBitVector &mayLeave) {
  ArrayRef<int64_t> tile = box.tileExtents, global = box.globalExtents;
  plan.droppedTile.resize(tile.size());
  plan.droppedGlobal.resize(global.size());
  if (tile.size() <= global.size() && tile == global.take_back(tile.size()))
    return;
  int inTile = tile.size() - 1, inGlobal = global.size() - 1;
  int begin =
      llvm::find_if(global, [](int64_t extent) { return extent != 1; }) -
      global.begin();
  begin = std::min(begin, inGlobal);
  while (inGlobal >= begin) {
    if (inTile >= 0 && tile[inTile] == global[inGlobal]) {
      --inTile;
      --inGlobal;
    } else if (inTile >= 0 && tile[inTile] == 1) {
      plan.droppedTile.set(inTile--);
    } else {
      if (mayLeave[inGlobal])
        plan.refusal = "a dimension that the tile doesn't have may be left";
      plan.droppedGlobal.set(inGlobal--);
    }
  }
  for (; inTile >= 0; --inTile)
    plan.droppedTile.set(inTile);
}

TransferPlan TransferPlanner::makePlan(const MovePlaces &places,
                                       Operation *first, Operation *last) {
  TransferPlan plan;
  plan.isLoad = places.moves.front()->isLoad;
  plan.inBounds = places.mayLeave.none();
  plan.global = places.global;
  plan.tile = places.tile;
  plan.moves = places.moves;
  plan.first = first;
  plan.last = last;
  plan.threads = places.threads;
  MoveBox box = fitBox(places);
  plan.tileExtents = box.tileExtents;
  plan.refusal = box.refusal;
  if (!plan.refusal.empty())
    return plan;
  if (box.covered != box.getNumElements()) {
    plan.refusal = "the threads carry " + std::to_string(box.covered) +
                   " of the " + std::to_string(box.getNumElements()) +
                   " elements of the tile";
    return plan;
  }
  auto addConstants = [](ArrayRef<IndexForm> base, ArrayRef<int64_t> begin) {
    SmallVector<IndexForm> offsets = llvm::to_vector(base);
    for (auto [offset, constant] : llvm::zip_equal(offsets, begin))
      offset.constant = constant;
    return offsets;
  };
  plan.tileOffsets = addConstants(places.tileBase, box.tileBegin);
  plan.globalOffsets = addConstants(places.globalBase, box.globalBegin);
  fitRanks(plan, box, places.mayLeave);

  // What is known of the bounds.
  auto leaves = [](Value memref, ArrayRef<IndexForm> offsets,
                   ArrayRef<int64_t> extents, bool onlyBegin) {
    auto type = cast<MemRefType>(memref.getType());
    for (auto [dim, offset] : llvm::enumerate(offsets))
      if (offset.isConstant() &&
          (offset.constant < 0 ||
           (!onlyBegin && !type.isDynamicDim(dim) &&
            offset.constant > type.getDimSize(dim) - extents[dim])))
        return true;
    return false;
  };
  if (leaves(plan.tile, plan.tileOffsets, box.tileExtents, false))
    plan.refusal = "the copy leaves the tile";
  else if (leaves(plan.global, plan.globalOffsets, box.globalExtents,
                  !plan.inBounds))
    plan.refusal = "the copy leaves the global memref";
  for (ArrayRef<IndexForm> offsets : {plan.tileOffsets, plan.globalOffsets})
    for (const IndexForm &offset : offsets)
      for (auto [symbol, factor] : offset.terms)
        if (Operation *source =
                threads.findVariation(symbol, TransferScope::CTA))
          plan.refusal = "the offset of the box depends on '" +
                         source->getName().getStringRef().str() + "'";
  return plan;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static TransferPlan refuse(ArrayRef<const Move *> moves,
                           const std::string &refusal, PlanStage stage) {
  TransferPlan plan;
  plan.isLoad = moves.front()->isLoad;
  plan.moves = llvm::to_vector(moves);
  plan.first = moves.front()->read;
  plan.last = moves.front()->write;
  plan.refusal = refusal;
  plan.stage = stage;
  return plan;
}

static bool areAllRaised(ArrayRef<TransferPlan> plans) {
  return llvm::all_of(
      plans, [](const TransferPlan &plan) { return plan.refusal.empty(); });
}

/// Plans for moves to and from one global memref. Neighbours that make a box
/// become one transfer.
Plans TransferPlanner::planInBlock(Block *block, ArrayRef<const Move *> moves,
                                   Value global) {
  Plans plans;
  // The moves of each op of the block, in order.
  llvm::MapVector<Operation *, SmallVector<const Move *>> units;
  for (const Move *move : moves)
    units[block->findAncestorOpInBlock(*move->write)].push_back(move);
  std::optional<MovePlaces> open;
  Operation *first = nullptr, *last = nullptr;
  Plans alone; // what the parts of `open` make each for itself
  auto close = [&] {
    if (!open)
      return;
    TransferPlan together = makePlan(*open, first, last);
    if (together.refusal.empty() || !areAllRaised(alone))
      plans.push_back(std::move(together));
    else
      llvm::append_range(plans, alone);
    open.reset();
    alone.clear();
  };
  for (auto &[unit, members] : units) {
    Operation *begin = unit;
    for (const Move *move : members)
      if (Operation *read = block->findAncestorOpInBlock(*move->read))
        if (read->isBeforeInBlock(begin))
          begin = read;
    std::string reason = explainConflictOf(members, begin, unit);
    PlanStage stage = reason.empty() ? PlanStage::Places : PlanStage::Conflicts;
    std::optional<MovePlaces> places;
    if (reason.empty())
      places = collectPlaces(kernel, uniform, unit, members, global, reason);
    if (!places) {
      close();
      plans.push_back(refuse(members, reason, stage));
      continue;
    }
    TransferPlan plan = makePlan(*places, begin, unit);
    if (open && open->hasBaseOf(*places)) {
      MovePlaces both = *open;
      both.append(*places);
      Operation *start = begin->isBeforeInBlock(first) ? begin : first;
      if (fitBox(both).refusal.empty() &&
          explainConflictOf(both.moves, start, unit).empty()) {
        open = std::move(both);
        first = start;
        last = unit;
        alone.push_back(std::move(plan));
        continue;
      }
    }
    close();
    open = std::move(places);
    first = begin;
    last = unit;
    alone.push_back(std::move(plan));
  }
  close();
  return plans;
}

/// Tries the root memref first, then its views.
Plans TransferPlanner::planInBlock(Block *block, ArrayRef<const Move *> moves) {
  std::string reason = explainControl(block);
  if (!reason.empty())
    return {refuse(moves, reason, PlanStage::Control)};
  SmallVector<Value> memrefs;
  for (Value view = moves.front()->global.memref; view;
       view = getViewSource(view))
    memrefs.push_back(view);
  auto isBehindAll = [&](Value memref) {
    return llvm::all_of(moves, [&](const Move *move) {
      Value view = move->global.memref;
      while (view && view != memref)
        view = getViewSource(view);
      return static_cast<bool>(view);
    });
  };
  auto isInUnit = [&](Value memref) {
    Operation *op = memref.getDefiningOp();
    return op && op->getBlock() != block && block->findAncestorOpInBlock(*op);
  };
  Plans best;
  for (Value memref : llvm::reverse(memrefs)) {
    if (!isBehindAll(memref) || isInUnit(memref) || !uniform.contains(memref))
      break;
    Plans plans = planInBlock(block, moves, memref);
    if (areAllRaised(plans))
      return plans;
    if (best.empty())
      best = std::move(plans);
  }
  return best.empty() ? Plans{refuse(moves,
                                     "the global memref differs from thread "
                                     "to thread",
                                     PlanStage::Control)}
                      : best;
}

/// Whether moves may be stepped through together with the op around them.
static bool mayBeUnit(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, affine::AffineForOp>(op) &&
         op->getNumResults() == 0;
}

/// Whether plans for an outer block are to be preferred to those for an inner
/// one.
static bool isBetter(ArrayRef<TransferPlan> outer,
                     ArrayRef<TransferPlan> inner) {
  if (inner.empty())
    return true;
  auto countElements = [](ArrayRef<TransferPlan> plans) {
    int64_t elements = 0;
    for (const TransferPlan &plan : plans)
      elements += plan.getNumElements();
    return elements;
  };
  if (areAllRaised(inner))
    return areAllRaised(outer) && countElements(outer) > countElements(inner);
  // The better reason is the one that was found later.
  return areAllRaised(outer) || outer.front().stage > inner.front().stage;
}

void TransferPlanner::plan(ArrayRef<const Move *> moves, Plans &plans) {
  SmallVector<const Move *> rest;
  for (const Move *move : moves)
    if (!move->refusal.empty())
      plans.push_back(refuse({move}, move->refusal, PlanStage::Control));
    else if (!uniform.contains(move->tileRoot) ||
             !cast<MemRefType>(move->tileRoot.getType()).hasStaticShape())
      plans.push_back(refuse({move},
                             "the tile isn't one buffer of static "
                             "extents for all threads",
                             PlanStage::Control));
    else
      rest.push_back(move);
  while (!rest.empty()) {
    Block *block = rest.front()->write->getBlock();
    Plans best;
    SmallVector<const Move *> members;
    // Outwards, while that makes more of it.
    for (;; block = block->getParentOp()->getBlock()) {
      SmallVector<const Move *> inBlock;
      for (const Move *move : rest)
        if (block->findAncestorOpInBlock(*move->write))
          inBlock.push_back(move);
      Plans found = planInBlock(block, inBlock);
      if (isBetter(found, best)) {
        best = std::move(found);
        members = std::move(inBlock);
      }
      bool isWhole = areAllRaised(best) &&
                     llvm::all_of(best, [](const TransferPlan &plan) {
                       return plan.isWholeTile();
                     });
      if (isWhole || !mayBeUnit(block->getParentOp()))
        break;
    }
    llvm::append_range(plans, best);
    llvm::erase_if(rest, [&](const Move *move) {
      return llvm::is_contained(members, move);
    });
  }
}

std::vector<TransferPlan> carousel::planTransfers(gpu::GPUFuncOp kernel,
                                                  ArrayRef<Move> moves) {
  TransferPlanner planner(kernel);
  llvm::MapVector<std::tuple<Value, Value, unsigned>, SmallVector<const Move *>>
      groups;
  for (const Move &move : moves)
    groups[{move.globalRoot, move.tileRoot, move.isLoad}].push_back(&move);
  Plans plans;
  for (auto &[key, members] : groups)
    planner.plan(members, plans);
  // Transfers are in the order of their first moves in the program.
  llvm::DenseMap<const Move *, size_t> order;
  for (const Move &move : moves)
    order.try_emplace(&move, order.size());
  llvm::sort(plans, [&](const TransferPlan &a, const TransferPlan &b) {
    return order[a.moves.front()] < order[b.moves.front()];
  });
  return plans;
}
