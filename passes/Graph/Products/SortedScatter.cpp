//===- SortedScatter.cpp - terms that have computed places ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortedScatter.h"

#include "../Reading/ReadConvolution.h"
#include "../Tables/TableOps.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Sorted runs
//===----------------------------------------------------------------------===//

double SortPlan::countWork() const {
  // The times of two comparisons of each pair, and of the steps of a search.
  constexpr double kPair = 6, kStep = 12;
  return double(count) *
         (kPair * length + kStep * merges * llvm::Log2_64_Ceil(slots + 1));
}

SortPlan carousel::planSort(int64_t count, int64_t keys) {
  // The positions of a part: as many as need no merge, which would be kernels
  // of few positions for most launches. But each part has a table of all keys,
  // which shouldn't be much larger than its terms.
  constexpr int64_t kPart = 1 << 12, kKeysOfPosition = 16;
  if (ShapedType::isDynamic(count))
    count = std::max<int64_t>(
        kPart, llvm::PowerOf2Ceil(llvm::divideCeil(keys, kKeysOfPosition)));
  // Pairs that take as long to compare as a merge does to launch, and run.
  constexpr int64_t kMostPairs = 1 << 25, kLeastLength = 32;
  SortPlan plan;
  plan.count = count;
  plan.keys = keys;
  plan.length = count;
  while (plan.length > kLeastLength && count > kMostPairs / plan.length) {
    ++plan.merges;
    plan.length = llvm::divideCeil(count, int64_t(1) << plan.merges);
  }
  plan.slots = plan.length << plan.merges;
  return plan;
}

namespace {

class RunWriter {
public:
  RunWriter(IRRewriter &rewriter, Location loc, const SortPlan &plan,
            Value count)
      : rewriter(rewriter), loc(loc), plan(plan), count(count) {
    if (count)
      parts = rewriter.createOrFold<arith::CeilDivUIOp>(
          loc, count, IndexBuilder(rewriter, loc).constant(plan.slots));
    else
      this->count = IndexBuilder(rewriter, loc).constant(plan.count);
    // The largest number is one of padding.
    bool isWide = plan.keys >= std::numeric_limits<int32_t>::max() / plan.slots;
    type = rewriter.getIntegerType(isWide ? 64 : 32);
  }

  /// Packs the keys that are to be sorted, in blocks.
  Value pack(llvm::function_ref<Value(OpBuilder &, Value)> compute);
  Value sortBlocks(Value packed);
  /// Joins pairs of blocks of the given length.
  Value merge(Value sorted, int64_t length);
  Value findBegins(const SortedRuns &runs);
  Value getParts() const { return parts; }

private:
  /// Blocks and their elements; a single block has no dimension.
  SmallVector<int64_t> getShape(int64_t length) const {
    if (parts)
      return {ShapedType::kDynamic, length};
    if (length == plan.slots)
      return {length};
    return {plan.slots / length, length};
  }
  SmallVector<Value, 1> getSizes(int64_t length) {
    if (!parts)
      return {};
    return {IndexBuilder(rewriter, loc).multiply(parts, plan.slots / length)};
  }
  /// Finds the first of the elements in [low, high) that a predicate doesn't
  /// hold for; it holds for those before it.
  Value search(OpBuilder &builder, Value low, Value high, int64_t most,
               llvm::function_ref<Value(IndexBuilder &, Value)> isBefore);

  IRRewriter &rewriter;
  Location loc;
  SortPlan plan;
  Value count, parts; ///< see SortedRuns
  Type type;
};

} // namespace

Value SortedRuns::read(IndexBuilder &n, Value slot) const {
  if (!parts)
    return n.read(order, {slot});
  return n.read(order,
                {n.divide(slot, plan.slots), n.remainder(slot, plan.slots)});
}

Value SortedRuns::readKey(IndexBuilder &n, Value slot) const {
  return n.divide(read(n, slot), plan.slots);
}

Value SortedRuns::readPosition(IndexBuilder &n, Value slot, Value key) const {
  Value own = n.subtract(read(n, slot), n.multiply(key, plan.slots));
  if (!parts)
    return own;
  return n.add(n.subtract(slot, n.remainder(slot, plan.slots)), own);
}

