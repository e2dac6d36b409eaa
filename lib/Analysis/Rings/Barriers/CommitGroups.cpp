//===- CommitGroups.cpp - rings filled by cp.async groups -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CommitGroups.h.
//
//===----------------------------------------------------------------------===//

#include "CommitGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace carousel;

/// use - base if that is a known constant.
static std::optional<int64_t> getDistance(Value use, Value base) {
  if (use == base)
    return 0;
  auto sum = use.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  if (sum.getLhs() == base)
    return getConstantIntValue(sum.getRhs());
  if (sum.getRhs() == base)
    return getConstantIntValue(sum.getLhs());
  return std::nullopt;
}

/// Whether `use` is loop-carried, and increases by one in each iteration.
static bool countsIterations(scf::ForOp loop, Value use) {
  auto argument = dyn_cast<BlockArgument>(use);
  if (!argument || argument.getOwner() != loop.getBody() ||
      argument == loop.getInductionVar())
    return false;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
  return getDistance(yielded->get(), argument) == 1;
}

/// The loop's counter to which `use` adds a constant, or null.
static Value findCounter(scf::ForOp loop, Value use) {
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (getDistance(use, argument) && countsIterations(loop, argument))
      return argument;
  return {};
}

/// The op of the loop's body that is `op`, or contains it under branches only,
/// or null.
static Operation *findInBody(scf::ForOp loop, Operation *op) {
  while (op->getParentOp() != loop) {
    op = op->getParentOp();
    if (!isa<scf::IfOp>(op))
      return nullptr;
  }
  return op;
}

std::optional<CommitGroups> carousel::planCommitGroups(RingCreateOp ring) {
  CommitGroups groups;
  SmallVector<RingProduceOp> produces;
  SmallVector<RingWaitOp> waits;
  for (Operation *user : ring.getRing().getUsers()) {
    if (auto produce = dyn_cast<RingProduceOp>(user)) {
      produces.push_back(produce);
      groups.ends[produce] = produce;
    } else if (auto wait = dyn_cast<RingWaitOp>(user)) {
      waits.push_back(wait);
      groups.pending[wait] = 0;
    }
  }
  for (RingWaitOp wait : waits) {
    // In the loop, or under a branch of it: a wait for a later iteration.
    auto loop = wait->getParentOfType<scf::ForOp>();
    Operation *place = loop ? findInBody(loop, wait) : nullptr;
    if (!place)
      continue;
    SmallVector<RingProduceOp> inside;
    llvm::copy_if(produces, std::back_inserter(inside),
                  [&](Operation *op) { return loop->isAncestor(op); });
    if (inside.size() != 1)
      continue;
    RingProduceOp produce = inside.front();
    Operation *end = findInBody(loop, produce);
    Value counter = findCounter(loop, wait.getUse());
    if (!end || !end->isBeforeInBlock(place) || !counter)
      continue;
    std::optional<int64_t> ahead = getDistance(produce.getUse(), counter),
                           awaited = getDistance(wait.getUse(), counter);
    if (!ahead || *awaited < 0 || *ahead <= *awaited)
      continue;
    groups.ends[produce] = end;
    groups.pending[wait] = *ahead - *awaited;
    if (llvm::none_of(groups.padding,
                      [&](auto &padded) { return padded.first == loop; }))
      groups.padding.emplace_back(loop, *ahead - 1);
  }
  if (groups.padding.empty())
    return std::nullopt;
  return groups;
}
