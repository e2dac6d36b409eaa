//===- Float8Conversions.cpp - conversions of 8-bit floats ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Float8Conversions.h. The instructions convert two lanes at a time and
// saturate. So numbers of too large a magnitude are corrected, unless they are
// known to have none. The sign and payload of a NaN are unspecified.
//
//===----------------------------------------------------------------------===//

#include "Float8Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;
using namespace carousel;

namespace {

/// The layout of a format, its largest finite number, and the number between it
/// and the one after it. From `half` on (f8E5M2), or above it (f8E4M3FN),
/// numbers are rounded to what the format doesn't have.
struct Format {
  int64_t mantissaBits;
  int64_t bias;
  double largest;
  double half;
};

} // namespace

// 464 lies between 448 and 480, where NaN is; the tie goes to 448.
static constexpr Format kE4M3 = {3, 7, 448, 464};
// 61440 lies between 57344 and 65536, where infinity is; the tie goes there.
static constexpr Format kE5M2 = {2, 15, 57344, 61440};
// The bits of 61440 as an f32 and as an f16.
static constexpr int64_t kBeyond32 = 0x47700000, kBeyond16 = 0x7b80;

static constexpr int64_t kSign = 0x80, kMagnitude = 0x7f;
static constexpr int64_t kInfinity32 = 0x7f800000, kInfinity16 = 0x7c00;
static constexpr int64_t kMantissaBits32 = 23, kBias32 = 127;

static bool isE4M3(Type type) {
  return isa<Float8E4M3FNType>(getElementTypeOrSelf(type));
}

static const Format &getFormat(Type type) {
  return isE4M3(type) ? kE4M3 : kE5M2;
}

bool carousel::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

bool carousel::convertsToFloat8(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector && vector.isScalable())
    return false;
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64();
}

/// A type of the same shape.
static Type getLike(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static Value createConstant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

static Value createFloat(ImplicitLocOpBuilder &b, Type type, double value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

template <typename Op>
static Value create(ImplicitLocOpBuilder &b, Value value, int64_t constant) {
  return Op::create(b, value, createConstant(b, value.getType(), constant));
}

static Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                     Value value, int64_t constant) {
  return arith::CmpIOp::create(b, predicate, value,
                               createConstant(b, value.getType(), constant));
}

/// An exact or a rounding conversion between wider floats, if there is any.
static Value convertWide(ImplicitLocOpBuilder &b, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  unsigned source = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
  unsigned target = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (source == target) // f16 as bf16
    return convertWide(b, convertWide(b, value, getLike(from, b.getF32Type())),
                       type);
  if (source < target)
    return arith::ExtFOp::create(b, type, value);
  return arith::TruncFOp::create(b, type, value);
}

//===----------------------------------------------------------------------===//
// By integer arithmetic
//===----------------------------------------------------------------------===//

/// f8E5M2 is the upper half of an f16.
static Value extendE5M2(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  Value bits = arith::BitcastOp::create(b, getLike(type, b.getI8Type()), value);
  bits = arith::ExtUIOp::create(b, getLike(type, b.getI16Type()), bits);
  bits = create<arith::ShLIOp>(b, bits, 8);
  return arith::BitcastOp::create(b, getLike(type, b.getF16Type()), bits);
}

/// Exponent and mantissa are those of an f32 that is too small by the
/// difference of the biases; a product makes subnormal numbers normal, too.
static Value extendE4M3(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  Type words = getLike(type, b.getI32Type());
  Type floats = getLike(type, b.getF32Type());
  Value bits = arith::BitcastOp::create(b, getLike(type, b.getI8Type()), value);
  bits = arith::ExtUIOp::create(b, words, bits);
  Value magnitude = create<arith::AndIOp>(b, bits, kMagnitude);
  Value sign = create<arith::AndIOp>(b, bits, kSign);
  Value scaled = arith::OrIOp::create(
      b,
      create<arith::ShLIOp>(b, magnitude, kMantissaBits32 - kE4M3.mantissaBits),
      create<arith::ShLIOp>(b, sign, 24));
  Value number = arith::MulFOp::create(
      b, arith::BitcastOp::create(b, floats, scaled),
      createFloat(b, floats, std::ldexp(1.0, kBias32 - kE4M3.bias)));
  Value isNaN = compare(b, arith::CmpIPredicate::eq, magnitude, kMagnitude);
  Value nan = createFloat(b, floats, std::numeric_limits<double>::quiet_NaN());
  return arith::SelectOp::create(b, isNaN, nan, number);
}

/// f64 as f32, rounded to odd, so that rounding once more is right.
static Value roundToOdd(ImplicitLocOpBuilder &b, Value value) {
  Type words = getLike(value.getType(), b.getI32Type());
  Type floats = getLike(value.getType(), b.getF32Type());
  Type wide = getLike(value.getType(), b.getI64Type());
  auto magnitudeOf = [&](Value number) {
    return create<arith::AndIOp>(b, arith::BitcastOp::create(b, wide, number),
                                 std::numeric_limits<int64_t>::max());
  };
  Value nearest = arith::TruncFOp::create(b, floats, value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  Value isInexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, value);
  Value isLarger = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt,
                                         magnitudeOf(back), magnitudeOf(value));
  isLarger = arith::AndIOp::create(b, isLarger, isInexact);
  Value bits = arith::BitcastOp::create(b, words, nearest);
  bits = arith::SubIOp::create(b, bits,
                               arith::ExtUIOp::create(b, words, isLarger));
  bits = arith::OrIOp::create(b, bits,
                              arith::ExtUIOp::create(b, words, isInexact));
  return arith::BitcastOp::create(b, floats, bits);
}

