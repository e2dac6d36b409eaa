//===- ClampOffsets.cpp - clamp offsets to 32-bit coordinates -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ClampOffsets.h. Bounds of an offset come from the loops around it, which
// end at extents, and from MLIR's integer range analysis.
//
//===----------------------------------------------------------------------===//

#include "ClampOffsets.h"

#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// Coordinates from here on, up to twice this, are negative numbers of 32 bits:
/// outside.
constexpr int64_t kBehind = int64_t(1) << 31;

namespace {

/// Both ends included.
struct Interval {
  int64_t lo = std::numeric_limits<int64_t>::min();
  int64_t hi = std::numeric_limits<int64_t>::max();

  static Interval make(int64_t value) { return {value, value}; }
  Interval plus(const Interval &other) const {
    Interval sum;
    bool wraps = llvm::AddOverflow(lo, other.lo, sum.lo) |
                 llvm::AddOverflow(hi, other.hi, sum.hi);
    return wraps ? Interval() : sum;
  }
  Interval minus(const Interval &other) const {
    Interval difference;
    bool wraps = llvm::SubOverflow(lo, other.hi, difference.lo) |
                 llvm::SubOverflow(hi, other.lo, difference.hi);
    return wraps ? Interval() : difference;
  }
  /// The product with an interval that isn't negative; others have to be
  /// constants.
  Interval times(const Interval &other) const {
    if (lo < 0 && other.lo >= 0)
      return other.lo == other.hi ? timesConstant(other.lo) : Interval();
    Interval product;
    bool isUnknown = lo < 0 || other.lo < 0 ||
                     llvm::MulOverflow(lo, other.lo, product.lo) ||
                     llvm::MulOverflow(hi, other.hi, product.hi);
    return isUnknown ? Interval() : product;
  }
  Interval timesConstant(int64_t factor) const {
    Interval product;
    bool wraps = llvm::MulOverflow(lo, factor, product.lo) ||
                 llvm::MulOverflow(hi, factor, product.hi);
    return wraps ? Interval() : product;
  }
};

/// Dimensions that are one of a map's.
struct Group {
  int64_t first;
  int64_t inner = 1; ///< elements of all but the first
};

class OffsetClamp {
public:
  explicit OffsetClamp(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  void run();

private:
  void addExtents(TransferOpInterface op);
  void clamp(TransferOpInterface op);
  Value createClamped(Value offset, Interval found, Interval limits);
  Value createBeforeEnd(Value offset, Value global, int64_t dim);
  Value getEnd(Value value);
  Value computeEnd(Value value);
  Interval get(Value value);
  Interval compute(Value value);
  Interval computeOp(Operation *op);
  int64_t getBefore(Value end) {
    int64_t hi = get(end).hi;
    return hi == std::numeric_limits<int64_t>::min() ? hi : hi - 1;
  }

  gpu::GPUFuncOp kernel;
  IndexRanges ranges;
  /// The most that dimensions of memrefs have.
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> extents;
  OperandFold<Interval> known;
  OperandFold<Value> ends;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> clamped; // by `hi`
};

} // namespace

static bool isTensorCopy(TransferOpInterface op) {
  EngineAttr engine = op.getEngineAttr();
  return engine && engine.getKind() == EngineKind::Tensor;
}

static SmallVector<Group> getGroups(TransferOpInterface op) {
  MemRefType global = op.getGlobal().getType();
  SmallVector<int64_t> sizes(op.getEngineAttr().getCollapse());
  if (sizes.empty())
    sizes.assign(global.getRank(), 1);
  SmallVector<Group> groups;
  int64_t dim = 0;
  for (int64_t size : sizes) {
    Group group = {dim++};
    for (int64_t i = 1; i < size; ++i)
      group.inner *= global.getDimSize(dim++);
    groups.push_back(group);
  }
  return groups;
}

/// The engine's guards say so.
void OffsetClamp::addExtents(TransferOpInterface op) {
  for (const Group &group : getGroups(op))
    extents[{op.getGlobal(), group.first}] = (kBehind - 1) / group.inner;
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

/// What a value is below of, both without a sign: a loop's variable of the
/// loop's end, a remainder of what it is of, and what such a number of a box
/// has as its row, of the number of rows. Or null. A product that loses bits is
/// less than the true one, so the row stays below.
Value OffsetClamp::getEnd(Value value) {
  auto isQuotient = [](Value inner) {
    return isa<arith::DivSIOp, arith::DivUIOp>(inner.getDefiningOp());
  };
  return ends.get(value, isQuotient,
                  [&](Value inner) { return computeEnd(inner); });
}

Value OffsetClamp::computeEnd(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == value && !loop.getUnsignedCmp() &&
                   get(loop.getLowerBound()).lo >= 0
               ? loop.getUpperBound()
               : Value();
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::DivSIOp, arith::RemSIOp>(op) &&
      (get(op->getOperand(0)).lo < 0 || get(op->getOperand(1)).lo < 0))
    return {};
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return op->getOperand(1);
  if (!isa<arith::DivSIOp, arith::DivUIOp>(op))
    return {};
  Value end = getEnd(op->getOperand(0));
  auto product = end ? end.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product)
    return {};
  if (product.getRhs() == op->getOperand(1))
    return product.getLhs();
  return product.getLhs() == op->getOperand(1) ? product.getRhs() : Value();
}

