//===- PaddingOfElements.cpp - what ops make of padding -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PaddingOfElements.h. Ops fold their own constants. Numbers that the
// columns have in common count as finite, whatever computes them: where one
// isn't, or is zero as a divisor, padding is NaN instead of the constant that
// is found here. Other results are finite only of the ops that are listed here:
// a constant that doesn't fold may be a pole, and what exceeds a type is
// infinite. docs/BlockPhase.md, Width.
//
//===----------------------------------------------------------------------===//

#include "PaddingOfElements.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::optional<APFloat> getFloat(const Padding &padding) {
  auto number = dyn_cast_or_null<FloatAttr>(padding.getConstant());
  return number ? std::optional(number.getValue()) : std::nullopt;
}

bool carousel::isFiniteNumber(const Padding &padding) {
  if (padding.getKind() != Padding::Kind::Constant)
    return padding.getKind() == Padding::Kind::Shared;
  std::optional<APFloat> number = getFloat(padding);
  return !number || number->isFinite();
}

bool carousel::isSharedNumber(const Padding &padding) {
  constexpr int kMostExponent = 31;
  std::optional<APFloat> number = getFloat(padding);
  return isFiniteNumber(padding) &&
         (!number || number->isZero() || ilogb(*number) <= kMostExponent);
}

bool carousel::isZeroNumber(const Padding &padding) {
  return padding.getConstant() &&
         (matchPattern(padding.getConstant(), m_Zero()) ||
          matchPattern(padding.getConstant(), m_AnyZeroFloat()));
}

bool carousel::isFalse(const Padding &padding) {
  auto number = dyn_cast_or_null<IntegerAttr>(padding.getConstant());
  return number && number.getType().isInteger(1) && number.getValue().isZero();
}

