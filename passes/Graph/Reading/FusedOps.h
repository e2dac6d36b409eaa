//===- FusedOps.h - which ops of a graph become one -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns fuse what the normal form wants: a value with several
// users is fused into none of them unless it only copies or counts, so that the
// patterns end.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_FUSEDOPS_H
#define CAROUSEL_PASSES_GRAPH_READING_FUSEDOPS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Whether an op reads windows of an operand, as convolutions do.
bool isWindow(mlir::Operation *op);

/// Fuses ops, moves reshapes to arguments and results, and erases what is dead
/// afterwards. \p keepsUnits: reshapes of extents of 1 move, too.
void populateFusedOpPatterns(mlir::RewritePatternSet &patterns,
                             bool keepsUnits);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_FUSEDOPS_H
