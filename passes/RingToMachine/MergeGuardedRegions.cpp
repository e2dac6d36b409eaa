//===- MergeGuardedRegions.cpp - merge sections of the issuing thread -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills and stores of several rings are sections of the issuing thread, each
// under its own branch. This rewrite merges consecutive sections, so that the
// other threads branch once and values common to sections are computed once.
//
//===----------------------------------------------------------------------===//

#include "MergeGuardedRegions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

static bool isSection(scf::IfOp branch) {
  return branch.getNumResults() == 0 && !branch.elseBlock();
}

/// The section behind `first` under the same condition, and into `between` what
/// stands between the two and may as well come before them.
static scf::IfOp findNext(scf::IfOp first,
                          SmallVectorImpl<Operation *> &between) {
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    auto next = dyn_cast<scf::IfOp>(op);
    if (next && isSection(next) && next.getCondition() == first.getCondition())
      return next;
    if (op->getNumRegions() != 0 || !isPure(op))
      return {};
    between.push_back(op);
  }
  return {};
}

void carousel::mergeGuardedRegions(gpu::GPUFuncOp kernel) {
  SmallVector<scf::IfOp> sections;
  kernel.walk([&](scf::IfOp branch) {
    if (isSection(branch))
      sections.push_back(branch);
  });
  // From behind: what joins a section has all that joins it by then.
  for (scf::IfOp first : llvm::reverse(sections)) {
    SmallVector<Operation *> between;
    scf::IfOp next = findNext(first, between);
    if (!next)
      continue;
    for (Operation *op : between)
      op->moveBefore(first);
    Operation *end = first.thenYield();
    first.thenBlock()->getOperations().splice(
        Block::iterator(end), next.thenBlock()->getOperations(),
        next.thenBlock()->begin(), Block::iterator(next.thenYield()));
    next.erase();
  }
}
