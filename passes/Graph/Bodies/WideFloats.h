//===- WideFloats.h - elements of online reductions as f32 ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An online reduction computes elements of 16 bits as f32. docs/GraphPhase.md,
// Online reductions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_BODIES_WIDEFLOATS_H
#define CAROUSEL_PASSES_GRAPH_BODIES_WIDEFLOATS_H

#include "GroupValues.h"

namespace carousel {

/// The value as floating-point numbers of another type; other values as they
/// are.
GroupValue convertFloat(GroupVectors &vectors, GroupValue value,
                        mlir::Type element);
mlir::TypedAttr convertFloat(mlir::TypedAttr number, mlir::Type element);
/// Extends floating-point numbers of fewer than 32 bits to f32.
GroupValue widen(GroupVectors &vectors, GroupValue value);

/// Computes math.exp or math.exp2 of a value of f32 by exp2. If it is a
/// difference, `difference`, the product with log2(e) is one multiply-add for
/// each element.
GroupValue writeExponential(
    GroupVectors &vectors, mlir::Operation *op, const GroupValue &value,
    const std::optional<std::pair<GroupValue, GroupValue>> &difference);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_BODIES_WIDEFLOATS_H
