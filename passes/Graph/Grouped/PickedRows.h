//===- PickedRows.h - few rows of a batch of products -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all experts are computed for all tokens, and each token has the results
// of a few, an op reads rows of a batch of products by computed numbers:
//
//   y[g[t], t, n],  where  y[e, t, n] = sum over k of x[t, k] * w[e, k, n]
//
// These rows are a product of their own, of rows that choose their matrices
// (GroupedProducts.h):
//
//   z[t, n] = sum over k of x[t, k] * w[g[t], k, n]
//
// Nothing else may need the batch, and rows are fewer than it has.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_PICKEDROWS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_PICKEDROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Multiplies the rows that ops read of batches of products, where that saves
/// at least so many operations. What new products read may be rows of other
/// batches, once \p simplify has rewritten the function. Returns false if that
/// fails.
bool multiplyPickedRows(mlir::func::FuncOp func, int64_t leastOperations,
                        llvm::function_ref<mlir::LogicalResult()> simplify);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_PICKEDROWS_H