/// Truncates f32. The sum with a number whose last place is the least subnormal
/// one rounds what becomes subnormal; the rest is rounded by a carry into the
/// bits that stay.
static Value truncateByIntegers(ImplicitLocOpBuilder &b, Value value,
                                Type type) {
  const Format &format = getFormat(type);
  Type words = getLike(value.getType(), b.getI32Type());
  Value bits = arith::BitcastOp::create(b, words, value);
  Value magnitude = create<arith::AndIOp>(b, bits, 0x7fffffff);

  int64_t dropped = kMantissaBits32 - format.mantissaBits;
  int64_t leastExponent = 1 - format.bias - format.mantissaBits;
  Value magic = createFloat(b, value.getType(),
                            std::ldexp(1.0, kMantissaBits32 + leastExponent));
  Value absolute = arith::BitcastOp::create(b, value.getType(), magnitude);
  Value subnormal = arith::SubIOp::create(
      b,
      arith::BitcastOp::create(b, words,
                               arith::AddFOp::create(b, absolute, magic)),
      arith::BitcastOp::create(b, words, magic));

  Value odd = create<arith::AndIOp>(
      b, create<arith::ShRUIOp>(b, magnitude, dropped), 1);
  Value rounded = arith::AddIOp::create(
      b, odd,
      create<arith::AddIOp>(b, magnitude, (int64_t(1) << (dropped - 1)) - 1));
  Value normal =
      create<arith::SubIOp>(b, create<arith::ShRUIOp>(b, rounded, dropped),
                            (kBias32 - format.bias) << format.mantissaBits);
  // NaN, or infinity, comes after the largest number.
  bool hasInfinity = !isE4M3(type);
  int64_t beyond = hasInfinity ? 0x7c : 0x7f;
  normal = create<arith::MinUIOp>(b, normal, beyond);

  Value isSubnormal = compare(b, arith::CmpIPredicate::ult, magnitude,
                              (kBias32 + 1 - format.bias) << kMantissaBits32);
  Value result = arith::SelectOp::create(b, isSubnormal, subnormal, normal);
  if (hasInfinity) {
    Value isNaN = compare(b, arith::CmpIPredicate::ugt, magnitude, kInfinity32);
    result = arith::SelectOp::create(
        b, isNaN, createConstant(b, words, kMagnitude), result);
  }
  Value sign =
      create<arith::AndIOp>(b, create<arith::ShRUIOp>(b, bits, 24), kSign);
  result = arith::OrIOp::create(b, result, sign);
  Value bytes = arith::TruncIOp::create(
      b, getLike(value.getType(), b.getI8Type()), result);
  return arith::BitcastOp::create(b, type, bytes);
}

//===----------------------------------------------------------------------===//
// By instructions
//===----------------------------------------------------------------------===//

/// Extends a vector of rank 1 with an even number of lanes to f16.
static Value extendPairs(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<VectorType>(value.getType());
  int64_t lanes = type.getNumElements();
  auto words = VectorType::get({lanes / 2}, b.getI16Type());
  Value packed = vector::BitCastOp::create(b, words, value);
  SmallVector<Value> elements;
  for (int64_t word = 0; word < lanes / 2; ++word) {
    Value pair = vector::ExtractOp::create(b, packed, word);
    pair = vector::BroadcastOp::create(b, VectorType::get({1}, b.getI16Type()),
                                       pair);
    pair =
        vector::BitCastOp::create(b, VectorType::get({2}, b.getI8Type()), pair);
    Value wide = NVVM::ConvertF8x2ToF16x2Op::create(
        b, VectorType::get({2}, b.getF16Type()), pair, /*relu=*/false,
        type.getElementType());
    for (int64_t lane : {0, 1})
      elements.push_back(vector::ExtractOp::create(b, wide, lane));
  }
  return vector::FromElementsOp::create(
      b, VectorType::get({lanes}, b.getF16Type()), elements);
}

