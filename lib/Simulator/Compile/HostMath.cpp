//===- HostMath.cpp - powers, classes and wide numbers ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers ops of math and arith that no target has (docs/op-matrix.json): to
// functions of C++, which compiled kernels call for each element, and to
// arithmetic in integers that are twice as wide. The passes lower the same ops
// in other ways, so that a fault of theirs shows as a difference.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace carousel::sim;

//===----------------------------------------------------------------------===//
// At run time
//===----------------------------------------------------------------------===//

/// The product of base^(2^i) for each bit i of the exponent, lowest first. The
/// order matters: each product of floats is rounded.
template <typename T> static T raise(T base, uint64_t exponent) {
  if (exponent == 0)
    return 1;
  // base^(2^i), by squaring i times.
  auto getSquare = [&](unsigned bit) {
    T square = base;
    while (bit-- > 0)
      square *= square;
    return square;
  };
  T power = getSquare(llvm::countr_zero(exponent));
  for (exponent &= exponent - 1; exponent != 0; exponent &= exponent - 1)
    power *= getSquare(llvm::countr_zero(exponent));
  return power;
}

/// The inverse comes before the products, which may overflow where the power is
/// a subnormal number.
template <typename T> static T raiseFloat(T base, int64_t exponent) {
  return exponent < 0 ? raise(T(1) / base, -uint64_t(exponent))
                      : raise(base, uint64_t(exponent));
}

/// The classes to which a float belongs, as bits.
enum FloatClass : int32_t { NaN = 1, Infinite = 2, Finite = 4, Normal = 8 };

extern "C" {
static float carousel_sim_math_fpowi_f32(float base, int64_t exponent) {
  return raiseFloat(base, exponent);
}
static double carousel_sim_math_fpowi_f64(double base, int64_t exponent) {
  return raiseFloat(base, exponent);
}
static uint64_t carousel_sim_math_ipowi(uint64_t base, uint64_t exponent) {
  return raise(base, exponent);
}

/// -0 is less than +0, and NaN stays.
static double carousel_sim_math_clamp(double value, double low, double high) {
  if (std::isnan(value) || std::isnan(low) || std::isnan(high))
    return std::numeric_limits<double>::quiet_NaN();
  auto isBefore = [](double lhs, double rhs) {
    return lhs < rhs || (lhs == rhs && std::signbit(lhs) && !std::signbit(rhs));
  };
  double raised = isBefore(value, low) ? low : value;
  return isBefore(high, raised) ? high : raised;
}

static int32_t carousel_sim_math_classes(uint64_t bits, int32_t semantics) {
  const llvm::fltSemantics &format = llvm::APFloatBase::EnumToSemantics(
      llvm::APFloatBase::Semantics(semantics));
  unsigned width = llvm::APFloat::getSizeInBits(format);
  llvm::APFloat value(format, llvm::APInt(width, bits, /*isSigned=*/false,
                                          /*implicitTrunc=*/true));
  return (value.isNaN() ? NaN : 0) | (value.isInfinity() ? Infinite : 0) |
         (value.isFinite() ? Finite : 0) | (value.isNormal() ? Normal : 0);
}
}

llvm::ArrayRef<HostSymbol> carousel::sim::getMathSymbols() {
  static const HostSymbol kSymbols[] = {
      {"carousel_sim_math_fpowi_f32", (void *)&carousel_sim_math_fpowi_f32},
      {"carousel_sim_math_fpowi_f64", (void *)&carousel_sim_math_fpowi_f64},
      {"carousel_sim_math_ipowi", (void *)&carousel_sim_math_ipowi},
      {"carousel_sim_math_clamp", (void *)&carousel_sim_math_clamp},
      {"carousel_sim_math_classes", (void *)&carousel_sim_math_classes},
  };
  return kSymbols;
}

//===----------------------------------------------------------------------===//
// At compile time
//===----------------------------------------------------------------------===//

Value carousel::sim::callHost(OpBuilder &builder, Location loc, StringRef name,
                              ValueRange operands, Type result) {
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    function = func::FuncOp::create(
        atEnd, module.getLoc(), name,
        builder.getFunctionType(operands.getTypes(), result));
    function.setPrivate();
  }
  return func::CallOp::create(builder, loc, function, operands).getResult(0);
}