static bool isInfinite(const Padding &padding) {
  std::optional<APFloat> number = getFloat(padding);
  return number && number->isInfinity();
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Whether sums and products of shared numbers count as finite in a type.
static bool isWide(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element &&
         APFloat::semanticsMaxExponent(element.getFloatSemantics()) >=
             APFloat::semanticsMaxExponent(APFloat::IEEEsingle());
}

static Padding finiteIf(bool isFinite) {
  return isFinite ? Padding::shared() : Padding::unknown();
}

static Padding multiply(const Padding &lhs, const Padding &rhs, Type type) {
  for (auto [own, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    if (isZeroNumber(own) && isSharedNumber(other))
      return Padding::constant(own.getConstant(), /*mayBeNaN=*/true);
  }
  return finiteIf(isSharedNumber(lhs) && isSharedNumber(rhs) && isWide(type));
}

static Padding add(const Padding &lhs, const Padding &rhs, Type type) {
  for (auto [own, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    if (isInfinite(own) && other.getKind() == Padding::Kind::Shared)
      return Padding::constant(own.getConstant(), /*mayBeNaN=*/true);
  }
  return finiteIf(isSharedNumber(lhs) && isSharedNumber(rhs) && isWide(type));
}

static Padding negate(const Padding &padding) {
  std::optional<APFloat> number = getFloat(padding);
  if (!number)
    return padding;
  number->changeSign();
  return Padding::constant(
      FloatAttr::get(padding.getConstant().getType(), *number),
      padding.mayBeNaN());
}

static Padding fuse(const Padding &lhs, const Padding &rhs, const Padding &acc,
                    Type type) {
  std::optional<APFloat> left = getFloat(lhs), right = getFloat(rhs),
                         sum = getFloat(acc);
  if (left && right && sum) {
    left->fusedMultiplyAdd(*right, *sum, APFloat::rmNearestTiesToEven);
    return Padding::constant(FloatAttr::get(acc.getConstant().getType(), *left),
                             lhs.mayBeNaN() || rhs.mayBeNaN() ||
                                 acc.mayBeNaN());
  }
  Padding product = multiply(lhs, rhs, type);
  // Zero leaves the sum what it is.
  if (isZeroNumber(product) && acc.getConstant())
    return Padding::constant(acc.getConstant(), /*mayBeNaN=*/true);
  return add(product, acc, type);
}

/// What padding alone makes a divisor may be 0 by chance, where no other column
/// has a divisor of 0.
static Padding divide(const Padding &lhs, const Padding &rhs, Type type) {
  constexpr int kLeastExponent = -32;
  std::optional<APFloat> number = getFloat(rhs);
  bool isDivisor = number
                       ? number->isFinite() && ilogb(*number) >= kLeastExponent
                       : rhs.isCommon();
  return isDivisor ? multiply(lhs, number ? Padding::shared() : rhs, type)
                   : Padding::unknown();
}

/// Exponents up to those of the powers that programs write as products.
static Padding power(const Padding &base, const Padding &exponent, Type type) {
  constexpr uint64_t kMost = 4;
  auto number = dyn_cast_or_null<IntegerAttr>(exponent.getConstant());
  return finiteIf(number && number.getValue().ule(kMost) &&
                  isSharedNumber(base) && isWide(type));
}

static Padding truncate(const Padding &padding, FloatType type) {
  if (isWide(type) || !isSharedNumber(padding))
    return finiteIf(isSharedNumber(padding));
  std::optional<APFloat> number = getFloat(padding);
  bool isInexact = false;
  if (number)
    number->convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &isInexact);
  return finiteIf(number && number->isFinite());
}

/// Whether results are finite, and no larger than the operands or some number,
/// where operands are finite. All others, as logarithms and exponentials, need
/// a reason of their own.
static bool isBounded(Operation *op) {
  return isa<arith::NegFOp, math::AbsFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, math::ClampFOp,
             math::CopySignOp, math::CeilOp, math::FloorOp, math::RoundOp,
             math::RoundEvenOp, math::TruncOp, math::TanhOp, math::SinOp,
             math::CosOp, math::SincosOp, math::ErfOp, math::AtanOp,
             arith::ExtFOp, RoundTF32Op>(op);
}

/// What arithmetic of floats makes of numbers of which some aren't known.
static Padding computeFloats(Operation *op, ArrayRef<Padding> operands) {
  Type type = op->getResult(0).getType();
  return llvm::TypeSwitch<Operation *, Padding>(op)
      .Case([&](arith::MulFOp) {
        return multiply(operands[0], operands[1], type);
      })
      .Case([&](arith::AddFOp) { return add(operands[0], operands[1], type); })
      .Case([&](arith::SubFOp) {
        return add(operands[0], negate(operands[1]), type);
      })
      .Case<math::FmaOp, vector::FMAOp>([&](Operation *) {
        return fuse(operands[0], operands[1], operands[2], type);
      })
      .Case(
          [&](arith::DivFOp) { return divide(operands[0], operands[1], type); })
      .Case(
          [&](math::FPowIOp) { return power(operands[0], operands[1], type); })
      .Case([&](arith::TruncFOp) {
        return truncate(operands[0],
                        cast<FloatType>(getElementTypeOrSelf(type)));
      })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](Operation *) {
        constexpr unsigned kMostBits = 32;
        Type from = getElementTypeOrSelf(op->getOperand(0));
        return finiteIf(isSharedNumber(operands[0]) && isWide(type) &&
                        from.getIntOrFloatBitWidth() <= kMostBits);
      })
      .Default([&](Operation *) {
        return finiteIf(isBounded(op) &&
                        llvm::all_of(operands, isSharedNumber));
      });
}

/// A number that the columns have in common counts as finite, but for what
/// constants alone make.
static bool isOfCommon(ArrayRef<Padding> operands) {
  return llvm::all_of(operands, isFiniteNumber) &&
         llvm::all_of(operands, std::mem_fn(&Padding::isCommon)) &&
         !llvm::all_of(operands, std::mem_fn(&Padding::getConstant));
}

/// Whether the result is NaN where an operand is, so that what may be NaN stays
/// so, and is the same of both zeros but for its own sign.
static bool keepsNaN(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::ExtFOp, arith::TruncFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::SelectOp, math::AbsFOp, math::FmaOp,
             vector::FMAOp, math::ExpOp, math::Exp2Op, math::ExpM1Op,
             math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp,
             math::SqrtOp, math::TanhOp, math::SinOp, math::CosOp, math::ErfOp,
             RoundTF32Op>(op);
}

