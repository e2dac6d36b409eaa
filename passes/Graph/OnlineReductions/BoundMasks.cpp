//===- BoundMasks.cpp - bounds of masks by segment ids --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-bound-masks. A row needs those elements of an online reduction
// that have its segment id, as those of its document do. Rows and elements are
// taken in tiles of 128: rows of one tile can need elements of another one only
// if the ranges of their ids overlap. The first and the last such tile bound
// what rows need.
//
//===----------------------------------------------------------------------===//

#include "../../Block/Kernels/ExtremumRows.h"
#include "../Decisions/DecisionLog.h"
#include "../Reading/FusedOps.h"
#include "../Reading/ReadGraph.h"
#include "OnlineMasks.h"

#include "carousel/Analysis/Graph/GroupShape.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

namespace carousel {
#define GEN_PASS_DEF_BOUNDMASKS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

namespace {

/// An operand of a comparison: a tensor of integers at loops of the op.
struct SegmentIds {
  Value tensor;
  SmallVector<unsigned> loops; ///< by dimension

  bool has(unsigned loop) const { return llvm::is_contained(loops, loop); }
};

/// A comparison in an op's body that says which elements a row needs.
struct SegmentMask {
  linalg::GenericOp op;
  arith::CmpIOp compare;
  SegmentIds ofRows, ofElements;
  unsigned row = 0, element = 0; ///< loops
  SmallVector<unsigned> others;  ///< loops that any of the two has
};

} // namespace

/// Two numbers that are widened in the same way are equal if these are.
static std::pair<Value, Value> skipWidening(arith::CmpIOp compare) {
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  for (;;) {
    Operation *a = lhs.getDefiningOp(), *b = rhs.getDefiningOp();
    bool areSame = a && b && a->getName() == b->getName() &&
                   isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(a) &&
                   a->getOperand(0).getType() == b->getOperand(0).getType() &&
                   !a->getOperand(0).getType().isIndex();
    if (!areSame)
      return {lhs, rhs};
    lhs = a->getOperand(0);
    rhs = b->getOperand(0);
  }
}

static std::optional<SegmentIds> findIds(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBody())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  SegmentIds numbers;
  if (!op.isDpsInput(operand))
    return std::nullopt;
  numbers.tensor = operand->get();
  if (!isa<IntegerType>(getElementTypeOrSelf(numbers.tensor)))
    return std::nullopt;
  for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || numbers.has(loop.getPosition()))
      return std::nullopt;
    numbers.loops.push_back(loop.getPosition());
  }
  return numbers;
}

static bool isAnd(Value condition) {
  return isa_and_present<arith::AndIOp>(condition.getDefiningOp());
}

/// Whether a truth value is false where the condition is.
static bool implies(Value value, Value condition) {
  return isComputedOf(value, isAnd,
                      [&](Value part) { return part == condition; });
}

/// The choice of the body, by a condition that implies the comparison, of an
/// element that never counts, or of a constant.
static arith::SelectOp findChoice(linalg::GenericOp op, Value compare,
                                  bool ofAnyConstant = false) {
  for (auto choice : op.getBody()->getOps<arith::SelectOp>()) {
    Value other = choice.getFalseValue();
    APFloat number(0.0);
    if (implies(choice.getCondition(), compare) &&
        (ofAnyConstant ? matchPattern(other, m_ConstantFloat(&number))
                       : excludes(other)))
      return choice;
  }
  return {};
}

