//===- TileMover.h - tiles that threads move together -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel.load and carousel.store of the tile phase. The threads of the scope
// gather, and the last one to arrive moves the tile. The transfer is an agent
// of its own that knows all that the threads know. The threads learn that the
// transfer is done, and nothing of each other.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TILES_TILEMOVER_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TILES_TILEMOVER_H

#include "../ResidentCTAs.h"
#include "../TransferLog.h"
#include "TileTransfer.h"

namespace carousel::sim {

class TileMover {
public:
  TileMover(AsyncContext &context, ResidentCTAs &ctas, TransferLog &transfers)
      : context(context), ctas(ctas), transfers(transfers) {}

  /// Called by each thread of the scope.
  void move(const TileTransfer &transfer);

private:
  /// One transfer, while the threads wait for it.
  class Move;
  std::vector<TileTransfer> divide(const TileTransfer &transfer) const;

  AsyncContext &context;
  ResidentCTAs &ctas;
  TransferLog &transfers;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TILES_TILEMOVER_H
