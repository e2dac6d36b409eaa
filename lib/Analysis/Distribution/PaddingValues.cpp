//===- PaddingValues.cpp - what padding is computed to be -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse forward analysis, which asks what ops compute element by element.
// Ops fold their own constants. Numbers that the columns have in common count
// as finite, whatever computes them: where one isn't, or is zero as a divisor,
// padding is NaN instead of the constant that is found here. Other results are
// finite only of the ops that are listed here: a constant that doesn't fold may
// be a pole, and what exceeds a type is infinite. docs/BlockPhase.md, Width.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/PaddingValues.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
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

/// A number that counts as finite.
static bool isFiniteNumber(const Padding &padding) {
  if (padding.getKind() != Padding::Kind::Constant)
    return padding.getKind() == Padding::Kind::Shared;
  std::optional<APFloat> number = getFloat(padding);
  return !number || number->isFinite();
}

/// One whose sums and products count as finite, too, in types whose exponents
/// have the range of f32. A constant may be so large that they don't.
static bool isSharedNumber(const Padding &padding) {
  constexpr int kMostExponent = 31;
  std::optional<APFloat> number = getFloat(padding);
  return isFiniteNumber(padding) &&
         (!number || number->isZero() || ilogb(*number) <= kMostExponent);
}

static bool isZeroNumber(const Padding &padding) {
  return padding.getConstant() &&
         (matchPattern(padding.getConstant(), m_Zero()) ||
          matchPattern(padding.getConstant(), m_AnyZeroFloat()));
}