static std::optional<SegmentMask>
readSegmentMask(linalg::GenericOp op, arith::CmpIOp compare, unsigned element) {
  auto [first, second] = skipWidening(compare);
  std::optional<SegmentIds> lhs = findIds(op, first), rhs = findIds(op, second);
  if (!lhs || !rhs || lhs->has(element) == rhs->has(element))
    return std::nullopt;
  SegmentMask equal = {op, compare, *lhs, *rhs};
  if (lhs->has(element))
    std::swap(equal.ofRows, equal.ofElements);
  equal.element = element;
  SmallVector<unsigned> rows;
  for (unsigned loop : equal.ofRows.loops)
    (equal.ofElements.has(loop) ? equal.others : rows).push_back(loop);
  bool hasMore = llvm::any_of(equal.ofElements.loops, [&](unsigned loop) {
    return loop != element && !equal.ofRows.has(loop);
  });
  if (rows.size() != 1 || hasMore)
    return std::nullopt;
  equal.row = rows.front();
  return equal;
}

/// Whether a comparison of integers, or what it is widened from, may be one of
/// rows and elements.
static bool comparesIds(linalg::GenericOp op, arith::CmpIOp compare) {
  auto isOfTensor = [&](Value value) {
    while (Operation *source = value.getDefiningOp()) {
      if (source->getNumOperands() == 0 || source->getNumRegions() != 0 ||
          isa<linalg::IndexOp>(source))
        return false;
      value = source->getOperand(0);
    }
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == op.getBody();
  };
  return isOfTensor(compare.getLhs()) && isOfTensor(compare.getRhs());
}

/// The comparisons of an op of tiles, along the loop of the online reduction,
/// by which choices leave infinite numbers. \p refusals says of others why they
/// bound nothing.
static SmallVector<SegmentMask>
findSegmentMasks(linalg::GenericOp op, unsigned element,
                 SmallVectorImpl<std::string> &refusals) {
  SmallVector<SegmentMask> found;
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>()) {
    if (compare.getPredicate() != Predicate::eq || !comparesIds(op, compare))
      continue;
    arith::SelectOp choice = findChoice(op, compare);
    if (!choice) {
      if (findChoice(op, compare, /*ofAnyConstant=*/true))
        refusals.push_back("the number of what they exclude may be a score, as "
                           "it is more than -2^29");
      continue;
    }
    std::optional<SegmentMask> equal = readSegmentMask(op, compare, element);
    if (!equal)
      refusals.push_back("its numbers aren't those of one row and one element, "
                         "each of a tensor");
    else if (!matchPattern(choice.getFalseValue(), m_NegInfFloat()))
      refusals.push_back(
          "a finite number excludes elements, and a row may have "
          "no other");
    else
      found.push_back(std::move(*equal));
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Whether a condition is one of two others, or both.
static bool isJunction(Value condition) {
  return isa_and_present<arith::AndIOp, arith::OrIOp>(
      condition.getDefiningOp());
}

/// The opposite of a condition.
static Value invert(RewriterBase &rewriter, Value condition) {
  llvm::DenseMap<Value, Value> opposites;
  auto compute = [&](Value value) -> Value {
    Location loc = value.getLoc();
    Operation *source = value.getDefiningOp();
    if (auto compare = dyn_cast_if_present<arith::CmpIOp>(source))
      return arith::CmpIOp::create(
          rewriter, loc, arith::invertPredicate(compare.getPredicate()),
          compare.getLhs(), compare.getRhs());
    if (isJunction(value)) {
      Value lhs = opposites.lookup(source->getOperand(0)),
            rhs = opposites.lookup(source->getOperand(1));
      if (isa<arith::AndIOp>(source))
        return arith::OrIOp::create(rewriter, loc, lhs, rhs);
      return arith::AndIOp::create(rewriter, loc, lhs, rhs);
    }
    if (auto other = dyn_cast_if_present<arith::XOrIOp>(source);
        other && matchPattern(other.getRhs(), m_One()))
      return other.getLhs();
    Value yes =
        arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    return arith::XOrIOp::create(rewriter, loc, value, yes);
  };
  walkOperands(condition, isJunction, [&](Value value) {
    Value opposite = compute(value);
    opposites[value] = opposite;
    return WalkResult::advance();
  });
  return opposites.lookup(condition);
}

/// Whether a condition holds where two numbers differ.
static bool holdsOfOthers(Value condition) {
  auto isOr = [](Value value) {
    return isa_and_present<arith::OrIOp>(value.getDefiningOp());
  };
  return isComputedOf(condition, isOr, [](Value value) {
    Operation *source = value.getDefiningOp();
    if (auto compare = dyn_cast_if_present<arith::CmpIOp>(source))
      return compare.getPredicate() == Predicate::ne;
    auto other = dyn_cast_if_present<arith::XOrIOp>(source);
    auto compare =
        other ? other.getLhs().getDefiningOp<arith::CmpIOp>() : nullptr;
    return compare && matchPattern(other.getRhs(), m_One()) &&
           compare.getPredicate() == Predicate::eq;
  });
}

/// Has choices of an op of tiles leave their element where a condition holds
/// and numbers are equal, and not where these differ.
static void invertChoices(linalg::GenericOp op, RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto choice :
       llvm::make_early_inc_range(op.getBody()->getOps<arith::SelectOp>())) {
    if (!excludes(choice.getTrueValue()) ||
        !holdsOfOthers(choice.getCondition()))
      continue;
    rewriter.setInsertionPoint(choice);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        choice, invert(rewriter, choice.getCondition()), choice.getFalseValue(),
        choice.getTrueValue());
  }
}

