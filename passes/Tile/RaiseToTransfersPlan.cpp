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

#include "RaiseToTransfers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The elements of moves
//
// Enumerates the elements that the moves in an op copy, over all threads of the
// block and all iterations of loops. Then decides whether they form a box of
// the tile and, in the same arrangement, a box of the global memref. The box is
// the smallest one around all places. Each of its elements must be in one of
// them.
//===----------------------------------------------------------------------===//

namespace {

/// The limit on the iterations, places and elements that are enumerated.
inline constexpr int64_t kMaxMoveSteps = 1 << 20;

/// The places that some moves access, over all threads and iterations.
struct MovePlaces {
  SmallVector<const Move *> moves;
  Value global, tile; // the memrefs that places are in
  /// The part that all places share: forms without constant, one per dim.
  SmallVector<IndexForm> globalBase, tileBase;
  llvm::SmallBitVector mayLeave; // dims of the global memref
  /// For each move, its extents, and the extent along each dim.
  SmallVector<SmallVector<int64_t>> shapes;
  SmallVector<SmallVector<int>> globalDims, tileDims;
  /// For each place: the move, the first element in the tile and in the global
  /// memref.
  std::vector<int64_t> places;
  int64_t threads = 1; // that access different places

  unsigned getStride() const { return 1 + tileBase.size() + globalBase.size(); }
  /// Appends the places of `others`, which are in the same memrefs.
  void append(const MovePlaces &others);
  bool hasBaseOf(const MovePlaces &others) const;
};

} // namespace

/// Enumerates the places of `moves`, which are in `unit` or are it. On failure,
/// sets `reason`.
static std::optional<MovePlaces>
collectPlaces(gpu::GPUFuncOp kernel, const UniformValues &uniform,
              Operation *unit, ArrayRef<const Move *> moves, Value global,
              std::string &reason);

namespace {

/// The boxes that contain all places.
struct MoveBox {
  SmallVector<int64_t> tileBegin, tileExtents;
  SmallVector<int64_t> globalBegin, globalExtents;
  int64_t covered = 0; // elements of the box that a thread carries
  /// The reason why the arrangement of elements differs between the global
  /// memref and the tile; empty if it doesn't.
  std::string refusal;

  int64_t getNumElements() const;
};

} // namespace

void MovePlaces::append(const MovePlaces &others) {
  int64_t first = moves.size();
  llvm::append_range(moves, others.moves);
  llvm::append_range(shapes, others.shapes);
  llvm::append_range(globalDims, others.globalDims);
  llvm::append_range(tileDims, others.tileDims);
  mayLeave |= others.mayLeave;
  threads = std::max(threads, others.threads);
  size_t begin = places.size();
  places.insert(places.end(), others.places.begin(), others.places.end());
  for (size_t place = begin; place < places.size(); place += getStride())
    places[place] += first;
}

bool MovePlaces::hasBaseOf(const MovePlaces &others) const {
  return global == others.global && globalBase == others.globalBase &&
         tileBase == others.tileBase;
}

int64_t MoveBox::getNumElements() const {
  int64_t elements = 1;
  for (int64_t extent : tileExtents)
    if (llvm::MulOverflow(elements, extent, elements))
      return INT64_MAX;
  return elements;
}

static int64_t getLength(ArrayRef<int64_t> shape, int moved) {
  return moved < 0 ? 1 : shape[moved];
}

