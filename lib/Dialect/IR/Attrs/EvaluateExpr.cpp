//===- EvaluateExpr.cpp - values of launch expressions --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EvaluateExpr.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/EvaluateExpr.h"

using namespace mlir;
using namespace carousel;

/// Computes `value` op `right` in `value`. Returns false if the result doesn't
/// exist.
static bool apply(ExprKind kind, int64_t &value, int64_t right) {
  switch (kind) {
  case ExprKind::Add:
    return !__builtin_add_overflow(value, right, &value);
  case ExprKind::Sub:
    return !__builtin_sub_overflow(value, right, &value);
  case ExprKind::Mul:
    return !__builtin_mul_overflow(value, right, &value);
  // With a positive divisor the quotient fits, and its adjustment can't
  // overflow.
  case ExprKind::FloorDiv:
    if (right <= 0)
      return false;
    value = value / right - (value % right < 0);
    return true;
  case ExprKind::CeilDiv:
    if (right <= 0)
      return false;
    value = value / right + (value % right > 0);
    return true;
  case ExprKind::Mod:
    if (right <= 0)
      return false;
    value %= right;
    value += value < 0 ? right : 0;
    return true;
  case ExprKind::Min:
    value = std::min(value, right);
    return true;
  case ExprKind::Max:
    value = std::max(value, right);
    return true;
  default:
    return false;
  }
}

std::optional<int64_t> carousel::evaluate(ExprAttr expr, KnownTerm getTerm) {
  if (expr.getKind() == ExprKind::Constant)
    return expr.getValue();
  if (!expr.getLhs())
    return getTerm(expr);
  std::optional<int64_t> left = evaluate(expr.getLhs(), getTerm);
  std::optional<int64_t> right = evaluate(expr.getRhs(), getTerm);
  if (!left || !right || !apply(expr.getKind(), *left, *right))
    return std::nullopt;
  return left;
}

std::optional<bool> carousel::evaluate(GuardAttr guard, KnownTerm getTerm) {
  std::optional<int64_t> value, other;
  if (guard.getValue())
    value = evaluate(guard.getValue(), getTerm);
  if (guard.getOther())
    other = evaluate(guard.getOther(), getTerm);
  if (!value || (guard.getOther() && !other))
    return std::nullopt;
  switch (guard.getKind()) {
  case GuardKind::Divisible:
    return *value % guard.getLeast() == 0;
  case GuardKind::Range:
    return *value >= guard.getLeast() && *value <= guard.getMost();
  case GuardKind::Equal:
    return value == other;
  case GuardKind::Capability:
  case GuardKind::Aligned:
    break;
  }
  return std::nullopt;
}