/// Whether all that reads the op's result are maxima and exponentials.
static bool isOfSoftmax(linalg::GenericOp op) {
  if (op.getBody()->getTerminator()->getNumOperands() != 1)
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto reader = dyn_cast<linalg::GenericOp>(user);
    return reader && llvm::all_of(reader->getOpOperands(), [&](OpOperand &use) {
             if (use.get() != op.getResult(0))
               return true;
             BlockArgument argument = reader.getMatchingBlockArgument(&use);
             return reader.isDpsInput(&use) &&
                    llvm::all_of(argument.getUsers(), [&](Operation *inner) {
                      return isa<arith::MaximumFOp, arith::MaxNumFOp>(inner) ||
                             findExponential(inner, argument);
                    });
           });
  });
}

/// Whether a choice leaves an element of each row: its condition, which is a
/// conjunction, holds of one with the row's number, which also has the row's
/// segment id if it compares these.
static bool keepsOwn(linalg::GenericOp op, arith::SelectOp choice, unsigned row,
                     unsigned element) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  bool hasOwn = ShapedType::isStatic(extents[row]) &&
                ShapedType::isStatic(extents[element]) &&
                extents[row] <= extents[element];
  bool keeps = !isComputedOf(choice.getCondition(), isAnd, [&](Value part) {
    if (isAnd(part))
      return false;
    auto compare = part.getDefiningOp<arith::CmpIOp>();
    if (compare && compare.getPredicate() == Predicate::eq)
      if (std::optional<SegmentMask> equal =
              readSegmentMask(op, compare, element)) {
        SmallVector<unsigned> loops = equal->ofRows.loops;
        llvm::replace(loops, row, element);
        // Rows and elements have as many.
        bool isOwn = equal->row == row &&
                     equal->ofRows.tensor == equal->ofElements.tensor &&
                     loops == equal->ofElements.loops;
        hasOwn |= isOwn;
        return !isOwn;
      }
    std::optional<SmallVector<IndexBound>> bounds = readBounds(op, part);
    return !bounds || !holdOfOwn(*bounds, row, element);
  });
  return keeps && hasOwn;
}

