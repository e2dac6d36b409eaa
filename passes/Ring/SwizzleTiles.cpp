//===- SwizzleTiles.cpp - swizzle accesses to tiles -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map may permute chunks of 16 bytes when a copy fills or reads a
// tile. Threads' accesses to such a tile must use the same permutation. This
// pass rewrites their indices; --carousel-select-engine chose a swizzle only
// where this is possible.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TileSwizzle.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-swizzle-tiles"

namespace carousel {
#define GEN_PASS_DEF_SWIZZLETILES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// All values that stand for the buffer of a tile: itself, or each `ring.tile`
/// of the same number.
static SmallVector<Value> getAliases(Value tile) {
  auto slot = tile.getDefiningOp<RingTileOp>();
  if (!slot)
    return {tile};
  SmallVector<Value> aliases;
  for (Operation *user : slot.getRing().getUsers())
    if (auto other = dyn_cast<RingTileOp>(user);
        other && other.getIndex() == slot.getIndex())
      aliases.push_back(other.getTile());
  return aliases;
}

/// The innermost index of an element, permuted as the hardware does: pieces of
/// 16 bytes of a row by the row's number.
static Value permute(OpBuilder &builder, Location loc, MemRefType type,
                     ValueRange indices, Swizzle swizzle) {
  SwizzlePattern pattern = getSwizzlePattern(swizzle, type);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value row = constant(0);
  for (auto [dim, index] : llvm::enumerate(indices.drop_back())) {
    row = builder.createOrFold<arith::MulIOp>(loc, row,
                                              constant(type.getDimSize(dim)));
    row = builder.createOrFold<arith::AddIOp>(loc, row, index);
  }
  Value key = builder.createOrFold<arith::DivUIOp>(
      loc, row, constant(pattern.rowsPerStep));
  key = builder.createOrFold<arith::RemUIOp>(loc, key, constant(pattern.steps));
  key = builder.createOrFold<arith::MulIOp>(loc, key,
                                            constant(pattern.pieceElements));
  return builder.createOrFold<arith::XOrIOp>(loc, indices.back(), key);
}

namespace {

struct SwizzleTiles : carousel::impl::SwizzleTilesBase<SwizzleTiles> {
  void runOnOperation() override {
    llvm::MapVector<Value, Swizzle> tiles;
    getOperation().walk([&](TransferOpInterface transfer) {
      if (!transfer.getMap())
        return;
      Swizzle swizzle = transfer.getMap().getType().getSwizzle();
      if (swizzle != Swizzle::None)
        for (Value alias : getAliases(transfer.getTile()))
          tiles.insert({alias, swizzle});
    });
    for (auto [tile, swizzle] : tiles) {
      auto type = cast<MemRefType>(tile.getType());
      LDBG() << tile.getLoc() << ": swizzle " << stringifySwizzle(swizzle)
             << " for " << type;
      for (OpOperand &use : tile.getUses()) {
        Operation *user = use.getOwner();
        if (isa<TransferOpInterface>(user))
          continue;
        std::optional<MutableOperandRange> indices = getTileIndices(user, tile);
        if (!indices) {
          user->emitOpError("expected loads and stores of at most 16 bytes of "
                            "a swizzled tile");
          return signalPassFailure();
        }
        OpBuilder builder(user);
        Value last = permute(builder, user->getLoc(), type,
                             OperandRange(*indices), swizzle);
        (*indices)[indices->size() - 1].assign(last);
        ++numRewritten;
      }
    }
  }
};

} // namespace