static bool isFalse(const Padding &padding) {
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

/// Divides; a divisor made by padding alone may be 0 by chance, where no other
/// column has a divisor of 0.
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

/// Computes arithmetic of floats on numbers of which some aren't known.
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

/// The padding of an elementwise op's results.
static SmallVector<Padding> computeElements(Operation *op,
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

/// Whether a combination, with an accumulator of `acc`, ignores the padding.
/// The sign of a zero doesn't count.
static bool isNeutral(vector::CombiningKind kind, const Padding &padding,
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

void Padding::print(llvm::raw_ostream &os) const {
  switch (kind) {
  case Kind::None:
    os << "none";
    return;
  case Kind::Shared:
    os << "shared";
    return;
  case Kind::Unknown:
    os << "unknown";
    return;
  case Kind::Constant:
    os << value;
    if (isUncertain)
      os << " or NaN";
    if (conditions)
      os << " under " << conditions;
    return;
  }
}

Padding Padding::join(const Padding &lhs, const Padding &rhs) {
  if (lhs.isNone() || rhs.isNone())
    return lhs.isNone() ? rhs : lhs;
  Conditions both = lhs.conditions | rhs.conditions;
  bool isCommon = lhs.isCommon() && rhs.isCommon();
  bool isSame = lhs.kind == rhs.kind && lhs.value == rhs.value;
  if (isSame) {
    Padding same = lhs.under(both).asCommon(isCommon);
    same.isUncertain |= rhs.isUncertain;
    return same;
  }
  auto isNumber = isCommon ? isFiniteNumber : isSharedNumber;
  bool areNumbers = isNumber(lhs) && isNumber(rhs);
  return (areNumbers ? shared() : unknown()).under(both).asCommon(isCommon);
}

namespace {

using PaddingLattice = dataflow::Lattice<Padding>;

class PaddingAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<PaddingLattice> {
public:
  PaddingAnalysis(DataFlowSolver &solver, CoveredExtent &extent)
      : SparseForwardDataFlowAnalysis(solver), extent(extent) {}

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const PaddingLattice *> operands,
                               ArrayRef<PaddingLattice *> results) override;
  void setToEntryState(PaddingLattice *lattice) override {
    Type type = cast<Value>(lattice->getAnchor()).getType();
    propagateIfChanged(
        lattice, lattice->join(isOf(type) ? Padding::unknown()
                                          : Padding::shared().asCommon()));
  }

private:
  bool isOf(Type type) const { return isCovered(type, extent.getWidth()); }
  Padding compute(Operation *op, ArrayRef<Padding> operands);
  Padding findConstant(Value value) const;
  Padding read(vector::TransferReadOp op, ArrayRef<Padding> operands);
  Padding makeMask(vector::CreateMaskOp op);
  Padding reduce(vector::MultiDimReductionOp op, ArrayRef<Padding> operands);

  CoveredExtent &extent;
};

} // namespace

static bool isFiniteElements(Attribute attr) {
  auto elements = dyn_cast<DenseElementsAttr>(attr);
  return elements && (!isa<FloatType>(elements.getElementType()) ||
                      llvm::all_of(elements.getValues<APFloat>(),
                                   std::mem_fn(&APFloat::isFinite)));
}

/// None of what isn't constant.
Padding PaddingAnalysis::findConstant(Value value) const {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return Padding();
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    return Padding::constant(splat.getSplatValue<TypedAttr>()).asCommon();
  if (auto number = dyn_cast<TypedAttr>(attr);
      number && !isa<ElementsAttr>(attr))
    return Padding::constant(number).asCommon();
  return !isOf(value.getType()) && isFiniteElements(attr)
             ? Padding::shared().asCommon()
             : Padding::unknown();
}

LogicalResult
PaddingAnalysis::visitOperation(Operation *op,
                                ArrayRef<const PaddingLattice *> lattices,
                                ArrayRef<PaddingLattice *> results) {
  auto set = [&](size_t number, const Padding &padding) {
    propagateIfChanged(results[number], results[number]->join(padding));
  };
  SmallVector<Padding> operands;
  for (const PaddingLattice *lattice : lattices)
    operands.push_back(lattice->getValue());
  bool isReady = llvm::none_of(
      operands, [](const Padding &operand) { return operand.isNone(); });
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
  bool isOfConstants =
      isElementwise && llvm::all_of(operands, [](const Padding &operand) {
        return operand.isNone() || operand.getConstant();
      });
  std::optional<SmallVector<Padding>> elements;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    if (Padding constant = findConstant(result); !constant.isNone()) {
      set(number, constant);
      continue;
    }
    // The columns have it in common.
    if (!isOf(result.getType()) && !isOfConstants) {
      set(number,
          (isa<ub::PoisonOp>(op) ? Padding::unknown() : Padding::shared())
              .asCommon());
      continue;
    }
    if (!isReady)
      continue;
    if (isElementwise && !elements)
      elements = computeElements(op, operands);
    set(number, isElementwise ? (*elements)[number] : compute(op, operands));
  }
  return success();
}

Padding PaddingAnalysis::compute(Operation *op, ArrayRef<Padding> operands) {
  return llvm::TypeSwitch<Operation *, Padding>(op)
      .Case([&](vector::TransferReadOp own) { return read(own, operands); })
      .Case([&](vector::CreateMaskOp own) { return makeMask(own); })
      .Case([&](vector::MultiDimReductionOp own) {
        return reduce(own, operands);
      })
      .Case([&](vector::BroadcastOp own) {
        // Elements within the extent of one dimension may become padding of
        // another one.
        auto count = [&](Type type) {
          auto vector = dyn_cast<VectorType>(type);
          return vector ? llvm::count(vector.getShape(), extent.getWidth()) : 0;
        };
        int64_t own_dims = count(own.getSourceType());
        return own_dims == 0 || own_dims == count(own.getType())
                   ? operands.front()
                   : Padding::unknown();
      })
      .Case([&](vector::TransposeOp) { return operands.front(); })
      .Case([&](vector::ShapeCastOp own) {
        return explainFixedWidth(own, extent.getWidth()).empty()
                   ? operands.front()
                   : Padding::unknown();
      })
      .Case([&](vector::GatherOp own) {
        unsigned mask = own.getMaskMutable().getOperandNumber();
        unsigned other = own.getPassThruMutable().getOperandNumber();
        return isFalse(operands[mask])
                   ? operands[other]
                         .under(operands[mask].getConditions())
                         .asCommon(false)
                   : Padding::unknown();
      })
      .Default([](Operation *) { return Padding::unknown(); });
}

Padding PaddingAnalysis::read(vector::TransferReadOp op,
                              ArrayRef<Padding> operands) {
  auto conditions =
      extent.findConditions(cast<VectorTransferOpInterface>(op.getOperation()));
  if (!conditions)
    return Padding::unknown();
  return operands[op.getPaddingMutable().getOperandNumber()]
      .under(*conditions)
      .asCommon(false);
}

/// False beyond the extent if it ends there, in all covered dimensions.
Padding PaddingAnalysis::makeMask(vector::CreateMaskOp op) {
  Conditions all = 0;
  for (auto [dim, size] : llvm::enumerate(op.getOperands())) {
    if (op.getVectorType().getDimSize(dim) != extent.getWidth())
      continue;
    std::optional<Conditions> own = extent.findConditions(size);
    if (!own)
      return Padding::unknown();
    all |= *own;
  }
  return Padding::constant(BoolAttr::get(op.getContext(), false)).under(all);
}

/// The padding of a reduction along other dimensions than covered ones: a
/// column beyond the extent has padding only.
Padding PaddingAnalysis::reduce(vector::MultiDimReductionOp op,
                                ArrayRef<Padding> operands) {
  for (auto [dim, isReduced] : llvm::enumerate(op.getReductionMask()))
    if (isReduced &&
        op.getSourceVectorType().getDimSize(dim) == extent.getWidth())
      return Padding::unknown();
  const Padding &source = operands[0], &acc = operands[1];
  if (!isNeutral(op.getKind(), source, acc))
    return Padding::unknown();
  Padding result = acc;
  if (acc.getConstant())
    result = Padding::constant(acc.getConstant(),
                               source.mayBeNaN() || acc.mayBeNaN());
  return result.under(source.getConditions() | acc.getConditions())
      .asCommon(false);
}

PaddingValues::PaddingValues(gpu::GPUFuncOp kernel, CoveredExtent &extent) {
  // Dead code needs constants.
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<PaddingAnalysis>(extent);
  LogicalResult result = solver.initializeAndRun(kernel);
  assert(succeeded(result) && "no analysis fails");
  (void)result;
}

Padding PaddingValues::get(Value value) const {
  const auto *lattice = solver.lookupState<PaddingLattice>(value);
  return lattice ? lattice->getValue() : Padding();
}

//===----------------------------------------------------------------------===//
// The first column
//===----------------------------------------------------------------------===//

/// Whether the columns are counted from 0 in a type that has their numbers in
/// each launch: of fewer bits, they may begin again.
static bool isCount(Value columns) {
  constexpr unsigned kLeastBits = 32;
  while (auto cast = columns.getDefiningOp<arith::IndexCastOp>()) {
    Type type = getElementTypeOrSelf(cast.getType());
    if (!type.isIndex() && type.getIntOrFloatBitWidth() < kLeastBits)
      return false;
    columns = cast.getIn();
  }
  return columns.getDefiningOp<vector::StepOp>();
}

static bool isFloatLowest(const Padding &padding) {
  auto number = dyn_cast_or_null<FloatAttr>(padding.getConstant());
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative() && !padding.mayBeNaN();
}

/// Whether the condition holds for padding only if it holds for all elements of
/// the row: they equal the row's maximum, which is -inf like the padding then.
std::optional<Conditions>
PaddingValues::findConditionsOfAll(Value condition) const {
  Conditions all = 0;
  llvm::SetVector<Value> parts;
  parts.insert(condition);
  for (unsigned i = 0; i < parts.size(); ++i) {
    Padding padding = get(parts[i]);
    auto either = parts[i].getDefiningOp<arith::OrIOp>();
    if (either && !isFalse(padding)) {
      parts.insert_range(either->getOperands());
      continue;
    }
    std::optional<Conditions> own = isFalse(padding)
                                        ? padding.getConditions()
                                        : findConditionsOfMaximum(parts[i]);
    if (!own)
      return std::nullopt;
    all |= *own;
  }
  return all;
}

std::optional<Conditions>
PaddingValues::findConditionsOfMaximum(Value condition) const {
  auto equal = condition.getDefiningOp<arith::CmpFOp>();
  if (!equal || equal.getPredicate() != arith::CmpFPredicate::OEQ)
    return std::nullopt;
  auto copies = equal.getRhs().getDefiningOp<vector::BroadcastOp>();
  auto most =
      copies ? copies.getSource().getDefiningOp<vector::MultiDimReductionOp>()
             : vector::MultiDimReductionOp();
  // maxnumf ignores elements, which don't equal it.
  Padding row = get(equal.getLhs());
  bool isOfRow = most && most.getSource() == equal.getLhs() &&
                 most.getKind() == vector::CombiningKind::MAXIMUMF &&
                 !isa<VectorType>(most.getType()) && isFloatLowest(row);
  return isOfRow ? std::optional(row.getConditions()) : std::nullopt;
}

/// The least index of the columns for which a condition holds. If it holds for
/// padding, it holds for the first column.
std::optional<Conditions>
PaddingValues::findConditionsOfFirst(vector::MultiDimReductionOp op) const {
  auto choice = op.getSource().getDefiningOp<arith::SelectOp>();
  bool isLeast = op.getKind() == vector::CombiningKind::MINSI ||
                 op.getKind() == vector::CombiningKind::MINUI;
  if (!choice || !isLeast || isa<VectorType>(op.getType()))
    return std::nullopt;
  Padding others = get(choice.getFalseValue()), acc = get(op.getAcc());
  if (!isCount(choice.getTrueValue()) || !isNeutral(op.getKind(), others, acc))
    return std::nullopt;
  std::optional<Conditions> own = findConditionsOfAll(choice.getCondition());
  return own ? std::optional(*own | others.getConditions()) : std::nullopt;
}

std::optional<Conditions>
PaddingValues::findConditions(vector::MultiDimReductionOp op) const {
  Padding source = get(op.getSource()), acc = get(op.getAcc());
  // An op that is never executed has no value.
  if (source.isNone())
    return 0;
  return isNeutral(op.getKind(), source, acc)
             ? std::optional(source.getConditions() | acc.getConditions())
             : findConditionsOfFirst(op);
}

std::optional<Conditions>
PaddingValues::findConditions(vector::ContractionOp op) const {
  Padding lhs = get(op.getLhs()), rhs = get(op.getRhs());
  if (lhs.isNone() || rhs.isNone())
    return 0;
  if (op.getKind() != vector::CombiningKind::ADD)
    return std::nullopt;
  bool isZero = (isZeroNumber(lhs) && isSharedNumber(rhs)) ||
                (isZeroNumber(rhs) && isSharedNumber(lhs));
  return isZero ? std::optional(lhs.getConditions() | rhs.getConditions())
                : std::nullopt;
}