/// Whether exponentials that read the op's result subtract numbers of rows that
/// go along one of its loops: in the gradients of keys and values, the loop
/// goes along the rows of the softmax. Nullopt if some do, and others don't.
static std::optional<bool> subtractAlong(linalg::GenericOp op, unsigned loop) {
  std::optional<unsigned> dim =
      op.getMatchingIndexingMap(op.getDpsInitOperand(0))
          .getResultPosition(getAffineDimExpr(loop, op.getContext()));
  std::optional<bool> found;
  for (OpOperand &use : op->getUses()) {
    auto reader = cast<linalg::GenericOp>(use.getOwner());
    BlockArgument argument = reader.getMatchingBlockArgument(&use);
    for (Operation *user : argument.getUsers()) {
      if (!findExponential(user, argument))
        continue;
      auto row = dyn_cast<BlockArgument>(skipRoundings(user->getOperand(1)));
      if (!dim || !row || row.getOwner() != reader.getBody())
        return std::nullopt;
      AffineMap ofRow =
          reader.getMatchingIndexingMap(reader.getMatchingOpOperand(row));
      auto along = dyn_cast<AffineDimExpr>(
          reader.getMatchingIndexingMap(&use).getResult(*dim));
      bool isAlong = along && ofRow.isFunctionOfDim(along.getPosition());
      if (found.value_or(isAlong) != isAlong)
        return std::nullopt;
      found = isAlong;
    }
  }
  return found.value_or(false);
}

/// Has choices leave infinite numbers in place of finite ones that exclude
/// elements, if that is the same: each row has another element, and results are
/// read for maxima and exponentials only.
static void excludeByInfinities(linalg::GenericOp op, unsigned element,
                                RewriterBase &rewriter) {
  // The choice is the result: nothing else computes with it.
  Value result = op.getBody()->getTerminator()->getOperand(0);
  auto choice = result.getDefiningOp<arith::SelectOp>();
  if (!choice || !excludes(choice.getFalseValue()) ||
      matchPattern(choice.getFalseValue(), m_NegInfFloat()) ||
      !isOfSoftmax(op) || !isOfProduct(op, choice.getFalseValue()))
    return;
  std::optional<bool> isAlongRows = subtractAlong(op, element);
  bool keeps = llvm::any_of(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
    return loop != element &&
           (isAlongRows.value_or(false) ? keepsOwn(op, choice, element, loop)
                                        : keepsOwn(op, choice, loop, element));
  });
  if (!isAlongRows || !keeps)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(choice);
  auto type = cast<FloatType>(choice.getType());
  Value never = arith::ConstantOp::create(
      rewriter, choice.getLoc(),
      rewriter.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                                  /*Negative=*/true)));
  rewriter.modifyOpInPlace(
      choice, [&] { choice.getFalseValueMutable().assign(never); });
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The rows, and the online reduction's elements, of a tile: a multiple of what
/// programs have.
static constexpr int64_t kTile = 128;
/// The number of no tile, which may be multiplied by their length.
static constexpr int64_t kNone = std::numeric_limits<int32_t>::max() / kTile;

namespace {

/// Writes the bounds of one comparison. Several least and largest numbers are
/// one reduction: the largest x is the complement of the least ~x.
class BoundsWriter {
public:
  BoundsWriter(OpBuilder &builder, const SegmentMask &equal)
      : builder(builder), equal(equal),
        loc(arith::CmpIOp(equal.compare).getLoc()) {}

  /// Writes before the op, for each tile of rows, the first tile of elements
  /// that it may need, and the one behind the last; and the same for a run of
  /// tiles whose elements all have the number that all rows have.
  void write();
  /// In the op's body: the element is within bounds, and in such a run, or the
  /// numbers are equal.
  void compare();

private:
  /// The least number of each tile, and the complement of the largest one.
  Value computeRanges(const SegmentIds &numbers, unsigned along);
  /// Along \p count results and \p sizes, of which the last one is reduced: the
  /// least elements.
  Value reduce(unsigned count, ArrayRef<OpFoldResult> sizes, ValueRange inputs,
               ArrayRef<AffineMap> maps, Type type, int64_t start,
               llvm::function_ref<Value(OpBuilder &, ValueRange)> element);
  /// Returns the ids for the result that the first loop goes along.
  Value choose(OpBuilder &at, ArrayRef<Value> numbers);
  /// One of several results.
  Value slice(Value results, unsigned which);
  Value complement(OpBuilder &at, Value value) {
    return arith::XOrIOp::create(at, loc, value,
                                 getConstant(at, value.getType(), -1));
  }
  Value getConstant(OpBuilder &at, Type type, int64_t value) {
    return arith::ConstantOp::create(at, loc, at.getIntegerAttr(type, value));
  }
  static unsigned findDim(const SegmentIds &numbers, unsigned loop) {
    return llvm::find(numbers.loops, loop) - numbers.loops.begin();
  }

