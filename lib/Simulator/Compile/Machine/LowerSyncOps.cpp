//===- LowerSyncOps.cpp - mbarriers, fences and signals -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the machine's mbarriers, fences, signals and turns, with the parts
// of each op as arguments.
//
//===----------------------------------------------------------------------===//

#include "PartsLowering.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"

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

namespace {

struct LowerElect : public MachineLowering<ElectOp> {
  CAROUSEL_SIM_LOWERING(ElectOp)
  Value lower(ElectOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Value mask = adaptor.getMask();
    return call.emit("carousel_sim_elect", {mask ? mask : call.i32(0)},
                     rewriter.getI1Type());
  }
};

struct LowerBarrierSync : public MachineLowering<BarrierSyncOp> {
  CAROUSEL_SIM_LOWERING(BarrierSyncOp)
  Value lower(BarrierSyncOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_barrier_sync",
                     {call.i32(adaptor.getId(), op.getStaticId()),
                      call.i32(op.getThreads().value_or(0))});
  }
};

struct LowerBarrierArrive : public MachineLowering<BarrierArriveOp> {
  CAROUSEL_SIM_LOWERING(BarrierArriveOp)
  Value lower(BarrierArriveOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_barrier_arrive",
                     {call.i32(adaptor.getId(), op.getStaticId()),
                      call.i32(op.getThreads())});
  }
};

struct LowerSetMaxRegisters : public MachineLowering<SetMaxRegistersOp> {
  CAROUSEL_SIM_LOWERING(SetMaxRegistersOp)
  Value lower(SetMaxRegistersOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_set_max_registers",
                     {call.i32(op.getChange() == RegisterChange::Increase),
                      call.i32(op.getRegisters())});
  }
};

struct LowerClusterRank : public MachineLowering<ClusterRankOp> {
  CAROUSEL_SIM_LOWERING(ClusterRankOp)
  Value lower(ClusterRankOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getCall(rewriter, op)
        .emit("carousel_sim_cluster_rank", {}, rewriter.getI32Type());
  }
};

struct LowerClusterSize : public MachineLowering<ClusterSizeOp> {
  CAROUSEL_SIM_LOWERING(ClusterSizeOp)
  Value lower(ClusterSizeOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getCall(rewriter, op)
        .emit("carousel_sim_cluster_size", {}, rewriter.getI32Type());
  }
};

struct LowerMapShared : public MachineLowering<ClusterMapSharedOp> {
  CAROUSEL_SIM_LOWERING(ClusterMapSharedOp)
  Value lower(ClusterMapSharedOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Location loc = op.getLoc();
    MemRefDescriptor descriptor(adaptor.getSource());
    Value pointer =
        call.emit("carousel_sim_map_shared",
                  {descriptor.alignedPtr(rewriter, loc), adaptor.getRank()},
                  LLVM::LLVMPointerType::get(rewriter.getContext()));
    descriptor.setAllocatedPtr(rewriter, loc, pointer);
    descriptor.setAlignedPtr(rewriter, loc, pointer);
    return descriptor;
  }
};

struct LowerRankOf : public MachineLowering<ClusterRankOfOp> {
  CAROUSEL_SIM_LOWERING(ClusterRankOfOp)
  Value lower(ClusterRankOfOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MemRefDescriptor descriptor(adaptor.getSource());
    return getCall(rewriter, op)
        .emit("carousel_sim_rank_of",
              {descriptor.alignedPtr(rewriter, op.getLoc())},
              rewriter.getI32Type());
  }
};

struct LowerClusterArrive : public MachineLowering<ClusterArriveOp> {
  CAROUSEL_SIM_LOWERING(ClusterArriveOp)
  Value lower(ClusterArriveOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_cluster_arrive",
                     {call.i32(op.getSemantics() == MemSemantics::Release)});
  }
};