Value carousel::sim::computeElements(
    OpBuilder &builder, Location loc, Type type, ValueRange operands,
    llvm::function_ref<Value(ValueRange elements)> compute) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return compute(operands);
  Value result = ub::PoisonOp::create(builder, loc, vector);
  SmallVector<int64_t> basis = computeSuffixProduct(vector.getShape());
  for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
    SmallVector<int64_t> position = delinearize(i, basis);
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(
          vector::ExtractOp::create(builder, loc, operand, position));
    result = vector::InsertOp::create(builder, loc, compute(elements), result,
                                      position);
  }
  return result;
}

static bool isWiderThan(Type type, unsigned bits) {
  Type element = getElementTypeOrSelf(type);
  return !element.isIndex() && element.getIntOrFloatBitWidth() > bits;
}

/// An integer or an index as an i64.
static Value toI64(ImplicitLocOpBuilder &b, Value value, bool isSigned) {
  Type i64 = b.getI64Type();
  if (value.getType() == i64)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, i64, value);
  if (isSigned)
    return arith::ExtSIOp::create(b, i64, value);
  return arith::ExtUIOp::create(b, i64, value);
}

/// A float in a type that has all its numbers.
static Value extend(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type ? value
                                 : arith::ExtFOp::create(b, type, value);
}
static Value truncate(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type ? value
                                 : arith::TruncFOp::create(b, type, value);
}

namespace {

/// Narrow floats have the products of f32, which are rounded once.
struct RaiseFloats : public OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (isWiderThan(op.getType(), 64) || isWiderThan(op.getRhs().getType(), 64))
      return rewriter.notifyMatchFailure(op, "wider than the host's numbers");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = getElementTypeOrSelf(op.getType());
    bool isDouble = type.isF64();
    Type wide = isDouble ? Type(b.getF64Type()) : b.getF32Type();
    auto compute = [&](ValueRange pair) {
      Value power = callHost(
          b, op.getLoc(),
          isDouble ? "carousel_sim_math_fpowi_f64"
                   : "carousel_sim_math_fpowi_f32",
          {extend(b, pair[0], wide), toI64(b, pair[1], /*isSigned=*/true)},
          wide);
      return truncate(b, power, type);
    };
    rewriter.replaceOp(op, computeElements(b, op.getLoc(), op.getType(),
                                           op->getOperands(), compute));
    return success();
  }
};

/// The inverse of an integer is an integer, by a division, which is checked: 0
/// has none. An integer of one bit is 0 or -1, each its own inverse.
struct RaiseIntegers : public OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (isWiderThan(op.getType(), 64))
      return rewriter.notifyMatchFailure(op, "wider than the host's numbers");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = getElementTypeOrSelf(op.getType());
    auto compute = [&](ValueRange pair) -> Value {
      Value base = pair[0], exponent = pair[1];
      if (!type.isInteger(1)) {
        Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(type, 0));
        Value isNegative =
            arith::CmpIOp::create(b, arith::CmpIPredicate::slt, exponent, zero);
        auto positive = scf::IfOp::create(
            b, isNegative,
            [&](OpBuilder &inner, Location loc) {
              Value one = arith::ConstantOp::create(
                  inner, loc, inner.getIntegerAttr(type, 1));
              scf::YieldOp::create(
                  inner, loc,
                  {arith::DivSIOp::create(inner, loc, one, base),
                   arith::SubIOp::create(inner, loc, zero, exponent)});
            },
            [&](OpBuilder &inner, Location loc) {
              scf::YieldOp::create(inner, loc, {base, exponent});
            });
        base = positive.getResult(0);
        exponent = positive.getResult(1);
      }
      Value power = callHost(b, op.getLoc(), "carousel_sim_math_ipowi",
                             {toI64(b, base, /*isSigned=*/false),
                              toI64(b, exponent, /*isSigned=*/false)},
                             b.getI64Type());
      if (type.isIndex())
        return arith::IndexCastOp::create(b, type, power);
      return type.isInteger(64) ? power
                                : arith::TruncIOp::create(b, type, power);
    };
    rewriter.replaceOp(op, computeElements(b, op.getLoc(), op.getType(),
                                           op->getOperands(), compute));
    return success();
  }
};

/// math.powf with a small whole exponent is math.fpowi (docs/Accuracy.md).
struct RaiseToSmallWhole : public OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    APFloat exponent(0.0);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&exponent)))
      return rewriter.notifyMatchFailure(op, "an exponent of the run");
    for (int whole : {-2, -1, 0, 1, 2, 3, 4}) {
      if (!exponent.isExactlyValue(whole) && !(whole == 0 && exponent.isZero()))
        continue;
      TypedAttr number = rewriter.getI32IntegerAttr(whole);
      if (auto vector = dyn_cast<VectorType>(op.getType()))
        number = SplatElementsAttr::get(vector.clone(rewriter.getI32Type()),
                                        Attribute(number));
      rewriter.replaceOpWithNewOp<math::FPowIOp>(
          op, op.getLhs(),
          arith::ConstantOp::create(rewriter, op.getLoc(), number));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no small whole exponent");
  }
};

