//===- ExpandMath.h - math ops as arithmetic --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns of carousel-expand-arith for ops of math that no target has.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_EXPANDMATH_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_EXPANDMATH_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Whether populateExpandMath has a pattern for an op.
bool isExpandedMath(mlir::Operation *op);

/// Expands math.clampf, math.isnormal, powers, and sums of math.erf and one.
void populateExpandMath(mlir::RewritePatternSet &patterns);

/// Whether populateExpandPowers has a pattern for an op.
bool isExpandedPower(mlir::Operation *op);

/// Makes products of math.ipowi, of math.fpowi, and of math.powf if the
/// exponent is a constant whole number from -2 to 4.
void populateExpandPowers(mlir::RewritePatternSet &patterns);

/// Whether an op adds one to math.erf of f32, or is `fma(a, erf, a)`, and
/// nothing else reads the function.
bool isErfAndOne(mlir::Operation *op);
bool isErfOfBF16(mlir::Operation *op);

/// Makes a power of 2, without the function, of the ops of isErfAndOne, and a
/// polynomial of those of isErfOfBF16.
void populateExpandErf(mlir::RewritePatternSet &patterns);

/// Whether an op is ex2.approx.ftz or tanh.approx, on both targets: one of f32
/// that allows approximations.
bool isApproximate(mlir::Operation *op);

/// Whether an op is div.full.f32, rounded to its type, on both targets: a
/// quotient of bf16, or one of f32 or f16 with `fastmath<arcp>` or `<afn>`.
bool isApproximateQuotient(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_EXPANDMATH_H