static Value toI64(ConversionPatternRewriter &rewriter, Location loc,
                   Value value) {
  Type i64 = rewriter.getI64Type();
  if (value.getType() == i64)
    return value;
  return LLVM::SExtOp::create(rewriter, loc, i64, value);
}

static int64_t countBytes(Value counter) {
  return counter.getType().getIntOrFloatBitWidth() / 8;
}

struct LowerSignal : public MachineLowering<SignalReleaseOp> {
  CAROUSEL_SIM_LOWERING(SignalReleaseOp)
  Value lower(SignalReleaseOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value counter = getPointer(rewriter, loc, op.getCounters(),
                               adaptor.getCounters(), adaptor.getIndices());
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_signal",
                     {counter, toI64(rewriter, loc, adaptor.getValue()),
                      call.i32(countBytes(op.getValue())),
                      call.i32(op.getAdd()),
                      call.i32(op.getSemantics() == MemSemantics::Release)});
  }
};

struct LowerSignalWait : public MachineLowering<SignalWaitOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(SignalWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value counter = getPointer(rewriter, loc, op.getCounters(),
                               adaptor.getCounters(), adaptor.getIndices());
    MachineCall call = getCall(rewriter, op);
    Value timeout = adaptor.getTimeout();
    Value reached = call.emit(
        "carousel_sim_wait_signal",
        {counter, toI64(rewriter, loc, adaptor.getValue()),
         timeout ? timeout : call.i64(-1), call.i32(countBytes(op.getValue())),
         call.i32(op.getSemantics() == MemSemantics::Acquire)},
        rewriter.getI1Type());
    if (op.getReached())
      rewriter.replaceOp(op, reached);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct LowerTicket : public MachineLowering<GridTicketOp> {
  CAROUSEL_SIM_LOWERING(GridTicketOp)
  Value lower(GridTicketOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    Value counter = getPointer(rewriter, op.getLoc(), op.getCounters(),
                               adaptor.getCounters(), adaptor.getIndices());
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_grid_ticket",
                     {counter, adaptor.getTotal(), call.i32(op.getAcqRel())},
                     rewriter.getI64Type());
  }
};

template <typename Op> struct LowerDependency : public MachineLowering<Op> {
  LowerDependency(const LoweringContext &context, StringRef function)
      : MachineLowering<Op>(context), function(function) {}
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    this->getCall(rewriter, op).emit(function, {});
    rewriter.eraseOp(op);
    return success();
  }
  StringRef function;
};

} // namespace

void sim::populateSyncOps(const LoweringContext &context,
                          RewritePatternSet &patterns) {
  patterns.add<PartsLowering<FenceThreadOp, Part::Semantics, Part::Scope>,
               PartsLowering<FenceProxyOp, Part::Proxy>,
               PartsLowering<FenceMbarrierInitOp>,
               PartsLowering<FenceSyncRestrictOp, Part::Semantics>,
               PartsLowering<FenceProxySyncRestrictOp, Part::Semantics>,
               PartsLowering<FenceTensorMapReleaseOp, Part::Scope>,
               PartsLowering<FenceTensorMapAcquireOp, Part::Map, Part::Scope>,
               PartsLowering<BarrierWarpOp, Part::Mask>,
               PartsLowering<ClusterWaitOp>,
               PartsLowering<GridSerialWaitOp, Part::Semaphore, Part::Turn>,
               PartsLowering<GridSerialReleaseOp, Part::Semaphore, Part::Turn>>(
      context);
  patterns.add<LowerDependency<GridLaunchDependentsOp>>(
      context, "carousel_sim_launch_dependents");
  patterns.add<LowerDependency<GridDependencyWaitOp>>(
      context, "carousel_sim_dependency_wait");
  patterns.add<LowerElect, LowerBarrierSync, LowerBarrierArrive,
               LowerSetMaxRegisters, LowerClusterRank, LowerClusterSize,
               LowerMapShared, LowerRankOf, LowerClusterArrive, LowerTicket,
               LowerSignal, LowerSignalWait>(context);
}
