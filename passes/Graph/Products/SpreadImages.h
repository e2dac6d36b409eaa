//===- SpreadImages.h - convolutions of pixels with zeros between -*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of an image for a stride is, as front ends write it, a
// convolution of an image that has zeros between its pixels. Here it is a
// convolution for each remainder of the result's pixels, by the elements of the
// kernel that meet no zeros. docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_SPREADIMAGES_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_SPREADIMAGES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// The convolutions that take the place of one whose image an insertion into
/// zeros spreads, or the op itself. Products with the zeros between pixels are
/// left out, also where the kernel's element is NaN or infinite.
llvm::SmallVector<mlir::linalg::GenericOp>
splitSpreadImage(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_SPREADIMAGES_H
