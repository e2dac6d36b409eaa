//===- TakeElements.h - some elements of a vector ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes some elements of a vector without the others: the ops that compute
// it, on as many elements. So a part of a factor in registers is computed when
// it is needed, and the rest later.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_TAKEELEMENTS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_TAKEELEMENTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// The elements of `vector` at these row-major positions, as a vector of one
/// dimension. Where ops aren't followed, they are taken of the whole value.
mlir::Value takeElements(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                         llvm::ArrayRef<int64_t> positions);

/// The op that computes `vector` and that isn't followed, of those in `block`,
/// where it has more than a few elements; or null.
mlir::Operation *findWholeVector(mlir::Value vector, mlir::Block *block);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_TAKEELEMENTS_H