  OpBuilder &builder;
  const SegmentMask &equal;
  Location loc;
  /// Results x others x tiles of rows, i32: the first tile, the complement of
  /// the one behind the last, and the first of a run; the end of the run.
  Value bounds, runs;
};

} // namespace

Value BoundsWriter::reduce(
    unsigned count, ArrayRef<OpFoldResult> sizes, ValueRange inputs,
    ArrayRef<AffineMap> maps, Type type, int64_t start,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> element) {
  SmallVector<OpFoldResult> kept = {builder.getIndexAttr(count)};
  llvm::append_range(kept, sizes.drop_back());
  Value empty = tensor::EmptyOp::create(builder, loc, kept, type);
  Value begin = linalg::FillOp::create(builder, loc,
                                       getConstant(builder, type, start), empty)
                    .getResult(0);
  SmallVector<AffineMap> all(maps);
  all.push_back(builder.getMultiDimIdentityMap(kept.size() + 1)
                    .getMajorSubMap(kept.size()));
  SmallVector<utils::IteratorType> kinds(kept.size(),
                                         utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  auto op = linalg::GenericOp::create(
      builder, loc, begin.getType(), inputs, begin, all, kinds,
      [&](OpBuilder &inside, Location, ValueRange arguments) {
        Value own = element(inside, arguments.drop_back());
        Value least =
            arith::MinSIOp::create(inside, loc, arguments.back(), own);
        linalg::YieldOp::create(inside, loc, least);
      });
  return op.getResult(0);
}

Value BoundsWriter::choose(OpBuilder &at, ArrayRef<Value> numbers) {
  Value result = linalg::IndexOp::create(at, loc, 0), chosen = numbers.front();
  for (auto [number, value] : llvm::enumerate(numbers.drop_front())) {
    Value own = arith::ConstantIndexOp::create(at, loc, number + 1);
    Value isOwn = arith::CmpIOp::create(at, loc, Predicate::eq, result, own);
    chosen = arith::SelectOp::create(at, loc, isOwn, value, chosen);
  }
  return chosen;
}

Value BoundsWriter::slice(Value results, unsigned which) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, results);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  offsets.front() = builder.getIndexAttr(which);
  sizes.front() = builder.getIndexAttr(1);
  auto type = cast<RankedTensorType>(results.getType());
  auto one = RankedTensorType::get(type.getShape().drop_front(),
                                   type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, one, results, offsets,
                                        sizes, strides);
}

