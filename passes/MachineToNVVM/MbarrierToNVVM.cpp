//===- MbarrierToNVVM.cpp - mbarrier.* to NVVM ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For sm_90 and later, the ops become NVVM's scoped ops. Earlier chips have the
// plain forms only. NVVM emits those for `arrive` alone; the others become
// LLVM's older intrinsics or inline PTX. The intrinsics of release arrives and
// acquire waits may access all memory, so LLVM doesn't move ordinary accesses
// across them.
//
//===----------------------------------------------------------------------===//

#include "BoundedWaits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

static constexpr unsigned kScopedSM = 90;
static constexpr unsigned kScopedPTX = 80;

/// LLVM's relaxed intrinsics claim the barrier only, so that accesses could
/// move across them and repeated waits be merged. Makes `create`'s op between
/// two compiler fences where it is relaxed.
template <typename Create>
static auto createOrdered(OpBuilder &builder, Location loc,
                          MemSemantics semantics, Create create) {
  bool relaxed = semantics == MemSemantics::Relaxed;
  if (relaxed)
    createCompilerFence(builder, loc);
  auto op = create(relaxed);
  if (relaxed)
    createCompilerFence(builder, loc);
  return op;
}

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
      state =
          createOrdered(rewriter, loc, op.getSemantics(), [&](bool relaxed) {
            return Names::Scoped::create(rewriter, loc, result, barrier, count,
                                         getNVVMScope(op.getScope()), relaxed);
          }).getRes();
    }
    if (op.getState())
      rewriter.replaceOp(op, state);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

template <typename Op> struct ArriveExpectTxLowering : public NVVMLowering<Op> {
  using NVVMLowering<Op>::NVVMLowering;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = this->getBarrier(rewriter, op, adaptor);
    Value bytes =
        materializeI32(rewriter, loc, adaptor.getBytes(), op.getStaticBytes());
    Type result = op.getState() ? rewriter.getI64Type() : Type();
    NVVM::MemScopeKind scope = getNVVMScope(op.getScope());
    auto arrive =
        createOrdered(rewriter, loc, op.getSemantics(), [&](bool relaxed) {
          if constexpr (std::is_same_v<Op, MbarrierArriveExpectTxOp>)
            return NVVM::MBarrierArriveExpectTxOp::create(
                rewriter, loc, result, barrier, bytes, scope, relaxed,
                /*predicate=*/Value());
          else
            return NVVM::MBarrierArriveDropExpectTxOp::create(
                rewriter, loc, result, barrier, bytes, scope, relaxed);
        });
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
  if (target.info->sm >= kScopedSM)
    return createOrdered(builder, loc, semantics, [&](bool relaxed) {
      return NVVM::MBarrierTestWaitOp::create(builder, loc, i1, barrier, phase,
                                              getNVVMScope(scope), relaxed);
    });
  if (phase.getType().isInteger(64))
    return createIntrinsic(builder, loc, i1,
                           "llvm.nvvm.mbarrier.test.wait.shared",
                           {barrier, phase});
  return createPTX(builder, loc, i1, {barrier, phase},
                   "mbarrier.test_wait.parity.shared.b64 $0, [$1], $2;");
}

/// One try_wait, which the target has.
template <typename Op>
static Value createTryWait(OpBuilder &builder, Location loc, Op op,
                           Value barrier, Value phase, Value suspend) {
  return createOrdered(builder, loc, op.getSemantics(), [&](bool relaxed) {
    return NVVM::MBarrierTryWaitOp::create(
        builder, loc, builder.getI1Type(), barrier, phase, suspend,
        getNVVMScope(op.getScope()), relaxed);
  });
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
    rewriter.replaceOp(op, createTryWait(rewriter, loc, op, barrier, phase,
                                         adaptor.getSuspendNs()));
    return success();
  }
};

/// scf.while { %done = wait; condition(not %done) } do {}
struct WaitLowering : public NVVMLowering<MbarrierWaitOp> {
  WaitLowering(const LLVMTypeConverter &converter, const TargetSpec &target,
               const WaitBound &bound)
      : NVVMLowering(converter, target), bound(bound) {}

  LogicalResult
  matchAndRewrite(MbarrierWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = getBarrier(rewriter, op, adaptor);
    Value phase =
        getPhase(rewriter, loc, adaptor.getState(), adaptor.getParity());
    WaitPlace place;
    place.wait = op;
    place.indices = adaptor.getIndices();
    place.awaited = adaptor.getBarriers();
    if (adaptor.getParity())
      place.phase = phase;
    createWaitLoop(
        rewriter, loc, bound, place, [&](OpBuilder &builder, Location loc) {
          Value done;
          if (target.info->sm >= kScopedSM)
            done = createTryWait(builder, loc, op, barrier, phase,
                                 adaptor.getSuspendNs());
          else
            done = createTestWait(builder, loc, target, barrier, phase,
                                  op.getSemantics(), op.getScope());
          Value yes =
              LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
          return LLVM::XOrOp::create(builder, loc, done, yes).getResult();
        });
    createCompilerFence(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  WaitBound bound;
};

} // namespace

void carousel::populateMbarrierToNVVM(const LLVMTypeConverter &converter,
                                      const TargetSpec &target,
                                      const WaitBound &bound,
                                      RewritePatternSet &patterns) {
  patterns.add<
      InitLowering, InvalLowering,
      TransactionLowering<MbarrierExpectTxOp, NVVM::MBarrierExpectTxOp>,
      TransactionLowering<MbarrierCompleteTxOp, NVVM::MBarrierCompleteTxOp>,
      ArriveLowering<MbarrierArriveOp>, ArriveLowering<MbarrierArriveDropOp>,
      ArriveExpectTxLowering<MbarrierArriveExpectTxOp>,
      ArriveExpectTxLowering<MbarrierArriveDropExpectTxOp>,
      PendingCountLowering, TestWaitLowering, TryWaitLowering>(converter,
                                                               target);
  patterns.add<WaitLowering>(converter, target, bound);
}
