//===- MutateOps.cpp - other operands, attributes and ops -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MutateOps.h"

#include "InsertGraphOps.h"
#include "MutateAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace carousel::fuzz;

/// A value of `type` that may stand at `op`, other than `old`.
static Value findVisible(Operation *op, Type type, Value old, Draw &draw) {
  SmallVector<Value> values;
  for (Operation *at = op; at; at = at->getParentOp()) {
    if (at != op && at->hasTrait<OpTrait::IsIsolatedFromAbove>())
      break;
    Block *block = at->getBlock();
    if (!block)
      break;
    llvm::append_range(values, block->getArguments());
    for (Operation &before : *block) {
      if (&before == at)
        break;
      llvm::append_range(values, before.getResults());
    }
  }
  llvm::erase_if(values, [&](Value value) {
    return value.getType() != type || value == old;
  });
  return values.empty() ? Value() : draw.from(values);
}

static void replaceOperand(Operation *op, Draw &draw) {
  if (op->getNumOperands() == 0)
    return;
  OpOperand &operand = op->getOpOperand(draw.below(op->getNumOperands()));
  if (Value other =
          findVisible(op, operand.get().getType(), operand.get(), draw))
    operand.set(other);
}

static void swapOperands(Operation *op, Draw &draw) {
  if (op->getNumOperands() < 2)
    return;
  unsigned first = draw.below(op->getNumOperands());
  unsigned second = draw.below(op->getNumOperands());
  Value value = op->getOperand(first);
  op->setOperand(first, op->getOperand(second));
  op->setOperand(second, value);
}

static void eraseOp(Operation *op, Draw &draw) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value other = findVisible(op, result.getType(), result, draw);
    if (!other)
      return;
    result.replaceAllUsesWith(other);
  }
  op->erase();
}

static void doubleOp(Operation *op, Draw &draw) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  OpBuilder builder(op);
  Operation *copy = builder.clone(*op);
  for (auto [old, other] : llvm::zip(copy->getResults(), op->getResults()))
    other.replaceUsesWithIf(old, [&](OpOperand &) { return draw.oneIn(2); });
}

static void moveOp(Operation *op, Draw &draw) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  SmallVector<Operation *> others;
  for (Operation &other : *op->getBlock())
    others.push_back(&other);
  Operation *to = draw.from(others);
  if (to != op)
    op->moveBefore(to);
}

/// A constant that is rarely expected instead of an operand.
static void insertConstant(Operation *op, Draw &draw) {
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType().isIntOrIndexOrFloat())
      operands.push_back(&operand);
  if (operands.empty())
    return;
  OpOperand *operand = draw.from(operands);
  OpBuilder builder(op);
  operand->set(arith::ConstantOp::create(
      builder, op->getLoc(), makeOddNumber(operand->get().getType(), draw)));
}

void carousel::fuzz::mutateOps(ModuleOp module, Draw &draw) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (op != module)
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  Operation *op = draw.from(ops);
  switch (draw.below(12)) {
  case 0:
  case 1:
    return replaceOperand(op, draw);
  case 2:
    return swapOperands(op, draw);
  case 3:
    return eraseOp(op, draw);
  case 4:
    return doubleOp(op, draw);
  case 5:
    return moveOp(op, draw);
  case 6:
  case 7:
    return insertConstant(op, draw);
  case 8:
  case 9:
    return insertGraphOp(module, draw);
  default:
    return mutateAttribute(op, draw);
  }
}