Value SortedRuns::readBegin(IndexBuilder &n, Value part, Value key) const {
  if (!parts)
    return n.read(begins, {key});
  return n.add(n.multiply(part, plan.slots), n.read(begins, {part, key}));
}

Value RunWriter::pack(llvm::function_ref<Value(OpBuilder &, Value)> compute) {
  return createElements(
      rewriter, loc, getShape(plan.length), type, {}, {},
      [&](OpBuilder &b, ValueRange at, ValueRange) {
        IndexBuilder n(b, loc);
        Value slot = at.back();
        if (at.size() == 2)
          slot = n.add(n.multiply(at[0], plan.length), at[1]);
        Value last = n.subtract(count, n.constant(1));
        Value key = compute(b, n.least(slot, last));
        Value exists = n.compare(Predicate::ule, slot, last);
        key = n.choose(exists, key, n.constant(plan.keys));
        Value own = parts ? n.remainder(slot, plan.slots) : slot;
        return n.integer(n.add(n.multiply(key, plan.slots), own), type);
      },
      getSizes(plan.length));
}

Value RunWriter::sortBlocks(Value packed) {
  SmallVector<int64_t> shape = getShape(plan.length);
  SmallVector<unsigned> own, other;
  for (unsigned dim = 0; dim != shape.size(); ++dim) {
    own.push_back(dim);
    other.push_back(dim);
  }
  other.back() = shape.size(); // the loop that is reduced
  Value rank = createReduction(
      rewriter, loc, shape, rewriter.getI32Type(), {packed, packed},
      {own, other}, /*isMaximum=*/false,
      [&](OpBuilder &b, ValueRange, ValueRange elements) {
        return IndexBuilder(b, loc).compare(Predicate::slt, elements[1],
                                            elements[0]);
      },
      getSizes(plan.length));
  return createReduction(
      rewriter, loc, shape, type, {rank, packed}, {other, other},
      /*isMaximum=*/true,
      [&](OpBuilder &b, ValueRange at, ValueRange found) {
        IndexBuilder n(b, loc);
        Value place = n.integer(at[shape.size() - 1], rewriter.getI32Type());
        Value isHere = n.compare(Predicate::eq, found[0], place);
        Value none =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, -1));
        return n.choose(isHere, found[1], none);
      },
      getSizes(plan.length));
}

Value RunWriter::search(
    OpBuilder &builder, Value low, Value high, int64_t most,
    llvm::function_ref<Value(IndexBuilder &, Value)> isBefore) {
  IndexBuilder n(builder, loc);
  auto loop = scf::ForOp::create(
      builder, loc, n.constant(0), n.constant(llvm::Log2_64_Ceil(most + 1)),
      n.constant(1), ValueRange{low, high},
      [&](OpBuilder &b, Location, Value, ValueRange range) {
        IndexBuilder inner(b, loc);
        Value middle = inner.divide(inner.add(range[0], range[1]), 2);
        Value isOpen = inner.compare(Predicate::slt, range[0], range[1]);
        Value goesUp = isBefore(inner, middle);
        Value next = inner.add(middle, inner.constant(1));
        Value up = inner.choose(goesUp, next, range[0]);
        Value down = inner.choose(goesUp, range[1], middle);
        scf::YieldOp::create(b, loc,
                             ValueRange{inner.choose(isOpen, up, range[0]),
                                        inner.choose(isOpen, down, range[1])});
      });
  return loop.getResult(0);
}

/// Element i of two joined blocks is the largest of the first i + 1, of which j
/// are of the first block and the others of the second: all of these are less
/// than the next ones of the other block.
Value RunWriter::merge(Value sorted, int64_t length) {
  return createElements(
      rewriter, loc, getShape(2 * length), type, {}, {},
      [&](OpBuilder &b, ValueRange at, ValueRange) {
        IndexBuilder n(b, loc);
        Value slot = at.back(), pair = at.size() == 2 ? at[0] : n.constant(0);
        Value first = n.multiply(pair, 2), second = n.add(first, n.constant(1));
        auto read = [&](IndexBuilder &inner, Value block, Value place) {
          return inner.read(sorted, {block, inner.limit(place, length)});
        };
        Value end = n.constant(length);
        Value low = n.largest(n.subtract(slot, end), n.constant(0));
        Value own = search(
            b, low, n.least(slot, end), length,
            [&](IndexBuilder &inner, Value place) {
              Value other = inner.subtract(
                  inner.subtract(slot, inner.constant(1)), place);
              return inner.compare(Predicate::slt, read(inner, first, place),
                                   read(inner, second, other));
            });
        Value other = n.subtract(slot, own);
        Value a = read(n, first, own), c = read(n, second, other);
        Value isOnly = n.compare(Predicate::sge, other, end);
        Value isFirst =
            n.both(n.compare(Predicate::slt, own, end),
                   n.either(isOnly, n.compare(Predicate::slt, a, c)));
        return n.integer(n.choose(isFirst, a, c), type);
      },
      getSizes(2 * length));
}

