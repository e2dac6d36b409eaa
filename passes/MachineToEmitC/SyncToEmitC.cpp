//===- SyncToEmitC.cpp - fences, groups, clusters, grids to EmitC ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the ops to calls of
// carousel/device/{fence,group,elect,cluster,grid_serial,grid_dependency,
// signal}.h, except waits, which WaitsToEmitC.cpp converts.
//
//===----------------------------------------------------------------------===//

#include "CarouselToEmitC.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"

using namespace mlir;
using namespace carousel;

/// An op without operands and attributes.
static LogicalResult lowerPlain(Operation *op, ArrayRef<Value>,
                                CBuilder &builder, StringRef) {
  return DeviceCall(op, builder).finish();
}

static LogicalResult lowerFenceThread(FenceThreadOp op,
                                      AdaptorOf<FenceThreadOp>,
                                      CBuilder &builder) {
  return DeviceCall(op, builder)
      .semantics(op.getSemantics())
      .scope(op.getScope())
      .finish();
}

static LogicalResult lowerFenceProxy(FenceProxyOp op, AdaptorOf<FenceProxyOp>,
                                     CBuilder &builder) {
  return DeviceCall(op, builder)
      .argument(spellCase("proxy", stringifyProxyKind(op.getProxy())))
      .finish();
}

template <typename OpTy>
static LogicalResult lowerOneWay(OpTy op, AdaptorOf<OpTy>, CBuilder &builder) {
  return DeviceCall(op, builder).semantics(op.getSemantics()).finish();
}

static LogicalResult lowerMapRelease(FenceTensorMapReleaseOp op,
                                     AdaptorOf<FenceTensorMapReleaseOp>,
                                     CBuilder &builder) {
  return DeviceCall(op, builder).scope(op.getScope()).finish();
}

static LogicalResult lowerMapAcquire(FenceTensorMapAcquireOp op,
                                     AdaptorOf<FenceTensorMapAcquireOp> adaptor,
                                     CBuilder &builder) {
  return DeviceCall(op, builder)
      .value(adaptor.getMap())
      .scope(op.getScope())
      .finish();
}

static LogicalResult lowerBulkWait(BulkWaitGroupOp op,
                                   AdaptorOf<BulkWaitGroupOp>,
                                   CBuilder &builder) {
  return DeviceCall(op, builder)
      .argument(spellCase("group_wait", stringifyGroupWait(op.getUntil())))
      .argument(std::to_string(op.getPending()))
      .finish();
}

static LogicalResult lowerCpAsyncWait(CpAsyncWaitGroupOp op,
                                      AdaptorOf<CpAsyncWaitGroupOp>,
                                      CBuilder &builder) {
  return DeviceCall(op, builder)
      .argument(std::to_string(op.getPending()))
      .finish();
}

template <typename OpTy>
static LogicalResult lowerMasked(OpTy op, AdaptorOf<OpTy> adaptor,
                                 CBuilder &builder) {
  return DeviceCall(op, builder).value(adaptor.getMask()).finish();
}

template <typename OpTy>
static LogicalResult lowerNamedBarrier(OpTy op, AdaptorOf<OpTy> adaptor,
                                       CBuilder &builder) {
  DeviceCall call(op, builder);
  call.word(adaptor.getId(), op.getStaticId())
      .word(ValueRange(), op.getThreads());
  return call.finish(op.getUnaligned() ? "_unaligned" : "");
}

static LogicalResult lowerRegisters(SetMaxRegistersOp op,
                                    AdaptorOf<SetMaxRegistersOp>,
                                    CBuilder &builder) {
  return DeviceCall(op, builder)
      .argument(
          spellCase("register_change", stringifyRegisterChange(op.getChange())))
      .argument(std::to_string(op.getRegisters()))
      .finish();
}

/// The pointer; extents and strides stay what they are.
static LogicalResult lowerMapShared(ClusterMapSharedOp op,
                                    AdaptorOf<ClusterMapSharedOp> adaptor,
                                    CBuilder &builder) {
  SmallVector<Value> values = llvm::to_vector(adaptor.getSource());
  values[0] = builder.pure(values[0].getType(), "carousel::cluster_map_shared",
                           {values[0], one(adaptor.getRank())});
  builder.rewriter.replaceOpWithMultiple(op,
                                         ArrayRef<SmallVector<Value>>{values});
  return success();
}

