//===- JoinedRows.h - rows of several choices as one list -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token may choose several matrices, y[t, c, n] = sum over k of
// x[t, k] * w[g[t, c], k, n]. Tokens and choices together are rows that choose
// one each (GroupedProducts.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_JOINEDROWS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_JOINEDROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Makes one dimension of those along which products choose matrices.
void joinChoosingRows(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_JOINEDROWS_H
