//===- ArithToEmitC.cpp - arith and ub to EmitC ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars use the operators of C++; vectors use those that
// carousel/device/math.h defines. Integers are unsigned in C++. An op on signed
// integers casts them, or names a signed type.
//
//===----------------------------------------------------------------------===//

#include "../MachineExpansion/ExpandMath.h"
#include "ToEmitC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace carousel;

using emitc::CmpPredicate;

static bool isVector(Type type) { return isa<VectorType>(type); }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Attributes of values in C++'s types: of unsigned integers.
static TypedAttr convertScalar(Attribute attr, Type type) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    if (type.isInteger(1))
      return integer;
    return IntegerAttr::get(
        type, integer.getValue().sextOrTrunc(type.getIntOrFloatBitWidth()));
  }
  auto value = cast<FloatAttr>(attr);
  if (isa<IntegerType>(type)) // an 8-bit float is its bits
    return IntegerAttr::get(type, value.getValue().bitcastToAPInt());
  return value;
}

static LogicalResult lowerConstant(arith::ConstantOp op,
                                   AdaptorOf<arith::ConstantOp>,
                                   CBuilder &builder) {
  Type type = builder.types.convertType(op.getType());
  if (!type)
    return failure();
  auto scalar = [&](Attribute attr, Type element) -> Value {
    TypedAttr value = convertScalar(attr, element);
    return emitc::ConstantOp::create(builder.rewriter, builder.loc,
                                     value.getType(), value);
  };
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense) {
    if (!isa<IntegerAttr, FloatAttr>(op.getValue()))
      return failure();
    builder.rewriter.replaceOp(op, scalar(op.getValue(), type));
    return success();
  }
  Type element = builder.types.convertType(getElementTypeOrSelf(op.getType()));
  if (dense.isSplat()) {
    Value one = scalar(dense.getSplatValue<Attribute>(), element);
    builder.rewriter.replaceOp(
        op, builder.pure(type, "carousel::broadcast", one,
                         {std::to_string(dense.getNumElements())}));
    return success();
  }
  SmallVector<Value> elements;
  for (Attribute attr : dense.getValues<Attribute>())
    elements.push_back(scalar(attr, element));
  builder.rewriter.replaceOp(op, builder.list(type, elements));
  return success();
}

