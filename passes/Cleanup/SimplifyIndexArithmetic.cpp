//===- SimplifyIndexArithmetic.cpp - cheaper divisions and counters -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs four steps, each in a file of its own, in the order in which one uses
// the other's result: strength reduction leaves divisions before its loops,
// which are narrowed. The loops of a kernel and their rings then have equal
// induction variables, which are merged. Addresses of threads are split last.
//
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace carousel {
#define GEN_PASS_DEF_SIMPLIFYINDEXARITHMETIC
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct SimplifyIndexArithmetic
    : public carousel::impl::SimplifyIndexArithmeticBase<
          SimplifyIndexArithmetic> {
  using SimplifyIndexArithmeticBase::SimplifyIndexArithmeticBase;

  void runOnOperation() override {
    ReducedDivisions reduced = reduceDivisions(getOperation(), maxDivisors);
    divisionsReduced += reduced.reduced;
    divisionsKept += reduced.kept;
    NarrowedDivisions narrowed = narrowDivisions(getOperation());
    divisionsNarrowed += narrowed.narrowed;
    quotientsRounded += narrowed.rounded;
    variablesMerged += mergeInductionVariables(getOperation());
    addressesSplit += splitAddresses(getOperation());
  }
};

} // namespace