static LogicalResult lowerRankOf(ClusterRankOfOp op,
                                 AdaptorOf<ClusterRankOfOp> adaptor,
                                 CBuilder &builder) {
  Value pointer = adaptor.getSource()[0];
  return DeviceCall(op, builder).value(ValueRange(pointer)).finish();
}

static LogicalResult lowerClusterArrive(ClusterArriveOp op,
                                        AdaptorOf<ClusterArriveOp>,
                                        CBuilder &builder) {
  return DeviceCall(op, builder)
      .semantics(op.getSemantics(), op.getSemantics() == MemSemantics::Release)
      .finish(op.getUnaligned() ? "_unaligned" : "");
}

static LogicalResult lowerClusterWait(ClusterWaitOp op,
                                      AdaptorOf<ClusterWaitOp>,
                                      CBuilder &builder) {
  return DeviceCall(op, builder).finish(op.getUnaligned() ? "_unaligned" : "");
}

static LogicalResult lowerSerialRelease(GridSerialReleaseOp op,
                                        AdaptorOf<GridSerialReleaseOp> adaptor,
                                        CBuilder &builder) {
  return DeviceCall(op, builder)
      .semaphore(op.getSemaphores(), adaptor.getSemaphores(),
                 adaptor.getIndices())
      .value(adaptor.getTurn())
      .finish();
}

static LogicalResult lowerSignal(SignalReleaseOp op,
                                 AdaptorOf<SignalReleaseOp> adaptor,
                                 CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getCounters(), adaptor.getCounters(), adaptor.getIndices())
      .value(adaptor.getValue())
      .semantics(op.getSemantics(), op.getSemantics() == MemSemantics::Release)
      .finish(op.getAdd() ? "_add" : "_set");
}

void carousel::populateSyncToEmitC(RewritePatternSet &patterns,
                                   const CTypes &types) {
  for (StringRef op :
       {"carousel.fence.mbarrier_init", "carousel.bulk.commit_group",
        "carousel.cp_async.commit_group", "carousel.cp_async.wait_all",
        "carousel.cluster.rank", "carousel.cluster.size",
        "carousel.grid.launch_dependents", "carousel.grid.dependency_wait"})
    addNamedPattern(patterns, types, op, lowerPlain);
  addPattern<FenceThreadOp>(patterns, types, lowerFenceThread);
  addPattern<FenceProxyOp>(patterns, types, lowerFenceProxy);
  addPattern<FenceSyncRestrictOp>(patterns, types,
                                  lowerOneWay<FenceSyncRestrictOp>);
  addPattern<FenceProxySyncRestrictOp>(patterns, types,
                                       lowerOneWay<FenceProxySyncRestrictOp>);
  addPattern<FenceTensorMapReleaseOp>(patterns, types, lowerMapRelease);
  addPattern<FenceTensorMapAcquireOp>(patterns, types, lowerMapAcquire);
  addPattern<BulkWaitGroupOp>(patterns, types, lowerBulkWait);
  addPattern<CpAsyncWaitGroupOp>(patterns, types, lowerCpAsyncWait);
  addPattern<ElectOp>(patterns, types, lowerMasked<ElectOp>);
  addPattern<BarrierWarpOp>(patterns, types, lowerMasked<BarrierWarpOp>);
  addPattern<BarrierSyncOp>(patterns, types, lowerNamedBarrier<BarrierSyncOp>);
  addPattern<BarrierArriveOp>(patterns, types,
                              lowerNamedBarrier<BarrierArriveOp>);
  addPattern<SetMaxRegistersOp>(patterns, types, lowerRegisters);
  addPattern<ClusterMapSharedOp>(patterns, types, lowerMapShared);
  addPattern<ClusterRankOfOp>(patterns, types, lowerRankOf);
  addPattern<ClusterArriveOp>(patterns, types, lowerClusterArrive);
  addPattern<ClusterWaitOp>(patterns, types, lowerClusterWait);
  addPattern<GridSerialReleaseOp>(patterns, types, lowerSerialRelease);
  addPattern<SignalReleaseOp>(patterns, types, lowerSignal);
}
