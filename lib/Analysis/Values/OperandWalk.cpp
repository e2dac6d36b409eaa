//===- OperandWalk.cpp - what a value is computed of ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/OperandWalk.h"

#include "mlir/IR/Operation.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace carousel;

WalkResult carousel::walkSources(
    Value root, function_ref<void(Value, SmallVectorImpl<Value> &)> addSources,
    function_ref<WalkResult(Value)> visit) {
  struct Open {
    Value value;
    bool isEntered;
  };
  SmallVector<Open> stack = {{root, false}};
  SmallVector<Value> sources;
  llvm::DenseSet<Value> seen;
  while (!stack.empty()) {
    Open &last = stack.back();
    Value value = last.value;
    if (last.isEntered) {
      stack.pop_back();
      if (visit(value).wasInterrupted())
        return WalkResult::interrupt();
      continue;
    }
    if (!seen.insert(value).second) {
      stack.pop_back();
      continue;
    }
    last.isEntered = true;
    sources.clear();
    addSources(value, sources);
    // The last one on the stack is visited first.
    for (Value source : llvm::reverse(sources))
      if (!seen.contains(source))
        stack.push_back({source, false});
  }
  return WalkResult::advance();
}

WalkResult carousel::walkOperands(Value root, function_ref<bool(Value)> enters,
                                  function_ref<WalkResult(Value)> visit) {
  auto addOperands = [&](Value value, SmallVectorImpl<Value> &sources) {
    Operation *op = value.getDefiningOp();
    if (!op || !enters(value))
      return;
    llvm::append_range(sources, op->getOperands());
    if (op->getNumRegions() == 0)
      return;
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(sources, captured);
  };
  return walkSources(root, addOperands, visit);
}

bool carousel::isComputedOf(Value root, function_ref<bool(Value)> enters,
                            function_ref<bool(Value)> accepts) {
  return walkOperands(root, enters,
                      [&](Value value) {
                        return accepts(value) ? WalkResult::interrupt()
                                              : WalkResult::advance();
                      })
      .wasInterrupted();
}
