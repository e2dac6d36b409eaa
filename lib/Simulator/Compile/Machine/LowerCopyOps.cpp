//===- LowerCopyOps.cpp - bulk copies and cp.async as calls -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cache policies and prefetches into caches have no effect here, but the size
// and address of a bulk prefetch are checked. An absent mask is passed as -1.
//
//===----------------------------------------------------------------------===//

#include "MachineLowering.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

template <typename Enum> static int64_t number(Enum value) {
  return static_cast<int64_t>(value);
}

static uint64_t getBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getBytes(vector.getElementType());
  return type.getIntOrFloatBitWidth() / 8;
}

Value sim::storeSpilled(ConversionPatternRewriter &rewriter, Operation *op,
                        Value value) {
  Location loc = op->getLoc();
  Value slot;
  {
    // At the function's start, because an alloca in a loop would grow the
    // stack.
    auto function = op->getParentOfType<FunctionOpInterface>();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    Value one =
        LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(1));
    slot = LLVM::AllocaOp::create(
        rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()),
        value.getType(), one, /*alignment=*/16);
  }
  LLVM::StoreOp::create(rewriter, loc, value, slot);
  return slot;
}

namespace {

struct LowerBulkLoad : public MachineLowering<BulkLoadOp> {
  CAROUSEL_SIM_LOWERING(BulkLoadOp)
  Value lower(BulkLoadOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Value mask = adaptor.getMulticastMask();
    return call.emit("carousel_sim_bulk_load",
                     {getSource(rewriter, op, adaptor),
                      getDestination(rewriter, op, adaptor),
                      call.i32(adaptor.getSize(), op.getStaticSize()),
                      getSignalled(rewriter, op, adaptor),
                      mask ? mask : call.i32(-1)});
  }
};

struct LowerBulkStore : public MachineLowering<BulkStoreOp> {
  CAROUSEL_SIM_LOWERING(BulkStoreOp)
  Value lower(BulkStoreOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Value mask = adaptor.getByteMask();
    return call.emit("carousel_sim_bulk_store",
                     {getSource(rewriter, op, adaptor),
                      getDestination(rewriter, op, adaptor),
                      call.i32(adaptor.getSize(), op.getStaticSize()),
                      mask ? mask : call.i32(-1)});
  }
};

struct LowerBulkCopyCluster : public MachineLowering<BulkCopyClusterOp> {
  CAROUSEL_SIM_LOWERING(BulkCopyClusterOp)
  Value lower(BulkCopyClusterOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_bulk_copy_cluster",
                     {getSource(rewriter, op, adaptor),
                      getDestination(rewriter, op, adaptor),
                      call.i32(adaptor.getSize(), op.getStaticSize()),
                      getSignalled(rewriter, op, adaptor)});
  }
};

struct LowerBulkReduce : public MachineLowering<BulkReduceOp> {
  CAROUSEL_SIM_LOWERING(BulkReduceOp)
  Value lower(BulkReduceOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_bulk_reduce",
                     {call.i32(number(op.getKind())),
                      call.i32(number(op.getType())),
                      getSource(rewriter, op, adaptor),
                      getDestination(rewriter, op, adaptor),
                      call.i32(adaptor.getSize(), op.getStaticSize())});
  }
};

struct LowerBulkReduceCluster : public MachineLowering<BulkReduceClusterOp> {
  CAROUSEL_SIM_LOWERING(BulkReduceClusterOp)
  Value lower(BulkReduceClusterOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_bulk_reduce_cluster",
                     {call.i32(number(op.getKind())),
                      call.i32(number(op.getType())),
                      getSource(rewriter, op, adaptor),
                      getDestination(rewriter, op, adaptor),
                      call.i32(adaptor.getSize(), op.getStaticSize()),
                      getSignalled(rewriter, op, adaptor)});
  }
};

struct LowerBulkPrefetch : public MachineLowering<BulkPrefetchOp> {
  CAROUSEL_SIM_LOWERING(BulkPrefetchOp)
  Value lower(BulkPrefetchOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_bulk_prefetch",
                     {getSource(rewriter, op, adaptor),
                      call.i32(adaptor.getSize(), op.getStaticSize())});
  }
};

struct LowerBulkCommit : public MachineLowering<BulkCommitGroupOp> {
  CAROUSEL_SIM_LOWERING(BulkCommitGroupOp)
  Value lower(BulkCommitGroupOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getCall(rewriter, op).emit("carousel_sim_bulk_commit_group", {});
  }
};

struct LowerBulkWait : public MachineLowering<BulkWaitGroupOp> {
  CAROUSEL_SIM_LOWERING(BulkWaitGroupOp)
  Value lower(BulkWaitGroupOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_bulk_wait_group",
                     {call.i32(op.getUntil() == GroupWait::Read),
                      call.i32(op.getPending())});
  }
};

struct LowerStAsync : public MachineLowering<StAsyncOp> {
  CAROUSEL_SIM_LOWERING(StAsyncOp)
  Value lower(StAsyncOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_st_async",
                     {storeSpilled(rewriter, op, adaptor.getValue()),
                      call.i32(getBytes(op.getValue().getType())),
                      getDestination(rewriter, op, adaptor),
                      getSignalled(rewriter, op, adaptor)});
  }
};

struct LowerStAsyncGlobal : public MachineLowering<StAsyncGlobalOp> {
  CAROUSEL_SIM_LOWERING(StAsyncGlobalOp)
  Value lower(StAsyncGlobalOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_st_async_global",
                     {storeSpilled(rewriter, op, adaptor.getValue()),
                      call.i32(getBytes(op.getValue().getType())),
                      getDestination(rewriter, op, adaptor)});
  }
};

