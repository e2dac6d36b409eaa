//===- MachineTileCalls.cpp - tile transfers that kernels call --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MachineCalls.cpp for transfers, with the same conventions.
//
//===----------------------------------------------------------------------===//

#include "../Async/TileMover.h"
#include "Machine.h"

using namespace carousel::sim;

extern "C" {

/// `numbers`: offsets, extents and strides of the global memref, then extents
/// and strides of the tile. A kind of -1 means no reduction.
static void carousel_sim_move_tile(
    int32_t isLoad, int32_t scope, int32_t isInBounds, uint32_t elementBytes,
    uint64_t fill, int32_t reduceKind, int32_t reduceType, int32_t rounds,
    int32_t isExclusive, char *global, char *tile, uint32_t globalRank,
    uint32_t tileRank, const int64_t *numbers, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  auto take = [&](uint32_t rank) {
    llvm::ArrayRef<int64_t> taken(numbers, rank);
    numbers += rank;
    return taken;
  };
  TileTransfer transfer;
  transfer.isLoad = isLoad;
  transfer.scope = TransferScope(scope);
  transfer.isInBounds = isInBounds;
  transfer.elementBytes = elementBytes;
  transfer.fill = fill;
  if (reduceKind >= 0)
    transfer.reduction = {ReduceKind(reduceKind), ReduceType(reduceType)};
  transfer.rounds = rounds;
  transfer.isExclusive = isExclusive;
  transfer.global = global;
  transfer.tile = tile;
  transfer.offsets = take(globalRank);
  transfer.globalExtents = take(globalRank);
  transfer.globalStrides = take(globalRank);
  transfer.tileExtents = take(tileRank);
  transfer.tileStrides = take(tileRank);
  TracedCall call(machine, CallKind::Waits,
                  isLoad ? "tile load" : "tile store");
  machine.async.tiles.move(transfer);
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineTileSymbols() {
  static const HostSymbol kSymbols[] = {
      {"carousel_sim_move_tile", (void *)&carousel_sim_move_tile}};
  return kSymbols;
}
