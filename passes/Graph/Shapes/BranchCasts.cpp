//===- BranchCasts.cpp - casts of what a branch reads ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BranchCasts.h.
//
//===----------------------------------------------------------------------===//

#include "BranchCasts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace carousel;

namespace {

struct CastInBranch : public OpInterfaceRewritePattern<CastOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(CastOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return rewriter.notifyMatchFailure(op, "no cast of floats");
    auto branch = op->getOperand(0).getDefiningOp<scf::IfOp>();
    if (!branch || branch->getNumResults() != 1 || !branch->hasOneUse() ||
        branch->getBlock() != op->getBlock())
      return rewriter.notifyMatchFailure(op, "no branch of its own");
    rewriter.setInsertionPoint(branch);
    auto moved = scf::IfOp::create(rewriter, branch.getLoc(),
                                   op->getResultTypes(), branch.getCondition(),
                                   /*addThenBlock=*/false,
                                   /*addElseBlock=*/false);
    for (auto [from, to] :
         {std::pair(&branch.getThenRegion(), &moved.getThenRegion()),
          std::pair(&branch.getElseRegion(), &moved.getElseRegion())}) {
      rewriter.inlineRegionBefore(*from, *to, to->begin());
      Operation *yield = to->front().getTerminator();
      rewriter.setInsertionPoint(yield);
      IRMapping mapping;
      mapping.map(op->getOperand(0), yield->getOperand(0));
      Operation *cast = rewriter.clone(*op, mapping);
      rewriter.modifyOpInPlace(
          yield, [&] { yield->setOperand(0, cast->getResult(0)); });
    }
    rewriter.replaceOp(op, moved.getResults());
    rewriter.eraseOp(branch);
    return success();
  }
};

} // namespace

void carousel::populateBranchCastPatterns(RewritePatternSet &patterns) {
  patterns.add<CastInBranch>(patterns.getContext());
}
