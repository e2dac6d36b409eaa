//===- UnrollGraphLoops.cpp - control flow around structured ops ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-unroll-graph-loops. A program has no control flow. Loops are
// unrolled, outer ones first, since trip counts of inner ones may depend on
// them. Both branches of conditions are computed, and one result is selected.
//
//===----------------------------------------------------------------------===//

#include "../Reading/GreedyRewrites.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_UNROLLGRAPHLOOPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// The longest loops, and their structured ops over all iterations: each may
/// become a kernel.
static constexpr uint64_t kMostTrips = 128, kMostOps = 4096;

/// The first op of the scf dialect between structured ops.
static Operation *findControlFlow(func::FuncOp func) {
  Operation *found = nullptr;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op) || isa<tensor::GenerateOp, tensor::PadOp>(op))
      return WalkResult::skip();
    if (!isa_and_present<scf::SCFDialect>(op->getDialect()))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static uint64_t countOps(Region &region);

/// Structured ops when loops inside are unrolled, as far as trip counts are
/// known; iterations without any count as one.
static uint64_t countOps(scf::ForOp loop) {
  return std::max<uint64_t>(countOps(loop.getRegion()), 1);
}

static uint64_t countOps(Region &region) {
  uint64_t count = 0;
  for (Operation &op : region.getOps()) {
    if (isa<linalg::LinalgOp>(op)) {
      count = llvm::SaturatingAdd<uint64_t>(count, 1);
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      count = llvm::SaturatingMultiplyAdd<uint64_t>(
          countOps(loop), trips ? trips->getLimitedValue() : 1, count);
      continue;
    }
    for (Region &inner : op.getRegions())
      count = llvm::SaturatingAdd(count, countOps(inner));
  }
  return count;
}

/// `written`: the structured ops of the function before any loop was unrolled.
static LogicalResult unroll(scf::ForOp loop, uint64_t written) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips)
    return loop.emitError("expected loops of a graph to have a trip count that "
                          "is a constant, got bounds that depend on data or on "
                          "unknown extents; compute the loop in the caller");
  uint64_t ops = countOps(loop), number = trips->getLimitedValue();
  if (number > kMostTrips ||
      llvm::SaturatingMultiply<uint64_t>(ops, number) > kMostOps)
    return loop.emitError("expected loops of a graph to have at most ")
           << kMostTrips << " iterations, and " << kMostOps
           << " structured ops when unrolled, got " << number
           << " iterations of " << ops
           << "; compute fewer iterations in each call";
  uint64_t all = countOps(loop->getParentOfType<func::FuncOp>().getBody());
  if (all > written && all - written > kMostOps)
    return loop.emitError("expected the loops of a graph to add at most ")
           << kMostOps << " structured ops when unrolled, got " << all - written
           << "; compute fewer iterations in each call";
  if (trips->isZero()) {
    loop->replaceAllUsesWith(loop.getInits());
    loop.erase();
    return success();
  }
  Location loc = loop.getLoc();
  if (failed(loopUnrollFull(loop)))
    return emitError(loc, "expected a loop that can be unrolled");
  return success();
}

/// Whether an op reads outside of a tensor, or stops a program, if it is
/// executed where the condition doesn't hold.
static bool needsCondition(Operation *op) {
  if (isa<tensor::ExtractOp, tensor::ExtractSliceOp, tensor::InsertOp,
          tensor::InsertSliceOp>(op) ||
      !isMemoryEffectFree(op))
    return true;
  // Their bodies are asked for each op. Loops that don't end are refused where
  // they are unrolled.
  if (isa<linalg::LinalgOp, tensor::GenerateOp, tensor::PadOp>(op) ||
      isa<scf::SCFDialect>(op->getDialect()))
    return false;
  return !op->hasTrait<OpTrait::IsTerminator>() && !isSpeculatable(op);
}

/// The first such op of a branch, at any depth, or null.
static Operation *findConditional(Block &branch) {
  Operation *found = nullptr;
  branch.walk([&](Operation *op) {
    if (!needsCondition(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static LogicalResult computeBoth(scf::IfOp op) {
  if (op->getNumResults() == 0)
    return op.emitError("expected conditions of a graph to have results, got "
                        "none");
  SmallVector<Value> chosen[2];
  for (auto [number, block] :
       llvm::enumerate(ArrayRef{op.thenBlock(), op.elseBlock()})) {
    if (Operation *inner = findConditional(*block)) {
      InFlightDiagnostic error = op.emitError(
          "expected branches that can both be computed (their ops may neither "
          "read elements or slices, nor divide by what may be 0, nor have "
          "effects)");
      error.attachNote(inner->getLoc()) << "got '" << inner->getName() << "'";
      return error;
    }
    Operation *end = block->getTerminator();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           block->getOperations(),
                                           block->begin(), end->getIterator());
    llvm::append_range(chosen[number], end->getOperands());
  }
  OpBuilder builder(op);
  for (auto [result, ifTrue, ifFalse] :
       llvm::zip_equal(op.getResults(), chosen[0], chosen[1]))
    result.replaceAllUsesWith(arith::SelectOp::create(
        builder, op.getLoc(), op.getCondition(), ifTrue, ifFalse));
  op.erase();
  return success();
}

namespace {

struct UnrollGraphLoops
    : public carousel::impl::UnrollGraphLoopsBase<UnrollGraphLoops> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!isGraph(func))
      return;
    uint64_t written = 0;
    func.walk([&](linalg::LinalgOp) { ++written; });
    while (Operation *op = findControlFlow(func))
      if (failed(remove(op, written)) || failed(simplify(func)))
        return signalPassFailure();
  }

  static bool isGraph(func::FuncOp func) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    return llvm::any_of(func.getArgumentTypes(), isTensor) ||
           llvm::any_of(func.getResultTypes(), isTensor);
  }

  LogicalResult remove(Operation *op, uint64_t written) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      ++unrolled;
      return unroll(loop, written);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      ++selected;
      return computeBoth(branch);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      IRRewriter rewriter(&getContext());
      rewriter.setInsertionPoint(loop);
      if (succeeded(scf::upliftWhileToForLoop(rewriter, loop)))
        return success();
    }
    return op->emitError(
               "expected loops of a graph to count to a constant, and "
               "conditions to be scf.if, got '")
           << op->getName() << "'; compute it in the caller";
  }

  /// Numbers of iterations are constants now.
  LogicalResult simplify(func::FuncOp func) {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa_and_nonnull<arith::ArithDialect, affine::AffineDialect,
                          scf::SCFDialect, tensor::TensorDialect>(
              &op.getDialect()))
        op.getCanonicalizationPatterns(patterns, context);
    return rewriteGreedily(func, std::move(patterns));
  }
};

} // namespace