Value RunWriter::findBegins(const SortedRuns &runs) {
  SmallVector<int64_t> shape = {plan.keys + 1};
  SmallVector<Value, 1> sizes;
  if (parts) {
    shape.insert(shape.begin(), ShapedType::kDynamic);
    sizes.push_back(parts);
  }
  return createElements(
      rewriter, loc, shape, rewriter.getI32Type(), {}, {},
      [&](OpBuilder &b, ValueRange at, ValueRange) {
        IndexBuilder n(b, loc);
        Value least = n.multiply(at.back(), plan.slots);
        Value begin =
            search(b, n.constant(0), n.constant(plan.slots), plan.slots,
                   [&](IndexBuilder &inner, Value slot) {
                     SmallVector<Value> place(at.drop_back());
                     place.push_back(inner.limit(slot, plan.slots));
                     return inner.compare(Predicate::slt,
                                          inner.read(runs.order, place), least);
                   });
        return n.integer(begin);
      },
      sizes);
}

SortedRuns carousel::createSortedRuns(
    IRRewriter &rewriter, Location loc, const SortPlan &plan, Value count,
    llvm::function_ref<Value(OpBuilder &, Value)> compute) {
  RunWriter writer(rewriter, loc, plan, count);
  SortedRuns runs;
  runs.plan = plan;
  runs.parts = writer.getParts();
  runs.order = writer.sortBlocks(writer.pack(compute));
  for (int64_t length = plan.length; length != plan.slots; length *= 2)
    runs.order = writer.merge(runs.order, length);
  runs.begins = writer.findBegins(runs);
  return runs;
}

//===----------------------------------------------------------------------===//
// Placed terms
//===----------------------------------------------------------------------===//

/// Items of a chunk; so many levels of chunks that no more items are left than
/// this.
static constexpr int64_t kChunk = 32, kMostItems = 128;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Whether combining a value twice is the same as combining it once.
static bool isIdempotent(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
             arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::OrIOp,
             arith::AndIOp>(op);
}

static bool isSum(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::OrIOp, arith::XOrIOp>(op);
}

/// Returns a choice's value where its condition doesn't hold, if it is zero.
static Value findZeroOtherwise(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  Attribute otherwise;
  return select &&
                 matchPattern(select.getFalseValue(), m_Constant(&otherwise)) &&
                 isZeroIntegerOrFloat(otherwise)
             ? select.getFalseValue()
             : Value();
}

/// Adds the factors of a product, each once, of which conditions of choices are
/// some. What is zero with its operand is no factor of its own.
static void collectFactors(Value product, SmallVectorImpl<Value> &factors) {
  auto isProduct = [](Value value) {
    return findZeroOtherwise(value) ||
           isa_and_present<arith::ExtFOp, arith::TruncFOp, arith::UIToFPOp,
                           arith::SIToFPOp, arith::ExtUIOp, arith::MulFOp,
                           arith::MulIOp, arith::AndIOp>(value.getDefiningOp());
  };
  llvm::SmallDenseSet<Value> zeros;
  walkOperands(product, isProduct, [&](Value value) {
    if (Value zero = findZeroOtherwise(value))
      zeros.insert(zero);
    else if (!isProduct(value))
      factors.push_back(value);
    return WalkResult::advance();
  });
  llvm::erase_if(factors, [&](Value factor) { return zeros.contains(factor); });
}

