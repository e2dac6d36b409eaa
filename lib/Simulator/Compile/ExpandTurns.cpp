//===- ExpandTurns.cpp - turns and accumulations ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands turns and accumulations by docs/Ordering.md to ops that the machine
// supports: a barrier and a wait of one thread before a turn, and the same
// after it. An accumulation has its effect on memory, whatever scheme it
// requests.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"

#include "carousel/Dialect/IR/Branches.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

static Value createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value createIsEqual(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, rhs);
}

/// Whether this is the first thread of the block.
static Value createIsFirstThread(ImplicitLocOpBuilder &b) {
  Value isFirst;
  for (auto dim : {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z}) {
    Value isZero =
        createIsEqual(b, gpu::ThreadIdOp::create(b, dim), createIndex(b, 0));
    isFirst = isFirst ? arith::AndIOp::create(b, isFirst, isZero) : isZero;
  }
  return isFirst;
}

static Value toI32(ImplicitLocOpBuilder &b, Value index) {
  return arith::IndexCastOp::create(b, b.getI32Type(), index);
}

static void expandTurn(SerializeOp op) {
  IRRewriter rewriter(op.getContext());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  bool isOrdered = op.getOrder() == TurnOrder::Ordered;
  Value first, last;
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  if (isOrdered) {
    Value next = arith::AddIOp::create(b, op.getTurn(), createIndex(b, 1));
    first = createIsEqual(b, op.getTurn(), createIndex(b, 0));
    last = createIsEqual(b, next, op.getCount());
    Value isFirstThread = createIsFirstThread(b);
    gpu::BarrierOp::create(b);
    createIf(b, isFirstThread, [&] {
      GridSerialWaitOp::create(b, op.getSemaphores(), op.getIndices(),
                               toI32(b, op.getTurn()), WaitLabelAttr());
    });
    gpu::BarrierOp::create(b);
    b.setInsertionPoint(end);
    gpu::BarrierOp::create(b);
    createIf(b, isFirstThread, [&] {
      Value passed = arith::SelectOp::create(b, last, createIndex(b, 0), next);
      GridSerialReleaseOp::create(b, op.getSemaphores(), op.getIndices(),
                                  toI32(b, passed));
    });
  } else {
    first = last = arith::ConstantIntOp::create(b, 0, 1);
  }
  rewriter.inlineBlockBefore(&body, op, {first, last});
  rewriter.replaceOp(op, end->getOperands());
  rewriter.eraseOp(end);
}

static void expandAccumulation(AccumulateOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto turns = op->getParentOfType<SerializeOp>();
  bool isOrdered = turns && turns.getOrder() == TurnOrder::Ordered;
  auto store = [&](ReductionAttr reduce) {
    StoreOp::create(b, op.getTile(), op.getGlobal(), op.getOffsets(), reduce,
                    /*exclusive=*/reduce && isOrdered, TransferScope::CTA,
                    op.getInBounds(), /*by_threads=*/false, Swizzle::None,
                    EvictPriority::Normal, EngineAttr(), /*map=*/Value());
  };
  createIf(
      b, op.getFirst(), [&] { store({}); }, [&] { store(op.getReduceAttr()); });
  if (op.getLast())
    createIf(b, op.getLast(), [&] {
      LoadOp::create(b, op.getGlobal(), op.getOffsets(), op.getTile(),
                     OutOfBoundsFill::Zero, /*fill_value=*/Attribute(),
                     ReductionAttr(), TransferScope::CTA, op.getInBounds(),
                     /*by_threads=*/false, Swizzle::None, EvictPriority::Normal,
                     EngineAttr(), /*map=*/Value());
    });
  op.erase();
}

void sim::expandTurns(Operation *root) {
  root->walk([](AccumulateOp op) { expandAccumulation(op); });
  root->walk([](SerializeOp op) { expandTurn(op); });
}