/// The smallest box around boxes of a memref.
static void surround(const MovePlaces &places, unsigned first,
                     ArrayRef<SmallVector<int>> dims,
                     SmallVector<int64_t> &begin,
                     SmallVector<int64_t> &extents) {
  unsigned rank = dims.front().size();
  begin.assign(rank, INT64_MAX);
  SmallVector<int64_t> end(rank, INT64_MIN);
  for (size_t place = 0; place < places.places.size();
       place += places.getStride()) {
    int64_t move = places.places[place];
    for (unsigned dim = 0; dim < rank; ++dim) {
      int64_t at = places.places[place + first + dim];
      begin[dim] = std::min(begin[dim], at);
      end[dim] = std::max(end[dim],
                          at + getLength(places.shapes[move], dims[move][dim]));
    }
  }
  extents.resize(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    extents[dim] = end[dim] - begin[dim];
}

/// Marks the elements that the boxes of the places hold, and counts them.
static int64_t countElements(const MovePlaces &places, const MoveBox &box) {
  std::vector<bool> seen(box.getNumElements());
  unsigned rank = box.tileExtents.size();
  for (size_t place = 0; place < places.places.size();
       place += places.getStride()) {
    int64_t move = places.places[place];
    int64_t elements = 1;
    SmallVector<int64_t> lengths(rank);
    for (unsigned dim = 0; dim < rank; ++dim)
      elements *= lengths[dim] =
          getLength(places.shapes[move], places.tileDims[move][dim]);
    for (int64_t element = 0; element < elements; ++element) {
      int64_t rest = element, linear = 0, stride = 1;
      for (int dim = rank - 1; dim >= 0; --dim) {
        int64_t at = places.places[place + 1 + dim] + rest % lengths[dim];
        linear += (at - box.tileBegin[dim]) * stride;
        rest /= lengths[dim];
        stride *= box.tileExtents[dim];
      }
      seen[linear] = true;
    }
  }
  return llvm::count(seen, true);
}

/// Whether the elements of each place lie in the memref as they lie in the
/// tile, the dims with more than one element in the same order.
static bool areAlike(const MovePlaces &places, const MoveBox &box) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  unsigned tileRank = box.tileExtents.size();
  unsigned globalDim = 0, globalRank = box.globalExtents.size();
  for (unsigned dim = 0; dim < tileRank; ++dim) {
    if (box.tileExtents[dim] == 1)
      continue;
    while (globalDim < globalRank && box.globalExtents[globalDim] == 1)
      ++globalDim;
    if (globalDim == globalRank)
      return false;
    pairs.emplace_back(dim, globalDim++);
  }
  for (; globalDim < globalRank; ++globalDim)
    if (box.globalExtents[globalDim] != 1)
      return false;
  for (size_t place = 0; place < places.places.size();
       place += places.getStride()) {
    int64_t move = places.places[place];
    for (auto [tile, global] : pairs) {
      int inTile = places.tileDims[move][tile];
      int inGlobal = places.globalDims[move][global];
      bool isSameDim =
          inTile == inGlobal || (getLength(places.shapes[move], inTile) == 1 &&
                                 getLength(places.shapes[move], inGlobal) == 1);
      if (!isSameDim || places.places[place + 1 + tile] - box.tileBegin[tile] !=
                            places.places[place + 1 + tileRank + global] -
                                box.globalBegin[global])
        return false;
    }
  }
  return true;
}

static MoveBox fitBox(const MovePlaces &places) {
  MoveBox box;
  surround(places, 1, places.tileDims, box.tileBegin, box.tileExtents);
  surround(places, 1 + places.tileBase.size(), places.globalDims,
           box.globalBegin, box.globalExtents);
  if (!areAlike(places, box))
    box.refusal = "the elements don't lie in the tile as they lie in the "
                  "global memref";
  else if (box.getNumElements() > kMaxMoveSteps)
    box.refusal =
        "the tile has more than " + std::to_string(kMaxMoveSteps) + " elements";
  else
    box.covered = countElements(places, box);
  return box;
}

//===----------------------------------------------------------------------===//
// Group moves to transfers
//===----------------------------------------------------------------------===//

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

  // The known facts of the bounds.
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

//===----------------------------------------------------------------------===//
// Enumerate the places of moves
//
// Executes structured control flow, and evaluates other ops when a place needs
// their values.
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Stepping through the moves
//===----------------------------------------------------------------------===//

