//===- MergeCounters.cpp - loop-carried numbers that are alike ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each ring counts its uses. Where a loop has one of each of several rings,
// their counters are the same number, and so are slots and parities of rings
// with as many stages, once it is one value.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace carousel {
#define GEN_PASS_DEF_MERGECOUNTERS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// By what a value of the loop grows in each iteration; null if that isn't a
/// value from outside of it.
static OpFoldResult getIncrement(scf::ForOp loop, BlockArgument argument) {
  auto add = loop.getTiedLoopYieldedValue(argument)
                 ->get()
                 .getDefiningOp<arith::AddIOp>();
  if (!add || (add.getLhs() != argument && add.getRhs() != argument))
    return {};
  OpFoldResult increment =
      getAsOpFoldResult(add.getLhs() == argument ? add.getRhs() : add.getLhs());
  auto value = dyn_cast<Value>(increment);
  if (value && !loop.isDefinedOutsideOfLoop(value))
    return {};
  return increment;
}

namespace {

struct MergeCounters : public carousel::impl::MergeCountersBase<MergeCounters> {
  void runOnOperation() override {
    getOperation()->walk([&](scf::ForOp loop) { merge(loop); });
  }

private:
  void merge(scf::ForOp loop) {
    struct Counter {
      OpFoldResult first, increment;
      BlockArgument argument;
    };
    SmallVector<Counter> counters;
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      OpFoldResult increment = getIncrement(loop, argument);
      if (!increment)
        continue;
      Counter counter{getAsOpFoldResult(loop.getTiedLoopInit(argument)->get()),
                      increment, argument};
      auto *same = llvm::find_if(counters, [&](const Counter &other) {
        return other.first == counter.first &&
               other.increment == counter.increment &&
               other.argument.getType() == argument.getType();
      });
      if (same == counters.end()) {
        counters.push_back(counter);
        continue;
      }
      loop.getTiedLoopResult(argument).replaceAllUsesWith(
          loop.getTiedLoopResult(same->argument));
      argument.replaceAllUsesWith(same->argument);
      ++countersMerged;
    }
  }
};

} // namespace
