//===- WindowFactors.h - weights of convolutions ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write gradients of convolutions as convolutions by weights that
// are reversed, or have zeros between them. Here indices are, and nothing is
// copied. docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_WINDOWFACTORS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_WINDOWFACTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// Lets a convolution read the weights that a copy reverses, or that an
/// insertion into zeros spreads, at indices of the image that fit. Products
/// with these zeros are left out. Returns the op that takes its place, or the
/// op.
mlir::linalg::GenericOp readWeightsDirectly(mlir::linalg::GenericOp op,
                                            mlir::RewriterBase &rewriter);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_WINDOWFACTORS_H