/// The constant that a term is where a condition doesn't hold, if it is a
/// choice; and what it is otherwise, if that is computed outside of branches.
static TypedAttr findChoice(Value term, Value &condition, Value &chosen) {
  TypedAttr constant;
  if (auto select = term.getDefiningOp<arith::SelectOp>()) {
    condition = select.getCondition();
    chosen = select.getTrueValue();
    matchPattern(select.getFalseValue(), m_Constant(&constant));
  } else if (auto branch = term.getDefiningOp<scf::IfOp>()) {
    condition = branch.getCondition();
    chosen = {};
    unsigned result = cast<OpResult>(term).getResultNumber();
    matchPattern(branch.elseYield().getOperand(result), m_Constant(&constant));
  }
  return constant;
}

bool SortedScatter::readTerm() {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return false;
  combination = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  Value before = op.getRegionOutputArgs()[0];
  if (!combination || combination->getBlock() != op.getBody() ||
      !before.hasOneUse() || *before.user_begin() != combination ||
      combination->getNumOperands() != 2 ||
      !(isSum(combination) || isIdempotent(combination) ||
        isa<arith::MulFOp, arith::MulIOp>(combination)))
    return false;
  std::optional<TypedAttr> found = arith::getNeutralElement(combination);
  if (!found)
    return false;
  neutral = *found;
  unsigned own = combination->getOperand(0) == before ? 1 : 0;
  term = combination->getOperand(own);
  if (term == before)
    return false;
  // A term's value at other places doesn't count, or counts once.
  Value rest = term, condition, chosen;
  while (TypedAttr constant = findChoice(rest, condition, chosen)) {
    bool isNeutral = constant == neutral ||
                     (isSum(combination) && isZeroIntegerOrFloat(constant));
    if (!isNeutral &&
        !(isIdempotent(combination) && (!otherwise || otherwise == constant)))
      break;
    if (!isNeutral)
      otherwise = constant;
    collectFactors(condition, factors);
    rest = chosen;
    if (!rest)
      break;
  }
  if (rest && isSum(combination))
    collectFactors(rest, factors);
  return true;
}

SortedScatter::SortedScatter(linalg::GenericOp op)
    : op(op), extents(op.getStaticLoopRanges()), sizes(extents.size()) {
  if (!readTerm())
    return;
  points = findOneHotIndices(op, factors, IteratorType::parallel);
  if (points.empty())
    return;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == IteratorType::reduction ? summed : sums).push_back(loop);
  for (unsigned loop : sums)
    if (isScattered(loop))
      placed.push_back(loop);
  if (succeeded(findSources(term, op.getBody())))
    findSelectors();
  for (unsigned loop : sums)
    if (isFree(loop)) {
      free.push_back(loop);
    } else {
      rows.push_back(loop);
      if (!isScattered(loop))
        batch.push_back(loop);
    }
}

bool SortedScatter::isScattered(unsigned loop) const {
  return llvm::any_of(points.front(), [&](const OneHotIndex &place) {
    return place.loop == loop;
  });
}

bool SortedScatter::isFree(unsigned loop) const {
  return !isScattered(loop) && llvm::all_of(selectors, [&](Value selector) {
    return isFixedAlong(op, selector, loop);
  });
}

/// Those that have points say which loops are free. Other conditions may say
/// that a term has no place, as those beyond a capacity.
void SortedScatter::findSelectors() {
  for (Value factor : factors)
    if (!findOneHotIndices(op, factor, IteratorType::parallel).empty())
      selectors.push_back(factor);
  SmallVector<Value> more;
  for (Value factor : factors) {
    if (llvm::is_contained(selectors, factor))
      continue;
    bool isCondition =
        factor.getType().isInteger(1) && llvm::all_of(sums, [&](unsigned loop) {
          return !isFree(loop) || isFixedAlong(op, factor, loop);
        });
    (isCondition ? more : others).push_back(factor);
  }
  llvm::append_range(selectors, more);
}

/// Whether terms are products of what differs along loops of their own.
bool SortedScatter::isMatrixProduct() const {
  auto isAlong = [&](Value factor, unsigned loop) {
    return !isFixedAlong(op, factor, loop);
  };
  return llvm::any_of(others, [&](Value a) {
    return llvm::any_of(others, [&](Value b) {
      return llvm::any_of(free,
                          [&](unsigned loop) {
                            return isAlong(a, loop) && !isAlong(b, loop);
                          }) &&
             llvm::any_of(free, [&](unsigned loop) {
               return isAlong(b, loop) && !isAlong(a, loop);
             });
    });
  });
}

