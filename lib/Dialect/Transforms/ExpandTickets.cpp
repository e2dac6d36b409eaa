//===- ExpandTickets.cpp - tickets that order memory ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread that draws has a release pattern (docs/MemoryModel.md): its fence
// comes after a barrier, by which it has observed what the CTA's other threads
// wrote, and before its atomic. Its second fence acquires, and the barrier
// behind it lets the others observe what the thread has.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ExpandTickets.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace carousel;

void carousel::expandTickets(Operation *root) {
  root->walk([](GridTicketOp ticket) {
    if (!ticket.getAcqRel())
      return;
    ticket.setAcqRel(false);
    OpBuilder builder(ticket);
    Location loc = ticket.getLoc();
    gpu::BarrierOp::create(builder, loc);
    FenceThreadOp::create(builder, loc, MemSemantics::Release, MemScope::GPU);
    builder.setInsertionPointAfter(ticket);
    FenceThreadOp::create(builder, loc, MemSemantics::Acquire, MemScope::GPU);
    gpu::BarrierOp::create(builder, loc);
  });
}