/// The constant that an op computes an extremum with, if it has one.
static std::optional<double> getBound(Operation *op) {
  for (Value operand : op->getOperands()) {
    FloatAttr scalar;
    DenseElementsAttr splat;
    if (matchPattern(operand, m_Constant(&scalar)))
      return scalar.getValueAsDouble();
    if (matchPattern(operand, m_Constant(&splat)) && splat.isSplat())
      return splat.getSplatValue<FloatAttr>().getValueAsDouble();
  }
  return std::nullopt;
}

/// Whether an op bounds numbers from above, or from below, by what the
/// instruction saturates at. A NaN stays one, or becomes the bound.
static bool isClamp(Operation *op, bool fromAbove, const Format &format) {
  bool isExtremum = fromAbove ? isa<arith::MinimumFOp, arith::MinNumFOp>(op)
                              : isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  std::optional<double> bound =
      isExtremum ? getBound(op) : std::optional<double>();
  return bound && std::abs(*bound) < format.half;
}

/// The numbers that an op bounds by a constant.
static Value getClamped(Operation *op) {
  return op->getOperand(matchPattern(op->getOperand(1), m_Constant()) ? 0 : 1);
}

/// Whether no number is so far above, or below, the format's that the
/// instruction saturates it otherwise than arith.truncf rounds it. The other
/// bound of a clamp changes nothing beyond it.
static bool isWithin(Value value, bool fromAbove, const Format &format) {
  while (Operation *op = value.getDefiningOp()) {
    if (isClamp(op, fromAbove, format))
      return true;
    if (!isClamp(op, !fromAbove, format))
      return !fromAbove && isa<math::ExpOp, math::Exp2Op, math::AbsFOp>(op);
    value = getClamped(op);
  }
  return false;
}

/// The numbers before clamps that the instruction's saturation includes.
static Value skipClamps(Value value, const Format &format) {
  while (auto op = value.getDefiningOp()) {
    bool isMinimum = isa<arith::MinimumFOp>(op);
    std::optional<double> bound;
    if (isMinimum || isa<arith::MaximumFOp>(op))
      bound = getBound(op);
    double most = bound ? (isMinimum ? *bound : -*bound) : 0;
    if (most < format.largest || most >= format.half)
      return value;
    value = getClamped(op);
  }
  return value;
}

/// Makes NaN of numbers that f8E4M3FN rounds to more than its largest one.
static Value replaceBeyond(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  Value isBeyond = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                         math::AbsFOp::create(b, value),
                                         createFloat(b, type, kE4M3.half));
  Value nan = createFloat(b, type, std::numeric_limits<double>::quiet_NaN());
  return arith::SelectOp::create(b, isBeyond, nan, value);
}

/// Returns 1 where the instruction saturates a number that f8E5M2 rounds to
/// infinity.
static Value findBeyond(ImplicitLocOpBuilder &b, Value value) {
  bool isHalf = getElementTypeOrSelf(value.getType()).isF16();
  Type words =
      getLike(value.getType(), isHalf ? Type(b.getI16Type()) : b.getI32Type());
  Value magnitude =
      create<arith::AndIOp>(b, arith::BitcastOp::create(b, words, value),
                            isHalf ? 0x7fff : 0x7fffffff);
  // Infinity included, NaN not.
  int64_t beyond = isHalf ? kBeyond16 : kBeyond32;
  int64_t infinity = isHalf ? kInfinity16 : kInfinity32;
  return compare(b, arith::CmpIPredicate::ult,
                 create<arith::SubIOp>(b, magnitude, beyond),
                 infinity + 1 - beyond);
}

