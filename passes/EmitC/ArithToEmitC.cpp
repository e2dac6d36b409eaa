//===- ArithToEmitC.cpp - arith and ub to EmitC ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars by the operators of C++, vectors by those that carousel/device/math.h
// has for them. Integers are unsigned; an op with a sign says so by a cast or
// by the type that it names.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace carousel;

using emitc::CmpPredicate;

static bool isBool(Type type) { return getElementTypeOrSelf(type).isInteger(1); }
static bool isVector(Type type) { return isa<VectorType>(type); }

/// The element of a converted type as it is spelled with a sign, or without.
static std::string spellElement(const CTypes &types, Type type, bool isSigned) {
  Type element = types.convertType(getElementTypeOrSelf(type));
  return types.spell(isSigned ? getSigned(element) : element);
}

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
  Type element =
      builder.types.convertType(getElementTypeOrSelf(op.getType()));
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
    builder.rewriter.replaceOp(
        op, builder.list(type, {}));
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
    return builder.rewriter.notifyMatchFailure(op, "bools have ops of their own");
  builder.rewriter.replaceOp(op, builder.binary<OpTy>(operands[0], operands[1]));
  return success();
}

/// Products of 16 bits could overflow the int that C++ computes them in.
static LogicalResult lowerMul(Operation *op, ArrayRef<Value> operands,
                              CBuilder &builder, StringRef text) {
  Type type = operands[0].getType();
  if (!type.isInteger(16))
    return lowerBinary<emitc::MulOp>(op, operands, builder, text);
  Type wide = IntegerType::get(type.getContext(), 32, IntegerType::Unsigned);
  Value product = builder.binary<emitc::MulOp>(
      builder.cast(operands[0], wide), builder.cast(operands[1], wide));
  builder.rewriter.replaceOp(op, builder.cast(product, type));
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
    result = Kind == BoolKind::And
                 ? builder.binary<emitc::BitwiseAndOp>(lhs, rhs)
             : Kind == BoolKind::Or
                 ? builder.binary<emitc::BitwiseOrOp>(lhs, rhs)
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

/// carousel::min<int32_t>(a, b) and its like.
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
// Comparisons
//===----------------------------------------------------------------------===//

static LogicalResult lowerCmpI(arith::CmpIOp op, AdaptorOf<arith::CmpIOp> adaptor,
                               CBuilder &builder) {
  using Predicate = arith::CmpIPredicate;
  Value lhs = one(adaptor.getLhs()), rhs = one(adaptor.getRhs());
  Predicate predicate = op.getPredicate();
  Type type = op.getLhs().getType();
  bool isSigned = predicate == Predicate::slt || predicate == Predicate::sle ||
                  predicate == Predicate::sgt || predicate == Predicate::sge;
  if (isBool(type) && isSigned) // true is -1
    std::swap(lhs, rhs);
  CmpPredicate kind = CmpPredicate::eq;
  switch (predicate) {
  case Predicate::eq:
    kind = CmpPredicate::eq;
    break;
  case Predicate::ne:
    kind = CmpPredicate::ne;
    break;
  case Predicate::slt:
  case Predicate::ult:
    kind = CmpPredicate::lt;
    break;
  case Predicate::sle:
  case Predicate::ule:
    kind = CmpPredicate::le;
    break;
  case Predicate::sgt:
  case Predicate::ugt:
    kind = CmpPredicate::gt;
    break;
  case Predicate::sge:
  case Predicate::uge:
    kind = CmpPredicate::ge;
    break;
  }
  if (isSigned && !isBool(type)) {
    if (isVector(type)) {
      Type number = emitc::OpaqueType::get(
          op.getContext(),
          "carousel::vec<" + spellElement(builder.types, type, true) + ", " +
              std::to_string(cast<VectorType>(type).getNumElements()) + ">");
      std::string element = spellElement(builder.types, type, true);
      lhs = builder.pure(number, "carousel::convert", lhs, {element});
      rhs = builder.pure(number, "carousel::convert", rhs, {element});
    } else {
      lhs = builder.cast(lhs, getSigned(lhs.getType()));
      rhs = builder.cast(rhs, getSigned(rhs.getType()));
    }
  }
  builder.rewriter.replaceOp(op, builder.compare(kind, lhs, rhs));
  return success();
}

static Value combine(CBuilder &builder, bool both, Value lhs, Value rhs) {
  if (!lhs.getType().isInteger(1))
    return both ? builder.binary<emitc::BitwiseAndOp>(lhs, rhs)
                : builder.binary<emitc::BitwiseOrOp>(lhs, rhs);
  return both ? builder.binary<emitc::LogicalAndOp>(lhs, rhs)
              : builder.binary<emitc::LogicalOrOp>(lhs, rhs);
}

/// C++ compares ordered, but for `!=`.
static LogicalResult lowerCmpF(arith::CmpFOp op, AdaptorOf<arith::CmpFOp> adaptor,
                               CBuilder &builder) {
  using Predicate = arith::CmpFPredicate;
  Value lhs = one(adaptor.getLhs()), rhs = one(adaptor.getRhs());
  auto is = [&](CmpPredicate predicate) {
    return builder.compare(predicate, lhs, rhs);
  };
  auto isNot = [&](CmpPredicate predicate) {
    return builder.negate(is(predicate));
  };
  auto both = [&](bool all, CmpPredicate predicate) {
    return combine(builder, all, builder.compare(predicate, lhs, lhs),
                   builder.compare(predicate, rhs, rhs));
  };
  auto lessOrGreater = [&] {
    return combine(builder, /*both=*/false, is(CmpPredicate::lt),
                   is(CmpPredicate::gt));
  };
  Value result;
  switch (op.getPredicate()) {
  case Predicate::AlwaysFalse:
  case Predicate::AlwaysTrue:
    if (isVector(op.getLhs().getType()))
      return failure(); // folded before
    result = builder.constant(builder.rewriter.getI1Type(),
                              op.getPredicate() == Predicate::AlwaysTrue);
    break;
  case Predicate::OEQ:
    result = is(CmpPredicate::eq);
    break;
  case Predicate::OGT:
    result = is(CmpPredicate::gt);
    break;
  case Predicate::OGE:
    result = is(CmpPredicate::ge);
    break;
  case Predicate::OLT:
    result = is(CmpPredicate::lt);
    break;
  case Predicate::OLE:
    result = is(CmpPredicate::le);
    break;
  case Predicate::ONE:
    result = lessOrGreater();
    break;
  case Predicate::ORD:
    result = both(/*all=*/true, CmpPredicate::eq);
    break;
  case Predicate::UEQ:
    result = builder.negate(lessOrGreater());
    break;
  case Predicate::UGT:
    result = isNot(CmpPredicate::le);
    break;
  case Predicate::UGE:
    result = isNot(CmpPredicate::lt);
    break;
  case Predicate::ULT:
    result = isNot(CmpPredicate::ge);
    break;
  case Predicate::ULE:
    result = isNot(CmpPredicate::gt);
    break;
  case Predicate::UNE:
    result = is(CmpPredicate::ne);
    break;
  case Predicate::UNO:
    result = both(/*all=*/false, CmpPredicate::ne);
    break;
  }
  builder.rewriter.replaceOp(op, result);
  return success();
}

/// The smaller or the greater of two integers, as arith is expanded: the name
/// of the function, and whether it is of signed ones.
static std::optional<std::pair<StringRef, bool>>
matchMinMax(arith::SelectOp op) {
  using Predicate = arith::CmpIPredicate;
  auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || isVector(op.getType()) || isBool(op.getType()))
    return std::nullopt;
  bool same = compare.getLhs() == op.getTrueValue() &&
              compare.getRhs() == op.getFalseValue();
  bool swapped = compare.getLhs() == op.getFalseValue() &&
                 compare.getRhs() == op.getTrueValue();
  if (!same && !swapped)
    return std::nullopt;
  switch (compare.getPredicate()) {
  case Predicate::slt:
  case Predicate::sle:
    return std::make_pair(same ? "carousel::min" : "carousel::max", true);
  case Predicate::sgt:
  case Predicate::sge:
    return std::make_pair(same ? "carousel::max" : "carousel::min", true);
  case Predicate::ult:
  case Predicate::ule:
    return std::make_pair(same ? "carousel::min" : "carousel::max", false);
  case Predicate::ugt:
  case Predicate::uge:
    return std::make_pair(same ? "carousel::max" : "carousel::min", false);
  default:
    return std::nullopt;
  }
}

