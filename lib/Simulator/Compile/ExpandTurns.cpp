//===- ExpandTurns.cpp - turns, accumulations, signals ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands turns and accumulations by docs/Ordering.md to ops that the machine
// supports: a barrier and a wait of one thread before a turn, and the same
// after it. An accumulation has its effect on memory, whatever scheme it
// requests. A signal is sent, and waited for, by one thread
// (docs/Transport.md).
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"

#include "carousel/Dialect/IR/Branches.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
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
                     ReductionAttr(), /*round_tf32=*/false, TransferScope::CTA,
                     op.getInBounds(), /*by_threads=*/false, Swizzle::None,
                     EvictPriority::Normal, EngineAttr(), /*map=*/Value());
    });
  op.erase();
}

/// Signals of a kernel with a multicast argument also order its accesses by
/// that address and by others.
static void createAliasFence(ImplicitLocOpBuilder &b, Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  if (llvm::any_of(kernel.getArguments(), isMulticast))
    FenceProxyOp::create(b, ProxyKind::Alias);
}

static void expandSignal(SignalOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value isFirstThread = createIsFirstThread(b);
  gpu::BarrierOp::create(b);
  createIf(b, isFirstThread, [&] {
    createAliasFence(b, op);
    SignalReleaseOp::create(b, op.getCounters(), op.getIndices(), op.getValue(),
                            op.getAdd(), MemSemantics::Release);
  });
  op.erase();
}

static void expandWait(WaitSignalOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value isFirstThread = createIsFirstThread(b);
  gpu::BarrierOp::create(b);
  Type type = op.getReached() ? op.getReached().getType() : Type();
  if (!type) {
    createIf(b, isFirstThread, [&] {
      SignalWaitOp::create(b, Type(), op.getCounters(), op.getIndices(),
                           op.getValue(), Value(), MemSemantics::Acquire,
                           WaitLabelAttr());
      createAliasFence(b, op);
    });
    gpu::BarrierOp::create(b);
    op.erase();
    return;
  }
  Type i32 = b.getI32Type();
  auto answer = scf::IfOp::create(b, TypeRange(i32), isFirstThread,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(answer.thenBlock());
    auto wait = SignalWaitOp::create(b, type, op.getCounters(), op.getIndices(),
                                     op.getValue(), op.getTimeout(),
                                     MemSemantics::Acquire, WaitLabelAttr());
    createAliasFence(b, op);
    Value bit = arith::ExtUIOp::create(b, i32, wait.getReached());
    scf::YieldOp::create(b, bit);
    b.setInsertionPointToStart(answer.elseBlock());
    Value none = arith::ConstantIntOp::create(b, 0, 32);
    scf::YieldOp::create(b, none);
  }
  // All threads get what the first one has found.
  Value reached = gpu::AllReduceOp::create(
      b, answer.getResult(0),
      gpu::AllReduceOperationAttr::get(b.getContext(),
                                       gpu::AllReduceOperation::ADD),
      /*uniform=*/true);
  gpu::BarrierOp::create(b);
  Value none = arith::ConstantIntOp::create(b, 0, 32);
  op.getReached().replaceAllUsesWith(
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, reached, none));
  op.erase();
}

void sim::expandTurns(Operation *root) {
  root->walk([](AccumulateOp op) { expandAccumulation(op); });
  root->walk([](SerializeOp op) { expandTurn(op); });
  root->walk([](SignalOp op) { expandSignal(op); });
  root->walk([](WaitSignalOp op) { expandWait(op); });
}