/// Truncates a vector of f16 or f32, of rank 1 and with an even number of
/// lanes, whose numbers have been corrected for f8E4M3FN. The encoding of
/// f8E5M2 after that of the largest number is infinity.
static Value truncatePairs(ImplicitLocOpBuilder &b, Value value, Type element,
                           bool isCorrected) {
  auto type = cast<VectorType>(value.getType());
  int64_t lanes = type.getNumElements();
  Type word = b.getI16Type();
  Value beyond = isCorrected ? Value() : findBeyond(b, value);
  SmallVector<Value> words;
  for (int64_t lane = 0; lane < lanes; lane += 2) {
    Value low = vector::ExtractOp::create(b, value, lane);
    Value high = vector::ExtractOp::create(b, value, lane + 1);
    Value pair;
    if (type.getElementType().isF16())
      pair = NVVM::ConvertF16x2ToF8x2Op::create(
          b, word,
          vector::FromElementsOp::create(
              b, VectorType::get({2}, b.getF16Type()), ValueRange{low, high}),
          /*relu=*/false, element);
    else
      pair = NVVM::ConvertF32x2ToF8x2Op::create(
          b, word, high, low, NVVM::FPRoundingMode::RN,
          NVVM::SaturationMode::SATFINITE, /*relu=*/false, element);
    for (int64_t half : {0, 1}) {
      if (!beyond)
        break;
      Value next = arith::ExtUIOp::create(
          b, word, vector::ExtractOp::create(b, beyond, lane + half));
      if (half == 1)
        next = create<arith::ShLIOp>(b, next, 8);
      pair = arith::AddIOp::create(b, pair, next);
    }
    words.push_back(pair);
  }
  Value packed = vector::FromElementsOp::create(
      b, VectorType::get({lanes / 2}, word), words);
  return vector::BitCastOp::create(b, VectorType::get({lanes}, element),
                                   packed);
}

using RowFunction = function_ref<Value(Value)>;

/// `convert` of the rows of a vector, which have an even number of lanes: a
/// scalar or a last lane has a copy of itself beside it.
static Value convertRows(ImplicitLocOpBuilder &b, Value value, Type result,
                         RowFunction convert) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || type.getRank() == 0) {
    Value scalar = type ? vector::ExtractOp::create(b, value) : value;
    Value pair = convert(vector::FromElementsOp::create(
        b, VectorType::get({2}, scalar.getType()), ValueRange{scalar, scalar}));
    Value converted = vector::ExtractOp::create(b, pair, 0);
    return type ? vector::BroadcastOp::create(b, result, converted) : converted;
  }
  int64_t lanes = type.getShape().back();
  auto convertRow = [&](Value row) -> Value {
    if (lanes % 2 == 0)
      return convert(row);
    SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    mask.push_back(lanes - 1);
    Value even = convert(vector::ShuffleOp::create(b, row, row, mask));
    mask.pop_back();
    return vector::ShuffleOp::create(b, even, even, mask);
  };
  if (type.getRank() == 1)
    return convertRow(value);
  ArrayRef<int64_t> leading = type.getShape().drop_back();
  SmallVector<int64_t> basis = computeSuffixProduct(leading);
  Value rows = ub::PoisonOp::create(b, result);
  for (int64_t i = 0, e = ShapedType::getNumElements(leading); i < e; ++i) {
    SmallVector<int64_t> position = delinearize(i, basis);
    Value row = convertRow(vector::ExtractOp::create(b, value, position));
    rows = vector::InsertOp::create(b, row, rows, position);
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

Value carousel::createExtension(ImplicitLocOpBuilder &b, Value value, Type type,
                                bool isNative) {
  if (!isNative)
    return convertWide(b,
                       isE4M3(value.getType()) ? extendE4M3(b, value)
                                               : extendE5M2(b, value),
                       type);
  Type halves = getLike(type, b.getF16Type());
  Value result = convertRows(b, value, halves,
                             [&](Value row) { return extendPairs(b, row); });
  return convertWide(b, result, type);
}

Value carousel::createTruncation(ImplicitLocOpBuilder &b, Value value,
                                 Type type, bool isNative) {
  Type element = getElementTypeOrSelf(value.getType());
  const Format &format = getFormat(type);
  bool isCorrected = isWithin(value, /*fromAbove=*/true, format) &&
                     isWithin(value, /*fromAbove=*/false, format);
  if (isNative && isCorrected)
    value = skipClamps(value, format);
  if (element.isF64())
    value = roundToOdd(b, value);
  else if (element.isBF16() || (element.isF16() && !isNative))
    value = convertWide(b, value, getLike(type, b.getF32Type()));
  if (!isNative)
    return truncateByIntegers(b, value, type);
  if (!isCorrected && isE4M3(type)) {
    value = replaceBeyond(b, value);
    isCorrected = true;
  }
  return convertRows(b, value, type, [&](Value row) {
    return truncatePairs(b, row, getElementTypeOrSelf(type), isCorrected);
  });
}