int64_t SortedScatter::countIterations(ArrayRef<unsigned> loops) const {
  int64_t count = 1;
  for (unsigned loop : loops)
    count *=
        ShapedType::isDynamic(extents[loop]) ? kAssumedExtent : extents[loop];
  return count;
}

bool SortedScatter::hasParts() const {
  return llvm::any_of(summed, [&](unsigned loop) {
    return ShapedType::isDynamic(extents[loop]);
  });
}

std::string SortedScatter::countUpdates() const {
  return hasParts() ? "all" : std::to_string(countIterations(summed));
}

Value SortedScatter::createLoopExtent(OpBuilder &builder, unsigned loop) {
  for (OpOperand *input : op.getDpsInputOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(input).getResults()))
      if (expr == builder.getAffineDimExpr(loop))
        return builder.createOrFold<tensor::DimOp>(op.getLoc(), input->get(),
                                                   dim);
  llvm_unreachable("an operand says how long a loop is");
}

Value SortedScatter::getExtent(OpBuilder &builder, unsigned loop) {
  return sizes[loop]
             ? sizes[loop]
             : IndexBuilder(builder, op.getLoc()).constant(extents[loop]);
}

Value SortedScatter::getIterations(OpBuilder &builder,
                                   ArrayRef<unsigned> loops) {
  IndexBuilder n(builder, op.getLoc());
  Value count = n.constant(1);
  for (unsigned loop : loops)
    count = n.multiply(count, getExtent(builder, loop));
  return count;
}

SortPlan SortedScatter::plan() const {
  int64_t count =
      countIterations(batch) * countIterations(summed) * points.size();
  return planSort(hasParts() ? ShapedType::kDynamic : count,
                  countIterations(rows));
}

/// The operations of tensor cores in the time of an instruction of each thread.
static constexpr double kOperations = 32;

/// Those that the op takes beyond what it takes by runs.
double SortedScatter::countOperations() {
  bool isNarrow = llvm::all_of(op.getDpsInputOperands(), [](OpOperand *input) {
    return getElementTypeOrSelf(input->get()).getIntOrFloatBitWidth() <= 16;
  });
  double instructions = llvm::range_size(op.getBody()->getOperations());
  double term = isNarrow && isContraction(op) ? 2 : instructions * kOperations;
  SortPlan sort = plan();
  double work = countIterations(free);
  double written = countIterations(rows) * work * countIterations(summed);
  // A term is read in one or two loops.
  double sorted = (instructions + 8) * sort.count + 8. * sort.keys;
  return written * term - (sorted * work + sort.countWork()) * kOperations;
}

std::string SortedScatter::explain(int64_t leastOperations) {
  for (unsigned loop : sums)
    if (ShapedType::isDynamic(extents[loop]))
      return "the extent of what it goes along isn't known";
  if (llvm::is_contained(extents, 0))
    return "there are no terms";
  if (selectors.empty())
    return "what is summed has branches";
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  SortPlan sort = plan();
  if (sort.slots >= kMost || sort.keys >= kMost)
    return "numbers of 32 bits don't tell terms and places apart";
  if (llvm::any_of(points, [&](const OneHotIndices &point) {
        return orderIndices(op, point).empty();
      }))
    return "its numbers depend on each other";
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation())
      return "an operand isn't read at loops";
  if (isMatrixProduct())
    return "terms are products of rows: a product of matrices adds them";
  if (countOperations() < double(leastOperations))
    return "sorting its " + std::to_string(sort.count) +
           " terms by their places saves too little";
  return "";
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void SortedScatter::decode(OpBuilder &builder, ArrayRef<unsigned> loops,
                           Value flat,
                           llvm::function_ref<void(unsigned, Value)> set) {
  IndexBuilder n(builder, op.getLoc());
  for (unsigned loop : llvm::reverse(loops.drop_front())) {
    Value extent = getExtent(builder, loop);
    set(loop, n.remainder(flat, extent));
    flat = n.divide(flat, extent);
  }
  set(loops.front(), flat);
}

