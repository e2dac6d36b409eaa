//===- ShapeTensors.h - small tensors that the host computes ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX has shapes as tensors, and computes with them as with others: by
// gathers, concatenations, products. A launch knows their elements, which are
// numbers of the host.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_SHAPETENSORS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_SHAPETENSORS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Patterns for the greedy driver: what is computed of tensors of a few
/// integers that are numbers of the host is made of such numbers, too.
void populateShapeTensorPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_SHAPETENSORS_H
