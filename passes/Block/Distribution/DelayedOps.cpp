//===- DelayedOps.cpp - ops that are computed where they're written -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DelayedOps.h. The block is gone through upwards from each write, so that
// the users of an op are known before it.
//
//===----------------------------------------------------------------------===//

#include "DelayedOps.h"

#include "../Threads/ThreadProgram.h"
#include "FreeVectors.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

/// Bytes become floats four at a time, by what was read together.
static bool convertsBytes(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0)).isInteger(8);
}

/// Whether the op and what it takes have the layout.
static bool isOfLayout(Operation *op, const LinearLayout &layout,
                       const LayoutPlan &plan) {
  OpResult result = op->getResult(0);
  const LinearLayout *own = plan.getLayout(result);
  if (!own || *own != layout || plan.getComputedLayout(result) != layout)
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return !isa<VectorType>(operand.get().getType()) ||
           plan.getOperandLayout(operand) == layout;
  });
}

static bool isPlainRead(vector::TransferReadOp read, const LayoutPlan &plan) {
  const AccessPlan &access = plan.getAccess(read);
  return !read.getMask() && !access.isTransfer && !access.byMatrices &&
         access.run <= kRegistersOfPiece;
}

/// Whether a read may move behind the op.
static bool isPassed(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) || isa<vector::TransferReadOp>(op));
}

void DelayedOps::collect(vector::TransferWriteOp write, const LayoutPlan &plan,
                         const MemoryOrder &order) {
  constexpr int64_t kManyRegisters = 64;
  const LinearLayout &layout = plan.getAccess(write).layout;
  if (write.getMask() || countRegisters(layout) < kManyRegisters ||
      plan.getOperandLayout(write.getValueToStoreMutable()) != layout)
    return;
  // Written through a tile, results of sums alone are computed faster as a
  // whole; with what is read beside them, they need too many registers.
  bool isWhole = plan.getAccess(write).isTransfer;
  llvm::SmallVector<Operation *> own;
  auto isTaken = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return user == write || llvm::is_contained(own, user);
    });
  };
  bool mayRead = true;
  for (Operation *op = write->getPrevNode(); op; op = op->getPrevNode()) {
    bool isOfWrite = op->getNumResults() == 1 && !op->use_empty() &&
                     isTaken(op) && isa<VectorType>(op->getResult(0).getType());
    auto read = dyn_cast<vector::TransferReadOp>(op);
    if (isOfWrite && !isFreeVector(op) && !passesTile(op) &&
        isOfLayout(op, layout, plan) &&
        (read
             ? mayRead && isPlainRead(read, plan) && !order.mayMeet(read, write)
             : isElementwise(op) && isMemoryEffectFree(op) &&
                   !convertsBytes(op) && !findComparedSteps(op))) {
      own.push_back(op);
      if (read)
        reads[write].push_back(read);
    }
    mayRead &= isPassed(op);
  }
  if (!isWhole || !reads[write].empty())
    ops.insert(own.begin(), own.end());
}

DelayedOps::DelayedOps(gpu::GPUFuncOp kernel, const LayoutPlan &plan,
                       const MemoryOrder &order) {
  kernel.walk(
      [&](vector::TransferWriteOp write) { collect(write, plan, order); });
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void PiecesOfWrite::prepare(OpOperand &operand) {
  Operation *op = operand.get().getDefiningOp();
  if (!op || !delayed.contains(op))
    return (void)getWholeOnce(operand);
  if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    if (!readers[op])
      readers[op] = makeReader(read);
    return;
  }
  for (OpOperand &own : op->getOpOperands())
    prepare(own);
}

Value PiecesOfWrite::get(OpOperand &operand, int64_t begin, int64_t number) {
  if (begin != first || number != count)
    computed.clear();
  first = begin;
  count = number;
  Operation *op = operand.get().getDefiningOp();
  if (op && delayed.contains(op))
    return compute(op);
  Value whole = getWholeOnce(operand);
  if (!isa<VectorType>(whole.getType()))
    return whole;
  SmallVector<int64_t> own(count);
  std::iota(own.begin(), own.end(), first);
  return program.select(whole, own);
}

Value PiecesOfWrite::getWholeOnce(OpOperand &operand) {
  Value &whole = wholes[&operand];
  if (!whole)
    whole = getWhole(operand);
  return whole;
}

Value PiecesOfWrite::compute(Operation *op) {
  if (Value known = computed.lookup(op))
    return known;
  Value result;
  if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    result = readers[read]->readPiece(first, count);
  } else {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(get(operand, first, count));
    auto element = getElementTypeOrSelf(op->getResult(0));
    OperationState state(op->getLoc(), op->getName(), operands,
                         TypeRange(VectorType::get({count}, element)));
    for (NamedAttribute attr : op->getAttrs())
      if (attr.getName() != CarouselDialect::kLayout)
        state.addAttribute(attr.getName(), attr.getValue());
    result = program.builder.create(state)->getResult(0);
  }
  computed[op] = result;
  return result;
}
