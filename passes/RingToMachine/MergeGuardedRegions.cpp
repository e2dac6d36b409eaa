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
// Where one thread does all of a role, only that thread computes anything.
//
//===----------------------------------------------------------------------===//

#include "MergeGuardedRegions.h"

#include "carousel/Dialect/IR/CarouselOps.h"
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
  // Sections are visited in reverse, so that what joins a section has all that
  // joins it by then.
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

/// Adds the sections in `ops` and the ops inside them. Whether all else only
/// computes, and all sections have one condition, which is from outside of
/// `block`.
static bool collectSections(Block &block,
                            llvm::iterator_range<Block::iterator> ops,
                            Value &condition,
                            SmallVectorImpl<scf::IfOp> &sections) {
  for (Operation &op : ops) {
    auto branch = dyn_cast<scf::IfOp>(op);
    bool isOutside = branch && !block.getParent()->isAncestor(
                                   branch.getCondition().getParentRegion());
    if (branch && isSection(branch) && isOutside) {
      if (condition && condition != branch.getCondition())
        return false;
      condition = branch.getCondition();
      sections.push_back(branch);
    } else if (isa<scf::ForOp, scf::IfOp>(op)) {
      for (Region &region : op.getRegions())
        if (!region.empty() &&
            !collectSections(block, region.front(), condition, sections))
          return false;
    } else if (isa_and_nonnull<gpu::GPUDialect>(op.getDialect()) &&
               !isa<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp,
                    gpu::GridDimOp>(op)) {
      return false; // it may need the other threads
    } else if (!op.hasTrait<OpTrait::IsTerminator>() &&
               !isMemoryEffectFree(&op)) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      if (!effects || !effects.onlyHasEffect<MemoryEffects::Read>())
        return false;
    }
  }
  return true;
}

void carousel::guardAsOne(Block &block) {
  Operation *end = block.getTerminator();
  Block::iterator first = block.begin();
  if (isa<SetMaxRegistersOp>(*first))
    ++first;
  SmallVector<scf::IfOp> sections;
  Value condition;
  if (!collectSections(block, {first, Block::iterator(end)}, condition,
                       sections) ||
      !condition)
    return;
  OpBuilder builder(&block, first);
  auto all = scf::IfOp::create(builder, condition.getLoc(), condition,
                               /*withElseRegion=*/false);
  all.thenBlock()->getOperations().splice(
      all.thenBlock()->begin(), block.getOperations(),
      std::next(Block::iterator(all)), Block::iterator(end));
  for (scf::IfOp section : sections) {
    section->getBlock()->getOperations().splice(
        Block::iterator(section), section.thenBlock()->getOperations(),
        section.thenBlock()->begin(), Block::iterator(section.thenYield()));
    section.erase();
  }
}
