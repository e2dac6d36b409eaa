//===- ValueOrder.h - what comes behind a value ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Order that neither memory nor data gives: an op that follows a value without
// using it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_VALUEORDER_H
#define CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_VALUEORDER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// Keeps what the builder creates next, and what it finds there, behind the
/// instruction that computes or loads a number or a vector of 8 to 64 bits. A
/// branch depends on one element, and a fence in it does no harm.
void orderBehind(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_VALUEORDER_H
