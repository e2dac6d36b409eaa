//===- RaiseToTransfersPlaces.cpp - enumerate the places of moves ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RaiseToTransfersBoxes.h. It executes structured control flow, and
// evaluates other ops when a place needs their values.
//
//===----------------------------------------------------------------------===//

#include "RaiseToTransfersBoxes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

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
  // What is clipped of dynamic extents is out of bounds.
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

std::optional<MovePlaces>
carousel::collectPlaces(gpu::GPUFuncOp kernel, const UniformValues &uniform,
                        Operation *unit, ArrayRef<const Move *> moves,
                        Value global, std::string &reason) {
  PlaceCollector collector(kernel, uniform, unit, moves, global);
  if (collector.run())
    return std::move(collector.result);
  reason = collector.reason;
  return std::nullopt;
}