Value BoundsWriter::computeRanges(const SegmentIds &numbers, unsigned along) {
  // Results, others, tiles, and the elements of a tile.
  SmallVector<OpFoldResult> sizes;
  for (unsigned other : equal.others)
    sizes.push_back(tensor::getMixedSize(builder, loc, numbers.tensor,
                                         findDim(numbers, other)));
  unsigned tile = sizes.size() + 1, own = tile + 1;
  unsigned dim = findDim(numbers, along);
  OpFoldResult extent = tensor::getMixedSize(builder, loc, numbers.tensor, dim);
  if (std::optional<int64_t> known = getConstantIntValue(extent)) {
    sizes.push_back(builder.getIndexAttr(llvm::divideCeil(*known, kTile)));
  } else {
    Value width = arith::ConstantIndexOp::create(builder, loc, kTile);
    sizes.push_back(
        arith::CeilDivSIOp::create(builder, loc, cast<Value>(extent), width)
            .getResult());
  }
  sizes.push_back(builder.getIndexAttr(kTile));
  // The loop of a tile's elements needs an operand that says how long it is.
  Value length = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{kTile},
                                         builder.getI1Type());
  AffineMap map = AffineMap::get(own + 1, 0, builder.getAffineDimExpr(own),
                                 builder.getContext());
  auto element = [&](OpBuilder &inside, ValueRange) -> Value {
    Value first = linalg::IndexOp::create(inside, loc, tile);
    Value width = arith::ConstantIndexOp::create(inside, loc, kTile);
    Value begin = arith::MulIOp::create(inside, loc, first, width);
    Value at = arith::AddIOp::create(inside, loc, begin,
                                     linalg::IndexOp::create(inside, loc, own));
    // Behind the end, the last number stands again.
    Value one = arith::ConstantIndexOp::create(inside, loc, 1);
    Value end = getValueOrCreateConstantIndexOp(inside, loc, extent);
    Value last = arith::SubIOp::create(inside, loc, end, one);
    at = arith::MinSIOp::create(inside, loc, at, last);
    SmallVector<Value> indices;
    for (unsigned loop : numbers.loops) {
      unsigned other = llvm::find(equal.others, loop) - equal.others.begin();
      indices.push_back(loop == along ? at
                                      : Value(linalg::IndexOp::create(
                                            inside, loc, other + 1)));
    }
    Value number =
        tensor::ExtractOp::create(inside, loc, numbers.tensor, indices);
    return choose(inside, {number, complement(inside, number)});
  };
  Type type = getElementTypeOrSelf(numbers.tensor);
  APInt most = APInt::getSignedMaxValue(type.getIntOrFloatBitWidth());
  return reduce(2, sizes, length, map, type, most.getSExtValue(), element);
}

void BoundsWriter::write() {
  builder.setInsertionPoint(equal.op);
  Value rows = computeRanges(equal.ofRows, equal.row),
        elements = computeRanges(equal.ofElements, equal.element);
  // Results, others, tiles of rows, and tiles of elements.
  unsigned others = equal.others.size(), tile = others + 2;
  SmallVector<Value> ranges = {slice(rows, 0), slice(rows, 1),
                               slice(elements, 0), slice(elements, 1)};
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, ranges[0]);
  sizes.push_back(tensor::getMixedSize(builder, loc, ranges[2], others));
  auto getMap = [&](unsigned along) {
    SmallVector<AffineExpr> dims;
    for (unsigned other = 0; other != others; ++other)
      dims.push_back(builder.getAffineDimExpr(other + 1));
    dims.push_back(builder.getAffineDimExpr(along));
    return AffineMap::get(others + 3, 0, dims, builder.getContext());
  };
  AffineMap ofRows = getMap(others + 1), ofElements = getMap(tile);
  SmallVector<AffineMap> maps = {ofRows, ofRows, ofElements, ofElements};
  auto compare = [&](OpBuilder &inside, Predicate predicate, Value lhs,
                     Value rhs) -> Value {
    return arith::CmpIOp::create(inside, loc, predicate, lhs, rhs);
  };
  Type i32 = builder.getI32Type();
  auto getTile = [&](OpBuilder &inside) -> Value {
    return arith::IndexCastOp::create(
        inside, loc, i32, linalg::IndexOp::create(inside, loc, tile));
  };
  // All rows and all elements have one number.
  auto isWhole = [&](OpBuilder &inside, ValueRange own) -> Value {
    Value most = complement(inside, own[1]);
    Value ofTile = compare(inside, Predicate::eq, own[0], most);
    Value both =
        compare(inside, Predicate::eq, own[2], complement(inside, own[3]));
    return arith::AndIOp::create(
        inside, loc, arith::AndIOp::create(inside, loc, ofTile, both),
        compare(inside, Predicate::eq, own[0], own[2]));
  };
  auto orNone = [&](OpBuilder &inside, Value condition, Value number) -> Value {
    return arith::SelectOp::create(inside, loc, condition, number,
                                   getConstant(inside, i32, kNone));
  };
  bounds = reduce(
      3, sizes, ranges, maps, i32, kNone,
      [&](OpBuilder &inside, ValueRange own) -> Value {
        Value begins =
            compare(inside, Predicate::sle, own[2], complement(inside, own[1]));
        Value ends =
            compare(inside, Predicate::sge, complement(inside, own[3]), own[0]);
        Value isNeeded = arith::AndIOp::create(inside, loc, begins, ends);
        Value from = getTile(inside);
        Value to = arith::AddIOp::create(inside, loc, from,
                                         getConstant(inside, i32, 1));
        return choose(inside, {orNone(inside, isNeeded, from),
                               orNone(inside, isNeeded, complement(inside, to)),
                               orNone(inside, isWhole(inside, own), from)});
      });
  // The first tile behind a run that isn't part of it.
  ranges.push_back(slice(bounds, 2));
  maps.push_back(ofRows);
  runs = reduce(
      1, sizes, ranges, maps, i32, kNone,
      [&](OpBuilder &inside, ValueRange own) -> Value {
        Value from = getTile(inside);
        Value isBehind = compare(inside, Predicate::sgt, from, own[4]);
        Value isOther = arith::XOrIOp::create(
            inside, loc, isWhole(inside, own.take_front(4)),
            arith::ConstantOp::create(inside, loc, inside.getBoolAttr(true)));
        Value isEnd = arith::AndIOp::create(inside, loc, isBehind, isOther);
        return orNone(inside, isEnd, from);
      });
}

