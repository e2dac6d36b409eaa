//===- DivideStreams.cpp - streams of products of any depth ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-divide-streams. Analysis/Graph/DividedStreams.h chooses the
// products, and StreamDivider.h writes the ops.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/PickedElements.h"
#include "../Reading/GreedyRewrites.h"
#include "OneRow.h"
#include "StreamDivider.h"

#include "carousel/Analysis/Graph/DividedStreams.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace carousel {
#define GEN_PASS_DEF_DIVIDESTREAMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct DivideStreams : public carousel::impl::DivideStreamsBase<DivideStreams> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isPublic() || func.isExternal() || !func.getBody().hasOneBlock())
      return;
    picked += sumPickedElements(func, tiledElements);
    DecisionLog log(func, "carousel-divide-streams");
    rows += addRows(func, products == ProductFactors::TF32, log);
    bool isChanged = false;
    for (;;) {
      FailureOr<bool> wasDivided = divideOne(func, log);
      if (failed(wasDivided))
        return signalPassFailure();
      if (!*wasDivided)
        break;
      ++divided;
      isChanged = true;
    }
    if (isChanged && failed(simplify(func)))
      signalPassFailure();
  }

private:
  /// Divides a stream. If there is none, says why others aren't divided.
  FailureOr<bool> divideOne(func::FuncOp func, DecisionLog &log) {
    Graph graph = readGraph(func);
    graph.problem.usesTF32 = products == ProductFactors::TF32;
    std::vector<StreamRefusal> refusals;
    IRRewriter rewriter(&getContext());
    for (const DividedStream &stream : findDividedStreams(
             graph.problem, tiledElements, libraries, refusals)) {
      unsigned from = stream.group.ops.front(), to = stream.group.ops.back();
      StreamDivider divider(graph, stream.group, stream.shape, stream.columns,
                            rewriter);
      if (std::string reason = divider.explain(); !reason.empty()) {
        refusals.push_back({from, to, reason});
        continue;
      }
      std::string columns = std::to_string(stream.columns), rest;
      int64_t left =
          stream.shape.dims[stream.shape.stream->dim].extent % stream.columns;
      if (left != 0)
        rest = " and a rest of " + std::to_string(left);
      log.passed(graph.ops[from], "Stream",
                 name(graph, from) + " and " + name(graph, to) +
                     " are by tiles of " + columns + " columns" + rest +
                     ", and what tiles have is corrected and combined",
                 {{"Columns", columns}});
      if (failed(divider.run()))
        return failure();
      return true;
    }
    for (const StreamRefusal &refusal : refusals)
      log.missed(
          graph.ops[refusal.to], "Stream",
          name(graph, refusal.from) + " and " + name(graph, refusal.to) +
              " aren't by tiles: " + refusal.reason,
          {{"From", name(graph, refusal.from)}, {"Reason", refusal.reason}});
    return false;
  }

  static const std::string &name(const Graph &graph, unsigned op) {
    return graph.problem.ops[op].name;
  }

  /// Simplifies corrections, which read more than they need.
  static LogicalResult simplify(func::FuncOp func) {
    RewritePatternSet patterns(func.getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::populateInlineConstantOperandsPatterns(patterns);
    return rewriteGreedily(func, std::move(patterns));
  }
};

} // namespace
