//===- QuoteName.h - names of ops in messages -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_QUOTENAME_H
#define CAROUSEL_DIALECT_IR_QUOTENAME_H

#include "mlir/IR/Operation.h"

namespace carousel {

/// The name of an op, in quotes, as messages have it.
inline std::string quoteName(mlir::Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_QUOTENAME_H
