//===- SignalToNVVM.cpp - signals between GPUs to NVVM --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters are read and set by atomic loads and stores of LLVM, and increased
// by inline PTX, all at system scope. A wait sleeps between its tests, because
// the value changes over NVLink.
//
//===----------------------------------------------------------------------===//

#include "BoundedWaits.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

/// The pause of a thread between two tests.
static constexpr StringLiteral kSleep = "nanosleep.u32 32;";

static unsigned getBytes(Value counter) {
  return counter.getType().getIntOrFloatBitWidth() / 8;
}

namespace {

struct SignalReleaseLowering : public NVVMLowering<SignalReleaseOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(SignalReleaseOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value counter = getPointer(rewriter, loc, op.getCounters(),
                               adaptor.getCounters(), adaptor.getIndices());
    Value value = adaptor.getValue();
    bool releases = op.getSemantics() == MemSemantics::Release;
    if (op.getAdd()) {
      createPTX(rewriter, loc, Type(), {counter, value},
                Twine("red.") + (releases ? "release" : "relaxed") +
                    ".sys.global.add.u" + Twine(8 * getBytes(value)) +
                    " [$0], $1;");
      rewriter.eraseOp(op);
      return success();
    }
    createCompilerFence(rewriter, loc);
    LLVM::StoreOp::create(rewriter, loc, value, counter, getBytes(value),
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false,
                          releases ? LLVM::AtomicOrdering::release
                                   : LLVM::AtomicOrdering::monotonic);
    rewriter.eraseOp(op);
    return success();
  }
};

struct SignalWaitLowering : public NVVMLowering<SignalWaitOp> {
  SignalWaitLowering(const LLVMTypeConverter &converter,
                     const TargetSpec &target, const WaitBound &bound)
      : NVVMLowering(converter, target), bound(bound) {}

  LogicalResult
  matchAndRewrite(SignalWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value counter = getPointer(rewriter, loc, op.getCounters(),
                               adaptor.getCounters(), adaptor.getIndices());
    bool acquires = op.getSemantics() == MemSemantics::Acquire;
    Value value = adaptor.getValue();
    auto hasReached = [&](OpBuilder &builder, Location loc) -> Value {
      Value now = LLVM::LoadOp::create(
          builder, loc, value.getType(), counter, getBytes(value),
          /*isVolatile=*/false, /*isNonTemporal=*/false,
          /*isInvariant=*/false, /*isInvariantGroup=*/false,
          acquires ? LLVM::AtomicOrdering::acquire
                   : LLVM::AtomicOrdering::monotonic);
      Value ahead = LLVM::SubOp::create(builder, loc, now, value);
      Value zero = LLVM::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(value.getType(), 0));
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sge, ahead,
                                  zero);
    };
    if (op.getTimeout()) {
      Value reached =
          createTimedLoop(rewriter, loc, adaptor.getTimeout(), hasReached);
      createCompilerFence(rewriter, loc);
      rewriter.replaceOp(op, reached);
      return success();
    }
    WaitPlace place;
    place.wait = op;
    place.indices = adaptor.getIndices();
    place.awaited = adaptor.getCounters();
    place.phase = value;
    if (getBytes(value) == 8)
      place.phase =
          LLVM::TruncOp::create(rewriter, loc, rewriter.getI32Type(), value);
    createWaitLoop(rewriter, loc, bound, place,
                   [&](OpBuilder &builder, Location loc) -> Value {
                     Value mustWait =
                         negate(builder, loc, hasReached(builder, loc));
                     auto branch = scf::IfOp::create(builder, loc, mustWait,
                                                     /*withElseRegion=*/false);
                     OpBuilder inside(branch.thenBlock()->getTerminator());
                     createPTX(inside, loc, Type(), {}, kSleep);
                     return mustWait;
                   });
    createCompilerFence(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value negate(OpBuilder &builder, Location loc, Value bit) {
    Value yes =
        LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return LLVM::XOrOp::create(builder, loc, bit, yes);
  }

  /// Tests until the time is over. The clock is read after the first test that
  /// fails.
  static Value createTimedLoop(OpBuilder &builder, Location loc, Value timeout,
                               WaitTest hasReached) {
    Type i1 = builder.getI1Type(), i64 = builder.getI64Type();
    Value first = hasReached(builder, loc);
    auto known = scf::IfOp::create(
        builder, loc, first,
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, first);
        },
        [&](OpBuilder &builder, Location loc) {
          Value start = NVVM::GlobalTimerOp::create(builder, loc, i64);
          auto before = [&](OpBuilder &builder, Location loc, ValueRange) {
            // The time comes first: a late thread tests once more.
            Value now = NVVM::GlobalTimerOp::create(builder, loc, i64);
            Value elapsed = LLVM::SubOp::create(builder, loc, now, start);
            Value isLate = LLVM::ICmpOp::create(
                builder, loc, LLVM::ICmpPredicate::ugt, elapsed, timeout);
            Value reached = hasReached(builder, loc);
            Value isOver = LLVM::OrOp::create(builder, loc, reached, isLate);
            scf::ConditionOp::create(builder, loc, negate(builder, loc, isOver),
                                     reached);
          };
          auto after = [&](OpBuilder &builder, Location loc, ValueRange) {
            createPTX(builder, loc, Type(), {}, kSleep);
            scf::YieldOp::create(builder, loc);
          };
          auto loop = scf::WhileOp::create(builder, loc, TypeRange(i1),
                                           ValueRange(), before, after);
          scf::YieldOp::create(builder, loc, loop.getResults());
        });
    return known.getResult(0);
  }

  WaitBound bound;
};

} // namespace

void carousel::populateSignalToNVVM(const LLVMTypeConverter &converter,
                                    const TargetSpec &target,
                                    const WaitBound &bound,
                                    RewritePatternSet &patterns) {
  patterns.add<SignalReleaseLowering>(converter, target);
  patterns.add<SignalWaitLowering>(converter, target, bound);
}
