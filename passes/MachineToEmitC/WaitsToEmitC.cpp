//===- WaitsToEmitC.cpp - waits to EmitC ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts waits to calls of carousel/device/{mbarrier,grid_serial,signal}.h.
// With a bound, it calls carousel/device/bounded_wait.h instead, which also
// takes the numbers of the wait and of the slot.
//
//===----------------------------------------------------------------------===//

#include "CarouselToEmitC.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"

using namespace mlir;
using namespace carousel;

/// The number of the element among those of its memref, row by row.
static Value getSlot(CBuilder &builder, MemRefType type, ValueRange converted,
                     ArrayRef<Value> indices) {
  Value slot = builder.index(0);
  for (auto [dim, index] : llvm::enumerate(indices))
    slot = builder.addIndex(
        builder.mulIndex(slot, builder.extent(type, converted, dim)), index);
  return slot;
}

namespace {

template <typename OpTy> class WaitToEmitC : public OpConversionPattern<OpTy> {
public:
  WaitToEmitC(const CTypes &types, MLIRContext *context,
              std::optional<uint64_t> nanoseconds)
      : OpConversionPattern<OpTy>(types, context), types(types),
        nanoseconds(nanoseconds) {}

protected:
  using Adaptor = typename OpConversionPattern<OpTy>::OneToNOpAdaptor;

  /// The bound, if there is one.
  void addBound(DeviceCall &call, CBuilder &builder, OpTy op,
                ValueRange converted, ArrayRef<ValueRange> indices) const {
    if (!nanoseconds)
      return;
    Value slot = getSlot(builder, op.getAwaited().getType(), converted,
                         flatten(indices));
    Type word = IntegerType::get(op.getContext(), 32, IntegerType::Unsigned);
    Type time = IntegerType::get(op.getContext(), 64, IntegerType::Unsigned);
    std::optional<int64_t> constant = getConstant(slot);
    call.tagged("wait_bound",
                {builder.constant(time, *nanoseconds),
                 builder.constant(word, *op.getLabelAttr().getNumber()),
                 constant ? builder.constant(word, *constant)
                          : builder.cast(slot, word)});
  }

  const CTypes &types;

private:
  std::optional<uint64_t> nanoseconds;
};

struct MbarrierWaitToEmitC : public WaitToEmitC<MbarrierWaitOp> {
  using WaitToEmitC::WaitToEmitC;

  LogicalResult
  matchAndRewrite(MbarrierWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    DeviceCall call(op, builder);
    call.address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices())
        .phase(adaptor.getState(), adaptor.getParity())
        .value(adaptor.getSuspendNs());
    addBound(call, builder, op, adaptor.getBarriers(), adaptor.getIndices());
    return call
        .semantics(op.getSemantics(),
                   op.getSemantics() == MemSemantics::Acquire)
        .scope(op.getScope(), op.getScope() == MemScope::CTA)
        .finish();
  }
};

struct SerialWaitToEmitC : public WaitToEmitC<GridSerialWaitOp> {
  using WaitToEmitC::WaitToEmitC;

  LogicalResult
  matchAndRewrite(GridSerialWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    DeviceCall call(op, builder);
    call.semaphore(op.getSemaphores(), adaptor.getSemaphores(),
                   adaptor.getIndices())
        .value(adaptor.getTurn());
    addBound(call, builder, op, adaptor.getSemaphores(), adaptor.getIndices());
    return call.finish();
  }
};

struct SignalWaitToEmitC : public WaitToEmitC<SignalWaitOp> {
  using WaitToEmitC::WaitToEmitC;

  LogicalResult
  matchAndRewrite(SignalWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    DeviceCall call(op, builder);
    call.address(op.getCounters(), adaptor.getCounters(), adaptor.getIndices())
        .value(adaptor.getValue());
    if (op.getTimeout())
      call.tagged("signal_timeout", adaptor.getTimeout());
    else
      addBound(call, builder, op, adaptor.getCounters(), adaptor.getIndices());
    return call
        .semantics(op.getSemantics(),
                   op.getSemantics() == MemSemantics::Acquire)
        .finish();
  }
};

} // namespace

void carousel::populateWaitsToEmitC(RewritePatternSet &patterns,
                                    const CTypes &types,
                                    std::optional<uint64_t> nanoseconds) {
  patterns.add<MbarrierWaitToEmitC, SerialWaitToEmitC, SignalWaitToEmitC>(
      types, patterns.getContext(), nanoseconds);
}
