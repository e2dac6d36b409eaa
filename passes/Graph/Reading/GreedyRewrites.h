//===- GreedyRewrites.h - rewrites that have to end -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's greedy driver fails without a message where patterns go on for
// ever, and a pass that fails so leaves its user without a reason.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_GREEDYREWRITES_H
#define CAROUSEL_PASSES_GRAPH_READING_GREEDYREWRITES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {

/// Applies patterns until none applies. If they don't end, that is an error of
/// the compiler at the function. Upstream's limit of 10 iterations also ends
/// patterns that take one for each op of a chain; this one has room for those,
/// and a limit of the rewrites in an iteration, which upstream hasn't.
inline mlir::LogicalResult
rewriteGreedily(mlir::func::FuncOp func, mlir::RewritePatternSet patterns,
                mlir::RewriterBase::Listener *listener = nullptr,
                bool startsAtProducers = false) {
  constexpr int64_t kIterations = 64, kRewritesOfOp = 64, kRewrites = 1024;
  int64_t ops = 0;
  func.walk([&](mlir::Operation *) { ++ops; });
  mlir::GreedyRewriteConfig config;
  config.setUseTopDownTraversal(startsAtProducers)
      .setMaxIterations(kIterations)
      .setMaxNumRewrites(kRewrites + kRewritesOfOp * ops)
      .setListener(listener);
  if (succeeded(applyPatternsGreedily(func, std::move(patterns), config)))
    return mlir::success();
  return func.emitError("internal error: expected the rewrites of '@")
         << func.getName() << "' to end, got more after the last iteration";
}

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_GREEDYREWRITES_H
