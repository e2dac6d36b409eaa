//===- LowerGPUOps.cpp - reductions and shuffles, asynchronous copies -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies upstream's lowerings of reductions to shuffles, and makes shuffles of
// narrow types ones of 32 bits, which is what the hardware shuffles. The
// asynchronous copies of nvgpu become this dialect's.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/AsyncCopies.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/HardwareRules.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERGPUOPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static constexpr unsigned kShuffleBits = 32;

/// `value`, of at most 32 bits, as an i32.
static Value widen(OpBuilder &builder, Location loc, Value value) {
  Type i32 = builder.getI32Type();
  if (isa<VectorType>(value.getType())) {
    Value word = vector::BitCastOp::create(builder, loc,
                                           VectorType::get({1}, i32), value);
    return vector::ExtractOp::create(builder, loc, word, 0);
  }
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (!isa<IntegerType>(value.getType()))
    value = arith::BitcastOp::create(builder, loc, builder.getIntegerType(bits),
                                     value);
  return arith::ExtUIOp::create(builder, loc, i32, value);
}

/// The inverse of widen.
static Value narrow(OpBuilder &builder, Location loc, Value word, Type type) {
  if (isa<VectorType>(type)) {
    Value vector = vector::BroadcastOp::create(
        builder, loc, VectorType::get({1}, word.getType()), word);
    return vector::BitCastOp::create(builder, loc, type, vector);
  }
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  Value value = arith::TruncIOp::create(builder, loc, bits, word);
  if (isa<IntegerType>(type))
    return value;
  return arith::BitcastOp::create(builder, loc, type, value);
}

namespace {

struct ShuffleOfNarrowType : public OpRewritePattern<gpu::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::ShuffleOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getValue().getType();
    bool fits = false;
    if (auto vector = dyn_cast<VectorType>(type))
      fits = vector.getNumElements() * vector.getElementTypeBitWidth() ==
             kShuffleBits;
    else
      fits = type.getIntOrFloatBitWidth() < kShuffleBits;
    if (!fits)
      return rewriter.notifyMatchFailure(op, "not a narrow type");
    Location loc = op.getLoc();
    Value word = widen(rewriter, loc, op.getValue());
    auto shuffle = gpu::ShuffleOp::create(rewriter, loc, word, op.getOffset(),
                                          op.getWidth(), op.getMode());
    Value value = narrow(rewriter, loc, shuffle.getShuffleResult(), type);
    rewriter.replaceOp(op, {value, shuffle.getValid()});
    return success();
  }
};

struct SubgroupSizeIsConstant : public OpRewritePattern<gpu::SubgroupSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::SubgroupSizeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, rules::kWarpSize);
    return success();
  }
};

struct LowerGPUOps : public carousel::impl::LowerGPUOpsBase<LowerGPUOps> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    patterns.add<ShuffleOfNarrowType, SubgroupSizeIsConstant>(context);
    populateGpuRewritePatterns(patterns);
    populateGpuBreakDownSubgroupReducePatterns(
        patterns, /*maxShuffleBitwidth=*/kShuffleBits);
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, rules::kWarpSize,
                                                    kShuffleBits);
    populateGpuLowerClusteredSubgroupReduceToShufflePatterns(
        patterns, rules::kWarpSize, kShuffleBits);
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
              return isa<gpu::AllReduceOp, gpu::GlobalIdOp, gpu::ShuffleOp,
                         gpu::SubgroupReduceOp, gpu::SubgroupSizeOp>(op)
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
