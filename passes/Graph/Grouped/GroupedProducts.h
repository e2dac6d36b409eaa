//===- GroupedProducts.h - rows that choose their matrices ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row of a product may have a matrix of its own, of a few:
//
//   y[m, n] = sum over k of x[m, k] * w[g[m], k, n]
//
// Rows of one matrix are brought together, in tiles of rows. Tables say which
// matrix and which rows a tile has, so that the product is one of tiles:
//
//   z[p, i, n] = sum over k of x[row[p, i], k] * w[matrix[p], k, n]
//   y[m, n] = z[place[m] / rows, place[m] mod rows, n]
//
// Elementwise ops between two such products stay in tiles.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDPRODUCTS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Makes tiles of the products whose rows choose their matrices. Returns how
/// many it changed.
unsigned tileGroupedProducts(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDPRODUCTS_H
