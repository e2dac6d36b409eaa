//===- CarryFactors.cpp - registers of factors that stay ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CarryFactors.h.
//
//===----------------------------------------------------------------------===//

#include "CarryFactors.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace carousel;

namespace {

/// An operand of a fence that stays the same, and what a wait makes of it.
struct StayingFactor {
  OpOperand *operand;
  Value waited;
};

} // namespace

static bool isFactor(Value fenced) {
  return llvm::any_of(fenced.getUses(), [](OpOperand &use) {
    auto product = dyn_cast<WgmmaMmaOp>(use.getOwner());
    return product && product.getA() == use.get();
  });
}

/// The value of the factor's registers behind a wait of the same iteration.
static Value findWaited(Value fenced) {
  for (OpOperand &use : fenced.getUses())
    if (auto wait = dyn_cast<WgmmaWaitOp>(use.getOwner()))
      if (wait->getBlock() == fenced.getParentBlock())
        return wait.getResult(use.getOperandNumber());
  return {};
}

/// What a loop passes on as it got it is the same in all iterations.
static void replacePassedOn(scf::ForOp loop) {
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues()))
    if (init == yielded || argument == yielded)
      argument.replaceAllUsesWith(init);
}

unsigned carousel::carryFactors(scf::ForOp loop) {
  replacePassedOn(loop);
  moveLoopInvariantCode(loop);
  SmallVector<StayingFactor> factors;
  SmallVector<Value> first;
  for (auto fence : loop.getOps<WgmmaFenceOp>())
    for (auto [operand, fenced] :
         llvm::zip_equal(fence->getOpOperands(), fence.getResults())) {
      if (!loop.isDefinedOutsideOfLoop(operand.get()) || !isFactor(fenced))
        continue;
      if (Value waited = findWaited(fenced)) {
        factors.push_back({&operand, waited});
        first.push_back(operand.get());
        fence.setRenews(true);
      }
    }
  if (factors.empty())
    return 0;
  IRRewriter rewriter(loop.getContext());
  (void)loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        SmallVector<Value> yielded;
        for (auto [factor, argument] : llvm::zip_equal(factors, arguments)) {
          factor.operand->set(argument);
          yielded.push_back(factor.waited);
        }
        return yielded;
      });
  return factors.size();
}