Interval OffsetClamp::computeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([&](arith::AddIOp sum) {
        return get(sum.getLhs()).plus(get(sum.getRhs()));
      })
      .Case([&](arith::SubIOp difference) {
        return get(difference.getLhs()).minus(get(difference.getRhs()));
      })
      .Case([&](arith::MulIOp product) {
        return get(product.getLhs()).times(get(product.getRhs()));
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp>([&](auto quotient) {
        Interval lhs = get(quotient.getLhs());
        std::optional<int64_t> by = getConstantIntValue(quotient.getRhs());
        if (lhs.lo < 0 || get(quotient.getRhs()).lo < 0 || by == 0)
          return Interval();
        Interval result = {0, lhs.hi};
        if (by)
          result.hi = llvm::divideCeil(lhs.hi, *by);
        Value end = getEnd(quotient.getResult());
        if (end && get(end).lo >= 0)
          result.hi = std::min(result.hi, getBefore(end));
        return result;
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto rest) {
        Interval rhs = get(rest.getRhs());
        if (get(rest.getLhs()).lo < 0 || rhs.lo < 0)
          return Interval();
        return Interval{0, getBefore(rest.getRhs())};
      })
      .Case([&](arith::MinSIOp least) {
        Interval lhs = get(least.getLhs()), rhs = get(least.getRhs());
        return Interval{std::min(lhs.lo, rhs.lo), std::min(lhs.hi, rhs.hi)};
      })
      .Case([&](arith::MaxSIOp most) {
        Interval lhs = get(most.getLhs()), rhs = get(most.getRhs());
        return Interval{std::max(lhs.lo, rhs.lo), std::max(lhs.hi, rhs.hi)};
      })
      .Case([&](memref::DimOp dim) {
        Interval extent = {0, std::numeric_limits<int64_t>::max()};
        if (std::optional<int64_t> index = dim.getConstantIndex())
          if (auto found = extents.find({dim.getSource(), *index});
              found != extents.end())
            extent.hi = found->second;
        return extent;
      })
      .Default([](Operation *) { return Interval(); });
}

Interval OffsetClamp::compute(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Interval::make(*constant);
  if (!value.getType().isIndex())
    return {};
  if (Operation *op = value.getDefiningOp())
    return computeOp(op);
  auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
  if (!loop || loop.getInductionVar() != value || loop.getUnsignedCmp())
    return {};
  // In an iteration the variable is before the end.
  return {get(loop.getLowerBound()).lo, getBefore(loop.getUpperBound())};
}

Interval OffsetClamp::get(Value value) {
  auto isNumber = [](Value inner) {
    return inner.getType().isIndex() &&
           isa<arith::ArithDialect>(inner.getDefiningOp()->getDialect());
  };
  return known.get(value, isNumber, [&](Value inner) {
    Interval interval = compute(inner);
    IntegerValueRange inferred = ranges.get(inner);
    if (inferred.isUninitialized())
      return interval;
    const ConstantIntRanges &range = inferred.getValue();
    unsigned bits = range.smin().getBitWidth();
    if (bits != 0 && bits <= 64) {
      interval.lo = std::max(interval.lo, range.smin().getSExtValue());
      interval.hi = std::min(interval.hi, range.smax().getSExtValue());
    }
    return interval;
  });
}

//===----------------------------------------------------------------------===//
// Clamping
//===----------------------------------------------------------------------===//

/// Clamps the offset at its definition: once, if that is before a loop.
Value OffsetClamp::createClamped(Value offset, Interval found,
                                 Interval limits) {
  Value &result = clamped[{offset, limits.hi}];
  if (result)
    return result;
  OpBuilder b(kernel.getContext());
  b.setInsertionPointAfterValue(offset);
  Location loc = offset.getLoc();
  auto createIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  result = offset;
  if (found.lo < limits.lo)
    result = arith::MaxSIOp::create(b, loc, result, createIndex(limits.lo));
  if (found.hi > limits.hi)
    result = arith::MinSIOp::create(b, loc, result, createIndex(limits.hi));
  return result;
}

/// Stores' offsets are not negative, and neither may their coordinates be: the
/// end is far enough, and a multiple where one is asked for.
Value OffsetClamp::createBeforeEnd(Value offset, Value global, int64_t dim) {
  // Both come before the store, so one of them comes before the other.
  Operation *made = global.getDefiningOp();
  Operation *from = offset.getDefiningOp();
  if (!from)
    from = &cast<BlockArgument>(offset).getOwner()->front();
  bool isLater = made && !DominanceInfo(kernel).properlyDominates(made, from);
  OpBuilder b(kernel.getContext());
  b.setInsertionPointAfterValue(isLater ? global : offset);
  Location loc = offset.getLoc();
  return arith::MinSIOp::create(b, loc, offset,
                                memref::DimOp::create(b, loc, global, dim));
}

void OffsetClamp::clamp(TransferOpInterface op) {
  int64_t tile = op.getTile().getType().getNumElements();
  for (const Group &group : getGroups(op)) {
    Value offset = op.getOffsets()[group.first];
    Interval found = get(offset);
    // Beyond its extent a coordinate may become negative, but must not reach 0.
    if ((!op.isLoad() || found.lo >= -(kBehind / group.inner)) &&
        found.hi < (2 * kBehind - tile) / group.inner - 1)
      continue;
    if (auto store = dyn_cast<StoreOp>(op.getOperation())) {
      store.getOffsetsMutable()[group.first].set(
          createBeforeEnd(offset, op.getGlobal(), group.first));
      continue;
    }
    // Clamp to beyond all extents, and to a box before the first element.
    // Multiples, as innermost coordinates must be, stay multiples.
    int64_t most = kBehind / group.inner;
    constexpr int64_t granule = 256;
    if (most >= granule * tile)
      most = llvm::alignDown(most, granule);
    Interval limits = {-most, most};
    if (most < (kBehind - 1) / group.inner)
      limits.hi += granule;
    cast<LoadOp>(op.getOperation())
        .getOffsetsMutable()[group.first]
        .set(createClamped(offset, found, limits));
  }
}

void OffsetClamp::run() {
  SmallVector<TransferOpInterface> copies;
  kernel.walk([&](TransferOpInterface op) {
    if (isa<LoadOp, StoreOp>(op.getOperation()) && isTensorCopy(op))
      copies.push_back(op);
  });
  if (copies.empty())
    return;
  for (TransferOpInterface op : copies)
    addExtents(op);
  for (TransferOpInterface op : copies)
    if (!op.getInBounds())
      clamp(op);
}

void carousel::clampOffsets(gpu::GPUFuncOp kernel) {
  OffsetClamp(kernel).run();
}
