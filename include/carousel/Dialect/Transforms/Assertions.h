//===- Assertions.h - conditions of cf.assert -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the numbers that an assertion compares, so that a failed one says which
// values it found: "expected offsets that ascend, got 9 > 5".
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_ASSERTIONS_H
#define CAROUSEL_DIALECT_TRANSFORMS_ASSERTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace carousel {

/// The conditions that must all hold for `condition` to: the operands of
/// arith.andi, of theirs, or the condition itself.
llvm::SmallVector<mlir::Value> getConjuncts(mlir::Value condition);

/// Spells how the operands of a comparison that doesn't hold relate: ">=" of
/// slt and ult.
llvm::StringRef spellOpposite(mlir::arith::CmpIPredicate predicate);

/// Whether a comparison is of numbers without a sign.
bool isUnsigned(mlir::arith::CmpIPredicate predicate);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_ASSERTIONS_H
