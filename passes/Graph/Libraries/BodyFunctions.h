//===- BodyFunctions.h - functions that a body computes ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds relu and gelu by what a body computes of a number, in whatever order
// its ops do that: sums, products and powers become polynomials of the number
// and of its tanh, exp and quotients, whose coefficients are compared.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_LIBRARIES_BODYFUNCTIONS_H
#define CAROUSEL_PASSES_GRAPH_LIBRARIES_BODYFUNCTIONS_H

#include "mlir/IR/Value.h"

namespace carousel {

/// Whether `value` is the larger one of `x` and zero, and NaN of NaN. With
/// `ignoresNaN`, it is something else that is not NaN of NaN.
bool isRelu(mlir::Value value, mlir::Value x, bool &ignoresNaN);

/// Whether `value` is x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))), up
/// to how its constants are rounded.
bool isTanhGelu(mlir::Value value, mlir::Value x);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_LIBRARIES_BODYFUNCTIONS_H
