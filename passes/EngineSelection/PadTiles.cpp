//===- PadTiles.cpp - pad rows of tiles to 16 bytes -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the plan of carousel/Analysis/Engines/TilePadding.h: widens tiles and
// the boxes of their loads, and moves accesses along.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TilePadding.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_PADTILES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static Value createSum(Operation *op, Value index, int64_t elements) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  return b.createOrFold<arith::AddIOp>(
      index, arith::ConstantIndexOp::create(b, elements));
}

static Value createIndex(Operation *op, IndexSum sum, int64_t shift) {
  if (sum.base)
    return createSum(op, sum.base, sum.constant + shift);
  OpBuilder builder(op);
  return arith::ConstantIndexOp::create(builder, op->getLoc(),
                                        sum.constant + shift);
}

/// The view of the same elements of a source whose type has changed. Rows begin
/// `before` elements later.
static void retypeView(memref::SubViewOp view, int64_t before) {
  OpBuilder builder(view);
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  if (before != 0) {
    OpFoldResult &last = offsets.back();
    if (auto constant = dyn_cast<Attribute>(last))
      last =
          builder.getIndexAttr(cast<IntegerAttr>(constant).getInt() + before);
    else
      last = createSum(view, cast<Value>(last), before);
  }
  SmallVector<OpFoldResult> sizes = view.getMixedSizes(),
                            strides = view.getMixedStrides();
  auto type = memref::SubViewOp::inferRankReducedResultType(
      view.getType().getShape(), cast<MemRefType>(view.getSource().getType()),
      offsets, sizes, strides);
  auto moved =
      memref::SubViewOp::create(builder, view.getLoc(), cast<MemRefType>(type),
                                view.getSource(), offsets, sizes, strides);
  view.getResult().replaceAllUsesWith(moved.getResult());
  view.erase();
}

static void pad(const TilePadding &padding) {
  memref::AllocOp tile = padding.tile;
  for (Operation *access : padding.accesses) {
    if (padding.before == 0)
      break;
    MutableOperandRange indices = *getElementIndices(access);
    OpOperand &last = indices[indices.size() - 1];
    last.set(createSum(access, last.get(), padding.before));
  }
  for (LoadOp load : padding.loads) {
    // The author's promise isn't about the padding.
    load.setInBounds(false);
    OpOperand &last = load.getOffsetsMutable()[load.getOffsets().size() - 1];
    // As one sum, so that the new offset is seen to be a multiple.
    if (padding.before != 0)
      last.set(createIndex(load, splitIndex(last.get()), -padding.before));
  }
  MemRefType type = tile.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = padding.width;
  tile.getResult().setType(MemRefType::Builder(type).setShape(shape));
  for (memref::SubViewOp view : padding.views)
    retypeView(view, view.getSource() == tile ? padding.before : 0);
}

namespace {

struct PadTiles : carousel::impl::PadTilesBase<PadTiles> {
  void runOnOperation() override {
    FailureOr<ChipModel> target = getChipModel(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel())
        continue;
      for (const TilePadding &padding : planTilePadding(kernel, *target)) {
        emitRemark(kernel, padding);
        if (!padding.refusal.empty()) {
          ++missed;
          continue;
        }
        pad(padding);
        ++padded;
      }
    }
  }

  void emitRemark(gpu::GPUFuncOp kernel, const TilePadding &padding) {
    if (!getContext().getRemarkEngine())
      return;
    memref::AllocOp tile = padding.tile;
    MemRefType type = tile.getType();
    int64_t bytes = type.getElementTypeBitWidth() / 8,
            row = type.getShape().back() * bytes;
    remark::RemarkOpts options = remark::RemarkOpts::name("Padding")
                                     .category("carousel-pad-tiles")
                                     .function(kernel.getName());
    if (padding.refusal.empty())
      remark::passed(tile.getLoc(), options)
          << remark::add("rows of {0} bytes padded to {1}, {2} of them before",
                         row, padding.width * bytes, padding.before * bytes);
    else
      remark::missed(tile.getLoc(), options) << remark::add(
          "rows of {0} bytes not padded: {1}", row, padding.refusal);
  }
};

} // namespace
