//===- EvaluateExpr.h - values of launch expressions ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes expressions and guards of a launch of which something is known, as
// docs/Package.md defines them and as the runtime computes them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_EVALUATEEXPR_H
#define CAROUSEL_DIALECT_IR_EVALUATEEXPR_H

#include "carousel/Dialect/IR/CarouselDialect.h"

#include <optional>

namespace carousel {

/// Returns the value of an expression without operands that isn't a constant,
/// if it is known: an extent, a stride, a scalar, a number of the device.
using KnownTerm = llvm::function_ref<std::optional<int64_t>(ExprAttr term)>;

/// Evaluates an expression; nullopt where a term isn't known, or where the
/// value doesn't fit in 64 bits.
std::optional<int64_t> evaluate(ExprAttr expr, KnownTerm getTerm);

/// Whether a guard on values holds; nothing where they aren't known, and for
/// guards on addresses and on the device.
std::optional<bool> evaluate(GuardAttr guard, KnownTerm getTerm);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_EVALUATEEXPR_H
