//===- Float8Conversions.h - to and from floats of 8 bits -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds conversions between f8E4M3FN or f8E5M2 and wider floats, of scalars
// and vectors, with the meaning of arith.extf and arith.truncf: to nearest,
// ties to even; a magnitude beyond the largest finite one becomes an infinity
// of f8E5M2 and NaN of f8E4M3FN, which has no infinities.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_FLOAT8CONVERSIONS_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_FLOAT8CONVERSIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// Whether a type, or the elements of a vector, are floats of 8 bits that
/// conversions are built for.
bool isFloat8(mlir::Type type);

/// Whether conversions are built between floats of 8 bits and this type: f16,
/// bf16, f32, f64, or a vector of one.
bool convertsToFloat8(mlir::Type type);

/// `value`, of floats of 8 bits, as `type`; exact. `isNative`: by the chip's
/// instructions, else by integer arithmetic.
mlir::Value createExtension(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                            mlir::Type type, bool isNative);

/// `value` rounded once to `type`, of floats of 8 bits.
mlir::Value createTruncation(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                             mlir::Type type, bool isNative);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_FLOAT8CONVERSIONS_H
