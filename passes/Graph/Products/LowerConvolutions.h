//===- LowerConvolutions.h - parts of --carousel-lower-convolutions *- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites of one convolution each, and what other passes ask of convolutions.
// docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_LOWERCONVOLUTIONS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_LOWERCONVOLUTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

class DecisionLog;

/// Whether a convolution reads one element of each channel for a pixel, and
/// every pixel once: a product.
bool isPlainConvolution(mlir::linalg::LinalgOp op);

/// Lets a convolution read the weights that a copy reverses, or that an
/// insertion into zeros spreads, at indices of the image that fit. Products
/// with these zeros are left out. Returns the op that takes its place, or the
/// op.
mlir::linalg::GenericOp readWeightsDirectly(mlir::linalg::GenericOp op,
                                            mlir::RewriterBase &rewriter);

/// The convolutions that take the place of one whose image an insertion into
/// zeros spreads, or the op itself. Products with the zeros between pixels are
/// left out, also where the kernel's element is NaN or infinite.
llvm::SmallVector<mlir::linalg::GenericOp>
splitSpreadImage(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter);

/// Puts narrow groups together. The image has groups and channels last. Returns
/// the op that takes the convolution's place, or the convolution.
mlir::linalg::GenericOp joinNarrowGroups(mlir::linalg::GenericOp op,
                                         mlir::RewriterBase &rewriter);

/// Replaces a gradient of depthwise weights by sums, and by an op that puts
/// them together. Other ops stay.
void separateTaps(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter,
                  DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_LOWERCONVOLUTIONS_H
