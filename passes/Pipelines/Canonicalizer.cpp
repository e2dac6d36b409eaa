//===- Canonicalizer.cpp - the canonicalizer of pipelines -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns for scf.while make a new loop, drop the old one's
// discardable attributes, and move its body to the new one. A listener passes
// carousel.pipeline on with the body. It removes the attribute of a loop whose
// last transfer goes, as one in a loop of no iterations does.
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
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (previous.isSet())
      pass(previous.getBlock()->getParentOp(), op->getParentOp());
  }

  void notifyBlockInserted(Block *block, Region *previous,
                           Region::iterator) override {
    if (previous)
      pass(previous->getParentOp(), block->getParentOp());
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

  /// The new loop stands beside the old one. A loop that is inlined into
  /// another one has no pipeline any more.
  static void pass(Operation *from, Operation *to) {
    if (isa_and_nonnull<scf::WhileOp>(from) &&
        isa_and_nonnull<scf::WhileOp>(to) && from != to &&
        from->getBlock() == to->getBlock())
      if (Attribute request = from->getAttr(CarouselDialect::kPipeline))
        to->setAttr(CarouselDialect::kPipeline, request);
  }
};

} // namespace

/// Patterns of MLIR 22 that change results (docs/UpstreamFolds.md), or that
/// leave the block phase, which has no masked loads of vectors.
static constexpr const char *kUnwanted[] = {
    "(anonymous namespace)::ShapeCastBroadcastFolder",
    "(anonymous namespace)::FoldContiguousGather"};

std::unique_ptr<Pass> carousel::createPatternCanonicalizer() {
  static PipelineKeeper keeper;
  return createCanonicalizerPass(
      GreedyRewriteConfig()
          .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
          .setListener(&keeper),
      SmallVector<std::string>(std::begin(kUnwanted), std::end(kUnwanted)));
}
