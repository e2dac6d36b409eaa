//===- Destinations.cpp - what ops of a program write to ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Destinations.h.
//
//===----------------------------------------------------------------------===//

#include "Destinations.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;
using bufferization::MaterializeInDestinationOp;

static bool isStart(Operation *op);

static bool isWritten(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isStart(user))
    return true;
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
    return &use == &insert.getDestMutable();
  if (auto copy = dyn_cast<MaterializeInDestinationOp>(user))
    return &use == &copy.getDestMutable();
  auto written = dyn_cast<DestinationStyleOpInterface>(user);
  return written && written.isDpsInit(&use);
}

static bool isResult(Value value);

/// Whether the use makes a value, or a view of it, a result of the program.
static bool isResult(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<MaterializeInDestinationOp>(user))
    return user->getNumResults() == 0;
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp>(user) &&
         isResult(user->getResult(0));
}

static bool isResult(Value value) {
  return llvm::any_of(value.getUses(),
                      [](OpOperand &use) { return isResult(use); });
}

/// Whether the op is memory that has no elements yet, or a part of such.
static bool isMemory(Operation *op) {
  while (isa_and_present<tensor::ExtractSliceOp, tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<tensor::EmptyOp>(op);
}

static bool isStart(Operation *op) {
  return isa<linalg::FillOp>(op) || isMemory(op);
}

static Value copy(OpBuilder &builder, Value value) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  auto empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      type.getElementType());
  return MaterializeInDestinationOp::create(builder, loc, value, empty)
      .getResult();
}

static void copyWhatIsWrittenOver(OpResult value) {
  SmallVector<OpOperand *> writes;
  for (OpOperand &use : value.getUses())
    if (isWritten(use))
      writes.push_back(&use);
  if (!isResult(value) && !writes.empty())
    writes.erase(writes.begin());
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  for (OpOperand *write : writes)
    write->set(copy(builder, value));
}

/// Each write and each result has a tensor of its own: one of them may get the
/// memory of a result, and the others would share it.
static void cloneStart(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getResult(0).getUses())
    if (isWritten(use) || isResult(use))
      uses.push_back(&use);
  for (size_t left = uses.size(); left > 1; --left)
    uses[left - 2]->set(builder.clone(*op)->getResult(0));
}

/// The insertion into what another one returns, or null.
static tensor::InsertSliceOp findNext(tensor::InsertSliceOp insert) {
  for (OpOperand &use : insert.getResult().getUses())
    if (auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
        next && isWritten(use))
      return next;
  return {};
}

/// The analysis of bufferization compares each read of a buffer with each
/// write, and walks between them, for each op: it takes time with the fourth
/// power of a chain of insertions. Long ones go through several buffers.
static void divideInsertions(tensor::InsertSliceOp first) {
  constexpr unsigned kMost = 64, kPart = 32;
  SmallVector<tensor::InsertSliceOp> chain;
  for (auto insert = first; insert; insert = findNext(insert))
    chain.push_back(insert);
  OpBuilder builder(first.getContext());
  for (unsigned from = kPart, e = chain.size(); e > kMost && from < e;
       from += kPart) {
    builder.setInsertionPoint(chain[from]);
    chain[from].getDestMutable().assign(copy(builder, chain[from].getDest()));
  }
}

void carousel::separateDestinations(func::FuncOp func) {
  Block &body = func.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body))
    if (!isStart(&op) && !op.hasTrait<OpTrait::ConstantLike>())
      for (OpResult result : op.getResults())
        if (isa<RankedTensorType>(result.getType()))
          copyWhatIsWrittenOver(result);
  for (auto insert :
       llvm::make_early_inc_range(body.getOps<tensor::InsertSliceOp>()))
    if (!insert.getDest().getDefiningOp<tensor::InsertSliceOp>())
      divideInsertions(insert);
  // Fills first, and then what they fill.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isStart(&op))
      cloneStart(&op);
}
