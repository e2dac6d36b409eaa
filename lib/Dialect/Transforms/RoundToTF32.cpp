//===- RoundToTF32.cpp - factors of tf32 products -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RoundToTF32.h. Half of the last place that stays is added to the bits of
// the magnitude, and a carry goes into the exponent.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/RoundToTF32.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

static constexpr unsigned kIgnoredBits = 13;

static Type cloneWith(Type like, Type element) {
  auto shaped = dyn_cast<ShapedType>(like);
  return shaped ? Type(shaped.clone(element)) : element;
}

static Value makeBits(OpBuilder &builder, Location loc, Type type,
                      uint32_t bits) {
  auto number = builder.getI32IntegerAttr(int32_t(bits));
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     SplatElementsAttr::get(shaped, number));
  return arith::ConstantOp::create(builder, loc, number);
}

static Value truncateBits(OpBuilder &builder, Location loc, Value bits) {
  Value kept =
      makeBits(builder, loc, bits.getType(), ~((1u << kIgnoredBits) - 1));
  return arith::AndIOp::create(builder, loc, bits, kept);
}

Value carousel::truncateToTF32(OpBuilder &builder, Location loc, Value value) {
  Type words = cloneWith(value.getType(), builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, loc, words, value);
  return arith::BitcastOp::create(builder, loc, value.getType(),
                                  truncateBits(builder, loc, bits));
}

Value carousel::roundToTF32(OpBuilder &builder, Location loc, Value value) {
  Type words = cloneWith(value.getType(), builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, loc, words, value);
  Value half = makeBits(builder, loc, words, 1u << (kIgnoredBits - 1));
  Value rounded = truncateBits(builder, loc,
                               arith::AddIOp::create(builder, loc, bits, half));
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  return arith::SelectOp::create(
      builder, loc, isNaN, value,
      arith::BitcastOp::create(builder, loc, value.getType(), rounded));
}