namespace {

/// The start of a box in the memref at the root of the accessed views.
struct Place {
  SmallVector<IndexForm> begin;
  SmallVector<int> movedDims;
  llvm::SmallBitVector mayLeave;
};

/// Executes an op for each thread.
class PlaceCollector {
public:
  PlaceCollector(gpu::GPUFuncOp kernel, const UniformValues &uniform,
                 Operation *unit, ArrayRef<const Move *> moves, Value global)
      : function(kernel, uniform, unit), unit(unit) {
    result.moves = llvm::to_vector(moves);
    result.global = global;
    result.tile = moves.front()->tileRoot;
    auto rankOf = [](Value memref) {
      return cast<MemRefType>(memref.getType()).getRank();
    };
    result.tileBase.resize(rankOf(result.tile));
    result.globalBase.resize(rankOf(global));
    result.mayLeave.resize(rankOf(global));
    result.shapes.resize(moves.size());
    result.globalDims.resize(moves.size());
    result.tileDims.resize(moves.size());
    for (auto [index, move] : llvm::enumerate(moves))
      numbers[move->write] = index;
  }

  bool run();
  MovePlaces result;
  std::string reason;

private:
  bool fail(const Twine &why) {
    if (reason.empty())
      reason = why.str();
    return false;
  }
  bool failToEvaluate() { return fail(function.getReason()); }
  bool step(Operation *op);
  bool stepLoop(Operation *op, const IndexForm &begin, const IndexForm &end,
                const IndexForm &increment, Value variable, Block *body);
  bool stepBlock(Block *block);
  bool note(int64_t number);
  bool findShape(int64_t number);
  std::optional<Place> follow(const MoveAccess &access, ArrayRef<int64_t> shape,
                              Value memref);
  bool lookThrough(memref::SubViewOp view, Place &place,
                   ArrayRef<int64_t> shape);
  bool setBase(SmallVectorImpl<IndexForm> &base, const Place &place);

  IndexFunction function;
  Operation *unit;
  llvm::DenseMap<Operation *, int64_t> numbers;
  llvm::DenseMap<Block *, SmallVector<Value>> computedIn;
  int64_t steps = 0;
  bool hasBase = false;
};

} // namespace

bool PlaceCollector::run() {
  int64_t threads = function.getBlockThreads().value_or(1);
  for (int64_t thread = 0; thread < threads; ++thread) {
    function.setThread(thread);
    if (!step(unit))
      return false;
    // All threads do the same.
    if (!function.hasUsedThread())
      break;
    result.threads = threads;
  }
  return !result.places.empty() || fail("no thread executes the copy");
}

bool PlaceCollector::stepBlock(Block *block) {
  return llvm::all_of(*block, [&](Operation &op) { return step(&op); });
}

bool PlaceCollector::stepLoop(Operation *op, const IndexForm &begin,
                              const IndexForm &end, const IndexForm &increment,
                              Value variable, Block *body) {
  if (!begin.isConstant() || !end.isConstant() || !increment.isConstant())
    return fail("how often the loop around the copy turns is known at run time "
                "only");
  if (op->getNumResults() != 0)
    return fail("the loop around the copy carries values");
  if (increment.constant <= 0)
    return fail("the step of the loop around the copy isn't above zero");
  SmallVector<Value> &computed = computedIn[body];
  if (computed.empty())
    body->walk([&](Operation *inner) {
      llvm::append_range(computed, inner->getResults());
    });
  // The map may grow in inner loops.
  SmallVector<Value> values = computed;
  for (int64_t turn = begin.constant; turn < end.constant;
       turn += increment.constant) {
    if (++steps > kMaxMoveSteps)
      return fail("the copy takes more than " + Twine(kMaxMoveSteps) +
                  " steps of all threads");
    for (Value value : values)
      function.forget(value);
    function.bind(variable, turn);
    if (!stepBlock(body))
      return false;
  }
  return true;
}

