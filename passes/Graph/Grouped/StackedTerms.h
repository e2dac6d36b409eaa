//===- StackedTerms.h - sums whose terms differ by a number -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over experts leaves a sum with a term for each:
//
//   y[t, n] = f(0, x[t, :] * w[0, :, :]) + f(1, x[t, :] * w[1, :, :]) + ...
//
// The terms are the same but for a number, that of the slices of tensors that
// they read, and of what they compare. So the sum goes along a loop, as if its
// author had written the products as a batch:
//
//   p[e, t, n] = sum over k of x[t, k] * w[e, k, n]
//   y[t, n] = sum over e of f(e, p[e, t, n])
//
// Comparisons with the number choose the rows of each matrix, so that few rows
// of the batch are needed (OneHotProducts.h, PickedRows.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_STACKEDTERMS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_STACKEDTERMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Stacks the terms of sums that compare the number of their matrix, where
/// reading few rows of the batch saves at least so many operations. Returns how
/// many sums it changed.
unsigned stackTerms(mlir::func::FuncOp func, int64_t leastOperations);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_STACKEDTERMS_H
