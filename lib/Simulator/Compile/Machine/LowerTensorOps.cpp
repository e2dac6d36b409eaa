//===- LowerTensorOps.cpp - tensor copies and maps as calls -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinates are passed as their number and five values, and offsets as their
// number and three values. Absent values are zero.
//
//===----------------------------------------------------------------------===//

#include "MachineLowering.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

template <typename Enum> static int64_t number(Enum value) {
  return static_cast<int64_t>(value);
}

static void addList(SmallVectorImpl<Value> &arguments, MachineCall &call,
                    ValueRange values, unsigned room) {
  arguments.push_back(call.i32(values.size()));
  for (unsigned i = 0; i < room; ++i)
    arguments.push_back(i < values.size() ? values[i] : call.i32(0));
}
static void addCoordinates(SmallVectorImpl<Value> &arguments, MachineCall &call,
                           ValueRange values) {
  addList(arguments, call, values, 5);
}
static void addOffsets(SmallVectorImpl<Value> &arguments, MachineCall &call,
                       ValueRange values) {
  addList(arguments, call, values, 3);
}

namespace {

struct LowerLoad : public MachineLowering<TensorLoadOp> {
  CAROUSEL_SIM_LOWERING(TensorLoadOp)
  Value lower(TensorLoadOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Value mask = adaptor.getMulticastMask();
    SmallVector<Value> arguments = {adaptor.getMap(),
                                    call.i32(number(op.getMode()))};
    addCoordinates(arguments, call, adaptor.getCoordinates());
    addOffsets(arguments, call, adaptor.getOffsets());
    arguments.push_back(getDestination(rewriter, op, adaptor));
    arguments.push_back(getSignalled(rewriter, op, adaptor));
    arguments.push_back(mask ? mask : call.i32(-1));
    return call.emit("carousel_sim_tensor_load", arguments);
  }
};

struct LowerStore : public MachineLowering<TensorStoreOp> {
  CAROUSEL_SIM_LOWERING(TensorStoreOp)
  Value lower(TensorStoreOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    SmallVector<Value> arguments = {adaptor.getMap(),
                                    call.i32(number(op.getMode()))};
    addCoordinates(arguments, call, adaptor.getCoordinates());
    arguments.push_back(getSource(rewriter, op, adaptor));
    return call.emit("carousel_sim_tensor_store", arguments);
  }
};

struct LowerReduce : public MachineLowering<TensorReduceOp> {
  CAROUSEL_SIM_LOWERING(TensorReduceOp)
  Value lower(TensorReduceOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    SmallVector<Value> arguments = {call.i32(number(op.getKind())),
                                    adaptor.getMap(),
                                    call.i32(number(op.getMode()))};
    addCoordinates(arguments, call, adaptor.getCoordinates());
    arguments.push_back(getSource(rewriter, op, adaptor));
    return call.emit("carousel_sim_tensor_reduce", arguments);
  }
};

struct LowerPrefetch : public MachineLowering<TensorPrefetchOp> {
  CAROUSEL_SIM_LOWERING(TensorPrefetchOp)
  Value lower(TensorPrefetchOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    SmallVector<Value> arguments = {adaptor.getMap(),
                                    call.i32(number(op.getMode()))};
    addCoordinates(arguments, call, adaptor.getCoordinates());
    addOffsets(arguments, call, adaptor.getOffsets());
    return call.emit("carousel_sim_tensor_prefetch", arguments);
  }
};

struct LowerMapGet : public MachineLowering<TensorMapGetOp> {
  CAROUSEL_SIM_LOWERING(TensorMapGetOp)
  Value lower(TensorMapGetOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getPointer(rewriter, op.getLoc(), op.getMaps(), adaptor.getMaps(),
                      adaptor.getIndices());
  }
};

/// A hint, without effect here.
struct LowerMapPrefetch : public MachineLowering<TensorMapPrefetchOp> {
  CAROUSEL_SIM_LOWERING(TensorMapPrefetchOp)
  Value lower(TensorMapPrefetchOp, Adaptor, ConversionPatternRewriter &) const {
    return Value();
  }
};

struct LowerMapReplace : public MachineLowering<TensorMapReplaceOp> {
  CAROUSEL_SIM_LOWERING(TensorMapReplaceOp)
  Value lower(TensorMapReplaceOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Value value = adaptor.getValue();
    if (!value)
      value = call.i64(op.getLiteral().value_or(0));
    else if (value.getType().isInteger(32))
      value = LLVM::ZExtOp::create(rewriter, op.getLoc(), rewriter.getI64Type(),
                                   value);
    Value map = getPointer(rewriter, op.getLoc(), op.getMaps(),
                           adaptor.getMaps(), adaptor.getIndices());
    return call.emit("carousel_sim_tensor_map_replace",
                     {map, call.i32(number(op.getField())),
                      call.i32(op.getDim().value_or(0)), value});
  }
};

struct LowerMapCopyFence : public MachineLowering<TensorMapCopyFenceOp> {
  CAROUSEL_SIM_LOWERING(TensorMapCopyFenceOp)
  Value lower(TensorMapCopyFenceOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_tensor_map_copy_fence",
                     {getSource(rewriter, op, adaptor),
                      getDestination(rewriter, op, adaptor),
                      call.i32(number(op.getScope()))});
  }
};

} // namespace

void sim::populateTensorOps(const LoweringContext &context,
                            RewritePatternSet &patterns) {
  patterns.add<LowerLoad, LowerStore, LowerReduce, LowerPrefetch, LowerMapGet,
               LowerMapPrefetch, LowerMapReplace, LowerMapCopyFence>(context);
}
