//===- SeparateTaps.h - gradients of depthwise weights ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of depthwise weights sums over all pixels for each element of
// the kernel. Here each of these elements is a sum of its own, so that one
// kernel has them all, and reads its pixels once for them.
// docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_SEPARATETAPS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_SEPARATETAPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

class DecisionLog;

/// Replaces a gradient of depthwise weights by sums, and by an op that puts
/// them together. Other ops stay.
void separateTaps(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter,
                  DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_SEPARATETAPS_H
