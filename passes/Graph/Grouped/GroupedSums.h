//===- GroupedSums.h - products that sum over rows of groups ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of the matrices that rows choose sums over the rows of each:
//
//   z[g, a, b] = sum over m of (number[m] == g ? x[m, a] : 0) * y[m, b]
//
// If numbers ascend, the rows of a matrix are a range, whose ends are counts:
//
//   begin[g] = how many m have number[m] < g, and end[g] those with <= g
//   z[g, a, b] = sum over m of (begin[g] <= m < end[g] ? x[m, a] : 0) * y[m, b]
//
// Kernels go along these rows alone (Kernels/RowLoops.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDSUMS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDSUMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Says of the factors of products where their rows begin and end. Returns how
/// many it changed.
unsigned boundGroupedSums(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDSUMS_H
