//===- TransfersToEmitC.cpp - copies to EmitC -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts copies to calls of
// carousel/device/{bulk,async_values,multimem,tensor,tensor_map,cp_async,
// cache}.h.
//
//===----------------------------------------------------------------------===//

#include "CarouselToEmitC.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Bulk copies and single values
//===----------------------------------------------------------------------===//

static LogicalResult lowerBulkLoad(BulkLoadOp op, AdaptorOf<BulkLoadOp> adaptor,
                                   CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .word(adaptor.getSize(), op.getStaticSize())
      .address(op.getBarriers(), adaptor.getBarriers(),
               adaptor.getBarrierIndices())
      .tagged("multicast", adaptor.getMulticastMask())
      .value(adaptor.getCachePolicy());
  if (!op.getMulticastMask())
    call.window(op.getDestination());
  return call.finish();
}

static LogicalResult lowerBulkStore(BulkStoreOp op,
                                    AdaptorOf<BulkStoreOp> adaptor,
                                    CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .word(adaptor.getSize(), op.getStaticSize())
      .tagged("byte_mask", adaptor.getByteMask())
      .value(adaptor.getCachePolicy())
      .finish();
}

static DeviceCall &addReduction(DeviceCall &call, ReduceKind kind,
                                ReduceType type) {
  return call.argument(spellCase("reduce", stringifyReduceKind(kind)))
      .argument(spellCase("reduce_type", stringifyReduceType(type)));
}

/// Lowers a store to another CTA of the cluster, with its barrier.
template <typename OpTy>
static LogicalResult lowerToCluster(OpTy op, AdaptorOf<OpTy> adaptor,
                                    CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .word(adaptor.getSize(), op.getStaticSize())
      .address(op.getBarriers(), adaptor.getBarriers(),
               adaptor.getBarrierIndices());
  if constexpr (std::is_same_v<OpTy, BulkReduceClusterOp>)
    addReduction(call, op.getKind(), op.getType());
  return call.finish();
}

static LogicalResult lowerBulkReduce(BulkReduceOp op,
                                     AdaptorOf<BulkReduceOp> adaptor,
                                     CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .word(adaptor.getSize(), op.getStaticSize())
      .value(adaptor.getCachePolicy());
  return addReduction(call, op.getKind(), op.getType()).finish();
}

static LogicalResult lowerBulkPrefetch(BulkPrefetchOp op,
                                       AdaptorOf<BulkPrefetchOp> adaptor,
                                       CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .word(adaptor.getSize(), op.getStaticSize())
      .value(adaptor.getCachePolicy())
      .finish();
}

static LogicalResult lowerStAsync(StAsyncOp op, AdaptorOf<StAsyncOp> adaptor,
                                  CBuilder &builder) {
  return DeviceCall(op, builder)
      .value(adaptor.getValue())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .address(op.getBarriers(), adaptor.getBarriers(),
               adaptor.getBarrierIndices())
      .finish();
}

static LogicalResult lowerRedAsync(RedAsyncOp op, AdaptorOf<RedAsyncOp> adaptor,
                                   CBuilder &builder) {
  DeviceCall call(op, builder);
  call.value(adaptor.getValue())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .address(op.getBarriers(), adaptor.getBarriers(),
               adaptor.getBarrierIndices());
  return addReduction(call, op.getKind(), op.getType()).finish();
}

static LogicalResult lowerStAsyncGlobal(StAsyncGlobalOp op,
                                        AdaptorOf<StAsyncGlobalOp> adaptor,
                                        CBuilder &builder) {
  return DeviceCall(op, builder)
      .value(adaptor.getValue())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .scope(op.getScope())
      .finish(op.getMmio() ? "_mmio" : "");
}

static LogicalResult lowerRedAsyncGlobal(RedAsyncGlobalOp op,
                                         AdaptorOf<RedAsyncGlobalOp> adaptor,
                                         CBuilder &builder) {
  return DeviceCall(op, builder)
      .value(adaptor.getValue())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .argument(spellCase("reduce_type", stringifyReduceType(op.getType())))
      .scope(op.getScope())
      .finish(op.getMmio() ? "_mmio" : "");
}

static LogicalResult lowerMultimemStore(MultimemStoreOp op,
                                        AdaptorOf<MultimemStoreOp> adaptor,
                                        CBuilder &builder) {
  return DeviceCall(op, builder)
      .value(adaptor.getValue())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .finish();
}

