//===- MergeInductionVariables.cpp - equal start, equal step --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each ring counts its uses. A loop over several rings carries one counter for
// each of them, all with the same value. Once they are one value, CSE merges
// the slots and parities of rings with equal numbers of stages.
//
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-simplify-index-arithmetic"

using namespace mlir;
using namespace carousel;

namespace {

/// A value that a loop carries and to which each iteration adds the same.
struct InductionVariable {
  OpFoldResult start, step;
  BlockArgument argument;
};

} // namespace

/// Returns each iteration's summand of a loop-carried value; null unless it is
/// a constant or a value from outside the loop.
static OpFoldResult getStep(scf::ForOp loop, BlockArgument argument) {
  auto add = loop.getTiedLoopYieldedValue(argument)
                 ->get()
                 .getDefiningOp<arith::AddIOp>();
  if (!add || (add.getLhs() != argument && add.getRhs() != argument))
    return {};
  OpFoldResult step =
      getAsOpFoldResult(add.getLhs() == argument ? add.getRhs() : add.getLhs());
  auto value = dyn_cast<Value>(step);
  if (value && !loop.isDefinedOutsideOfLoop(value))
    return {};
  return step;
}

static unsigned mergeInductionVariables(scf::ForOp loop) {
  unsigned merged = 0;
  SmallVector<InductionVariable> variables;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    OpFoldResult step = getStep(loop, argument);
    if (!step)
      continue;
    InductionVariable variable{
        getAsOpFoldResult(loop.getTiedLoopInit(argument)->get()), step,
        argument};
    auto *same = llvm::find_if(variables, [&](const InductionVariable &other) {
      return other.start == variable.start && other.step == variable.step &&
             other.argument.getType() == argument.getType();
    });
    if (same == variables.end()) {
      variables.push_back(variable);
      continue;
    }
    loop.getTiedLoopResult(argument).replaceAllUsesWith(
        loop.getTiedLoopResult(same->argument));
    argument.replaceAllUsesWith(same->argument);
    ++merged;
  }
  if (merged != 0)
    LDBG() << loop.getLoc() << ": merged " << merged
           << " loop-carried values into " << variables.size();
  return merged;
}

unsigned carousel::mergeInductionVariables(Operation *root) {
  unsigned merged = 0;
  root->walk(
      [&](scf::ForOp loop) { merged += ::mergeInductionVariables(loop); });
  return merged;
}
