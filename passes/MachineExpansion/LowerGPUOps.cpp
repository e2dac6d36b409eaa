//===- LowerGPUOps.cpp - lower collective and asynchronous gpu ops --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the patterns of GPUCollectives.h for collective ops, most of which
// upstream doesn't lower. Promotes arguments of printf, and expands assertions.
// Converts the asynchronous copies of nvgpu to those of this dialect.
//
//===----------------------------------------------------------------------===//

#include "GPUCollectives.h"

#include "carousel/Dialect/IR/AsyncCopies.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERGPUOPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct LowerGPUOps : public carousel::impl::LowerGPUOpsBase<LowerGPUOps> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateShufflesOfWords(patterns);
    populateSubgroupNumbers(patterns);
    populateAllReduce(patterns);
    populateAssertions(patterns);
    populatePrintfArguments(patterns);
    populateGpuGlobalIdPatterns(patterns);
    populateSubgroupReduce(patterns);
    frozen = std::move(patterns);
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerGPUOpsBase::getDependentDialects(registry);
    registry.insert<CarouselDialect>();
  }

  void runOnOperation() override {
    // C197
    if (failed(lowerAsyncCopies(getOperation())))
      return signalPassFailure();
    // Going over all ops in search of these is most of what it would cost.
    bool isNeeded =
        getOperation()
            ->walk([](Operation *op) {
              return isa<cf::AssertOp, gpu::AllReduceOp, gpu::GlobalIdOp,
                         gpu::NumSubgroupsOp, gpu::PrintfOp, gpu::RotateOp,
                         gpu::ShuffleOp, gpu::SubgroupBroadcastOp,
                         gpu::SubgroupIdOp, gpu::SubgroupReduceOp,
                         gpu::SubgroupSizeOp>(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (isNeeded && failed(applyPatternsGreedily(getOperation(), frozen)))
      signalPassFailure();
  }

  FrozenRewritePatternSet frozen;
};

} // namespace
