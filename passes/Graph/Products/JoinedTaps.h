//===- JoinedTaps.h - convolutions of images with few channels --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image of three channels fills three of the 8 or 16 elements of depth that
// an instruction multiplies, for each element of the kernel. Here a row of the
// kernel and the channels become one depth: a copy of the image has, for each
// pixel of the result, what the row meets. docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_JOINEDTAPS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_JOINEDTAPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

class DecisionLog;

/// Joins the channels of a narrow image with the elements of the kernel along
/// one dimension, where that saves much. Returns the op that takes the
/// convolution's place, or the convolution.
mlir::linalg::GenericOp joinTaps(mlir::linalg::GenericOp op,
                                 mlir::RewriterBase &rewriter,
                                 DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_JOINEDTAPS_H