struct LowerRedAsync : public MachineLowering<RedAsyncOp> {
  CAROUSEL_SIM_LOWERING(RedAsyncOp)
  Value lower(RedAsyncOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_red_async",
                     {call.i32(number(op.getKind())),
                      call.i32(number(op.getType())),
                      storeSpilled(rewriter, op, adaptor.getValue()),
                      getDestination(rewriter, op, adaptor),
                      getSignalled(rewriter, op, adaptor)});
  }
};

struct LowerRedAsyncGlobal : public MachineLowering<RedAsyncGlobalOp> {
  CAROUSEL_SIM_LOWERING(RedAsyncGlobalOp)
  Value lower(RedAsyncGlobalOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_red_async_global",
                     {call.i32(number(op.getType())),
                      storeSpilled(rewriter, op, adaptor.getValue()),
                      getDestination(rewriter, op, adaptor)});
  }
};

struct LowerMultimemStore : public MachineLowering<MultimemStoreOp> {
  CAROUSEL_SIM_LOWERING(MultimemStoreOp)
  Value lower(MultimemStoreOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_multimem_store",
                     {storeSpilled(rewriter, op, adaptor.getValue()),
                      call.i32(getBytes(op.getValue().getType())),
                      getDestination(rewriter, op, adaptor)});
  }
};

struct LowerMultimemReduce : public MachineLowering<MultimemReduceOp> {
  CAROUSEL_SIM_LOWERING(MultimemReduceOp)
  Value lower(MultimemReduceOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_multimem_reduce",
                     {call.i32(number(op.getKind())),
                      call.i32(number(op.getType())),
                      storeSpilled(rewriter, op, adaptor.getValue()),
                      call.i32(getBytes(op.getValue().getType())),
                      getDestination(rewriter, op, adaptor)});
  }
};

struct LowerVectorReduce : public MachineLowering<VectorReduceOp> {
  CAROUSEL_SIM_LOWERING(VectorReduceOp)
  Value lower(VectorReduceOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_vector_reduce",
                     {call.i32(number(op.getKind())),
                      call.i32(number(op.getType())),
                      storeSpilled(rewriter, op, adaptor.getValue()),
                      call.i32(getBytes(op.getValue().getType())),
                      getDestination(rewriter, op, adaptor)});
  }
};

struct LowerCpAsync : public MachineLowering<CpAsyncCopyOp> {
  CAROUSEL_SIM_LOWERING(CpAsyncCopyOp)
  Value lower(CpAsyncCopyOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Value size = call.i32(op.getSize());
    Value valid = adaptor.getValid() ? adaptor.getValid() : size;
    if (adaptor.getIgnore())
      valid = LLVM::SelectOp::create(rewriter, op.getLoc(), adaptor.getIgnore(),
                                     call.i32(0), size);
    return call.emit("carousel_sim_cp_async",
                     {getSource(rewriter, op, adaptor),
                      getDestination(rewriter, op, adaptor), size, valid});
  }
};

struct LowerCpAsyncCommit : public MachineLowering<CpAsyncCommitGroupOp> {
  CAROUSEL_SIM_LOWERING(CpAsyncCommitGroupOp)
  Value lower(CpAsyncCommitGroupOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getCall(rewriter, op).emit("carousel_sim_cp_async_commit_group", {});
  }
};

struct LowerCpAsyncWait : public MachineLowering<CpAsyncWaitGroupOp> {
  CAROUSEL_SIM_LOWERING(CpAsyncWaitGroupOp)
  Value lower(CpAsyncWaitGroupOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_cp_async_wait_group",
                     {call.i32(op.getPending())});
  }
};

struct LowerCpAsyncWaitAll : public MachineLowering<CpAsyncWaitAllOp> {
  CAROUSEL_SIM_LOWERING(CpAsyncWaitAllOp)
  Value lower(CpAsyncWaitAllOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getCall(rewriter, op).emit("carousel_sim_cp_async_wait_all", {});
  }
};

struct LowerCpAsyncArrive : public MachineLowering<CpAsyncMbarrierArriveOp> {
  CAROUSEL_SIM_LOWERING(CpAsyncMbarrierArriveOp)
  Value lower(CpAsyncMbarrierArriveOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit(
        "carousel_sim_cp_async_mbarrier_arrive",
        {getBarrier(rewriter, op, adaptor), call.i32(op.getNoinc())});
  }
};

/// A policy has no effect on the data.
template <typename Op> struct LowerPolicy : public MachineLowering<Op> {
  using MachineLowering<Op>::MachineLowering;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, this->getCall(rewriter, op).i64(0));
    return success();
  }
};

struct LowerPrefetch : public MachineLowering<PrefetchOp> {
  CAROUSEL_SIM_LOWERING(PrefetchOp)
  Value lower(PrefetchOp, Adaptor, ConversionPatternRewriter &) const {
    return Value();
  }
};

} // namespace

void sim::populateCopyOps(const LoweringContext &context,
                          RewritePatternSet &patterns) {
  patterns.add<LowerBulkLoad, LowerBulkStore, LowerBulkCopyCluster,
               LowerBulkReduce, LowerBulkReduceCluster, LowerBulkPrefetch,
               LowerBulkCommit, LowerBulkWait, LowerStAsync, LowerStAsyncGlobal,
               LowerRedAsync, LowerRedAsyncGlobal, LowerMultimemStore,
               LowerMultimemReduce, LowerVectorReduce, LowerCpAsync,
               LowerCpAsyncCommit, LowerCpAsyncWait, LowerCpAsyncWaitAll,
               LowerCpAsyncArrive, LowerPolicy<CachePolicyFractionalOp>,
               LowerPolicy<CachePolicyRangeOp>,
               LowerPolicy<CachePolicyConvertOp>, LowerPrefetch>(context);
}
