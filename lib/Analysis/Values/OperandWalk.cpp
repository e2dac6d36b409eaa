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

WalkResult carousel::walkOperands(Value root, function_ref<bool(Value)> enters,
                                  function_ref<WalkResult(Value)> visit) {
  struct Open {
    Value value;
    bool isEntered;
  };
  SmallVector<Open> stack = {{root, false}};
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
    Operation *op = value.getDefiningOp();
    if (!op || !enters(value))
      continue;
    auto open = [&](Value source) {
      if (!seen.contains(source))
        stack.push_back({source, false});
    };
    // The last one opened is visited first.
    if (op->getNumRegions() != 0) {
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      llvm::for_each(llvm::reverse(captured), open);
    }
    for (unsigned operand = op->getNumOperands(); operand-- != 0;)
      open(op->getOperand(operand));
  }
  return WalkResult::advance();
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