/// Any value will do.
static LogicalResult lowerPoison(ub::PoisonOp op, AdaptorOf<ub::PoisonOp>,
                                 CBuilder &builder) {
  Type type = builder.types.convertType(op.getType());
  if (!type)
    return failure();
  if (isa<IntegerType, FloatType>(type))
    builder.rewriter.replaceOp(op, builder.constant(type, 0));
  else
    builder.rewriter.replaceOp(op, builder.list(type, {}));
  return success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult lowerBinary(Operation *op, ArrayRef<Value> operands,
                                 CBuilder &builder, StringRef) {
  Type type = op->getResult(0).getType();
  if (isBool(type))
    return builder.rewriter.notifyMatchFailure(op,
                                               "bools have ops of their own");
  // Offsets that views of static places leave.
  if (std::is_same_v<OpTy, emitc::AddOp> && isa<IntegerType, IndexType>(type) &&
      getConstant(operands[0]) == 0)
    builder.rewriter.replaceOp(op, operands[1]);
  else
    builder.rewriter.replaceOp(op,
                               builder.binary<OpTy>(operands[0], operands[1]));
  return success();
}

/// Products of 16 bits could overflow the int that C++ computes them in.
static LogicalResult lowerMul(Operation *op, ArrayRef<Value> operands,
                              CBuilder &builder, StringRef text) {
  Type type = operands[0].getType();
  if (!type.isInteger(16))
    return lowerBinary<emitc::MulOp>(op, operands, builder, text);
  Type wide = IntegerType::get(type.getContext(), 32, IntegerType::Unsigned);
  Value product = builder.binary<emitc::MulOp>(builder.cast(operands[0], wide),
                                               builder.cast(operands[1], wide));
  builder.rewriter.replaceOp(op, builder.cast(product, type));
  return success();
}

static LogicalResult lowerDivF(Operation *op, ArrayRef<Value> operands,
                               CBuilder &builder, StringRef text) {
  if (!isApproximateQuotient(op))
    return lowerBinary<emitc::DivOp>(op, operands, builder, text);
  builder.rewriter.replaceOp(op, builder.pure(operands[0].getType(),
                                              "carousel::approximate_quotient",
                                              operands));
  return success();
}

enum class BoolKind { And, Or, Xor };

template <BoolKind Kind>
static LogicalResult lowerBool(Operation *op, ArrayRef<Value> operands,
                               CBuilder &builder, StringRef) {
  if (!isBool(op->getResult(0).getType()))
    return builder.rewriter.notifyMatchFailure(op, "not of bools");
  Value lhs = operands[0], rhs = operands[1], result;
  if (isVector(op->getResult(0).getType())) {
    result =
        Kind == BoolKind::And  ? builder.binary<emitc::BitwiseAndOp>(lhs, rhs)
        : Kind == BoolKind::Or ? builder.binary<emitc::BitwiseOrOp>(lhs, rhs)
                               : builder.binary<emitc::BitwiseXorOp>(lhs, rhs);
  } else if (Kind == BoolKind::And) {
    result = builder.binary<emitc::LogicalAndOp>(lhs, rhs);
  } else if (Kind == BoolKind::Or) {
    result = builder.binary<emitc::LogicalOrOp>(lhs, rhs);
  } else if (getConstant(rhs)) { // the canonical form of "not"
    result = *getConstant(rhs) ? builder.negate(lhs) : lhs;
  } else {
    result = builder.compare(CmpPredicate::ne, lhs, rhs);
  }
  builder.rewriter.replaceOp(op, result);
  return success();
}

/// Division, remainder and shift of signed integers.
template <typename OpTy>
static LogicalResult lowerSigned(Operation *op, ArrayRef<Value> operands,
                                 CBuilder &builder, StringRef text) {
  Type type = op->getResult(0).getType();
  if (isBool(type))
    return builder.rewriter.notifyMatchFailure(op, "no arithmetic of bools");
  Type result = operands[0].getType();
  if (isVector(type)) {
    builder.rewriter.replaceOp(
        op, builder.pure(result, text, operands,
                         {spellElement(builder.types, type, true)}));
    return success();
  }
  Type number = getSigned(result);
  Value value = builder.binary<OpTy>(builder.cast(operands[0], number),
                                     builder.cast(operands[1], number));
  builder.rewriter.replaceOp(op, builder.cast(value, result));
  return success();
}

/// carousel::min_as<int32_t>(a, b) and its like.
template <bool IsSigned>
static LogicalResult lowerMinMax(Operation *op, ArrayRef<Value> operands,
                                 CBuilder &builder, StringRef text) {
  Type type = op->getResult(0).getType();
  if (isBool(type))
    return builder.rewriter.notifyMatchFailure(op, "no arithmetic of bools");
  builder.rewriter.replaceOp(
      op, builder.pure(operands[0].getType(), text, operands,
                       {spellElement(builder.types, type, IsSigned)}));
  return success();
}

static LogicalResult lowerNegF(Operation *op, ArrayRef<Value> operands,
                               CBuilder &builder, StringRef) {
  if (isVector(op->getResult(0).getType()))
    builder.rewriter.replaceOp(
        op, builder.pure(operands[0].getType(), "-", operands));
  else
    builder.rewriter.replaceOpWithNewOp<emitc::UnaryMinusOp>(
        op, operands[0].getType(), operands[0]);
  return success();
}

/// A function of that name for scalars and vectors.
static LogicalResult lowerCall(Operation *op, ArrayRef<Value> operands,
                               CBuilder &builder, StringRef text) {
  Type result = builder.types.convertType(op->getResult(0).getType());
  if (!result)
    return failure();
  builder.rewriter.replaceOp(op, builder.pure(result, text, operands));
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions of numbers
//===----------------------------------------------------------------------===//

/// carousel::convert<T>(vector), by way of elements with a sign if `isSigned`.
static Value convertVector(CBuilder &builder, Value value, Type from, Type to,
                           bool signedFrom, bool signedTo) {
  Type result = builder.types.convertType(to);
  std::string element = spellElement(builder.types, to, signedTo);
  std::string source = spellElement(builder.types, from, signedFrom);
  return builder.pure(
      result,
      signedFrom || signedTo ? "carousel::convert_from" : "carousel::convert",
      value,
      signedFrom || signedTo ? SmallVector<std::string>{element, source}
                             : SmallVector<std::string>{element});
}

enum class Sign { None, From, To };

/// Extensions, truncations and conversions: a cast, from or to a signed type.
template <Sign Which>
static LogicalResult lowerCast(Operation *op, ArrayRef<Value> operands,
                               CBuilder &builder, StringRef) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  Type result = builder.types.convertType(to);
  if (!result)
    return failure();
  Value value = operands[0];
  if (isVector(to)) {
    auto splat = [&](Type vector, int64_t number) {
      Type element = builder.types.convertType(getElementTypeOrSelf(vector));
      return builder.pure(
          builder.types.convertType(vector), "carousel::broadcast",
          builder.constant(element, number),
          {std::to_string(cast<VectorType>(vector).getNumElements())});
    };
    if (isBool(to) && !isBool(from) &&
        getElementTypeOrSelf(from).isIntOrIndex()) { // the lowest bits
      Value bits = builder.binary<emitc::BitwiseAndOp>(value, splat(from, 1));
      builder.rewriter.replaceOp(
          op, builder.compare(CmpPredicate::ne, bits, splat(from, 0)));
      return success();
    }
    if (Which == Sign::From && isBool(from)) { // true is -1
      builder.rewriter.replaceOp(
          op, builder.pure(result, "carousel::select",
                           {value, splat(to, -1), splat(to, 0)}));
      return success();
    }
    builder.rewriter.replaceOp(op, convertVector(builder, value, from, to,
                                                 Which == Sign::From,
                                                 Which == Sign::To));
    return success();
  }
  if (result.isInteger(1) && isa<IntegerType>(value.getType()) &&
      !value.getType().isInteger(1)) {
    // The lowest bit of an integer.
    Value bit = builder.binary<emitc::BitwiseAndOp>(
        value, builder.constant(value.getType(), 1));
    builder.rewriter.replaceOp(
        op, builder.compare(CmpPredicate::ne, bit,
                            builder.constant(value.getType(), 0)));
    return success();
  }
  if (Which == Sign::From && value.getType().isInteger(1)) { // true is -1
    builder.rewriter.replaceOp(op, builder.select(value,
                                                  builder.constant(result, -1),
                                                  builder.constant(result, 0)));
    return success();
  }
  // The sign matters to what is wider, and to floats.
  if (Which == Sign::From && (!isa<IntegerType>(result) ||
                              result.getIntOrFloatBitWidth() >
                                  value.getType().getIntOrFloatBitWidth()))
    value = builder.cast(value, getSigned(value.getType()));
  if (Which == Sign::To)
    value = builder.cast(value, getSigned(result));
  builder.rewriter.replaceOp(op, builder.cast(value, result));
  return success();
}

/// C++ rounds to the nearest even; carousel-expand-arith makes that of other
/// modes.
static LogicalResult lowerTruncF(Operation *op, ArrayRef<Value> operands,
                                 CBuilder &builder, StringRef text) {
  std::optional<arith::RoundingMode> mode =
      cast<arith::TruncFOp>(op).getRoundingmode();
  if (mode && *mode != arith::RoundingMode::to_nearest_even)
    return builder.rewriter.notifyMatchFailure(op, "rounds otherwise");
  return lowerCast<Sign::None>(op, operands, builder, text);
}

static LogicalResult lowerBitcast(Operation *op, ArrayRef<Value> operands,
                                  CBuilder &builder, StringRef) {
  Type result = builder.types.convertType(op->getResult(0).getType());
  if (!result)
    return failure();
  if (result == operands[0].getType())
    builder.rewriter.replaceOp(op, operands[0]);
  else
    builder.rewriter.replaceOp(op, builder.pure(result, "carousel::bit_cast",
                                                operands,
                                                {builder.types.spell(result)}));
  return success();
}

/// The low half, then the high half or the overflow.
static LogicalResult lowerExtended(Operation *op, ArrayRef<Value> operands,
                                   CBuilder &builder, StringRef text) {
  Type type = op->getResult(0).getType();
  if (isBool(type))
    return builder.rewriter.notifyMatchFailure(op, "no arithmetic of bools");
  Value low, high;
  if (isa<arith::AddUIExtendedOp>(op)) {
    low = builder.binary<emitc::AddOp>(operands[0], operands[1]);
    low = builder.cast(low, operands[0].getType());
    high = builder.compare(CmpPredicate::lt, low, operands[0]);
  } else {
    low = builder.pure(operands[0].getType(), "carousel::multiply_low",
                       operands, {spellElement(builder.types, type, false)});
    high = builder.pure(
        operands[0].getType(), "carousel::multiply_high", operands,
        {spellElement(builder.types, type, isa<arith::MulSIExtendedOp>(op))});
  }
  builder.rewriter.replaceOp(op, {low, high});
  return success();
}

void carousel::populateArithToEmitC(RewritePatternSet &patterns,
                                    const CTypes &types) {
  addPattern<arith::ConstantOp>(patterns, types, lowerConstant);
  addPattern<ub::PoisonOp>(patterns, types, lowerPoison);

  struct Row {
    StringRef op;
    NamedFunction function;
    StringRef text = {};
  };
  const Row rows[] = {
      {"arith.addi", lowerBinary<emitc::AddOp>},
      {"arith.subi", lowerBinary<emitc::SubOp>},
      {"arith.muli", lowerMul},
      {"arith.divui", lowerBinary<emitc::DivOp>},
      {"arith.remui", lowerBinary<emitc::RemOp>},
      {"arith.andi", lowerBinary<emitc::BitwiseAndOp>},
      {"arith.ori", lowerBinary<emitc::BitwiseOrOp>},
      {"arith.xori", lowerBinary<emitc::BitwiseXorOp>},
      {"arith.shli", lowerBinary<emitc::BitwiseLeftShiftOp>},
      {"arith.shrui", lowerBinary<emitc::BitwiseRightShiftOp>},
      {"arith.addi", lowerBool<BoolKind::Xor>},
      {"arith.subi", lowerBool<BoolKind::Xor>},
      {"arith.muli", lowerBool<BoolKind::And>},
      {"arith.andi", lowerBool<BoolKind::And>},
      {"arith.ori", lowerBool<BoolKind::Or>},
      {"arith.xori", lowerBool<BoolKind::Xor>},
      {"arith.divsi", lowerSigned<emitc::DivOp>, "carousel::divide_as"},
      {"arith.remsi", lowerSigned<emitc::RemOp>, "carousel::remainder_as"},
      {"arith.shrsi", lowerSigned<emitc::BitwiseRightShiftOp>,
       "carousel::shift_right_as"},
      {"arith.minui", lowerMinMax<false>, "carousel::min_as"},
      {"arith.maxui", lowerMinMax<false>, "carousel::max_as"},
      {"arith.minsi", lowerMinMax<true>, "carousel::min_as"},
      {"arith.maxsi", lowerMinMax<true>, "carousel::max_as"},
      {"arith.addui_extended", lowerExtended},
      {"arith.mulsi_extended", lowerExtended},
      {"arith.mului_extended", lowerExtended},
      {"arith.addf", lowerBinary<emitc::AddOp>},
      {"arith.subf", lowerBinary<emitc::SubOp>},
      {"arith.mulf", lowerBinary<emitc::MulOp>},
      {"arith.divf", lowerDivF},
      {"arith.remf", lowerCall, "carousel::fmod"},
      {"arith.maxnumf", lowerCall, "carousel::maxnum"},
      {"arith.minnumf", lowerCall, "carousel::minnum"},
      {"arith.maximumf", lowerCall, "carousel::maximum"},
      {"arith.minimumf", lowerCall, "carousel::minimum"},
      {"arith.negf", lowerNegF},
      {"arith.extf", lowerCast<Sign::None>},
      {"arith.truncf", lowerTruncF},
      {"arith.extui", lowerCast<Sign::None>},
      {"arith.extsi", lowerCast<Sign::From>},
      {"arith.trunci", lowerCast<Sign::None>},
      {"arith.index_cast", lowerCast<Sign::From>},
      {"arith.index_castui", lowerCast<Sign::None>},
      {"arith.uitofp", lowerCast<Sign::None>},
      {"arith.sitofp", lowerCast<Sign::From>},
      {"arith.fptoui", lowerCast<Sign::None>},
      {"arith.fptosi", lowerCast<Sign::To>},
      {"arith.bitcast", lowerBitcast},
  };
  for (const Row &row : rows)
    addNamedPattern(patterns, types, row.op, row.function, row.text);
}
