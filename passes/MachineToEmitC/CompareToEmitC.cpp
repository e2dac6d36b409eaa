//===- CompareToEmitC.cpp - comparisons and selects to EmitC --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts comparisons of arith and arith.select. Integers are unsigned unless
// the predicate is signed. Comparisons of floats in C++ are ordered, except
// `!=`.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

using emitc::CmpPredicate;

static bool isVector(Type type) { return isa<VectorType>(type); }

static LogicalResult lowerCmpI(arith::CmpIOp op,
                               AdaptorOf<arith::CmpIOp> adaptor,
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
static LogicalResult lowerCmpF(arith::CmpFOp op,
                               AdaptorOf<arith::CmpFOp> adaptor,
                               CBuilder &builder) {
  using Predicate = arith::CmpFPredicate;
  if (isMovedOnly(op.getLhs().getType()))
    return builder.rewriter.notifyMatchFailure(op, "8-bit floats");
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
    return std::make_pair(same ? "carousel::min_as" : "carousel::max_as", true);
  case Predicate::sgt:
  case Predicate::sge:
    return std::make_pair(same ? "carousel::max_as" : "carousel::min_as", true);
  case Predicate::ult:
  case Predicate::ule:
    return std::make_pair(same ? "carousel::min_as" : "carousel::max_as",
                          false);
  case Predicate::ugt:
  case Predicate::uge:
    return std::make_pair(same ? "carousel::max_as" : "carousel::min_as",
                          false);
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
        op, builder.pure(
                yes.getType(), found->first, {yes, no},
                {spellElement(builder.types, op.getType(), found->second)}));
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
  builder.rewriter.replaceOpWithMultiple(op,
                                         ArrayRef<SmallVector<Value>>{results});
  return success();
}

void carousel::populateCompareToEmitC(RewritePatternSet &patterns,
                                      const CTypes &types) {
  addPattern<arith::CmpIOp>(patterns, types, lowerCmpI);
  addPattern<arith::CmpFOp>(patterns, types, lowerCmpF);
  addPattern<arith::SelectOp>(patterns, types, lowerSelect);
}