bool PlaceCollector::step(Operation *op) {
  auto number = numbers.find(op);
  if (number != numbers.end())
    return note(number->second);
  if (op->getNumRegions() == 0)
    return true;
  bool hasMoves = op->walk([&](Operation *inner) {
                      return numbers.contains(inner) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
                    }).wasInterrupted();
  if (!hasMoves)
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<IndexForm> begin = function.evaluate(loop.getLowerBound());
    std::optional<IndexForm> end =
        begin ? function.evaluate(loop.getUpperBound()) : std::nullopt;
    std::optional<IndexForm> increment =
        end ? function.evaluate(loop.getStep()) : std::nullopt;
    if (!increment)
      return failToEvaluate();
    // Numbers that an unsigned loop takes for larger ones.
    if (loop.getUnsignedCmp() && (begin->constant < 0 || end->constant < 0))
      return fail("the loop around the copy counts beyond signed numbers");
    return stepLoop(op, *begin, *end, *increment, loop.getInductionVar(),
                    loop.getBody());
  }
  if (auto loop = dyn_cast<affine::AffineForOp>(op)) {
    if (!loop.hasConstantBounds())
      return fail("the bounds of the loop around the copy aren't constants");
    return stepLoop(op, IndexForm(loop.getConstantLowerBound()),
                    IndexForm(loop.getConstantUpperBound()),
                    IndexForm(loop.getStepAsInt()), loop.getInductionVar(),
                    loop.getBody());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<int64_t> taken =
        function.evaluateConstant(branch.getCondition());
    if (!taken)
      return failToEvaluate();
    Block *block = *taken != 0 ? branch.thenBlock() : branch.elseBlock();
    return !block || stepBlock(block);
  }
  return fail("'" + op->getName().getStringRef() + "' is around the copy");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The extents of a copy; dynamic ones become the most that they can be.
bool PlaceCollector::findShape(int64_t number) {
  const Move &move = *result.moves[number];
  SmallVector<int64_t> &shape = result.shapes[number];
  shape = move.shape;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (!ShapedType::isDynamic(shape[dim]))
      continue;
    if (move.isLoad)
      return fail("a load would fill what a copy of dynamic extents leaves "
                  "alone of the tile");
    // The tile is large enough, and the store is clipped.
    auto view = move.tile.memref.getDefiningOp<memref::SubViewOp>();
    if (!view || view.getDroppedDims().any())
      return fail("the extents of the copy are dynamic");
    int64_t whole = view.getSourceType().getDimSize(dim);
    std::optional<int64_t> begin =
        getConstantIntValue(view.getMixedOffsets()[dim]);
    if (ShapedType::isDynamic(whole) || !begin)
      return fail("the extents of the copy are dynamic");
    shape[dim] = whole - *begin;
    auto box = move.global.memref.getDefiningOp<memref::SubViewOp>();
    if (!box || box.getDroppedDims().any())
      continue;
    std::optional<IndexForm> extent =
        function.evaluateExtent(box.getSource(), dim);
    std::optional<IndexForm> offset =
        function.evaluate(box.getMixedOffsets()[dim]);
    std::optional<IndexForm> rest =
        extent && offset ? extent->plus(*offset, -1) : std::nullopt;
    if (rest)
      if (std::optional<int64_t> bound =
              function.matchClamp(box.getMixedSizes()[dim], *rest))
        shape[dim] = std::min(shape[dim], *bound);
  }
  return true;
}

/// Goes from the indices of a view to those of what it is a view of.
bool PlaceCollector::lookThrough(memref::SubViewOp view, Place &place,
                                 ArrayRef<int64_t> shape) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  unsigned rank = view.getSourceType().getRank();
  Place outer;
  outer.begin.resize(rank);
  outer.movedDims.assign(rank, -1);
  outer.mayLeave.resize(rank);
  unsigned inner = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    std::optional<IndexForm> begin =
        function.evaluate(view.getMixedOffsets()[dim]);
    if (!begin)
      return failToEvaluate();
    if (!dropped[dim]) {
      std::optional<IndexForm> stride =
          function.evaluate(view.getMixedStrides()[dim]);
      if (!stride || !stride->isConstant())
        return fail("a subview's stride is known at run time only");
      int moved = place.movedDims[inner];
      if (stride->constant != 1 && moved >= 0 && shape[moved] != 1)
        return fail("a subview has stride " + Twine(stride->constant));
      if (place.mayLeave[inner]) {
        // The view must end with its source, or after the box.
        std::optional<IndexForm> extent =
            function.evaluateExtent(view.getSource(), dim);
        std::optional<IndexForm> size =
            function.evaluate(view.getMixedSizes()[dim]);
        std::optional<IndexForm> rest =
            extent ? extent->plus(*begin, -1) : std::nullopt;
        std::optional<int64_t> bound =
            rest ? function.matchClamp(view.getMixedSizes()[dim], *rest)
                 : std::nullopt;
        const IndexForm &first = place.begin[inner];
        int64_t length = moved >= 0 ? shape[moved] : 1;
        bool isBehind =
            bound && first.isConstant() && first.constant + length <= *bound;
        bool isRest = rest && size && *rest == *size;
        if (!isBehind && !isRest)
          return fail("a subview that the copy may leave doesn't visibly end "
                      "with its memref");
        outer.mayLeave.set(dim);
      }
      std::optional<IndexForm> sum =
          begin->plus(place.begin[inner], stride->constant);
      if (!sum)
        return fail("an index beyond 64 bits can't be evaluated");
      begin = sum;
      outer.movedDims[dim] = moved;
      ++inner;
    }
    outer.begin[dim] = std::move(*begin);
  }
  place = std::move(outer);
  return true;
}