/// In f64, which has the numbers of all narrower types.
struct Clamp : public OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    if (isWiderThan(op.getType(), 64))
      return rewriter.notifyMatchFailure(op, "wider than the host's numbers");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type f64 = b.getF64Type();
    auto compute = [&](ValueRange elements) {
      SmallVector<Value> wide;
      for (Value element : elements)
        wide.push_back(extend(b, element, f64));
      Value clamped =
          callHost(b, op.getLoc(), "carousel_sim_math_clamp", wide, f64);
      return truncate(b, clamped, getElementTypeOrSelf(op.getType()));
    };
    rewriter.replaceOp(op, computeElements(b, op.getLoc(), op.getType(),
                                           op->getOperands(), compute));
    return success();
  }
};

/// By the bits of the operand's own type: in a wider one, a value may be in
/// another class.
template <typename Op, FloatClass Class>
struct TestClass : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    if (isWiderThan(type, 64))
      return rewriter.notifyMatchFailure(op, "wider than the host's numbers");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    auto compute = [&](ValueRange operand) -> Value {
      Type i32 = b.getI32Type();
      auto constant = [&](int64_t number) -> Value {
        return arith::ConstantIntOp::create(b, i32, number);
      };
      Value bits = arith::BitcastOp::create(
          b, b.getIntegerType(element.getWidth()), operand[0]);
      Value classes = callHost(b, op.getLoc(), "carousel_sim_math_classes",
                               {toI64(b, bits, /*isSigned=*/false),
                                constant(llvm::APFloatBase::SemanticsToEnum(
                                    element.getFloatSemantics()))},
                               i32);
      Value own = arith::AndIOp::create(b, classes, constant(Class));
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, own,
                                   constant(0));
    };
    rewriter.replaceOp(op, computeElements(b, op.getLoc(), op.getType(),
                                           op->getOperands(), compute));
    return success();
  }
};

/// Both results are parts of one in an integer of twice the width. Element by
/// element: LLVM doesn't take all vectors of one such element.
template <typename Op, typename WideOp, typename ExtendOp>
struct ComputeTwiceAsWide : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = getElementTypeOrSelf(op.getLhs().getType());
    Type own = type.isIndex() ? Type(b.getI64Type()) : type;
    unsigned width = own.getIntOrFloatBitWidth();
    Type wide = b.getIntegerType(2 * width);
    auto convert = [&](Value value, Type to) -> Value {
      return type.isIndex() && value.getType() != to
                 ? arith::IndexCastOp::create(b, to, value)
                 : value;
    };
    SmallVector<Value> results;
    for (Value result : op->getResults()) {
      Type part = getElementTypeOrSelf(result.getType());
      auto compute = [&](ValueRange pair) -> Value {
        Value both =
            WideOp::create(b, ExtendOp::create(b, wide, convert(pair[0], own)),
                           ExtendOp::create(b, wide, convert(pair[1], own)));
        if (result == op->getResult(1))
          both = arith::ShRUIOp::create(
              b, both, arith::ConstantIntOp::create(b, wide, width));
        if (part.isIndex())
          return convert(arith::TruncIOp::create(b, own, both), part);
        return arith::TruncIOp::create(b, part, both);
      };
      results.push_back(computeElements(b, op.getLoc(), result.getType(),
                                        op->getOperands(), compute));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void carousel::sim::populateHostMath(RewritePatternSet &patterns) {
  patterns.add<
      RaiseFloats, RaiseIntegers, RaiseToSmallWhole, Clamp,
      TestClass<math::IsNaNOp, NaN>, TestClass<math::IsInfOp, Infinite>,
      TestClass<math::IsFiniteOp, Finite>, TestClass<math::IsNormalOp, Normal>,
      ComputeTwiceAsWide<arith::AddUIExtendedOp, arith::AddIOp, arith::ExtUIOp>,
      ComputeTwiceAsWide<arith::MulUIExtendedOp, arith::MulIOp, arith::ExtUIOp>,
      ComputeTwiceAsWide<arith::MulSIExtendedOp, arith::MulIOp,
                         arith::ExtSIOp>>(patterns.getContext());
}
