//===- ReadOneHots.h - sums of one term each --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write gathers as products with a one-hot matrix:
//
//   y[s, d] = sum over t of (number[s] == t ? 1 : 0) * x[t, d]
//
// At most one term of each sum isn't zero, so that it is
//
//   y[s, d] = 0 <= number[s] < extent of t ? x[number[s], d] : 0
//
// A sum of a few one-hot matrices leaves a few terms. Where the numbers are
// those of terms, SortedScatter.h finds them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_READONEHOTS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_READONEHOTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace carousel {

/// Empty if a few terms of a sum alone aren't zero, so that
/// --carousel-read-one-hots reads these, or what stands against it.
std::string explainOneHot(mlir::IRRewriter &rewriter,
                          mlir::linalg::GenericOp sum);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_READONEHOTS_H
