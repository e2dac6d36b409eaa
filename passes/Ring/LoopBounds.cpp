//===- LoopBounds.cpp - bounds of prologues and steady states -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoopBounds.h. A distance that may not fit the type is clamped to the
// type's largest number. No two iterations are farther apart than that, as long
// as a loop spans at most the type's positive numbers, or all numbers of an
// unsigned type.
//
//===----------------------------------------------------------------------===//

#include "LoopBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

static unsigned getBits(Type type) {
  return type.isIndex() ? IndexType::kInternalStorageBitWidth
                        : type.getIntOrFloatBitWidth();
}

LoopBounds::LoopBounds(OpBuilder &builder, scf::ForOp loop, int64_t iterations)
    : builder(builder), loop(loop), iterations(iterations),
      isSigned(!loop.getUnsignedCmp()) {
  unsigned bits = getBits(loop.getStep().getType());
  least = isSigned ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
  most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  distance = createDistance();
}

Value LoopBounds::createConstant(const APInt &value) {
  Type type = loop.getStep().getType();
  return arith::ConstantOp::create(builder, loop.getLoc(), type,
                                   builder.getIntegerAttr(type, value));
}

template <typename Signed, typename Unsigned>
Value LoopBounds::createBy(Value lhs, Value rhs) {
  if (isSigned)
    return builder.createOrFold<Signed>(loop.getLoc(), lhs, rhs);
  return builder.createOrFold<Unsigned>(loop.getLoc(), lhs, rhs);
}

Value LoopBounds::createDistance() {
  if (iterations == 1)
    return loop.getStep();
  unsigned bits = most.getBitWidth();
  // So many iterations aren't there.
  if (!llvm::isUIntN(std::min(bits, 63u), iterations) ||
      APInt(bits, iterations).ugt(most))
    return createConstant(most);
  APInt factor(bits, iterations);
  APInt step, longest = most.udiv(factor);
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return createConstant(step.ugt(longest) ? most : step * factor);
  Value capped = loop.getStep();
  if (getMost(capped).ugt(longest))
    capped = createBy<arith::MinSIOp, arith::MinUIOp>(capped,
                                                      createConstant(longest));
  return arith::MulIOp::create(builder, loop.getLoc(), capped,
                               createConstant(factor));
}

/// What a distance is at most; a step isn't negative.
APInt LoopBounds::getMost(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  IntegerValueRange known = ranges.get(value);
  if (known.isUninitialized())
    return most;
  const ConstantIntRanges &range = known.getValue();
  return isSigned ? range.smax() : range.umax();
}

bool LoopBounds::isInside(Value value, bool ahead) {
  APInt by = getMost(distance);
  IntegerValueRange known = ranges.get(value);
  if (known.isUninitialized())
    return false;
  const ConstantIntRanges &range = known.getValue();
  if (ahead)
    return isSigned ? range.smax().sle(most - by) : range.umax().ule(most - by);
  return isSigned ? range.smin().sge(least + by) : range.umin().uge(least + by);
}

Value LoopBounds::createPrologueEnd() {
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound();
  if (!isInside(begin, /*ahead=*/true)) {
    // The last number from which the distance doesn't lead out of the type.
    Value last = builder.createOrFold<arith::SubIOp>(loc, createConstant(most),
                                                     distance);
    begin = createBy<arith::MinSIOp, arith::MinUIOp>(begin, last);
  }
  return createBy<arith::MinSIOp, arith::MinUIOp>(
      builder.createOrFold<arith::AddIOp>(loc, begin, distance),
      loop.getUpperBound());
}

Value LoopBounds::createSteadyEnd() {
  Location loc = loop.getLoc();
  Value end = loop.getUpperBound();
  if (!isInside(end, /*ahead=*/false)) {
    Value first = builder.createOrFold<arith::AddIOp>(
        loc, createConstant(least), distance);
    end = createBy<arith::MaxSIOp, arith::MaxUIOp>(end, first);
  }
  return builder.createOrFold<arith::SubIOp>(loc, end, distance);
}

Value LoopBounds::createIsBefore(Value variable, Value end) {
  return arith::CmpIOp::create(builder, loop.getLoc(),
                               isSigned ? arith::CmpIPredicate::slt
                                        : arith::CmpIPredicate::ult,
                               variable, end);
}

Value LoopBounds::createAhead(Value variable) {
  Location loc = loop.getLoc();
  // Not the capped distance, of which analyses would know less.
  APInt factor(64, iterations);
  Value shift = builder.createOrFold<arith::MulIOp>(
      loc, loop.getStep(),
      createConstant(factor.zextOrTrunc(most.getBitWidth())));
  return arith::AddIOp::create(builder, loc, variable, shift);
}
