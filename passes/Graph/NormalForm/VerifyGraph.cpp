//===- VerifyGraph.cpp - the normal form of graphs ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-verify-graph. Closes --carousel-normalize-graph.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Reading/FusedOps.h"
#include "../Shapes/Patterns.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Says what is in no normal form, or nothing.
static StringRef findFault(Operation *op) {
  if (isa<tensor::PadOp, tensor::ConcatOp>(op))
    return "fills and copies in place of pads and concatenations";
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics())
    return "";
  if (!isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp>(op) &&
      !isWindow(op))
    return "linalg.generic, linalg.fill, linalg.transpose or a pooling";
  if (!structured.getBlock()->getOps<cf::AssertOp>().empty())
    return "no checks of elements";
  for (OpOperand &init : structured.getDpsInitsMutable())
    if (isa<linalg::GenericOp>(op) && isPointwise(op) &&
        structured.payloadUsesValueFromOperand(&init))
      return "inputs in place of inits that an op without reductions reads";
  return "";
}

namespace {
struct VerifyGraph : public carousel::impl::VerifyGraphBase<VerifyGraph> {
  using VerifyGraphBase::VerifyGraphBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    WalkResult result = func.walk([](Operation *op) {
      StringRef expected = findFault(op);
      if (expected.empty())
        return WalkResult::advance();
      op->emitOpError("expected the normal form of graphs, with ") << expected;
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    DecisionLog log(func, "carousel-normalize-graph");
    noteBroadcasts(func, log);
  }
};

} // namespace
