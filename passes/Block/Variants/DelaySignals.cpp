//===- DelaySignals.cpp - signals one program later -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DelaySignals.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

static bool mayWrite(Operation &op) {
  auto effects = getEffectsRecursively(&op);
  return !effects ||
         llvm::any_of(*effects,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return isa<MemoryEffects::Write>(effect.getEffect());
                      });
}

/// Those behind all other writes of the body, in their order.
static SmallVector<SignalOp> findLastSignals(Block &body) {
  SmallVector<SignalOp> signals;
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (auto signal = dyn_cast<SignalOp>(op))
      signals.push_back(signal);
    else if (mayWrite(op))
      break;
  std::reverse(signals.begin(), signals.end());
  return signals;
}

/// What the signals take from their iteration.
static SmallVector<Value> findOwnOperands(scf::ForOp loop,
                                          ArrayRef<SignalOp> signals) {
  llvm::SetVector<Value> own;
  for (SignalOp signal : signals)
    for (Value operand : signal->getOperands())
      if (!loop.isDefinedOutsideOfLoop(operand))
        own.insert(operand);
  return own.takeVector();
}

/// The signals of a program whose `own` values are `values`, under a condition.
static void signalIf(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
                     Value lhs, Value rhs, ArrayRef<SignalOp> signals,
                     ValueRange own, ValueRange values) {
  Value condition = arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  auto branch = scf::IfOp::create(b, loc, condition);
  OpBuilder inside = branch.getThenBodyBuilder();
  IRMapping mapping;
  mapping.map(own, values);
  for (SignalOp signal : signals)
    inside.clone(*signal, mapping);
}

scf::ForOp carousel::delaySignals(scf::ForOp loop) {
  SmallVector<SignalOp> signals = findLastSignals(*loop.getBody());
  if (signals.empty())
    return loop;
  SmallVector<Value> own = findOwnOperands(loop, signals);
  IRRewriter rewriter(loop);
  Location loc = signals.front().getLoc();
  SmallVector<Value> none;
  for (Value value : own)
    none.push_back(arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(value.getType())));
  unsigned carried = loop.getInitArgs().size();
  auto yieldOwn = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return own;
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, none, /*replaceInitOperandUsesInLoop=*/false, yieldOwn));
  Block &body = *loop.getBody();
  auto firstWrite = llvm::find_if(body, mayWrite);
  rewriter.setInsertionPoint(&body, firstWrite);
  signalIf(rewriter, loc, arith::CmpIPredicate::ne, loop.getInductionVar(),
           loop.getLowerBound(), signals, own,
           SmallVector<Value>(loop.getRegionIterArgs().drop_front(carried)));
  rewriter.setInsertionPointAfter(loop);
  signalIf(rewriter, loc, arith::CmpIPredicate::ult, loop.getLowerBound(),
           loop.getUpperBound(), signals, own,
           loop.getResults().drop_front(carried));
  for (SignalOp signal : signals)
    signal.erase();
  return loop;
}
