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

#include "PartsLowering.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

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
  patterns.add<
      PartsLowering<BulkLoadOp, Part::Source, Part::Destination, Part::Size,
                    Part::Signalled, Part::MulticastMask>,
      PartsLowering<BulkStoreOp, Part::Source, Part::Destination, Part::Size,
                    Part::ByteMask>,
      PartsLowering<BulkCopyClusterOp, Part::Source, Part::Destination,
                    Part::Size, Part::Signalled>,
      PartsLowering<BulkReduceOp, Part::Kind, Part::Type, Part::Source,
                    Part::Destination, Part::Size>,
      PartsLowering<BulkReduceClusterOp, Part::Kind, Part::Type, Part::Source,
                    Part::Destination, Part::Size, Part::Signalled>,
      PartsLowering<BulkPrefetchOp, Part::Source, Part::Size>,
      PartsLowering<BulkCommitGroupOp>, LowerBulkWait,
      PartsLowering<StAsyncOp, Part::Value, Part::ValueBytes, Part::Destination,
                    Part::Signalled>,
      PartsLowering<StAsyncGlobalOp, Part::Value, Part::ValueBytes,
                    Part::Destination>,
      PartsLowering<RedAsyncOp, Part::Kind, Part::Type, Part::Value,
                    Part::Destination, Part::Signalled>,
      PartsLowering<RedAsyncGlobalOp, Part::Type, Part::Value,
                    Part::Destination>>(context);
  patterns.add<PartsLowering<MultimemStoreOp, Part::Value, Part::ValueBytes,
                             Part::Destination>,
               PartsLowering<MultimemReduceOp, Part::Kind, Part::Type,
                             Part::Value, Part::ValueBytes, Part::Destination>,
               PartsLowering<VectorReduceOp, Part::Kind, Part::Type,
                             Part::Value, Part::ValueBytes, Part::Destination>>(
      context);
  patterns
      .add<LowerCpAsync, PartsLowering<CpAsyncCommitGroupOp>,
           PartsLowering<CpAsyncWaitGroupOp, Part::Pending>,
           PartsLowering<CpAsyncWaitAllOp>,
           PartsLowering<CpAsyncMbarrierArriveOp, Part::Barrier, Part::Noinc>>(
          context);
  patterns.add<LowerPolicy<CachePolicyFractionalOp>,
               LowerPolicy<CachePolicyRangeOp>,
               LowerPolicy<CachePolicyConvertOp>, LowerPrefetch>(context);
}
