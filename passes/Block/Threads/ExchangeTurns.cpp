//===- ExchangeTurns.cpp - exchanges through one buffer -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExchangeTurns.h. An exchange is safe from the one before through the same
// buffer if all threads have met in between. A second exchange in the same
// body, that is always executed, sees to that.
//
//===----------------------------------------------------------------------===//

#include "ExchangeTurns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace carousel;

void ExchangeTurns::inLoop(Operation *loop, function_ref<void()> write) {
  auto outer = std::exchange(exchangesOfBody, countExchanges(loop));
  unsigned branches = std::exchange(depthOfBranches, 0);
  Operation *outerLoop = std::exchange(innermostLoop, loop);
  ++depthOfLoops;
  // The last exchange of an earlier execution of the loop.
  if (depthOfLoops > 1 && exchangesOfBody > 0)
    program.barrier();
  write();
  --depthOfLoops;
  innermostLoop = outerLoop;
  depthOfBranches = branches;
  exchangesOfBody = outer;
}

void ExchangeTurns::inBranch(function_ref<void()> write) {
  ++depthOfBranches;
  write();
  --depthOfBranches;
}

unsigned ExchangeTurns::countExchanges(Operation *loop) const {
  unsigned count = 0;
  for (Region &region : loop->getRegions())
    for (Operation &op : region.getOps())
      if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
        SmallVector<bool> dims;
        for (int64_t dim = 0; dim < reduction.getSourceVectorType().getRank();
             ++dim)
          dims.push_back(reduction.isReducedDim(dim));
        count += needsExchange(
            plan.getOperandLayout(reduction.getSourceMutable()), dims);
      }
  return count;
}

/// A loop's only exchange takes turns with itself, by the iteration.
ExchangeTurn ExchangeTurns::take() {
  ExchangeTurn turn;
  if (depthOfLoops == 0 || (depthOfBranches == 0 && exchangesOfBody >= 2))
    return turn;
  if (depthOfBranches == 0 && exchangesOfBody == 1)
    turn.buffer = getParity();
  turn.needsBarrier = !turn.buffer;
  return turn;
}

/// Whether the iteration of the innermost loop is odd; null if the loop doesn't
/// count.
Value ExchangeTurns::getParity() {
  auto loop = dyn_cast<scf::ForOp>(innermostLoop);
  if (!loop || !getConstantIntValue(loop.getStep()))
    return nullptr;
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  Value number = arith::SubIOp::create(builder, loc,
                                       scalars.lookup(loop.getInductionVar()),
                                       scalars.lookup(loop.getLowerBound()));
  number = arith::DivUIOp::create(builder, loc, number,
                                  scalars.lookup(loop.getStep()));
  if (!number.getType().isIndex())
    number = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                          number);
  return arith::AndIOp::create(builder, loc, number, program.index(1));
}
