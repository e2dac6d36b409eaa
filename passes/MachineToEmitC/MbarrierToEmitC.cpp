//===- MbarrierToEmitC.cpp - mbarrier.* to EmitC --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the ops to calls of carousel/device/mbarrier.h, except waits, which
// WaitsToEmitC.cpp converts.
//
//===----------------------------------------------------------------------===//

#include "CarouselToEmitC.h"

using namespace mlir;
using namespace carousel;

static LogicalResult lowerInit(MbarrierInitOp op,
                               AdaptorOf<MbarrierInitOp> adaptor,
                               CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices())
      .word(adaptor.getCount(), op.getStaticCount())
      .finish();
}

static LogicalResult lowerInval(MbarrierInvalOp op,
                                AdaptorOf<MbarrierInvalOp> adaptor,
                                CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices())
      .finish();
}

template <typename OpTy>
static LogicalResult lowerTx(OpTy op, AdaptorOf<OpTy> adaptor,
                             CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices())
      .word(adaptor.getBytes(), op.getStaticBytes())
      .scope(op.getScope(), op.getScope() == MemScope::CTA)
      .window(op.getBarriers())
      .finish();
}

template <typename OpTy>
static DeviceCall &addOrder(DeviceCall &call, OpTy op, MemSemantics usual) {
  return call.semantics(op.getSemantics(), op.getSemantics() == usual)
      .scope(op.getScope(), op.getScope() == MemScope::CTA);
}

template <typename OpTy>
static LogicalResult lowerArrive(OpTy op, AdaptorOf<OpTy> adaptor,
                                 CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices());
  // An arrive of 1 is the one without a count, which older chips have, too.
  if (op.getNoComplete() || op.getStaticCount() != 1u)
    call.word(adaptor.getCount(), op.getStaticCount());
  if (op.getNoComplete())
    return call.finish("_no_complete");
  return addOrder(call, op, MemSemantics::Release)
      .window(op.getBarriers())
      .finish();
}

template <typename OpTy>
static LogicalResult lowerArriveExpectTx(OpTy op, AdaptorOf<OpTy> adaptor,
                                         CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices())
      .word(adaptor.getBytes(), op.getStaticBytes());
  return addOrder(call, op, MemSemantics::Release)
      .window(op.getBarriers())
      .finish();
}

static LogicalResult
lowerPendingCount(MbarrierPendingCountOp op,
                  AdaptorOf<MbarrierPendingCountOp> adaptor,
                  CBuilder &builder) {
  return DeviceCall(op, builder).value(adaptor.getState()).finish();
}

/// By a state or a parity, and with a limit where there may be one.
template <typename OpTy>
static LogicalResult lowerWait(OpTy op, AdaptorOf<OpTy> adaptor,
                               CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices())
      .phase(adaptor.getState(), adaptor.getParity());
  if constexpr (!std::is_same_v<OpTy, MbarrierTestWaitOp>)
    call.value(adaptor.getSuspendNs());
  return addOrder(call, op, MemSemantics::Acquire).finish();
}

void carousel::populateMbarrierToEmitC(RewritePatternSet &patterns,
                                       const CTypes &types) {
  addPattern<MbarrierInitOp>(patterns, types, lowerInit);
  addPattern<MbarrierInvalOp>(patterns, types, lowerInval);
  addPattern<MbarrierExpectTxOp>(patterns, types, lowerTx<MbarrierExpectTxOp>);
  addPattern<MbarrierCompleteTxOp>(patterns, types,
                                   lowerTx<MbarrierCompleteTxOp>);
  addPattern<MbarrierArriveOp>(patterns, types, lowerArrive<MbarrierArriveOp>);
  addPattern<MbarrierArriveDropOp>(patterns, types,
                                   lowerArrive<MbarrierArriveDropOp>);
  addPattern<MbarrierArriveExpectTxOp>(
      patterns, types, lowerArriveExpectTx<MbarrierArriveExpectTxOp>);
  addPattern<MbarrierArriveDropExpectTxOp>(
      patterns, types, lowerArriveExpectTx<MbarrierArriveDropExpectTxOp>);
  addPattern<MbarrierPendingCountOp>(patterns, types, lowerPendingCount);
  addPattern<MbarrierTestWaitOp>(patterns, types,
                                 lowerWait<MbarrierTestWaitOp>);
  addPattern<MbarrierTryWaitOp>(patterns, types, lowerWait<MbarrierTryWaitOp>);
}
