//===- Canonicalizer.cpp - the canonicalizer of pipelines -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns for scf.while make a new loop and drop the old one's
// discardable attributes. A listener passes carousel.pipeline on. It removes
// the attribute of a loop whose last transfer goes, as one in a loop of no
// iterations does.
//
//===----------------------------------------------------------------------===//

#include "Canonicalizer.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Has no state: pipelines of several threads share it.
struct PipelineKeeper : public RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, Operation *replacement) override {
    pass(op, replacement);
  }

  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    // Otherwise the loop is gone: its body has moved nowhere.
    auto old = dyn_cast<scf::WhileOp>(op);
    if (!old || (!old.getAfter().empty() && !old.getAfterBody()->empty()))
      return;
    for (Value value : values)
      if (auto loop = value.getDefiningOp<scf::WhileOp>())
        return pass(op, loop);
    // The results say nothing. The new loop stands before the old one.
    Operation *before = op->getPrevNode();
    while (before && !isa<scf::WhileOp>(before))
      before = before->getPrevNode();
    if (before)
      pass(op, before);
  }

  void notifyOperationErased(Operation *op) override {
    auto transfer = dyn_cast<TransferOpInterface>(op);
    if (!transfer)
      return;
    for (Operation *loop = op->getParentOp(); loop;
         loop = loop->getParentOp()) {
      auto pipeline =
          loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
      if (!pipeline || pipeline.getScope() != transfer.getScope())
        continue;
      auto isOther = [&](TransferOpInterface other) {
        return other != transfer && other.getScope() == pipeline.getScope()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      };
      if (!loop->walk(isOther).wasInterrupted())
        loop->removeAttr(CarouselDialect::kPipeline);
    }
  }

  static void pass(Operation *from, Operation *to) {
    Attribute request = from->getAttr(CarouselDialect::kPipeline);
    if (request && from != to && isa<scf::WhileOp>(from) &&
        isa<scf::WhileOp>(to) && !to->hasAttr(CarouselDialect::kPipeline))
      to->setAttr(CarouselDialect::kPipeline, request);
  }
};

} // namespace

std::unique_ptr<Pass> carousel::createPatternCanonicalizer() {
  static PipelineKeeper keeper;
  return createCanonicalizerPass(
      GreedyRewriteConfig()
          .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
          .setListener(&keeper));
}