Value SortedScatter::flatten(OpBuilder &builder, ArrayRef<unsigned> loops,
                             llvm::function_ref<Value(unsigned)> get) {
  IndexBuilder n(builder, op.getLoc());
  Value flat;
  for (unsigned loop : loops)
    flat = flat ? n.add(n.multiply(flat, getExtent(builder, loop)), get(loop))
                : get(loop);
  return flat;
}

/// Finds the key of a position (batch, term, point): the row that the point
/// says, unless another one before it says the same.
Value SortedScatter::findKey(OpBuilder &builder, Value position) {
  Location loc = op.getLoc();
  IndexBuilder n(builder, loc);
  Value point = n.remainder(position, points.size());
  SmallVector<unsigned> loops(batch);
  llvm::append_range(loops, summed);
  BodyEvaluator reader(op);
  SmallVector<Value> numbers(op.getNumLoops());
  decode(builder, loops, n.divide(position, points.size()),
         [&](unsigned loop, Value number) {
           reader.setLoop(loop, number);
           numbers[loop] = number;
         });
  Value none = n.constant(countIterations(rows)), key = none;
  SmallVector<Value> before;
  for (const OneHotIndices &own : points) {
    int64_t number = before.size();
    ComputedIndices computed = computeIndices(builder, op, own, reader);
    Value isThere = createBranch(
        builder, loc, builder.getI1Type(), computed.exists,
        [&](OpBuilder &inner) {
          BodyEvaluator there = evaluateAt(inner, own, computed, reader);
          Value all;
          for (Value selector : selectors)
            all = IndexBuilder(inner, loc)
                      .both(all, isNotZero(inner, loc,
                                           there.compute(inner, selector)));
          return all;
        });
    for (auto [place, value] : llvm::zip_equal(own, computed.numbers))
      numbers[place.loop] = value;
    Value row =
        flatten(builder, rows, [&](unsigned loop) { return numbers[loop]; });
    Value found = n.choose(isThere, row, none);
    Value isOwn = n.compare(Predicate::eq, point, n.constant(number));
    for (Value other : before)
      isOwn = n.both(isOwn, n.compare(Predicate::ne, found, other));
    before.push_back(found);
    key = points.size() == 1 ? found : n.choose(isOwn, found, key);
  }
  return key;
}

Value SortedScatter::combine(OpBuilder &builder, Value before, Value own) {
  IRMapping mapping;
  mapping.map(op.getRegionOutputArgs()[0], before);
  mapping.map(term, own);
  return builder.clone(*combination, mapping)->getResult(0);
}

Value SortedScatter::getNeutral(OpBuilder &builder) {
  return arith::ConstantOp::create(builder, op.getLoc(), neutral);
}

Value SortedScatter::readUpdateAt(OpBuilder &builder,
                                  const BodyEvaluator &reader, Value row,
                                  Value slot) {
  Location loc = op.getLoc();
  IndexBuilder n(builder, loc);
  Value position = runs.readPosition(n, slot, row);
  if (points.size() != 1)
    position = n.divide(position, points.size());
  if (!batch.empty())
    position = n.remainder(position, getIterations(builder, summed));
  BodyEvaluator there = reader;
  decode(builder, summed, position,
         [&](unsigned loop, Value number) { there.setLoop(loop, number); });
  // The term has the place, so that its conditions hold.
  if (points.size() == 1)
    for (OneHotIndex place : points.front()) {
      Value own = place.condition.getLhs() == place.number
                      ? place.condition.getRhs()
                      : place.condition.getLhs();
      there.set(place.number, there.compute(builder, own));
    }
  for (Value selector : selectors)
    if (selector.getType().isInteger(1))
      there.set(selector, arith::ConstantOp::create(builder, loc,
                                                    builder.getBoolAttr(true)));
  return there.compute(builder, term);
}

Value SortedScatter::accumulate(
    OpBuilder &builder, Value start, Value begin, Value count,
    llvm::function_ref<Value(OpBuilder &, Value)> read) {
  // So that several reads are under way.
  constexpr int64_t kItems = 4;
  Location loc = op.getLoc();
  IndexBuilder n(builder, loc);
  Value trips = n.divide(n.add(count, n.constant(kItems - 1)), kItems);
  return scf::ForOp::create(
             builder, loc, n.constant(0), trips, n.constant(1), start,
             [&](OpBuilder &inner, Location, Value trip, ValueRange sums) {
               IndexBuilder m(inner, loc);
               SmallVector<Value> items;
               for (int64_t item = 0; item != kItems; ++item) {
                 Value at = m.add(m.multiply(trip, kItems), m.constant(item));
                 items.push_back(createBranch(
                     inner, loc, term.getType(),
                     m.compare(Predicate::slt, at, count),
                     [&](OpBuilder &own) {
                       return read(own, IndexBuilder(own, loc).add(begin, at));
                     },
                     neutral));
               }
               Value all = sums.front();
               for (Value item : items)
                 all = combine(inner, all, item);
               scf::YieldOp::create(inner, loc, all);
             })
      .getResult(0);
}

