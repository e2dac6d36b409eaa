//===- LowerTileOps.cpp - tile transfers as calls ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Swizzle and cache are requests to later phases, and a loop's pipeline doesn't
// change its result. Nothing of them remains here.
//
//===----------------------------------------------------------------------===//

#include "MachineLowering.h"

#include "carousel/Dialect/IR/FillValue.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

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
