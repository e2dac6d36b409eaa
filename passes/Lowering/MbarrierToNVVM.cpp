//===- MbarrierToNVVM.cpp - mbarrier.* to NVVM ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sm_90 and later take NVVM's scoped ops. Before that only the plain forms
// exist, which NVVM selects for `arrive` alone; the others are LLVM's older
// intrinsics, or inline PTX. The intrinsics of release arrives and acquire
// waits claim all memory, which keeps ordinary accesses on their side.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

static constexpr unsigned kScopedSM = 90;
static constexpr unsigned kScopedPTX = 80;

//===----------------------------------------------------------------------===//
// Life and transactions
//===----------------------------------------------------------------------===//

namespace {

struct InitLowering : public NVVMLowering<MbarrierInitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierInitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = getBarrier(rewriter, op, adaptor);
    Value count =
        materializeI32(rewriter, loc, adaptor.getCount(), op.getStaticCount());
    rewriter.replaceOpWithNewOp<NVVM::MBarrierInitOp>(op, barrier, count,
                                                      Value());
    return success();
  }
};

struct InvalLowering : public NVVMLowering<MbarrierInvalOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierInvalOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value barrier = getBarrier(rewriter, op, adaptor);
    // The intrinsic claims the barrier's bytes only; their next use may have
    // another name.
    createCompilerFence(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<NVVM::MBarrierInvalOp>(op, barrier);
    createCompilerFence(rewriter, op.getLoc());
    return success();
  }
};

template <typename Op, typename NVVMOp>
struct TransactionLowering : public NVVMLowering<Op> {
  using NVVMLowering<Op>::NVVMLowering;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = this->getBarrier(rewriter, op, adaptor);
    Value bytes =
        materializeI32(rewriter, loc, adaptor.getBytes(), op.getStaticBytes());
    rewriter.replaceOpWithNewOp<NVVMOp>(op, barrier, bytes,
                                        getNVVMScope(op.getScope()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

template <typename Op> struct ArriveNames;
template <> struct ArriveNames<MbarrierArriveOp> {
  using Scoped = NVVM::MBarrierArriveOp;
  using NoComplete = NVVM::MBarrierArriveNocompleteOp;
  static constexpr StringLiteral plain{"llvm.nvvm.mbarrier.arrive.shared"};
};
template <> struct ArriveNames<MbarrierArriveDropOp> {
  using Scoped = NVVM::MBarrierArriveDropOp;
  using NoComplete = NVVM::MBarrierArriveDropNocompleteOp;
  static constexpr StringLiteral plain{"llvm.nvvm.mbarrier.arrive.drop.shared"};
};

template <typename Op> struct ArriveLowering : public NVVMLowering<Op> {
  using NVVMLowering<Op>::NVVMLowering;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    using Names = ArriveNames<Op>;
    Location loc = op.getLoc();
    Type i64 = rewriter.getI64Type();
    Value barrier = this->getBarrier(rewriter, op, adaptor);
    Value count = adaptor.getCount();
    if (op.getStaticCount())
      count = materializeI32(rewriter, loc, Value(), op.getStaticCount());

    Value state;
    if (op.getNoComplete()) {
      state = Names::NoComplete::create(rewriter, loc, i64, barrier, count);
    } else if (this->target.info->sm < kScopedSM ||
               this->target.ptx < kScopedPTX) {
      state = createIntrinsic(rewriter, loc, i64, Names::plain, barrier);
    } else {
      Type result = op.getState() ? i64 : Type();
      state = Names::Scoped::create(rewriter, loc, result, barrier, count,
                                    getNVVMScope(op.getScope()),
                                    op.getSemantics() == MemSemantics::Relaxed)
                  .getRes();
    }
    if (op.getState())
      rewriter.replaceOp(op, state);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct ArriveExpectTxLowering : public NVVMLowering<MbarrierArriveExpectTxOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierArriveExpectTxOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = getBarrier(rewriter, op, adaptor);
    Value bytes =
        materializeI32(rewriter, loc, adaptor.getBytes(), op.getStaticBytes());
    Type result = op.getState() ? rewriter.getI64Type() : Type();
    auto arrive = NVVM::MBarrierArriveExpectTxOp::create(
        rewriter, loc, result, barrier, bytes, getNVVMScope(op.getScope()),
        op.getSemantics() == MemSemantics::Relaxed, /*predicate=*/Value());
    if (op.getState())
      rewriter.replaceOp(op, arrive.getRes());
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct ArriveDropExpectTxLowering
    : public NVVMLowering<MbarrierArriveDropExpectTxOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierArriveDropExpectTxOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = getBarrier(rewriter, op, adaptor);
    Value bytes =
        materializeI32(rewriter, loc, adaptor.getBytes(), op.getStaticBytes());
    Type result = op.getState() ? rewriter.getI64Type() : Type();
    auto arrive = NVVM::MBarrierArriveDropExpectTxOp::create(
        rewriter, loc, result, barrier, bytes, getNVVMScope(op.getScope()),
        op.getSemantics() == MemSemantics::Relaxed);
    if (op.getState())
      rewriter.replaceOp(op, arrive.getRes());
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct PendingCountLowering : public NVVMLowering<MbarrierPendingCountOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierPendingCountOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createIntrinsic(rewriter, op.getLoc(),
                                           rewriter.getI32Type(),
                                           "llvm.nvvm.mbarrier.pending.count",
                                           adaptor.getState()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// The phase operand of NVVM's waits: the state, or the parity as an i32.
static Value getPhase(OpBuilder &builder, Location loc, Value state,
                      Value parity) {
  if (state)
    return state;
  return LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), parity);
}

/// One test of `barrier`, by the instruction that the target has.
static Value createTestWait(OpBuilder &builder, Location loc,
                            const TargetSpec &target, Value barrier,
                            Value phase, MemSemantics semantics,
                            MemScope scope) {
  Type i1 = builder.getI1Type();
  // LLVM takes the relaxed intrinsics for reads that may be merged.
  if (semantics == MemSemantics::Relaxed)
    createCompilerFence(builder, loc);
  if (target.info->sm >= kScopedSM)
    return NVVM::MBarrierTestWaitOp::create(builder, loc, i1, barrier, phase,
                                            getNVVMScope(scope),
                                            semantics == MemSemantics::Relaxed);
  if (phase.getType().isInteger(64))
    return createIntrinsic(builder, loc, i1,
                           "llvm.nvvm.mbarrier.test.wait.shared",
                           {barrier, phase});
  return createPTX(builder, loc, i1, {barrier, phase},
                   "mbarrier.test_wait.parity.shared.b64 $0, [$1], $2;");
}

struct TestWaitLowering : public NVVMLowering<MbarrierTestWaitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierTestWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = getBarrier(rewriter, op, adaptor);
    Value phase =
        getPhase(rewriter, loc, adaptor.getState(), adaptor.getParity());
    rewriter.replaceOp(op, createTestWait(rewriter, loc, target, barrier, phase,
                                          op.getSemantics(), op.getScope()));
    return success();
  }
};

struct TryWaitLowering : public NVVMLowering<MbarrierTryWaitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierTryWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = getBarrier(rewriter, op, adaptor);
    Value phase =
        getPhase(rewriter, loc, adaptor.getState(), adaptor.getParity());
    if (op.getSemantics() == MemSemantics::Relaxed)
      createCompilerFence(rewriter, loc); // as in createTestWait
    rewriter.replaceOpWithNewOp<NVVM::MBarrierTryWaitOp>(
        op, rewriter.getI1Type(), barrier, phase, adaptor.getSuspendNs(),
        getNVVMScope(op.getScope()),
        op.getSemantics() == MemSemantics::Relaxed);
    return success();
  }
};

