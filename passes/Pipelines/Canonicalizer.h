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

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace carousel {

/// MLIR's canonicalizer without region simplification. That looks for blocks to
/// merge and block arguments to drop after each round of patterns, and
/// structured control flow has none.
inline std::unique_ptr<mlir::Pass> createPatternCanonicalizer() {
  return mlir::createCanonicalizerPass(
      mlir::GreedyRewriteConfig().setRegionSimplificationLevel(
          mlir::GreedySimplifyRegionLevel::Disabled));
}

} // namespace carousel

#endif // CAROUSEL_PASSES_PIPELINES_CANONICALIZER_H
