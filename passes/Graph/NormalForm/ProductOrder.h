//===- ProductOrder.h - the order of what products exchange -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product leaves its sums in any order at the same cost, and reads a factor
// fastest whose elements are neighbours along the sums.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_PRODUCTORDER_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_PRODUCTORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Reorders the dimensions of each product that is the first factor of one
/// other product, and nothing else: those of that product's result come first,
/// in its order, and then those that it sums over, in its second factor's.
/// So attention's result, which jax writes as (batch, head, element, row),
/// becomes (batch, row, head, element): the next product sums over the last
/// two.
void orderProducts(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_PRODUCTORDER_H
