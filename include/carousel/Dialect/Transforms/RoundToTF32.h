//===- RoundToTF32.h - factors of tf32 products -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tf32 is f32 with 10 bits of mantissa. Matrix instructions ignore the others
// (PTX ISA, Alternate floating point data formats), so factors are rounded
// before.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_ROUNDTOTF32_H
#define CAROUSEL_DIALECT_TRANSFORMS_ROUNDTOTF32_H

#include "mlir/IR/Builders.h"

namespace carousel {

/// The nearest values that tf32 has, ties away from zero, as PTX's cvt.rna.tf32
/// rounds: of an f32 or a vector of them. A NaN stays what it is.
mlir::Value roundToTF32(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

/// The values with the bits that matrix instructions ignore as zeros.
mlir::Value truncateToTF32(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_ROUNDTOTF32_H
