//===- SwizzleTiles.cpp - swizzle accesses to tiles -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy may permute pieces of 16 bytes when it fills or reads a tile: by its
// tensor map, or by the threads that carry it out. Other accesses to such a
// tile must use the same permutation. This pass rewrites their indices;
// --carousel-select-engine chose a swizzle only where this is possible.
//
//===----------------------------------------------------------------------===//

#include "TilePermutation.h"

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
/// of the same number; and views of the same rows.
static SmallVector<Value> getAliases(Value tile) {
  SmallVector<Value> aliases;
  if (auto slot = tile.getDefiningOp<RingTileOp>()) {
    for (Operation *user : slot.getRing().getUsers())
      if (auto other = dyn_cast<RingTileOp>(user);
          other && other.getIndex() == slot.getIndex())
        aliases.push_back(other.getTile());
  } else {
    aliases.push_back(tile);
  }
  for (size_t i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers())
      if (Value view = getViewOfRows(user))
        aliases.push_back(view);
  return aliases;
}

namespace {

struct SwizzleTiles : carousel::impl::SwizzleTilesBase<SwizzleTiles> {
  void runOnOperation() override {
    llvm::MapVector<Value, Swizzle> tiles;
    getOperation().walk([&](TransferOpInterface transfer) {
      Swizzle swizzle = getTileSwizzle(transfer);
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
        if (isa<TransferOpInterface>(user) || getViewOfRows(user))
          continue;
        if (auto consumer = dyn_cast<AsyncConsumerOpInterface>(user)) {
          consumer.setTileSwizzle(use, swizzle);
          continue;
        }
        std::optional<MutableOperandRange> indices = getTileIndices(user, tile);
        if (!indices) {
          user->emitOpError("expected loads and stores of at most 16 bytes of "
                            "a swizzled tile");
          return signalPassFailure();
        }
        OpBuilder builder(user);
        indices->assign(TilePermutation(builder, user->getLoc(), type, swizzle)
                            .apply(OperandRange(*indices)));
        ++numRewritten;
      }
    }
  }
};

} // namespace