/// scf.while { %done = wait; condition(not %done) } do {}
struct WaitLowering : public NVVMLowering<MbarrierWaitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MbarrierWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = getBarrier(rewriter, op, adaptor);
    Value phase =
        getPhase(rewriter, loc, adaptor.getState(), adaptor.getParity());
    auto before = [&](OpBuilder &builder, Location loc, ValueRange) {
      Value done;
      if (op.getSemantics() == MemSemantics::Relaxed)
        createCompilerFence(builder, loc); // as in createTestWait
      if (target.info->sm >= kScopedSM)
        done = NVVM::MBarrierTryWaitOp::create(
            builder, loc, builder.getI1Type(), barrier, phase,
            adaptor.getSuspendNs(), getNVVMScope(op.getScope()),
            op.getSemantics() == MemSemantics::Relaxed);
      else
        done = createTestWait(builder, loc, target, barrier, phase,
                              op.getSemantics(), op.getScope());
      Value yes =
          LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      Value again = LLVM::XOrOp::create(builder, loc, done, yes);
      scf::ConditionOp::create(builder, loc, again, ValueRange());
    };
    auto after = [](OpBuilder &builder, Location loc, ValueRange) {
      scf::YieldOp::create(builder, loc);
    };
    scf::WhileOp::create(rewriter, loc, TypeRange(), ValueRange(), before,
                         after);
    createCompilerFence(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateMbarrierToNVVM(const LLVMTypeConverter &converter,
                                      const TargetSpec &target,
                                      RewritePatternSet &patterns) {
  patterns.add<
      InitLowering, InvalLowering,
      TransactionLowering<MbarrierExpectTxOp, NVVM::MBarrierExpectTxOp>,
      TransactionLowering<MbarrierCompleteTxOp, NVVM::MBarrierCompleteTxOp>,
      ArriveLowering<MbarrierArriveOp>, ArriveLowering<MbarrierArriveDropOp>,
      ArriveExpectTxLowering, ArriveDropExpectTxLowering, PendingCountLowering,
      TestWaitLowering, TryWaitLowering, WaitLowering>(converter, target);
}
