//===- SortedRuns.cpp - tables of positions by key ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SortedRuns.h.
//
//===----------------------------------------------------------------------===//

#include "SortedRuns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;

double SortPlan::countWork() const {
  // Of two comparisons of each pair, and of the steps of a search.
  constexpr double kPair = 6, kStep = 12;
  return double(count) *
         (kPair * length + kStep * merges * llvm::Log2_64_Ceil(slots + 1));
}

SortPlan carousel::planSort(int64_t count, int64_t keys) {
  // Of a part: as many as need no merge, which would be kernels of few
  // positions for most launches. But each part has a table of all keys, which
  // shouldn't be much larger than its terms.
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
          loc, count, Numbers(rewriter, loc).constant(plan.slots));
    else
      this->count = Numbers(rewriter, loc).constant(plan.count);
    // The largest number is one of padding.
    bool isWide = plan.keys >= std::numeric_limits<int32_t>::max() / plan.slots;
    type = rewriter.getIntegerType(isWide ? 64 : 32);
  }

  /// What is to be sorted, in blocks.
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
    return {Numbers(rewriter, loc).multiply(parts, plan.slots / length)};
  }
  /// Of the elements in [low, high), the first one that a predicate doesn't
  /// hold for, which holds for those before it.
  Value search(OpBuilder &builder, Value low, Value high, int64_t most,
               llvm::function_ref<Value(Numbers &, Value)> isBefore);

  IRRewriter &rewriter;
  Location loc;
  SortPlan plan;
  Value count, parts; ///< see SortedRuns
  Type type;
};

} // namespace

Value SortedRuns::read(Numbers &n, Value slot) const {
  if (!parts)
    return n.read(order, {slot});
  return n.read(order,
                {n.divide(slot, plan.slots), n.remainder(slot, plan.slots)});
}

Value SortedRuns::readKey(Numbers &n, Value slot) const {
  return n.divide(read(n, slot), plan.slots);
}

Value SortedRuns::readPosition(Numbers &n, Value slot, Value key) const {
  Value own = n.subtract(read(n, slot), n.multiply(key, plan.slots));
  if (!parts)
    return own;
  return n.add(n.subtract(slot, n.remainder(slot, plan.slots)), own);
}

Value SortedRuns::readBegin(Numbers &n, Value part, Value key) const {
  if (!parts)
    return n.read(begins, {key});
  return n.add(n.multiply(part, plan.slots), n.read(begins, {part, key}));
}

Value RunWriter::pack(llvm::function_ref<Value(OpBuilder &, Value)> compute) {
  return createElements(
      rewriter, loc, getShape(plan.length), type, {}, {},
      [&](OpBuilder &b, ValueRange at, ValueRange) {
        Numbers n(b, loc);
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
        return Numbers(b, loc).compare(Predicate::slt, elements[1],
                                       elements[0]);
      },
      getSizes(plan.length));
  return createReduction(
      rewriter, loc, shape, type, {rank, packed}, {other, other},
      /*isMaximum=*/true,
      [&](OpBuilder &b, ValueRange at, ValueRange found) {
        Numbers n(b, loc);
        Value place = n.integer(at[shape.size() - 1], rewriter.getI32Type());
        Value isHere = n.compare(Predicate::eq, found[0], place);
        Value none =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, -1));
        return n.choose(isHere, found[1], none);
      },
      getSizes(plan.length));
}

Value RunWriter::search(OpBuilder &builder, Value low, Value high, int64_t most,
                        llvm::function_ref<Value(Numbers &, Value)> isBefore) {
  Numbers n(builder, loc);
  auto loop = scf::ForOp::create(
      builder, loc, n.constant(0), n.constant(llvm::Log2_64_Ceil(most + 1)),
      n.constant(1), ValueRange{low, high},
      [&](OpBuilder &b, Location, Value, ValueRange range) {
        Numbers inner(b, loc);
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
        Numbers n(b, loc);
        Value slot = at.back(), pair = at.size() == 2 ? at[0] : n.constant(0);
        Value first = n.multiply(pair, 2), second = n.add(first, n.constant(1));
        auto read = [&](Numbers &inner, Value block, Value place) {
          return inner.read(sorted, {block, inner.limit(place, length)});
        };
        Value end = n.constant(length);
        Value low = n.largest(n.subtract(slot, end), n.constant(0));
        Value own = search(
            b, low, n.least(slot, end), length,
            [&](Numbers &inner, Value place) {
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
        Numbers n(b, loc);
        Value least = n.multiply(at.back(), plan.slots);
        Value begin =
            search(b, n.constant(0), n.constant(plan.slots), plan.slots,
                   [&](Numbers &inner, Value slot) {
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
