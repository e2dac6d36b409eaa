//===- ReadProduct.h - what products multiply -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The factors of a structured op that is a product, in the types in which its
// kernel multiplies them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_READPRODUCT_H
#define CAROUSEL_PASSES_GRAPH_READING_READPRODUCT_H

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <array>

namespace carousel {

/// An input of a product, and the ops on it that aren't part of that.
struct ProductFactor {
  mlir::OpOperand *input = nullptr;
  mlir::Type type = {}; ///< of elements after the ops
  llvm::SmallVector<mlir::Operation *> casts = {};
  bool keepsZero = true;
};

/// Whether a factor's only conversion makes a number of a bit. A byte has room
/// for it, and memory has it as a byte.
bool isBit(const ProductFactor &factor);

/// The factors, by input. Extensions are part of products, if both factors have
/// them. Those of bits are to bytes then.
std::array<ProductFactor, 2> findFactors(mlir::linalg::LinalgOp op);

/// Finds the unit that multiplies them.
ProductUnit findProductUnit(mlir::linalg::LinalgOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_READPRODUCT_H