void BoundsWriter::compare() {
  arith::CmpIOp same = equal.compare;
  builder.setInsertionPointAfter(same);
  Type i32 = builder.getI32Type();
  Value width = arith::ConstantIndexOp::create(builder, loc, kTile);
  auto getTile = [&](unsigned loop) -> Value {
    return arith::DivUIOp::create(
        builder, loc, linalg::IndexOp::create(builder, loc, loop), width);
  };
  auto read = [&](Value tensor, unsigned which) -> Value {
    SmallVector<Value> indices = {
        arith::ConstantIndexOp::create(builder, loc, which)};
    for (unsigned other : equal.others)
      indices.push_back(linalg::IndexOp::create(builder, loc, other));
    indices.push_back(getTile(equal.row));
    return tensor::ExtractOp::create(builder, loc, tensor, indices);
  };
  auto isWithin = [&](Value number, Value from, Value to) -> Value {
    Value begins =
        arith::CmpIOp::create(builder, loc, Predicate::sge, number, from);
    Value ends =
        arith::CmpIOp::create(builder, loc, Predicate::slt, number, to);
    return arith::AndIOp::create(builder, loc, begins, ends);
  };
  auto getElements = [&](Value tiles) -> Value {
    // No number of a tile is so large that this would wrap.
    return arith::MulIOp::create(builder, loc, tiles,
                                 getConstant(builder, i32, kTile),
                                 arith::IntegerOverflowFlags::nsw);
  };
  Value element = arith::IndexCastOp::create(
      builder, loc, i32, linalg::IndexOp::create(builder, loc, equal.element));
  Value tile =
      arith::IndexCastOp::create(builder, loc, i32, getTile(equal.element));
  Value within = isWithin(element, getElements(read(bounds, 0)),
                          getElements(complement(builder, read(bounds, 1))));
  Value either = arith::OrIOp::create(
      builder, loc, isWithin(tile, read(bounds, 2), read(runs, 0)), same);
  Value all = arith::AndIOp::create(builder, loc, within, either);
  same.getResult().replaceUsesWithIf(all, [&](OpOperand &use) {
    return use.getOwner() != either.getDefiningOp();
  });
}

