//===- NarrowFactors.h - products of widened floats -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends widen bf16 and f16 to f32, and multiply that: for a bias that is
// added in f32, a scale of queries, or a mode of autocast. Here, the product
// reads the narrow elements and widens them itself, which is exact, and matrix
// instructions compute it. What widens a factor may be any ops that move or
// choose elements. Numbers that all of a factor is multiplied by multiply the
// result.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRECISION_NARROWFACTORS_H
#define CAROUSEL_PASSES_GRAPH_PRECISION_NARROWFACTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// A factor of a product in f32 that is widened, where the other one isn't.
struct WidenedFactor {
  mlir::Value value;
  mlir::FloatType narrow;

  /// Describes it, and the way out.
  std::string describe() const;
};
std::optional<WidenedFactor> findWidenedFactor(mlir::linalg::LinalgOp product);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRECISION_NARROWFACTORS_H
