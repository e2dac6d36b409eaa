//===- Float8Conversions.h - conversions of 8-bit floats --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds conversions between f8E4M3FN or f8E5M2 and wider floats, of scalars
// and vectors, with the semantics of arith.extf and arith.truncf. They round to
// nearest, ties to even. A magnitude above the largest finite value becomes an
// infinity in f8E5M2, and NaN in f8E4M3FN, which has no infinities.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_FLOAT8CONVERSIONS_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_FLOAT8CONVERSIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// Whether a type, or the element type of a vector, is an 8-bit float that has
/// conversions.
bool isFloat8(mlir::Type type);

/// Whether 8-bit floats have conversions to and from this type: f16, bf16, f32,
/// f64, or a vector of one.
bool convertsToFloat8(mlir::Type type);

/// Converts `value`, of 8-bit floats, to `type`; exact. With `isNative`, uses
/// the chip's instructions, otherwise integer arithmetic.
mlir::Value createExtension(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                            mlir::Type type, bool isNative);

/// Converts `value` to `type`, of 8-bit floats, with one rounding.
mlir::Value createTruncation(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                             mlir::Type type, bool isNative);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_FLOAT8CONVERSIONS_H
