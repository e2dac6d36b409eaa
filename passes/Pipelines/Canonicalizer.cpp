//===- Canonicalizer.cpp - canonicalization in pipelines ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-canonicalize. There is no region simplification, which looks for
// blocks to merge and block arguments to drop after each round of patterns:
// structured control flow has none.
//
// Upstream's patterns for scf.while make a new loop, drop the old one's
// discardable attributes, and move its body to the new one. A listener passes
// carousel.pipeline on with the body. It removes the attribute of a loop whose
// last transfer goes, as one in a loop of no iterations does.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_CANONICALIZE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

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

/// A pattern of upstream, but for ops that `isKept` holds of.
class Unless : public RewritePattern {
public:
  Unless(std::unique_ptr<RewritePattern> pattern, bool (*isKept)(Operation *))
      : RewritePattern(pattern->getRootKind()->getStringRef(),
                       pattern->getBenefit(), pattern->getContext()),
        pattern(std::move(pattern)), isKept(isKept) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return isKept(op) ? failure() : pattern->matchAndRewrite(op, rewriter);
  }

private:
  std::unique_ptr<RewritePattern> pattern;
  bool (*isKept)(Operation *);
};

/// A pipelined loop of one iteration has a ring.
bool isPipelinedOnce(Operation *op) {
  return op->hasAttr(CarouselDialect::kPipeline) &&
         cast<scf::ForOp>(op).getStaticTripCount() == APInt(64, 1);
}

/// Where the mask doesn't hold, upstream takes the source, and not the
/// accumulator (docs/UpstreamFolds.md).
bool isMasked(Operation *op) {
  return cast<vector::MaskableOpInterface>(op).isMasked();
}

struct Restriction {
  StringRef pattern;
  bool (*isKept)(Operation *);
};

constexpr Restriction kRestrictions[] = {
    {"(anonymous namespace)::SimplifyTrivialLoops", isPipelinedOnce},
    {"(anonymous namespace)::ElideUnitDimsInMultiDimReduction", isMasked}};

/// Patterns of MLIR 22 that change results (docs/UpstreamFolds.md), or that
/// leave the block phase, which has no masked loads of vectors.
constexpr const char *kUnwanted[] = {
    "(anonymous namespace)::ShapeCastBroadcastFolder",
    "(anonymous namespace)::FoldContiguousGather"};

class Canonicalize : public carousel::impl::CanonicalizeBase<Canonicalize> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(set, context);
    for (std::unique_ptr<RewritePattern> &pattern : set.getNativePatterns())
      for (auto [name, isKept] : kRestrictions)
        if (pattern->getDebugName() == name)
          pattern = std::make_unique<Unless>(std::move(pattern), isKept);
    patterns = FrozenRewritePatternSet(
        std::move(set),
        SmallVector<std::string>(std::begin(kUnwanted), std::end(kUnwanted)));
    return success();
  }

  void runOnOperation() override {
    static PipelineKeeper keeper;
    // As upstream's pass, this one doesn't ask for convergence.
    (void)applyPatternsGreedily(
        getOperation(), patterns,
        GreedyRewriteConfig()
            .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
            .setListener(&keeper));
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
