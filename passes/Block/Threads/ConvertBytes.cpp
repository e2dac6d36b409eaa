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
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

namespace {

class ByteConversion {
public:
  ByteConversion(ThreadProgram &program, VectorType result, bool isSigned)
      : program(program), builder(program.builder), result(result),
        isSigned(isSigned) {}

  /// Bytes of which as many are neighbours in a register as were loaded
  /// together: pairs, or whole words.
  Value convert(Value bytes, bool inPairs) {
    bool isBF16 = result.getElementType().isBF16();
    Value words = insertPowers(bytes, inPairs, isBF16 ? 0x43 : 0x64);
    if (isBF16)
      return subtract(keep(words, 0xff7f), keep(words, 0xff80));
    if (isSigned)
      words = arith::XOrIOp::create(builder, program.loc, words,
                                    twice(words.getType(), 0x0080));
    Value base = program.constant(
        result, builder.getFloatAttr(result.getElementType(),
                                     isSigned ? 1152.0 : 1024.0));
    return subtract(toFloats(words), base);
  }

private:
  /// A word for each two bytes: they are the low bytes of its halves, and
  /// `power` is the high byte of both.
  Value insertPowers(Value bytes, bool inPairs, int64_t power) {
    Location loc = program.loc;
    auto four = VectorType::get(4, builder.getI8Type());
    Value powers =
        program.constant(four, builder.getI8IntegerAttr(int8_t(power)));
    int64_t count = result.getNumElements();
    SmallVector<Value> words;
    auto addWord = [&](Value source, int64_t first) {
      Value permuted = vector::ShuffleOp::create(
          builder, loc, source, powers,
          ArrayRef<int64_t>({first, 4, first + 1, 4}));
      Value word = vector::BitCastOp::create(
          builder, loc, VectorType::get(1, builder.getI32Type()), permuted);
      words.push_back(program.extract(word, 0));
    };
    for (int64_t first = 0; first < count; first += inPairs ? 2 : 4) {
      if (inPairs) {
        addWord(widenPair(bytes, first), 0);
        continue;
      }
      Value source = vector::ExtractStridedSliceOp::create(
          builder, loc, bytes, ArrayRef(first), ArrayRef<int64_t>(4),
          ArrayRef<int64_t>(1));
      addWord(source, 0);
      addWord(source, 2);
    }
    return vector::FromElementsOp::create(
        builder, loc, VectorType::get(count / 2, builder.getI32Type()), words);
  }

  /// Two bytes as the first ones of a word. They stay together: a back end that
  /// takes bytes apart needs an instruction for each.
  Value widenPair(Value bytes, int64_t first) {
    Location loc = program.loc;
    Value pair = vector::ExtractStridedSliceOp::create(
        builder, loc, bytes, ArrayRef(first), ArrayRef<int64_t>(2),
        ArrayRef<int64_t>(1));
    pair = vector::BitCastOp::create(
        builder, loc, VectorType::get(1, builder.getI16Type()), pair);
    Value word = arith::ExtUIOp::create(
        builder, loc, VectorType::get(1, builder.getI32Type()), pair);
    return vector::BitCastOp::create(
        builder, loc, VectorType::get(4, builder.getI8Type()), word);
  }

  /// 16 bits in both halves of words.
  Value twice(Type type, uint32_t bits) {
    return program.constant(
        type, builder.getI32IntegerAttr(int32_t(bits << 16 | bits)));
  }

  Value toFloats(Value words) {
    return vector::BitCastOp::create(builder, program.loc, result, words);
  }

