//===- Canonicalizer.h - the canonicalizer of pipelines ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PIPELINES_CANONICALIZER_H
#define CAROUSEL_PASSES_PIPELINES_CANONICALIZER_H

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"

namespace carousel {

/// MLIR's canonicalizer without region simplification. That looks for blocks to
/// merge and block arguments to drop after each round of patterns, and
/// structured control flow has none. An scf.while that patterns replace by
/// another one keeps its carousel.pipeline.
std::unique_ptr<mlir::Pass> createPatternCanonicalizer();

} // namespace carousel

#endif // CAROUSEL_PASSES_PIPELINES_CANONICALIZER_H
