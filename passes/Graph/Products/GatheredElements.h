//===- GatheredElements.h - few elements of a product -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loss reads one element of each row of a product, at a computed column. Such
// an element is a sum of its own, of a row of one factor and the column of the
// other one, so that the product needs no memory for it:
//
//   y[i] = (x w)[i, t[i]]   ->   y[i] = sum over k of x[i, k] * w[k, t[i]]
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_GATHEREDELEMENTS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_GATHEREDELEMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Makes sums of the elements that ops extract from products of at least so
/// many elements, if they are few of them and reading the factors again takes
/// less than the product's elements. Indices are limited to the product's
/// extents. Returns how many extractions it replaced.
unsigned sumGatheredElements(mlir::func::FuncOp func, int64_t leastElements);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_GATHEREDELEMENTS_H
