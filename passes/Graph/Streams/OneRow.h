//===- OneRow.h - one row of queries as a matrix ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form has no dimensions of one element. So what attention computes
// of one query are sums, and no products of matrices, which streams have. Ops
// from the one sum to the other get a dimension of one row where they become a
// stream.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_STREAMS_ONEROW_H
#define CAROUSEL_PASSES_GRAPH_STREAMS_ONEROW_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

class DecisionLog;

/// Gives a row to all ops between two sums that are a stream then. Returns how
/// many streams there are, and logs why others are none.
unsigned addRows(mlir::func::FuncOp func, bool usesTF32, DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_STREAMS_ONEROW_H
