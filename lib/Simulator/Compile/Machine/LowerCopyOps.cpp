//===- LowerCopyOps.cpp - copies, tensor copies and transfers -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cache policies and prefetches into caches have no effect here, but the size
// and address of a bulk prefetch are checked. An absent mask is passed as -1.
// A transfer's swizzle and cache policy are requests to later phases, and a
// loop's pipeline doesn't change its result: the simulator ignores them.
//
//===----------------------------------------------------------------------===//

#include "MachineLowering.h"
#include "PartsLowering.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/FillValue.h"
#include "llvm/ADT/APFloat.h"

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

/// The NaN with which engines fill, 0x7ff7 throughout. For formats of 8 bits,
/// which no engine fills: all bits except the sign, or the format's NaN if that
/// is a number.
static uint64_t getNaN(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  APInt bits = type.getWidth() == 8
                   ? APInt::getSignedMaxValue(8)
                   : APInt::getSplat(type.getWidth(), APInt(16, 0x7ff7));
  if (!APFloat(semantics, bits).isNaN())
    bits = APFloat::getNaN(semantics).bitcastToAPInt();
  return bits.getZExtValue();
}

static uint64_t getFill(LoadOp op) {
  if (Attribute value = op.getFillValueAttr())
    return getBits(
               convertFillValue(value, op.getTile().getType().getElementType()))
        .getZExtValue();
  if (op.getFill() == carousel::OutOfBoundsFill::Zero)
    return 0;
  return getNaN(cast<FloatType>(op.getTile().getType().getElementType()));
}

static uint64_t getFill(StoreOp) { return 0; }

static bool rounds(LoadOp op) { return op.getRoundTf32(); }
static bool rounds(StoreOp) { return false; }

static bool isExclusive(LoadOp) { return false; }
static bool isExclusive(StoreOp op) { return op.getExclusive(); }

namespace {

template <typename Op> struct LowerTransfer : public MachineLowering<Op> {
  using Adaptor = typename Op::Adaptor;
  CAROUSEL_SIM_LOWERING(Op)
  Value lower(Op op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    MemRefType globalType = op.getGlobal().getType();
    MemRefType tileType = op.getTile().getType();
    MemRefDescriptor global(adaptor.getGlobal()), tile(adaptor.getTile());

    SmallVector<Value> numbers(adaptor.getOffsets());
    auto addLayout = [&](MemRefDescriptor &memref, int64_t rank) {
      for (int64_t dim = 0; dim < rank; ++dim)
        numbers.push_back(memref.size(rewriter, loc, dim));
      for (int64_t dim = 0; dim < rank; ++dim)
        numbers.push_back(memref.stride(rewriter, loc, dim));
    };
    addLayout(global, globalType.getRank());
    addLayout(tile, tileType.getRank());
    Value packed = LLVM::PoisonOp::create(
        rewriter, loc,
        LLVM::LLVMArrayType::get(rewriter.getI64Type(), numbers.size()));
    for (auto [position, value] : llvm::enumerate(numbers))
      packed = LLVM::InsertValueOp::create(rewriter, loc, packed, value,
                                           int64_t(position));

    MachineCall call = this->getCall(rewriter, op);
    ReductionAttr reduction = op.getReduceAttr();
    const LLVMTypeConverter &converter = *this->getTypeConverter();
    return call.emit(
        "carousel_sim_move_tile",
        {call.i32(op.isLoad()), call.i32(op.getScope()),
         call.i32(op.getInBounds()),
         call.i32(*sim::getElementBytes(tileType.getElementType())),
         call.i64(getFill(op)),
         call.i32(reduction ? int64_t(reduction.getKind()) : -1),
         call.i32(reduction ? int64_t(reduction.getType()) : 0),
         call.i32(rounds(op)), call.i32(isExclusive(op)),
         global.bufferPtr(rewriter, loc, converter, globalType),
         tile.bufferPtr(rewriter, loc, converter, tileType),
         call.i32(globalType.getRank()), call.i32(tileType.getRank()),
         storeSpilled(rewriter, op, packed)});
  }
};

} // namespace

void sim::populateTileOps(const LoweringContext &context,
                          RewritePatternSet &patterns) {
  patterns.add<LowerTransfer<LoadOp>, LowerTransfer<StoreOp>>(context);
}
