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

#include "Transfers/LowerTransfers.h"

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

//===----------------------------------------------------------------------===//
// Tickets
//===----------------------------------------------------------------------===//

/// The issuing thread draws the ticket. Returns the number, in that thread.
static Value draw(ImplicitLocOpBuilder &b, GridTicketOp ticket) {
  return memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi,
                                     createConstant(b, b.getI32Type(), 1),
                                     ticket.getCounters(), ticket.getIndices());
}

/// The issuing thread tells the others what it has drawn, and leaves the
/// counter at 0 after the last ticket.
static void announce(ImplicitLocOpBuilder &b, GridTicketOp ticket, Value number,
                     Value shared) {
  Value last = createFolded<arith::SubIOp>(
      b, createCast(b, ticket.getTotal(), b.getI32Type()), 1);
  createIf(
      b, b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, number, last),
      [&] {
        memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::assign,
                                    createConstant(b, b.getI32Type(), 0),
                                    ticket.getCounters(), ticket.getIndices());
      });
  memref::StoreOp::create(b, number, shared, createIndex(b, 0));
}

Value SerializeLowering::createNumber(GridTicketOp ticket) {
  kernel.top.setLoc(ticket.getLoc());
  auto type =
      MemRefType::get({1}, kernel.top.getI32Type(), MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(kernel.func.getContext(),
                                                 gpu::AddressSpace::Workgroup));
  Value number = memref::AllocOp::create(kernel.top, type);
  kernel.top.setLoc(kernel.func.getLoc());
  return number;
}

/// What all threads read from `shared`, after the issuing thread has stored it.
Value SerializeLowering::readNumber(ImplicitLocOpBuilder &b,
                                    GridTicketOp ticket, Value shared) {
  ThreadRange range = kernel.plan.getThreads(ticket);
  threads.createBarrier(b, range, TransferScope::CTA);
  Value number = memref::LoadOp::create(b, shared, createIndex(b, 0));
  // The next ticket overwrites this one.
  if (ticket->getParentOfType<LoopLikeOpInterface>())
    threads.createBarrier(b, range, TransferScope::CTA);
  // Tickets have 31 bits. The mask changes none, and lets range analysis know.
  Value masked = arith::AndIOp::create(
      b, number,
      createConstant(b, b.getI32Type(), std::numeric_limits<int32_t>::max()));
  return createCast(b, masked, b.getIndexType());
}

/// Whether the operands of `op` are values from outside of the branch, or
/// results of ops after the ticket, itself included.
static bool needsOnly(Operation *op, scf::IfOp branch, GridTicketOp ticket) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return !branch->isAncestor(operand.getParentRegion()->getParentOp()) ||
           (source && source->getBlock() == ticket->getBlock() &&
            !source->isBeforeInBlock(ticket));
  });
}

/// The op before which the other threads need to hear of a ticket that is drawn
/// under a branch: the first use of the branch's results. Null if the branch
/// does anything after the draw, so that the ticket's barrier may order it.
static Operation *findFirstUse(GridTicketOp ticket) {
  auto branch = dyn_cast<scf::IfOp>(ticket->getParentOp());
  if (!branch || ticket->getBlock() != branch.thenBlock() ||
      !branch.elseBlock() || !llvm::hasSingleElement(*branch.elseBlock()))
    return nullptr;
  // What is computed before the draw may be computed before the branch.
  for (Operation &op :
       llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    if (op.getNumRegions() == 0 && isPure(&op) &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          return !branch->isAncestor(operand.getParentRegion()->getParentOp());
        }))
      op.moveBefore(branch);
  for (Operation *op = ticket; op; op = op->getNextNode())
    if (!needsOnly(op, branch, ticket) ||
        (op != ticket && op != branch.thenYield() &&
         (op->getNumRegions() != 0 || !isPure(op))))
      return nullptr;
  Operation *first = nullptr;
  for (Operation *user : branch->getUsers()) {
    Operation *op = branch->getBlock()->findAncestorOpInBlock(*user);
    if (!first || op->isBeforeInBlock(first))
      first = op;
  }
  return first;
}

/// The issuing thread keeps the number until the others need it, so that the
/// atomic's latency overlaps with what stands in between.
void SerializeLowering::lowerBranch(scf::IfOp branch, GridTicketOp ticket,
                                    Operation *firstUse) {
  ThreadRange range = kernel.plan.getThreads(ticket);
  Location loc = ticket.getLoc();
  Value leader = threads.getLeader(range, TransferScope::CTA);
  Value shared = createNumber(ticket);
  IRRewriter rewriter(kernel.func.getContext());
  Block *then = branch.thenBlock();

  // What follows the draw moves to where the number is known.
  ImplicitLocOpBuilder b(loc, firstUse);
  auto known = scf::IfOp::create(b, branch.getResultTypes(),
                                 branch.getCondition(), /*withElse=*/true);
  known.thenBlock()->getOperations().splice(
      known.thenBlock()->end(), then->getOperations(),
      std::next(ticket->getIterator()), then->end());
  known.elseBlock()->getOperations().splice(
      known.elseBlock()->end(), branch.elseBlock()->getOperations());
  rewriter.replaceAllUsesWith(branch.getResults(), known.getResults());

  // The branch itself passes the number on.
  b.setInsertionPoint(branch);
  auto drawing =
      scf::IfOp::create(b, TypeRange(b.getI32Type()), branch.getCondition(),
                        /*withElse=*/true);
  drawing.thenBlock()->getOperations().splice(
      drawing.thenBlock()->end(), then->getOperations(), then->begin(),
      ticket->getIterator());
  b.setInsertionPointToEnd(drawing.thenBlock());
  auto first = scf::IfOp::create(b, TypeRange(b.getI32Type()), leader,
                                 /*withElse=*/true);
  scf::YieldOp::create(b, first.getResults());
  b.setInsertionPointToEnd(first.thenBlock());
  Value number = draw(b, ticket);
  scf::YieldOp::create(b, number);
  for (Block *block : {first.elseBlock(), drawing.elseBlock()}) {
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, createConstant(b, b.getI32Type(), 0));
  }

  b.setInsertionPointToStart(known.thenBlock());
  createIf(b, leader,
           [&] { announce(b, ticket, drawing.getResult(0), shared); });
  rewriter.replaceAllUsesWith(ticket.getTicket(),
                              readNumber(b, ticket, shared));
  ticket.erase();
  branch.erase();
}

/// One thread draws, and the others hear of it through shared memory.
void SerializeLowering::lower(GridTicketOp ticket) {
  if (Operation *firstUse = findFirstUse(ticket))
    return lowerBranch(cast<scf::IfOp>(ticket->getParentOp()), ticket,
                       firstUse);
  Value leader =
      threads.getLeader(kernel.plan.getThreads(ticket), TransferScope::CTA);
  Value shared = createNumber(ticket);
  ImplicitLocOpBuilder b(ticket.getLoc(), ticket);
  createIf(b, leader, [&] { announce(b, ticket, draw(b, ticket), shared); });
  ticket.getTicket().replaceAllUsesWith(readNumber(b, ticket, shared));
  ticket.erase();
}