Value SortedScatter::readItem(OpBuilder &builder, const BodyEvaluator &reader,
                              Value row, ValueRange freeIndices, unsigned level,
                              Value item) {
  Value terms = levels[level].terms;
  if (!terms)
    return readUpdateAt(builder, reader, row, item);
  SmallVector<Value> at = {item};
  llvm::append_range(at, freeIndices);
  return tensor::ExtractOp::create(builder, op.getLoc(), terms, at);
}

/// Items up to the first chunk, whole chunks, and the items behind them.
Value SortedScatter::reduceRun(OpBuilder &builder, const BodyEvaluator &reader,
                               Value row, ValueRange freeIndices,
                               unsigned level, Value start, Value begin,
                               Value end) {
  IndexBuilder n(builder, op.getLoc());
  auto read = [&](OpBuilder &inner, Value item) {
    return readItem(inner, reader, row, freeIndices, level, item);
  };
  Value count = n.subtract(end, begin);
  if (level + 1 == levels.size())
    return accumulate(builder, start, begin, count, read);
  Value up = n.divide(n.add(begin, n.constant(kChunk - 1)), kChunk);
  Value down = n.divide(end, kChunk), zero = n.constant(0);
  Value hasChunks = n.compare(Predicate::slt, up, down);
  Value head = n.subtract(n.multiply(up, kChunk), begin);
  Value sum =
      accumulate(builder, start, begin, n.choose(hasChunks, head, count), read);
  sum =
      reduceRun(builder, reader, row, freeIndices, level + 1, sum,
                n.choose(hasChunks, up, zero), n.choose(hasChunks, down, zero));
  Value tail = n.multiply(down, kChunk);
  Value rest = n.choose(hasChunks, n.subtract(end, tail), zero);
  return accumulate(builder, sum, tail, rest, read);
}

void SortedScatter::addLevel(IRRewriter &rewriter) {
  Location loc = op.getLoc();
  unsigned below = levels.size() - 1;
  int64_t count = levels.back().count / kChunk;
  int64_t slots = runs.plan.slots / levels.back().count * kChunk;
  SmallVector<int64_t> shape = {runs.parts ? ShapedType::kDynamic : count};
  for (unsigned loop : free)
    shape.push_back(extents[loop]);
  SmallVector<Value, 1> chunks;
  if (runs.parts)
    chunks.push_back(IndexBuilder(rewriter, loc).multiply(runs.parts, count));
  Value terms = createElements(
      rewriter, loc, shape, term.getType(), {}, {},
      [&](OpBuilder &b, ValueRange at, ValueRange) {
        IndexBuilder n(b, loc);
        Value slot = n.multiply(at[0], slots);
        Value row = runs.readKey(n, slot);
        Value last = runs.readKey(n, n.add(slot, n.constant(slots - 1)));
        Value isOne =
            n.both(n.compare(Predicate::eq, row, last),
                   n.compare(Predicate::slt, row, n.constant(runs.plan.keys)));
        BodyEvaluator reader(op);
        decode(b, rows, row, [&](unsigned loop, Value number) {
          reader.setLoop(loop, number);
        });
        for (auto [loop, index] : llvm::zip_equal(free, at.drop_front()))
          reader.setLoop(loop, index);
        Value items = n.choose(isOne, n.constant(kChunk), n.constant(0));
        return accumulate(b, getNeutral(b), n.multiply(at[0], kChunk), items,
                          [&](OpBuilder &inner, Value item) {
                            return readItem(inner, reader, row, at.drop_front(),
                                            below, item);
                          });
      },
      chunks);
  levels.push_back({terms, count});
}

