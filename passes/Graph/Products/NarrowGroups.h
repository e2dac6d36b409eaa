//===- NarrowGroups.h - groups of few channels ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution whose groups have fewer channels than a matrix instruction has
// depth or columns becomes one of fewer groups, with zeros between the weights
// of those that were put together. docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_NARROWGROUPS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_NARROWGROUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// Puts narrow groups together. The image has groups and channels last. Returns
/// the op that takes the convolution's place, or the convolution.
mlir::linalg::GenericOp joinNarrowGroups(mlir::linalg::GenericOp op,
                                         mlir::RewriterBase &rewriter);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_NARROWGROUPS_H
