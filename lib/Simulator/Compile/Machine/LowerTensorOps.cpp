//===- LowerTensorOps.cpp - tensor copies and maps as calls -----*- C++ -*-===//
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
                     {map, call.i32(op.getField()),
                      call.i32(op.getDim().value_or(0)), value});
  }
};

} // namespace

void sim::populateTensorOps(const LoweringContext &context,
                            RewritePatternSet &patterns) {
  patterns
      .add<PartsLowering<TensorLoadOp, Part::Map, Part::Mode, Part::Coordinates,
                         Part::Offsets, Part::Destination, Part::Signalled,
                         Part::MulticastMask>,
           PartsLowering<TensorStoreOp, Part::Map, Part::Mode,
                         Part::Coordinates, Part::Source>,
           PartsLowering<TensorReduceOp, Part::Kind, Part::Map, Part::Mode,
                         Part::Coordinates, Part::Source>,
           PartsLowering<TensorPrefetchOp, Part::Map, Part::Mode,
                         Part::Coordinates, Part::Offsets>,
           PartsLowering<TensorMapCopyFenceOp, Part::Source, Part::Destination,
                         Part::Scope>,
           LowerMapGet, LowerMapPrefetch, LowerMapReplace>(context);
}
