//===- LowerSerialize.cpp - lower turns and tickets -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The issuing thread of a scope waits for the CTA's turn, passes it on, and
// draws tickets. --carousel-insert-async-sync has already inserted the barriers
// for other threads.
//
//===----------------------------------------------------------------------===//

#include "LowerSerialize.h"

#include "LowerTransfers.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace carousel;

/// What debug-waits says is waited for: the argument's name and "turn".
static WaitLabelAttr getTurnLabel(gpu::GPUFuncOp kernel, Value semaphores) {
  std::string name;
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (kernel.getArgument(argument.position) == semaphores)
      name = argument.name + " ";
  return WaitLabelAttr::get(kernel.getContext(), name + "turn", WaitRole::All,
                            /*number=*/std::nullopt);
}

void SerializeLowering::lower(SerializeOp turns) {
  ImplicitLocOpBuilder b(turns.getLoc(), turns);
  Value leader =
      threads.getLeader(kernel.plan.getThreads(turns), TransferScope::CTA);
  Value turn = turns.getTurn(), zero = createIndex(b, 0);
  Value next = createFolded<arith::AddIOp>(b, turn, 1);
  Value first =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, turn, zero);
  Value last = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, next,
                                             turns.getCount());
  createIf(b, leader, [&] {
    GridSerialWaitOp::create(b, turns.getSemaphores(), turns.getIndices(),
                             createCast(b, turn, b.getI32Type()),
                             getTurnLabel(kernel.func, turns.getSemaphores()));
  });

  IRRewriter rewriter(kernel.func.getContext());
  Block &body = turns.getBody().front();
  Operation *end = body.getTerminator();
  ImplicitLocOpBuilder atEnd(end->getLoc(), end);
  createIf(atEnd, leader, [&] {
    // The last one leaves what the first one of the next launch waits for.
    Value passed = atEnd.createOrFold<arith::SelectOp>(last, zero, next);
    GridSerialReleaseOp::create(atEnd, turns.getSemaphores(),
                                turns.getIndices(),
                                createCast(atEnd, passed, b.getI32Type()));
  });
  rewriter.inlineBlockBefore(&body, turns, {first, last});
  rewriter.replaceOp(turns, end->getOperands());
  rewriter.eraseOp(end);
}

/// One thread draws, and the others hear of it through shared memory.
void SerializeLowering::lower(GridTicketOp ticket) {
  ThreadRange range = kernel.plan.getThreads(ticket);
  Location loc = ticket.getLoc();
  Value leader = threads.getLeader(range, TransferScope::CTA);
  kernel.top.setLoc(loc);
  auto type =
      MemRefType::get({1}, kernel.top.getI32Type(), MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(kernel.func.getContext(),
                                                 gpu::AddressSpace::Workgroup));
  Value drawn = memref::AllocOp::create(kernel.top, type);
  kernel.top.setLoc(kernel.func.getLoc());

  ImplicitLocOpBuilder b(loc, ticket);
  Value zero = createIndex(b, 0);
  createIf(b, leader, [&] {
    Value one = createConstant(b, b.getI32Type(), 1);
    Value number =
        memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi, one,
                                    ticket.getCounters(), ticket.getIndices());
    Value last = createFolded<arith::SubIOp>(
        b, createCast(b, ticket.getTotal(), b.getI32Type()), 1);
    createIf(
        b,
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, number, last),
        [&] {
          memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::assign,
                                      createConstant(b, b.getI32Type(), 0),
                                      ticket.getCounters(),
                                      ticket.getIndices());
        });
    memref::StoreOp::create(b, number, drawn, zero);
  });
  threads.createBarrier(b, range, TransferScope::CTA);
  Value number = memref::LoadOp::create(b, drawn, zero);
  // The next ticket overwrites this one.
  if (ticket->getParentOfType<LoopLikeOpInterface>())
    threads.createBarrier(b, range, TransferScope::CTA);
  // Tickets have 31 bits. The mask changes none, and lets range analysis know.
  Value masked = arith::AndIOp::create(
      b, number,
      createConstant(b, b.getI32Type(), std::numeric_limits<int32_t>::max()));
  ticket.getTicket().replaceAllUsesWith(
      createCast(b, masked, b.getIndexType()));
  ticket.erase();
}