static LogicalResult lowerSelect(arith::SelectOp op,
                                 AdaptorOf<arith::SelectOp> adaptor,
                                 CBuilder &builder) {
  Value condition = one(adaptor.getCondition());
  if (auto found = matchMinMax(op)) {
    Value yes = one(adaptor.getTrueValue()), no = one(adaptor.getFalseValue());
    builder.rewriter.replaceOp(
        op, builder.pure(yes.getType(), found->first, {yes, no},
                         {spellElement(builder.types, op.getType(),
                                       found->second)}));
    return success();
  }
  // A memref's pointer, extents and strides are chosen one by one.
  SmallVector<Value> results;
  for (auto [yes, no] :
       llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue())) {
    if (condition.getType().isInteger(1))
      results.push_back(yes == no ? Value(yes)
                                  : builder.select(condition, yes, no));
    else
      results.push_back(builder.pure(yes.getType(), "carousel::select",
                                     {condition, yes, no}));
  }
  builder.rewriter.replaceOpWithMultiple(op, ArrayRef<SmallVector<Value>>{results});
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
  return builder.pure(result,
                      signedFrom || signedTo ? "carousel::convert_from"
                                             : "carousel::convert",
                      value,
                      signedFrom || signedTo
                          ? SmallVector<std::string>{element, source}
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
    if (isBool(to) && !isBool(from))
      return builder.rewriter.notifyMatchFailure(op, "no bools of vectors");
    builder.rewriter.replaceOp(op, convertVector(builder, value, from, to,
                                                 Which == Sign::From,
                                                 Which == Sign::To));
    return success();
  }
  if (result.isInteger(1) && !value.getType().isInteger(1)) {
    // The lowest bit of an integer.
    if (!isa<IntegerType>(value.getType()))
      return builder.rewriter.notifyMatchFailure(op, "no bool of a float");
    Value bit = builder.binary<emitc::BitwiseAndOp>(
        value, builder.constant(value.getType(), 1));
    builder.rewriter.replaceOp(
        op, builder.compare(CmpPredicate::ne, bit,
                            builder.constant(value.getType(), 0)));
    return success();
  }
  if (Which == Sign::From && value.getType().isInteger(1)) { // true is -1
    builder.rewriter.replaceOp(op,
                               builder.select(value, builder.constant(result, -1),
                                              builder.constant(result, 0)));
    return success();
  }
  // The sign matters to what is wider, and to floats.
  if (Which == Sign::From &&
      (!isa<IntegerType>(result) || result.getIntOrFloatBitWidth() >
                                        value.getType().getIntOrFloatBitWidth()))
    value = builder.cast(value, getSigned(value.getType()));
  if (Which == Sign::To)
    value = builder.cast(value, getSigned(result));
  builder.rewriter.replaceOp(op, builder.cast(value, result));
  return success();
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
  if (isVector(type) || isBool(type))
    return builder.rewriter.notifyMatchFailure(op, "scalars only");
  Value low, high;
  if (isa<arith::AddUIExtendedOp>(op)) {
    low = builder.binary<emitc::AddOp>(operands[0], operands[1]);
    low = builder.cast(low, operands[0].getType());
    high = builder.compare(CmpPredicate::lt, low, operands[0]);
  } else {
    low = builder.pure(operands[0].getType(), "carousel::multiply_low", operands,
                       {spellElement(builder.types, type, false)});
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
  addPattern<arith::CmpIOp>(patterns, types, lowerCmpI);
  addPattern<arith::CmpFOp>(patterns, types, lowerCmpF);
  addPattern<arith::SelectOp>(patterns, types, lowerSelect);

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
      {"arith.minui", lowerMinMax<false>, "carousel::min"},
      {"arith.maxui", lowerMinMax<false>, "carousel::max"},
      {"arith.minsi", lowerMinMax<true>, "carousel::min"},
      {"arith.maxsi", lowerMinMax<true>, "carousel::max"},
      {"arith.addui_extended", lowerExtended},
      {"arith.mulsi_extended", lowerExtended},
      {"arith.mului_extended", lowerExtended},
      {"arith.addf", lowerBinary<emitc::AddOp>},
      {"arith.subf", lowerBinary<emitc::SubOp>},
      {"arith.mulf", lowerBinary<emitc::MulOp>},
      {"arith.divf", lowerBinary<emitc::DivOp>},
      {"arith.remf", lowerCall, "carousel::fmod"},
      {"arith.negf", lowerNegF},
      {"arith.extf", lowerCast<Sign::None>},
      {"arith.truncf", lowerCast<Sign::None>},
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