/// multimem.reduce and vector.reduce
template <typename OpTy>
static LogicalResult lowerReduce(OpTy op, AdaptorOf<OpTy> adaptor,
                                 CBuilder &builder) {
  DeviceCall call(op, builder);
  call.value(adaptor.getValue())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices());
  return addReduction(call, op.getKind(), op.getType()).finish();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static LogicalResult lowerTensorLoad(TensorLoadOp op,
                                     AdaptorOf<TensorLoadOp> adaptor,
                                     CBuilder &builder) {
  DeviceCall call(op, builder);
  call.value(adaptor.getMap())
      .list(adaptor.getCoordinates())
      .list(adaptor.getOffsets())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .address(op.getBarriers(), adaptor.getBarriers(),
               adaptor.getBarrierIndices())
      .tagged("multicast", adaptor.getMulticastMask())
      .value(adaptor.getCachePolicy());
  return call
      .argument(spellCase("load_mode", stringifyTensorLoadMode(op.getMode())),
                op.getMode() == TensorLoadMode::Tile)
      .window(op.getDestination())
      .argument(std::to_string(op.getCtaGroup().value_or(0)), !op.getCtaGroup())
      .finish();
}

template <typename OpTy>
static LogicalResult lowerTensorStore(OpTy op, AdaptorOf<OpTy> adaptor,
                                      CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .value(adaptor.getMap())
      .list(adaptor.getCoordinates())
      .value(adaptor.getCachePolicy());
  if constexpr (std::is_same_v<OpTy, TensorReduceOp>)
    call.argument(spellCase("reduce", stringifyReduceKind(op.getKind())));
  return call
      .argument(spellCase("store_mode", stringifyTensorStoreMode(op.getMode())),
                op.getMode() == TensorStoreMode::Tile)
      .finish();
}

static LogicalResult lowerTensorPrefetch(TensorPrefetchOp op,
                                         AdaptorOf<TensorPrefetchOp> adaptor,
                                         CBuilder &builder) {
  return DeviceCall(op, builder)
      .value(adaptor.getMap())
      .list(adaptor.getCoordinates())
      .list(adaptor.getOffsets())
      .value(adaptor.getCachePolicy())
      .argument(spellCase("load_mode", stringifyTensorLoadMode(op.getMode())),
                op.getMode() == TensorLoadMode::Tile)
      .finish();
}

static LogicalResult lowerMapGet(TensorMapGetOp op,
                                 AdaptorOf<TensorMapGetOp> adaptor,
                                 CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getMaps(), adaptor.getMaps(), adaptor.getIndices())
      .finish();
}

static LogicalResult lowerMapPrefetch(TensorMapPrefetchOp op,
                                      AdaptorOf<TensorMapPrefetchOp> adaptor,
                                      CBuilder &builder) {
  StringRef space = op.getSpace() == TensorMapSpace::Param   ? "param"
                    : op.getSpace() == TensorMapSpace::Const ? "constant"
                                                             : "generic";
  return DeviceCall(op, builder)
      .value(adaptor.getMap())
      .argument(spellCase("space", space),
                op.getSpace() == TensorMapSpace::Generic)
      .finish();
}

static LogicalResult lowerMapReplace(TensorMapReplaceOp op,
                                     AdaptorOf<TensorMapReplaceOp> adaptor,
                                     CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getMaps(), adaptor.getMaps(), adaptor.getIndices())
      .value(adaptor.getValue())
      .argument(spellCase("tensor_map_field",
                          stringifyTensorMapField(op.getField())));
  if (op.getDim())
    call.argument(std::to_string(*op.getDim()));
  if (op.getLiteral())
    call.argument(std::to_string(*op.getLiteral()));
  return call
      .argument(isSharedMemRef(op.getMaps().getType())
                    ? "carousel::space::shared"
                    : "carousel::space::global")
      .finish();
}

static LogicalResult lowerMapCopyFence(TensorMapCopyFenceOp op,
                                       AdaptorOf<TensorMapCopyFenceOp> adaptor,
                                       CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .scope(op.getScope())
      .finish();
}

//===----------------------------------------------------------------------===//
// cp.async, caches
//===----------------------------------------------------------------------===//

static LogicalResult lowerCpAsync(CpAsyncCopyOp op,
                                  AdaptorOf<CpAsyncCopyOp> adaptor,
                                  CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getSource(), adaptor.getSource(), adaptor.getSourceIndices())
      .address(op.getDestination(), adaptor.getDestination(),
               adaptor.getDestinationIndices())
      .tagged("valid", adaptor.getValid())
      .tagged("ignore", adaptor.getIgnore())
      .value(adaptor.getCachePolicy());
  return call
      .argument(
          spellCase("cp_async_cache", stringifyCpAsyncCache(op.getCache())))
      .argument(std::to_string(op.getSize()))
      .argument(std::to_string(op.getL2Prefetch().value_or(0)),
                !op.getL2Prefetch())
      .finish();
}

static LogicalResult
lowerCpAsyncArrive(CpAsyncMbarrierArriveOp op,
                   AdaptorOf<CpAsyncMbarrierArriveOp> adaptor,
                   CBuilder &builder) {
  return DeviceCall(op, builder)
      .address(op.getBarriers(), adaptor.getBarriers(), adaptor.getIndices())
      .finish(op.getNoinc() ? "_noinc" : "");
}

