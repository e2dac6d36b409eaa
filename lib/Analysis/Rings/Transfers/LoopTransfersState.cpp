//===- LoopTransfersState.cpp - what a while loop's iterations need -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the condition and the loads' operands of a while loop can be computed
// in earlier iterations: from numbers that the loop carries, from memory that
// the kernel doesn't write, and from tickets.
//
//===----------------------------------------------------------------------===//

#include "LoopTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/QuoteName.h"

using namespace mlir;
using namespace carousel;

static Obstacle refuse(const Twine &text) {
  return {Miss::PrefetchWhile, text.str()};
}

bool carousel::isRotatedWhile(scf::ForOp loop) {
  auto trips = loop.getUpperBound().getDefiningOp<UnrealizedConversionCastOp>();
  return trips && trips.getInputs().size() == 1 &&
         !loop.getInitArgs().empty() &&
         trips.getInputs().front() == loop.getInitArgs().front();
}

Obstacle carousel::explainRotation(scf::WhileOp loop) {
  for (Operation &op : loop.getBeforeBody()->without_terminator()) {
    if (isa<GridTicketOp>(op))
      continue;
    if (!canExecuteAhead(&op, [](Operation *, Value) { return true; }))
      return {Miss::WhileCondition,
              "the loop's condition has " + quoteName(&op) +
                  ", which isn't a computation, a read or a ticket"};
  }
  return {};
}

/// Adds the ops on which `value` depends to `advance`, and the values that the
/// loop carries to them to `state`. The reason why one can't be computed ahead,
/// or an empty one.
Obstacle LoopTransfers::addToState(Value value, IterationState &state,
                                   llvm::SetVector<Operation *> &advance) {
  SmallVector<Value> values = {value};
  while (!values.empty()) {
    Value next = values.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(next))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      state.carried.insert(argument.getArgNumber() - 1);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (advance.contains(op))
      continue;
    if (!isa<GridTicketOp>(op) &&
        !canExecuteAhead(op, [&](Operation *, Value memref) {
          return isNeverWritten(memref);
        }))
      return refuse("the next iteration depends on " + quoteName(op) +
                    ", which can't be executed ahead");
    advance.insert(op);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          values.push_back(operand);
    });
  }
  return {};
}

/// A ticket of the next iteration isn't drawn in this one any more, so nothing
/// here may depend on it. Values that carry it belong to the state.
Obstacle
LoopTransfers::addTicketUsers(GridTicketOp ticket, IterationState &state,
                              const llvm::SetVector<Operation *> &advance) {
  Operation *yield = loop.getBody()->getTerminator();
  llvm::SetVector<Operation *> users;
  users.insert(ticket);
  for (unsigned i = 0; i < users.size(); ++i)
    for (OpOperand &use : users[i]->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      if (user == yield)
        state.carried.insert(use.getOperandNumber());
      else if (advance.contains(user) ||
               canExecuteAhead(user, [](Operation *, Value) { return false; }))
        users.insert(user);
      else
        return refuse("the ticket of the next iteration is used by " +
                      quoteName(user) + " in the iteration that draws it");
    }
  return {};
}

/// A ticket that is drawn ahead is drawn before other ops of its iteration. So
/// these may not access its counter, or order it with accesses of other CTAs.
Obstacle
LoopTransfers::explainTicket(GridTicketOp ticket,
                             const llvm::SetVector<Operation *> &advance) {
  Obstacle reason;
  loop.walk([&](Operation *op) {
    if (advance.contains(op))
      return WalkResult::advance();
    if (isa<FenceThreadOp, SignalOp, WaitSignalOp>(op))
      reason = refuse("the loop has " + quoteName(op) +
                      ", which may order the ticket with other accesses");
    forEachWritten(op, [&](Value target) {
      if (!target)
        reason = refuse("the loop has " + quoteName(op) +
                        ", which may access the ticket's counter");
    });
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          mayOverlap(operand, ticket.getCounters()))
        reason = refuse("the loop accesses the ticket's counter by " +
                        quoteName(op));
    return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reason;
}

Obstacle LoopTransfers::explainState(IterationState &state) {
  llvm::SetVector<Operation *> advance;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  auto getTickets = [&] {
    return llvm::map_to_vector(
        llvm::make_filter_range(advance, llvm::IsaPred<GridTicketOp>),
        llvm::CastTo<GridTicketOp>);
  };
  // Grows while it is visited.
  for (unsigned i = 0; i < state.carried.size(); ++i) {
    Value next = yield.getOperand(state.carried[i]);
    if (!next.getType().isIntOrIndexOrFloat())
      return refuse("the next iteration depends on a value that is no number");
    Obstacle reason = addToState(next, state, advance);
    for (GridTicketOp ticket : getTickets())
      if (reason.empty())
        reason = addTicketUsers(ticket, state, advance);
    if (!reason.empty())
      return reason;
  }
  for (GridTicketOp ticket : getTickets()) {
    Obstacle reason = explainTicket(ticket, advance);
    if (!reason.empty())
      return reason;
  }
  state.advance = advance.takeVector();
  llvm::sort(state.advance, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  return {};
}
