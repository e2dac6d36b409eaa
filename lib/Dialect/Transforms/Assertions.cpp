//===- Assertions.cpp - conditions of cf.assert ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Assertions.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/Assertions.h"

using namespace mlir;
using namespace carousel;
using arith::CmpIPredicate;

SmallVector<Value> carousel::getConjuncts(Value condition) {
  SmallVector<Value> conjuncts, open = {condition};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto both = value.getDefiningOp<arith::AndIOp>()) {
      open.push_back(both.getRhs());
      open.push_back(both.getLhs());
    } else {
      conjuncts.push_back(value);
    }
  }
  return conjuncts;
}

StringRef carousel::spellOpposite(CmpIPredicate predicate) {
  switch (arith::invertPredicate(predicate)) {
  case CmpIPredicate::eq:
    return "==";
  case CmpIPredicate::ne:
    return "!=";
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return "<";
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return "<=";
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return ">";
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    return ">=";
  }
  llvm_unreachable("all predicates are covered");
}

bool carousel::isUnsigned(CmpIPredicate predicate) {
  return predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule ||
         predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
}