static DeviceCall &addPriorities(DeviceCall &call, EvictPriority priority,
                                 std::optional<EvictPriority> otherwise) {
  return call.argument(spellCase("evict", stringifyEvictPriority(priority)))
      .argument(spellCase("evict", stringifyEvictPriority(otherwise.value_or(
                                       EvictPriority::Unchanged))),
                !otherwise);
}

static LogicalResult lowerFractional(CachePolicyFractionalOp op,
                                     AdaptorOf<CachePolicyFractionalOp>,
                                     CBuilder &builder) {
  DeviceCall call(op, builder);
  if (op.getFraction()) {
    Type type = builder.rewriter.getF32Type();
    Value fraction = emitc::ConstantOp::create(builder.rewriter, builder.loc,
                                               type, op.getFractionAttr());
    call.value(ValueRange(fraction));
  }
  return addPriorities(call, op.getPriority(), op.getOtherwise()).finish();
}

static LogicalResult lowerRange(CachePolicyRangeOp op,
                                AdaptorOf<CachePolicyRangeOp> adaptor,
                                CBuilder &builder) {
  DeviceCall call(op, builder);
  call.address(op.getBase(), adaptor.getBase(), adaptor.getIndices())
      .value(adaptor.getPrimary())
      .value(adaptor.getTotal());
  return addPriorities(call, op.getPriority(), op.getOtherwise()).finish();
}

static LogicalResult lowerConvert(CachePolicyConvertOp op,
                                  AdaptorOf<CachePolicyConvertOp> adaptor,
                                  CBuilder &builder) {
  return DeviceCall(op, builder).value(adaptor.getProperty()).finish();
}

static LogicalResult lowerPrefetch(PrefetchOp op, AdaptorOf<PrefetchOp> adaptor,
                                   CBuilder &builder) {
  bool isLocal = isLocalMemRef(op.getSource().getType());
  return DeviceCall(op, builder)
      .address(op.getSource(), adaptor.getSource(), adaptor.getIndices())
      .argument(
          spellCase("prefetch_level", stringifyPrefetchLevel(op.getLevel())))
      .argument(isLocal ? "carousel::space::local" : "carousel::space::global",
                !isLocal)
      .finish();
}

void carousel::populateTransfersToEmitC(RewritePatternSet &patterns,
                                        const CTypes &types) {
  addPattern<BulkLoadOp>(patterns, types, lowerBulkLoad);
  addPattern<BulkStoreOp>(patterns, types, lowerBulkStore);
  addPattern<BulkCopyClusterOp>(patterns, types,
                                lowerToCluster<BulkCopyClusterOp>);
  addPattern<BulkReduceOp>(patterns, types, lowerBulkReduce);
  addPattern<BulkReduceClusterOp>(patterns, types,
                                  lowerToCluster<BulkReduceClusterOp>);
  addPattern<BulkPrefetchOp>(patterns, types, lowerBulkPrefetch);
  addPattern<StAsyncOp>(patterns, types, lowerStAsync);
  addPattern<RedAsyncOp>(patterns, types, lowerRedAsync);
  addPattern<StAsyncGlobalOp>(patterns, types, lowerStAsyncGlobal);
  addPattern<RedAsyncGlobalOp>(patterns, types, lowerRedAsyncGlobal);
  addPattern<MultimemStoreOp>(patterns, types, lowerMultimemStore);
  addPattern<MultimemReduceOp>(patterns, types, lowerReduce<MultimemReduceOp>);
  addPattern<VectorReduceOp>(patterns, types, lowerReduce<VectorReduceOp>);
  addPattern<TensorLoadOp>(patterns, types, lowerTensorLoad);
  addPattern<TensorStoreOp>(patterns, types, lowerTensorStore<TensorStoreOp>);
  addPattern<TensorReduceOp>(patterns, types, lowerTensorStore<TensorReduceOp>);
  addPattern<TensorPrefetchOp>(patterns, types, lowerTensorPrefetch);
  addPattern<TensorMapGetOp>(patterns, types, lowerMapGet);
  addPattern<TensorMapPrefetchOp>(patterns, types, lowerMapPrefetch);
  addPattern<TensorMapReplaceOp>(patterns, types, lowerMapReplace);
  addPattern<TensorMapCopyFenceOp>(patterns, types, lowerMapCopyFence);
  addPattern<CpAsyncCopyOp>(patterns, types, lowerCpAsync);
  addPattern<CpAsyncMbarrierArriveOp>(patterns, types, lowerCpAsyncArrive);
  addPattern<CachePolicyFractionalOp>(patterns, types, lowerFractional);
  addPattern<CachePolicyRangeOp>(patterns, types, lowerRange);
  addPattern<CachePolicyConvertOp>(patterns, types, lowerConvert);
  addPattern<PrefetchOp>(patterns, types, lowerPrefetch);
}
