//===- DistributeControl.cpp - loops and branches of a thread ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Distributor.h.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"

#include "../Threads/ConvertLayouts.h"

#include "carousel/Dialect/IR/CarouselOps.h"

using namespace mlir;
using namespace carousel;

Type Distributor::getThreadType(Value value) {
  if (!isa<VectorType>(value.getType()))
    return value.getType();
  return carousel::getThreadType(value.getType(), *plan.getLayout(value));
}

VectorType Distributor::getThreadType(Type type, const LinearLayout &layout) {
  return carousel::getThreadType(type, layout);
}

SmallVector<Value> Distributor::getAll(MutableArrayRef<OpOperand> operands) {
  SmallVector<Value> values;
  for (OpOperand &operand : operands)
    values.push_back(get(operand));
  return values;
}

void Distributor::distributeBody(Block &from, Block *to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(to);
  distribute(from);
  Operation *end = from.getTerminator();
  program.startOp(end);
  Operation *loop = from.getParentOp();
  if (isa<LoopLikeOpInterface>(loop) &&
      from.getParent() == &loop->getRegions().back() && order.leaveLoop(loop))
    program.barrier();
  SmallVector<Value> operands = getAll(end->getOpOperands());
  OperationState state(end->getLoc(), end->getName(), operands, TypeRange(),
                       end->getAttrs());
  builder.create(state);
}

Block *Distributor::addBlock(Region &region, ValueRange arguments) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Value argument : arguments) {
    types.push_back(getThreadType(argument));
    locations.push_back(argument.getLoc());
  }
  Block *block = builder.createBlock(&region, region.end(), types, locations);
  mapping.map(arguments, block->getArguments());
  return block;
}

SmallVector<Type> Distributor::getResultTypes(Operation *op) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(getThreadType(result));
  return types;
}

Operation *Distributor::cloneShell(Operation *op) {
  SmallVector<Value> operands = getAll(op->getOpOperands());
  OperationState state(op->getLoc(), op->getName(), operands,
                       getResultTypes(op), op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *shell = builder.create(state);
  mapping.map(op->getResults(), shell->getResults());
  return shell;
}

Operation *Distributor::distributeRegions(Operation *op) {
  Operation *shell = cloneShell(op);
  if (isa<LoopLikeOpInterface>(op))
    order.enterLoop();
  MemoryOrder::Branches branches(order);
  for (auto [from, to] : llvm::zip(op->getRegions(), shell->getRegions())) {
    if (from.empty())
      continue;
    branches.startRegion(/*followsRegion=*/isa<scf::WhileOp>(op));
    Block *body = addBlock(to, from.getArguments());
    distributeBody(from.front(), body);
  }
  return shell;
}

void Distributor::distributeLoopBody(Operation *loop) {
  Operation *shell = distributeRegions(loop);
  bool hasTransfers =
      shell->walk([](TransferOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasTransfers)
    shell->removeAttr(CarouselDialect::kPipeline);
}

void Distributor::distributeLoop(Operation *loop) {
  turns.inLoop(loop, [&] { distributeLoopBody(loop); });
}

void Distributor::distributeBranch(scf::IfOp branch) {
  turns.inBranch([&] { distributeRegions(branch); });
}

void Distributor::distributeTurn(SerializeOp turn) {
  turns.inBranch([&] {
    Operation *shell = cloneShell(turn);
    Block *body = addBlock(shell->getRegion(0), turn.getBody().getArguments());
    distributeBody(turn.getBody().front(), body);
  });
}
