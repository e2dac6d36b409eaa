//===- ConvertBytes.cpp - 8-bit integers to 16-bit floats -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConvertBytes.h. The bits of an integer become the low bits of a power of
// two's significand, so that the float is the power plus the integer. All
// results are exact:
//
// - f16: 1024 + u - 1024, where u is the integer; 128 more if it has a sign;
// - bf16, which has 7 bits there: (128 + low 7 bits) - (128 or, with the sign's
//   bit, 256);
// - where all integers are below 128, as those of 4 bits are, for each pair of
//   them a word at once.
//
//===----------------------------------------------------------------------===//

#include "ConvertBytes.h"

#include "carousel/Analysis/Values/IndexRanges.h"

#include <optional>

using namespace mlir;
using namespace carousel;

namespace {

class ByteConversion {
public:
  ByteConversion(ThreadProgram &program, VectorType result, bool isSigned)
      : program(program), builder(program.builder), result(result),
        isSigned(isSigned) {}

  /// The first and third bytes of words, or, moved by 8 bits, the second and
  /// fourth.
  Value convert(Value words) {
    if (result.getElementType().isBF16())
      return subtract(insert(words, 0x007f, 0x4300),
                      insert(words, 0x0080, 0x4300));
    if (isSigned)
      words = arith::XOrIOp::create(builder, program.loc, words,
                                    twice(words.getType(), 0x0080));
    Value base = program.constant(
        getHalves(words), builder.getFloatAttr(result.getElementType(),
                                               isSigned ? 1152.0 : 1024.0));
    return subtract(insert(words, 0x00ff, 0x6400), base);
  }

private:
  /// 16 bits in both halves of words.
  Value twice(Type type, uint32_t bits) {
    return program.constant(
        type, builder.getI32IntegerAttr(int32_t(bits << 16 | bits)));
  }

  VectorType getHalves(Value words) {
    int64_t count = cast<VectorType>(words.getType()).getNumElements();
    return VectorType::get(2 * count, result.getElementType());
  }

  Value insert(Value words, uint32_t mask, uint32_t power) {
    Type type = words.getType();
    Value low =
        arith::AndIOp::create(builder, program.loc, words, twice(type, mask));
    Value all =
        arith::OrIOp::create(builder, program.loc, low, twice(type, power));
    return vector::BitCastOp::create(builder, program.loc, getHalves(words),
                                     all);
  }

  Value subtract(Value lhs, Value rhs) {
    return arith::SubFOp::create(builder, program.loc, lhs, rhs);
  }

  ThreadProgram &program;
  OpBuilder &builder;
  VectorType result;
  bool isSigned;
};

} // namespace

/// Four bytes in each word. Pairs, which were loaded as such, stay together: a
/// back end that takes bytes apart needs an instruction for each.
static Value makeWords(ThreadProgram &program, Value bytes, bool inPairs) {
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
  auto type = VectorType::get(count / 4, builder.getI32Type());
  if (!inPairs)
    return vector::BitCastOp::create(builder, loc, type, bytes);
  auto pair = VectorType::get(1, builder.getI16Type());
  SmallVector<Value> words;
  auto getPair = [&](int64_t first) -> Value {
    Value part = vector::ExtractStridedSliceOp::create(
        builder, loc, bytes, ArrayRef(first), ArrayRef<int64_t>(2),
        ArrayRef<int64_t>(1));
    part = vector::BitCastOp::create(builder, loc, pair, part);
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(),
                                  program.extract(part, 0));
  };
  Value half =
      program.constant(builder.getI32Type(), builder.getI32IntegerAttr(16));
  for (int64_t first = 0; first < count; first += 4) {
    Value high = arith::ShLIOp::create(builder, loc, getPair(first + 2), half);
    words.push_back(arith::OrIOp::create(builder, loc, getPair(first), high));
  }
  return vector::FromElementsOp::create(builder, loc, type, words);
}

/// Whether all elements are below 128.
static bool isSmall(Value vector, IndexRanges &ranges) {
  if (auto pairs = vector.getDefiningOp<vector::InterleaveOp>())
    return isSmall(pairs.getLhs(), ranges) && isSmall(pairs.getRhs(), ranges);
  IntegerValueRange range = ranges.get(vector);
  return !range.isUninitialized() && range.getValue().umax().ult(128);
}

/// Converts integers below 128.
static Value convertPairs(ThreadProgram &program, Value bytes, Type element) {
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
  auto words = VectorType::get(count / 2, builder.getI32Type());
  auto result = VectorType::get(count, element);
  auto get = [&](int64_t side) -> Value {
    SmallVector<int64_t> own;
    for (int64_t i = side; i < count; i += 2)
      own.push_back(i);
    Value part = vector::ShuffleOp::create(builder, loc, bytes, bytes, own);
    return arith::ExtUIOp::create(builder, loc, words, part);
  };
  auto constant = [&](int32_t bits) {
    return program.constant(words, builder.getI32IntegerAttr(bits));
  };
  bool isF16 = element.isF16();
  Value high = arith::ShLIOp::create(builder, loc, get(1), constant(16));
  Value both = arith::OrIOp::create(builder, loc, get(0), high);
  Value all = arith::OrIOp::create(builder, loc, both,
                                   constant(isF16 ? 0x64006400 : 0x43004300));
  return arith::SubFOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, result, all),
      program.constant(result,
                       builder.getFloatAttr(element, isF16 ? 1024.0 : 128.0)));
}

Value carousel::convertBytes(ThreadProgram &program, Operation *op,
                             Value registers, int64_t access) {
  auto bytes = dyn_cast<VectorType>(registers.getType());
  bool isSigned = isa<arith::SIToFPOp>(op);
  if (!bytes || !bytes.getElementType().isInteger(8) ||
      bytes.getNumElements() % 4 != 0 ||
      (!isSigned && !isa<arith::UIToFPOp>(op)))
    return nullptr;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  IndexRanges ranges;
  if ((element.isF16() || element.isBF16()) &&
      isSmall(op->getOperand(0), ranges))
    return convertPairs(program, registers, element);
  if (!element.isF16() && !(element.isBF16() && isSigned))
    return nullptr;
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  int64_t count = bytes.getNumElements();
  auto result = VectorType::get(count, element);
  Value words = makeWords(program, registers, access == 2);
  Value moved = arith::ShRUIOp::create(
      builder, loc, words,
      program.constant(words.getType(), builder.getI32IntegerAttr(8)));
  ByteConversion conversion(program, result, isSigned);
  Value even = conversion.convert(words), odd = conversion.convert(moved);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < count / 2; ++i)
    order.append({i, count / 2 + i});
  return vector::ShuffleOp::create(builder, loc, even, odd, order);
}
