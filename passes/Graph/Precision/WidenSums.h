//===- WidenSums.h - sums of narrow floats and bits -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write contractions, sums and products along dimensions, windows
// and scans of narrow floats whose bodies add in the type of the result. Here
// they add in f32, and the result is rounded once. Products of booleans are ors
// of ands, and those of parities xors of ands. The numbers of pairs that both
// have say the same, and instructions count these.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRECISION_WIDENSUMS_H
#define CAROUSEL_PASSES_GRAPH_PRECISION_WIDENSUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// A product, or what it became.
mlir::linalg::GenericOp widenProduct(mlir::linalg::GenericOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRECISION_WIDENSUMS_H