/// Folds a copy, since folding may change an op: it moves constants to the end
/// of commutative operands first. None for other ops.
static std::optional<SmallVector<Padding>> fold(Operation *op,
                                                ArrayRef<Padding> operands) {
  auto find = [&](Value value) -> const Padding * {
    auto found = llvm::find(op->getOperands(), value);
    return found == op->operand_end() ? nullptr
                                      : &operands[found - op->operand_begin()];
  };
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  constexpr int kAttempts = 2;
  for (int i = 0; i < kAttempts && results.empty(); ++i) {
    SmallVector<Attribute> constants;
    for (Value value : copy->getOperands()) {
      const Padding *padding = find(value);
      TypedAttr number = padding ? padding->getConstant() : TypedAttr();
      auto vector = dyn_cast<VectorType>(value.getType());
      constants.push_back(number && vector ? Attribute(DenseElementsAttr::get(
                                                 vector, Attribute(number)))
                                           : Attribute(number));
    }
    if (failed(copy->fold(constants, results)))
      break;
  }
  SmallVector<Padding> paddings;
  for (OpFoldResult result : results) {
    auto value = dyn_cast<Value>(result);
    auto splat = value ? SplatElementsAttr()
                       : dyn_cast<SplatElementsAttr>(cast<Attribute>(result));
    if (const Padding *operand = value ? find(value) : nullptr)
      paddings.push_back(*operand);
    else if (splat)
      paddings.push_back(Padding::constant(splat.getSplatValue<TypedAttr>()));
    else if (auto number = dyn_cast_if_present<Attribute>(result);
             isa_and_nonnull<FloatAttr, IntegerAttr>(number))
      paddings.push_back(Padding::constant(cast<TypedAttr>(number)));
  }
  copy->erase();
  return !paddings.empty() && paddings.size() == op->getNumResults()
             ? std::optional(std::move(paddings))
             : std::nullopt;
}

/// Compares numbers, since ops on vectors don't fold.
static std::optional<bool> compare(Operation *op, ArrayRef<Padding> operands) {
  if (auto floats = dyn_cast<arith::CmpFOp>(op)) {
    std::optional<APFloat> lhs = getFloat(operands[0]),
                           rhs = getFloat(operands[1]);
    if (lhs && rhs)
      return arith::applyCmpPredicate(floats.getPredicate(), *lhs, *rhs);
  }
  if (auto numbers = dyn_cast<arith::CmpIOp>(op)) {
    auto lhs = dyn_cast_or_null<IntegerAttr>(operands[0].getConstant());
    auto rhs = dyn_cast_or_null<IntegerAttr>(operands[1].getConstant());
    if (lhs && rhs)
      return arith::applyCmpPredicate(numbers.getPredicate(), lhs.getValue(),
                                      rhs.getValue());
  }
  return std::nullopt;
}

static SmallVector<Padding> computePlain(Operation *op,
                                         ArrayRef<Padding> operands) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto condition = dyn_cast_or_null<IntegerAttr>(operands[0].getConstant());
    if (condition)
      return {condition.getValue().isZero() ? operands[2] : operands[1]};
    return {Padding::join(operands[1], operands[2])};
  }
  if (std::optional<bool> holds = compare(op, operands))
    return {Padding::constant(BoolAttr::get(op->getContext(), *holds))};
  if (auto folded = fold(op, operands))
    return *folded;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  Padding padding = isFloat ? computeFloats(op, operands)
                            : finiteIf(llvm::all_of(operands, isFiniteNumber));
  if (padding.getKind() == Padding::Kind::Unknown)
    padding = finiteIf(isOfCommon(operands));
  return SmallVector<Padding>(op->getNumResults(), padding);
}

