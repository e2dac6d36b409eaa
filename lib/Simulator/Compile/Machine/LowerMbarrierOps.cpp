//===- LowerMbarrierOps.cpp - carousel.mbarrier ops as calls ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartsLowering.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

namespace {

/// All forms of arrive are one function. Flags say drop and no_complete, and
/// negative bytes mean that none are expected.
template <typename Op> struct LowerArrive : public MachineLowering<Op> {
  using typename MachineLowering<Op>::Adaptor;
  LowerArrive(const LoweringContext &context, bool drops)
      : MachineLowering<Op>(context), drops(drops) {}
  LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MachineCall call = this->getCall(rewriter, op);
    Value count, bytes;
    int64_t noComplete = 0;
    if constexpr (llvm::is_one_of<Op, MbarrierArriveOp,
                                  MbarrierArriveDropOp>::value) {
      count = call.i32(adaptor.getCount(), op.getStaticCount().value_or(1));
      bytes = call.i64(-1);
      noComplete = op.getNoComplete();
    } else {
      count = call.i32(1);
      bytes = LLVM::ZExtOp::create(
          rewriter, op.getLoc(), rewriter.getI64Type(),
          call.i32(adaptor.getBytes(), op.getStaticBytes()));
    }
    Value state =
        call.emit("carousel_sim_mbarrier_arrive",
                  {this->getBarrier(rewriter, op, adaptor), count, bytes,
                   call.i32(op.getSemantics()), call.i32(op.getScope()),
                   call.i32(drops), call.i32(noComplete)},
                  rewriter.getI64Type());
    if (op.getState())
      rewriter.replaceOp(op, state);
    else
      rewriter.eraseOp(op);
    return success();
  }
  bool drops;
};

struct LowerPendingCount : public MachineLowering<MbarrierPendingCountOp> {
  CAROUSEL_SIM_LOWERING(MbarrierPendingCountOp)
  Value lower(MbarrierPendingCountOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getCall(rewriter, op)
        .emit("carousel_sim_mbarrier_pending_count", {adaptor.getState()},
              rewriter.getI32Type());
  }
};

template <typename Op> struct LowerWait : public MachineLowering<Op> {
  using typename MachineLowering<Op>::Adaptor;
  LowerWait(const LoweringContext &context, StringRef function)
      : MachineLowering<Op>(context), function(function) {}
  LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MachineCall call = this->getCall(rewriter, op);
    bool byParity = !adaptor.getState();
    Value phase = adaptor.getState();
    if (byParity)
      phase = LLVM::ZExtOp::create(rewriter, op.getLoc(), rewriter.getI64Type(),
                                   adaptor.getParity());
    constexpr bool hasResult = !std::is_same_v<Op, MbarrierWaitOp>;
    Value done = call.emit(function,
                           {this->getBarrier(rewriter, op, adaptor), phase,
                            call.i32(byParity), call.i32(op.getSemantics()),
                            call.i32(op.getScope())},
                           hasResult ? Type(rewriter.getI1Type()) : Type());
    if (hasResult)
      rewriter.replaceOp(op, done);
    else
      rewriter.eraseOp(op);
    return success();
  }
  StringRef function;
};

} // namespace

void sim::populateMbarrierOps(const LoweringContext &context,
                              RewritePatternSet &patterns) {
  patterns.add<PartsLowering<MbarrierInitOp, Part::Barrier, Part::Count>,
               PartsLowering<MbarrierInvalOp, Part::Barrier>,
               PartsLowering<MbarrierExpectTxOp, Part::Barrier, Part::Bytes>,
               PartsLowering<MbarrierCompleteTxOp, Part::Barrier, Part::Bytes>,
               LowerPendingCount>(context);
  patterns.add<LowerArrive<MbarrierArriveOp>,
               LowerArrive<MbarrierArriveExpectTxOp>>(context, /*drops=*/false);
  patterns.add<LowerArrive<MbarrierArriveDropOp>,
               LowerArrive<MbarrierArriveDropExpectTxOp>>(context,
                                                          /*drops=*/true);
  patterns.add<LowerWait<MbarrierTestWaitOp>>(
      context, "carousel_sim_mbarrier_test_wait");
  patterns.add<LowerWait<MbarrierTryWaitOp>>(context,
                                             "carousel_sim_mbarrier_try_wait");
  patterns.add<LowerWait<MbarrierWaitOp>>(context,
                                          "carousel_sim_mbarrier_wait");
}
