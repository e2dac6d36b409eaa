//===- ExchangeTurns.h - exchanges through one buffer -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a loop exchange their parts through the same shared memory in
// each iteration. Two buffers take turns where that saves a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_EXCHANGETURNS_H
#define CAROUSEL_PASSES_BLOCK_THREADS_EXCHANGETURNS_H

#include "ReduceVectors.h"
#include "ThreadProgram.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "mlir/IR/IRMapping.h"

namespace carousel {

class ExchangeTurns {
public:
  /// `scalars` has the bounds of loops.
  ExchangeTurns(ThreadProgram &program, const LayoutPlan &plan,
                const mlir::IRMapping &scalars)
      : program(program), plan(plan), scalars(scalars) {}

  /// Takes the turn of the next exchange.
  ExchangeTurn take();

  /// Call `write`, which writes the op.
  void inLoop(mlir::Operation *loop, llvm::function_ref<void()> write);
  void inBranch(llvm::function_ref<void()> write);

private:
  unsigned countExchanges(mlir::Operation *loop) const;
  mlir::Value getParity();

  ThreadProgram &program;
  const LayoutPlan &plan;
  const mlir::IRMapping &scalars;
  mlir::Operation *innermostLoop = nullptr;
  unsigned depthOfLoops = 0, depthOfBranches = 0, exchangesOfBody = 0;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_EXCHANGETURNS_H