std::optional<Place> PlaceCollector::follow(const MoveAccess &access,
                                            ArrayRef<int64_t> shape,
                                            Value memref) {
  Place place;
  place.movedDims = access.movedDims;
  place.mayLeave = access.mayLeave;
  place.begin.resize(access.movedDims.size());
  for (auto [begin, index] : llvm::zip(place.begin, access.indices)) {
    std::optional<IndexForm> form = function.evaluate(index);
    if (!form) {
      failToEvaluate();
      return std::nullopt;
    }
    begin = std::move(*form);
  }
  for (Value view = access.memref; view != memref; view = getViewSource(view))
    if (auto subview = view.getDefiningOp<memref::SubViewOp>())
      if (!lookThrough(subview, place, shape))
        return std::nullopt;
  return place;
}

bool PlaceCollector::setBase(SmallVectorImpl<IndexForm> &base,
                             const Place &place) {
  for (auto [common, begin] : llvm::zip_equal(base, place.begin)) {
    if (!hasBase)
      common.terms = begin.terms;
    else if (!common.hasTermsOf(begin))
      return fail("the parts of the copy don't lie at constant distances");
    result.places.push_back(begin.constant);
  }
  return true;
}

bool PlaceCollector::note(int64_t number) {
  const Move &move = *result.moves[number];
  if (++steps > kMaxMoveSteps)
    return fail("the copy takes more than " + Twine(kMaxMoveSteps) +
                " steps of all threads");
  if (result.shapes[number].empty() && !findShape(number))
    return false;
  ArrayRef<int64_t> shape = result.shapes[number];
  // A transfer doesn't leave its tile.
  MoveAccess access = move.tile;
  access.mayLeave.reset();
  for (unsigned dim : move.tile.mayLeave.set_bits()) {
    auto type = cast<MemRefType>(access.memref.getType());
    std::optional<int64_t> begin =
        function.evaluateConstant(access.indices[dim]);
    int moved = access.movedDims[dim];
    if (!begin || *begin < 0 || type.isDynamicDim(dim) ||
        *begin > type.getDimSize(dim) - (moved < 0 ? 1 : shape[moved]))
      return fail("the copy may leave the tile");
  }
  std::optional<Place> tile = follow(access, shape, result.tile);
  if (!tile)
    return false;
  // The clipped part of dynamic extents is out of bounds.
  access = move.global;
  for (auto [dim, moved] : llvm::enumerate(access.movedDims))
    if (moved >= 0 && ShapedType::isDynamic(move.shape[moved]))
      access.mayLeave.set(dim);
  std::optional<Place> global = follow(access, shape, result.global);
  if (!global)
    return false;
  result.places.push_back(number);
  if (!setBase(result.tileBase, *tile) || !setBase(result.globalBase, *global))
    return false;
  hasBase = true;
  result.tileDims[number] = tile->movedDims;
  result.globalDims[number] = global->movedDims;
  result.mayLeave |= global->mayLeave;
  return true;
}

static std::optional<MovePlaces>
collectPlaces(gpu::GPUFuncOp kernel, const UniformValues &uniform,
              Operation *unit, ArrayRef<const Move *> moves, Value global,
              std::string &reason) {
  PlaceCollector collector(kernel, uniform, unit, moves, global);
  if (collector.run())
    return std::move(collector.result);
  reason = collector.reason;
  return std::nullopt;
}