namespace {

struct BoundMasks : public carousel::impl::BoundMasksBase<BoundMasks> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isPublic() || func.isExternal() || !func.getBody().hasOneBlock())
      return;
    IRRewriter rewriter(&getContext());
    forTiles(func, kLeastTiles, [&](linalg::GenericOp op, unsigned loop) {
      takeConditions(op, loop, rewriter);
    });
    DecisionLog log(func, "carousel-bound-masks");
    SmallVector<SegmentMask> found;
    forTiles(func, /*leastTiles=*/0, [&](linalg::GenericOp op, unsigned loop) {
      excludeByInfinities(op, loop, rewriter);
    });
    forTiles(func, kLeastTiles, [&](linalg::GenericOp op, unsigned loop) {
      SmallVector<std::string> refusals;
      llvm::append_range(found, findSegmentMasks(op, loop, refusals));
      for (const std::string &reason : refusals)
        log.missed(op, "Bounds",
                   "tiles of other numbers are computed: " + reason);
    });
    for (const SegmentMask &equal : found) {
      log.passed(equal.op, "Bounds",
                 "numbers that have to be equal bound the tiles of rows");
      BoundsWriter writer(rewriter, equal);
      writer.write();
      writer.compare();
      ++bounded;
    }
  }

private:
  /// Bounds of fewer tiles take longer than what they leave out.
  static constexpr int64_t kLeastTiles = 8;

  /// Visits the elementwise ops of tiles of online reductions that have so many
  /// tiles, with the online reduction's loop. A visit may replace its op.
  void forTiles(func::FuncOp func, int64_t leastTiles,
                llvm::function_ref<void(linalg::GenericOp, unsigned)> visit) {
    Graph graph = readGraph(func);
    graph.problem.usesTF32 = products == ProductFactors::TF32;
    std::vector<OnlineRefusal> refusals; // which --carousel-form-groups reports
    for (const OnlineSeed &seed :
         findOnlineReductions(graph.problem, refusals)) {
      OpGroup group;
      group.ops = seed.ops;
      GroupShape shape = *computeGroupShape(graph.problem, group).shape;
      int64_t extent = shape.dims[shape.stream->dim].extent;
      if (shape.stream->hasOneTile || assumeExtent(extent) < leastTiles * kTile)
        continue;
      for (auto [at, number] : llvm::enumerate(seed.ops)) {
        auto op = dyn_cast<linalg::GenericOp>(graph.ops[number]);
        if (!op || shape.stream->roles[at] != OnlineRole::Tile ||
            op.getNumResults() != 1)
          continue;
        unsigned loop = llvm::find(shape.loops[at], shape.stream->dim) -
                        shape.loops[at].begin();
        visit(op, loop);
      }
    }
  }

  /// A tensor of truth values that compares numbers, as a mask of all heads
  /// is: what chooses by it computes it, as kernels do.
  static void takeConditions(linalg::GenericOp op, unsigned loop,
                             RewriterBase &rewriter) {
    invertChoices(op, rewriter);
    for (unsigned number = 0; number < op.getNumDpsInputs();) {
      OpOperand *input = op.getDpsInputOperand(number++);
      if (!getElementTypeOrSelf(input->get()).isInteger(1))
        continue;
      FailureOr<linalg::GenericOp> fused = fuseProducer(rewriter, op, *input);
      if (failed(fused))
        continue;
      invertChoices(*fused, rewriter);
      SmallVector<std::string> refusals;
      if (findSegmentMasks(*fused, loop, refusals).empty() &&
          refusals.empty()) {
        rewriter.eraseOp(*fused);
        continue;
      }
      rewriter.replaceOp(op, *fused);
      op = *fused;
      number = 0;
    }
  }
};

} // namespace