  Value keep(Value words, uint32_t mask) {
    return toFloats(arith::AndIOp::create(builder, program.loc, words,
                                          twice(words.getType(), mask)));
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

/// Whether all elements are below 128.
static bool isSmall(Value vector, IndexRanges &ranges) {
  llvm::SetVector<Value> parts;
  parts.insert(vector);
  for (unsigned i = 0; i < parts.size(); ++i) {
    if (auto pairs = parts[i].getDefiningOp<vector::InterleaveOp>()) {
      parts.insert_range(pairs->getOperands());
      continue;
    }
    IntegerValueRange range = ranges.get(parts[i]);
    if (range.isUninitialized() || !range.getValue().umax().ult(128))
      return false;
  }
  return true;
}

/// The bytes of which the pairs are the low and the high four bits, or null.
static Value findHalves(ThreadProgram &program, Value pairs) {
  auto shuffle = pairs.getDefiningOp<vector::ShuffleOp>();
  if (!shuffle)
    return nullptr;
  auto low = shuffle.getV1().getDefiningOp<arith::AndIOp>();
  auto high = shuffle.getV2().getDefiningOp<arith::ShRUIOp>();
  auto isSplat = [](Value value, int64_t wanted) {
    APInt found;
    return matchPattern(value, m_ConstantInt(&found)) && found == wanted;
  };
  if (!low || !high || low.getLhs() != high.getLhs() ||
      !isSplat(low.getRhs(), 15) || !isSplat(high.getRhs(), 4))
    return nullptr;
  int64_t count = shuffle.getV1VectorType().getNumElements();
  SmallVector<int64_t> numbers;
  ArrayRef<int64_t> mask = shuffle.getMask();
  for (size_t i = 0; i < mask.size(); i += 2) {
    if (mask[i] < 0 || mask[i] >= count || mask[i + 1] != mask[i] + count)
      return nullptr;
    numbers.push_back(mask[i]);
  }
  return program.select(low.getLhs(), numbers);
}

/// Converts integers below 128.
static Value convertPairs(ThreadProgram &program, Value bytes, Type element) {
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
  auto words = VectorType::get(count / 2, builder.getI32Type());
  auto result = VectorType::get(count, element);
  auto constant = [&](int32_t bits) {
    return program.constant(words, builder.getI32IntegerAttr(bits));
  };
  auto widen = [&](Value part) -> Value {
    return arith::ExtUIOp::create(builder, loc, words, part);
  };
  auto get = [&](int64_t side) {
    SmallVector<int64_t> own;
    for (int64_t i = side; i < count; i += 2)
      own.push_back(i);
    return widen(vector::ShuffleOp::create(builder, loc, bytes, bytes, own));
  };
  Value both;
  if (Value halves = findHalves(program, bytes)) {
    // A product puts a second copy of the byte 12 bits higher.
    Value copies = arith::MulIOp::create(builder, loc, widen(halves),
                                         constant(1 << 12 | 1));
    both = arith::AndIOp::create(builder, loc, copies, constant(15 << 16 | 15));
  } else {
    Value high = arith::ShLIOp::create(builder, loc, get(1), constant(16));
    both = arith::OrIOp::create(builder, loc, get(0), high);
  }
  bool isF16 = element.isF16();
  Value all = arith::OrIOp::create(builder, loc, both,
                                   constant(isF16 ? 0x64006400 : 0x43004300));
  return arith::SubFOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, result, all),
      program.constant(result,
                       builder.getFloatAttr(element, isF16 ? 1024.0 : 128.0)));
}

/// Extends 8-bit floats that were loaded as pairs, each pair on its own: a
/// chip converts two at once, and they stay where they are.
static Value extendPairs(ThreadProgram &program, Value floats, Type element) {
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  auto type = cast<VectorType>(floats.getType());
  auto result = type.clone(element);
  Value all = program.constant(result, builder.getFloatAttr(element, 0.0));
  for (int64_t first = 0; first < type.getNumElements(); first += 2) {
    Value pair = vector::ExtractStridedSliceOp::create(
        builder, loc, floats, ArrayRef(first), ArrayRef<int64_t>(2),
        ArrayRef<int64_t>(1));
    pair =
        arith::ExtFOp::create(builder, loc, VectorType::get(2, element), pair);
    all = vector::InsertStridedSliceOp::create(
        builder, loc, pair, all, ArrayRef(first), ArrayRef<int64_t>(1));
  }
  return all;
}

Value carousel::convertBytes(ThreadProgram &program, Operation *op,
                             Value registers, int64_t access) {
  auto bytes = dyn_cast<VectorType>(registers.getType());
  bool isSigned = isa<arith::SIToFPOp>(op);
  if (bytes && isa<arith::ExtFOp>(op) && access == 2 &&
      bytes.getElementTypeBitWidth() == 8 && bytes.getNumElements() % 2 == 0)
    return extendPairs(program, registers,
                       getElementTypeOrSelf(op->getResult(0).getType()));
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
  return ByteConversion(program, bytes.clone(element), isSigned)
      .convert(registers, /*inPairs=*/access == 2);
}
