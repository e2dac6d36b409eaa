//===- ValueSources.cpp - the sources of a value --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/ValueSources.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace carousel;

bool SourceFinder::findJoined(RegionBranchOpInterface branch,
                              ValueSources &sources) {
  auto [entry, isNew] = mappings.try_emplace(branch);
  if (isNew)
    branch.getSuccessorInputOperandMapping(entry->second);
  auto incoming = entry->second.find(sources.value);
  if (incoming == entry->second.end())
    return false;
  for (OpOperand *operand : incoming->second)
    sources.values.push_back(operand->get());
  return true;
}

/// The values that branches pass; false if a block is reached in another way.
static bool findIncoming(BlockArgument argument,
                         SmallVectorImpl<Value> &values) {
  Block *block = argument.getOwner();
  for (auto edge = block->pred_begin(); edge != block->pred_end(); ++edge) {
    auto branch = dyn_cast<BranchOpInterface>((*edge)->getTerminator());
    Value value = branch
                      ? branch.getSuccessorOperands(
                            edge.getSuccessorIndex())[argument.getArgNumber()]
                      : Value();
    if (!value)
      return false;
    values.push_back(value);
  }
  return true;
}

ValueSources SourceFinder::findArgument(BlockArgument argument) {
  ValueSources sources;
  sources.value = argument;
  Operation *parent = argument.getOwner()->getParentOp();
  if (!parent)
    return sources;
  if (!argument.getOwner()->isEntryBlock()) {
    if (findIncoming(argument, sources.values))
      sources.kind = ValueSources::Joined;
    return sources;
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
    std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
    const auto *variable =
        variables ? llvm::find(*variables, argument) : nullptr;
    if (variables && variable != variables->end()) {
      std::optional<SmallVector<OpFoldResult>> lower =
          loop.getLoopLowerBounds();
      std::optional<SmallVector<OpFoldResult>> upper =
          loop.getLoopUpperBounds();
      std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
      sources.kind = ValueSources::Induction;
      sources.loop = loop;
      sources.variable = variable - variables->begin();
      for (const auto *bounds : {&lower, &upper, &steps})
        if (*bounds)
          if (auto value = dyn_cast<Value>((**bounds)[sources.variable]))
            sources.values.push_back(value);
      // Its bounds are maps of operands, even if they are constant.
      if (isa<affine::AffineForOp>(parent))
        llvm::append_range(sources.values, loop->getOperands());
      return sources;
    }
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(parent);
      branch && findJoined(branch, sources))
    sources.kind = ValueSources::Joined;
  return sources;
}

ValueSources SourceFinder::find(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return findArgument(argument);
  ValueSources sources;
  sources.value = value;
  Operation *op = value.getDefiningOp();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    if (findJoined(branch, sources))
      sources.kind = ValueSources::Joined;
  } else if (isComputed(op)) {
    sources.kind = ValueSources::Result;
    llvm::append_range(sources.values, op->getOperands());
  }
  return sources;
}

SmallVector<ValueSources>
carousel::collectSources(Value root, SourceFinder &finder,
                         function_ref<bool(Value)> isKnown, bool &hasLoop) {
  struct Open {
    ValueSources sources;
    size_t next = 0;
  };
  SmallVector<ValueSources> order;
  SmallVector<Open> open;
  llvm::DenseMap<Value, bool> isDone; // false: in `open`
  auto begin = [&](Value value) {
    isDone[value] = false;
    open.push_back({finder.find(value)});
  };
  begin(root);
  while (!open.empty()) {
    Open &top = open.back();
    if (top.next == top.sources.values.size()) {
      isDone[top.sources.value] = true;
      order.push_back(std::move(top.sources));
      open.pop_back();
      continue;
    }
    Value source = top.sources.values[top.next++];
    if (isKnown(source))
      continue;
    auto seen = isDone.find(source);
    if (seen == isDone.end())
      begin(source);
    else
      hasLoop |= !seen->second;
  }
  return order;
}