Value SortedScatter::writeResults(IRRewriter &rewriter) {
  Location loc = op.getLoc();
  OpOperand *init = op.getDpsInitOperand(0);
  llvm::SmallBitVector gone(op.getNumLoops());
  for (unsigned loop : summed)
    gone.set(loop);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (llvm::any_of(summed,
                     [&](unsigned loop) { return map.isFunctionOfDim(loop); }))
      continue;
    inputs.push_back(input->get());
    maps.push_back(compressDims(map, gone));
    arguments.push_back(op.getMatchingBlockArgument(input));
  }
  auto fill = init->get().getDefiningOp<linalg::FillOp>();
  AffineMap written = compressDims(op.getMatchingIndexingMap(init), gone);
  Value empty = fill ? fill.getOutputs()[0] : Value();
  if (!fill) {
    auto type = cast<RankedTensorType>(init->get().getType());
    inputs.push_back(init->get());
    maps.push_back(written);
    empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                    type.getElementType());
  }
  maps.push_back(written);
  auto compute = [&](OpBuilder &builder, ValueRange elements) {
    IndexBuilder n(builder, loc);
    BodyEvaluator reader(op);
    SmallVector<Value> indices(op.getNumLoops()), freeIndices;
    for (auto [number, loop] : llvm::enumerate(sums)) {
      indices[loop] = linalg::IndexOp::create(builder, loc, number);
      reader.setLoop(loop, indices[loop]);
    }
    for (unsigned loop : free)
      freeIndices.push_back(indices[loop]);
    for (auto [number, argument] : llvm::enumerate(arguments))
      reader.set(argument, elements[number]);
    Value start = fill ? fill.getInputs()[0] : elements[arguments.size()];
    Value row =
        flatten(builder, rows, [&](unsigned loop) { return indices[loop]; });
    // Adds a part to a result and to the number of its terms.
    auto addPart = [&](OpBuilder &b, Value part, Value sum, Value terms) {
      IndexBuilder m(b, loc);
      Value begin = runs.readBegin(m, part, row);
      Value end = runs.readBegin(m, part, m.add(row, m.constant(1)));
      sum = reduceRun(b, reader, row, freeIndices, 0, sum, begin, end);
      return std::pair(sum, m.add(terms, m.subtract(end, begin)));
    };
    Value result = start, terms = n.constant(0);
    if (runs.parts) {
      auto loop = scf::ForOp::create(
          builder, loc, n.constant(0), runs.parts, n.constant(1),
          ValueRange{result, terms},
          [&](OpBuilder &inner, Location, Value part, ValueRange sums) {
            auto [sum, count] = addPart(inner, part, sums[0], sums[1]);
            scf::YieldOp::create(inner, loc, ValueRange{sum, count});
          });
      result = loop.getResult(0);
      terms = loop.getResult(1);
    } else {
      std::tie(result, terms) = addPart(builder, Value(), result, terms);
    }
    if (!otherwise)
      return result;
    Value isAll =
        n.compare(Predicate::eq, terms, getIterations(builder, summed));
    Value other = combine(builder, result,
                          arith::ConstantOp::create(builder, loc, otherwise));
    return n.choose(isAll, result, other);
  };
  return linalg::GenericOp::create(
             rewriter, loc, op.getResultTypes(), inputs, empty, maps,
             SmallVector<IteratorType>(sums.size(), IteratorType::parallel),
             [&](OpBuilder &builder, Location, ValueRange elements) {
               linalg::YieldOp::create(builder, loc,
                                       compute(builder, elements));
             })
      .getResult(0);
}

Value SortedScatter::write(IRRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  for (unsigned loop : summed)
    if (ShapedType::isDynamic(extents[loop]))
      sizes[loop] = createLoopExtent(rewriter, loop);
  Value count;
  if (hasParts()) {
    SmallVector<unsigned> loops(batch);
    llvm::append_range(loops, summed);
    count = IndexBuilder(rewriter, loc)
                .multiply(getIterations(rewriter, loops), points.size());
  }
  runs = createSortedRuns(rewriter, loc, plan(), count,
                          [&](OpBuilder &builder, Value position) {
                            return findKey(builder, position);
                          });
  levels.push_back({Value(), runs.plan.slots});
  while (levels.back().count > kMostItems)
    addLevel(rewriter);
  return writeResults(rewriter);
}