SmallVector<Padding> carousel::computeElements(Operation *op,
                                               ArrayRef<Padding> operands) {
  bool mayBeNaN = llvm::any_of(
      operands, [](const Padding &operand) { return operand.mayBeNaN(); });
  bool isOfSign = isa<arith::DivFOp>(op) && isZeroNumber(operands[1]) &&
                  operands[1].mayBeNaN();
  if (mayBeNaN && (!keepsNaN(op) || isOfSign))
    return SmallVector<Padding>(op->getNumResults(), Padding::unknown());
  SmallVector<Padding> results = computePlain(op, operands);
  Conditions all = 0;
  for (const Padding &operand : operands)
    all |= operand.getConditions();
  bool isCommon = llvm::all_of(operands, std::mem_fn(&Padding::isCommon));
  for (Padding &result : results) {
    if (result.getConstant() && mayBeNaN && !isa<arith::SelectOp>(op))
      result = Padding::constant(result.getConstant(), /*mayBeNaN=*/true);
    result = result.under(all).asCommon(isCommon);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

/// Whether the least or the greatest of both is `acc`.
static bool isBeyond(vector::CombiningKind kind, TypedAttr padding,
                     TypedAttr acc) {
  using vector::CombiningKind;
  if (auto number = dyn_cast<FloatAttr>(padding)) {
    auto other = dyn_cast_or_null<FloatAttr>(acc);
    if (!other || number.getValue().isNaN() || other.getValue().isNaN())
      return false;
    switch (kind) {
    case CombiningKind::MAXNUMF:
    case CombiningKind::MAXIMUMF:
      return number.getValue() <= other.getValue();
    case CombiningKind::MINNUMF:
    case CombiningKind::MINIMUMF:
      return number.getValue() >= other.getValue();
    default:
      return false;
    }
  }
  auto number = dyn_cast<IntegerAttr>(padding);
  auto other = dyn_cast_or_null<IntegerAttr>(acc);
  if (!number || !other)
    return false;
  const APInt &own = number.getValue(), &limit = other.getValue();
  switch (kind) {
  case CombiningKind::MAXSI:
    return own.sle(limit);
  case CombiningKind::MAXUI:
    return own.ule(limit);
  case CombiningKind::MINSI:
    return own.sge(limit);
  case CombiningKind::MINUI:
    return own.uge(limit);
  case CombiningKind::AND:
    return (own & limit) == limit;
  case CombiningKind::OR:
    return (own | limit) == limit;
  default:
    return false;
  }
}

/// Whether no number is lower, or higher. Some floats of 8 bits have no
/// infinity.
static bool isFarthest(const APFloat &value, bool isNegative) {
  bool isMost = APFloat::semanticsHasInf(value.getSemantics())
                    ? value.isInfinity()
                    : value.isLargest();
  return isMost && value.isNegative() == isNegative;
}

/// Whether no number changes when it is combined with the padding.
static bool isIgnored(vector::CombiningKind kind, TypedAttr padding) {
  using vector::CombiningKind;
  if (auto number = dyn_cast<FloatAttr>(padding)) {
    APFloat value = number.getValue();
    switch (kind) {
    case CombiningKind::ADD:
      return value.isZero();
    case CombiningKind::MUL:
      return value.isExactlyValue(1.0);
    case CombiningKind::MAXNUMF:
      return value.isNaN() || isFarthest(value, /*isNegative=*/true);
    case CombiningKind::MAXIMUMF:
      return isFarthest(value, /*isNegative=*/true);
    case CombiningKind::MINNUMF:
      return value.isNaN() || isFarthest(value, /*isNegative=*/false);
    case CombiningKind::MINIMUMF:
      return isFarthest(value, /*isNegative=*/false);
    default:
      return false;
    }
  }
  auto number = dyn_cast<IntegerAttr>(padding);
  if (!number)
    return false;
  const APInt &value = number.getValue();
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::OR:
  case CombiningKind::XOR:
  case CombiningKind::MAXUI:
    return value.isZero();
  case CombiningKind::MUL:
    return value.isOne();
  case CombiningKind::AND:
  case CombiningKind::MINUI:
    return value.isAllOnes();
  case CombiningKind::MAXSI:
    return value.isMinSignedValue();
  case CombiningKind::MINSI:
    return value.isMaxSignedValue();
  default:
    return false;
  }
}

bool carousel::isNeutral(vector::CombiningKind kind, const Padding &padding,
                         const Padding &acc) {
  TypedAttr number = padding.getConstant();
  if (!number || isIgnored(kind, number))
    return !!number;
  // The sign decides which of two zeros is lower.
  if (getFloat(padding) && isZeroNumber(padding) && isZeroNumber(acc) &&
      (number != acc.getConstant() || padding.mayBeNaN() || acc.mayBeNaN()))
    return false;
  return isBeyond(kind, number, acc.getConstant());
}
