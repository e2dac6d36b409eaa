//===- LowerSyncOps.cpp - fences, barriers, clusters as calls ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartsLowering.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

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
