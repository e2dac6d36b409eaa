//===- LoadPlan.cpp - what a program does once for all launches -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Programs/LoadPlan.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

static bool isFillOrCopy(Operation *op) {
  return isa<linalg::FillOp, linalg::CopyOp, memref::CopyOp>(op);
}

static bool isStep(Operation *op) {
  return isFillOrCopy(op) || isa<LaunchKernelOp, LibraryMatmulOp>(op);
}

static bool isParameter(func::FuncOp program, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         program.getArgAttr(argument.getArgNumber(), kParameterAttr);
}

//===----------------------------------------------------------------------===//
// On tensors
//===----------------------------------------------------------------------===//

llvm::SetVector<Operation *> carousel::findLoadSteps(func::FuncOp graph) {
  llvm::SetVector<Operation *> known, kept, steps;
  for (Operation &op : graph.getBody().front()) {
    auto isKnown = [&](Value value) {
      return isParameter(graph, value) || known.contains(value.getDefiningOp());
    };
    if ((isStep(&op) || isMemoryEffectFree(&op)) &&
        llvm::all_of(op.getOperands(), isKnown))
      known.insert(&op);
  }
  // Each launch needs elements of its own where it writes between them.
  auto isOnlyRead = [&](OpOperand &use) {
    auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    return kept.contains(use.getOwner()) ||
           (user && isStep(user) && !user.isDpsInit(&use));
  };
  for (Operation *op : llvm::reverse(known))
    if (op->getNumOperands() == 0 || llvm::all_of(op->getUses(), isOnlyRead))
      kept.insert(op);
  for (Operation *op : known) {
    auto isKept = [&](Value value) {
      return isa<BlockArgument>(value) || kept.contains(value.getDefiningOp());
    };
    if (!kept.contains(op))
      continue;
    if (!llvm::all_of(op->getOperands(), isKept))
      kept.remove(op);
    else if (isStep(op))
      steps.insert(op);
  }
  return steps;
}

//===----------------------------------------------------------------------===//
// On buffers
//===----------------------------------------------------------------------===//

static bool isConstant(Value number) {
  return matchPattern(number, m_Constant());
}

/// Whether its numbers, and the places of its views, depend on no argument.
static bool isFixed(Operation *step) {
  return llvm::all_of(step->getOperands(), [](Value operand) {
    if (!isa<MemRefType>(operand.getType()))
      return isConstant(operand);
    return llvm::all_of(getViews(operand), [](Operation *view) {
      return llvm::all_of(getViewParameters(view), isConstant);
    });
  });
}

static bool isBuffer(Value root) {
  auto alloc = root.getDefiningOp<memref::AllocOp>();
  return alloc && alloc.getType().hasStaticShape();
}

LoadPlan carousel::planLoad(func::FuncOp program) {
  LoadPlan plan;
  llvm::DenseMap<Value, SmallVector<Operation *>> writers; // of each root
  for (Operation &op : program.getBody().front()) {
    if (!isStep(&op))
      continue;
    if ((isFillOrCopy(&op) || op.hasAttr(kAtLoadAttr)) && isFixed(&op))
      plan.steps.insert(&op);
    for (Value operand : op.getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          hasEffect<MemoryEffects::Write>(&op, operand))
        writers[getRootBuffer(operand)].push_back(&op);
  }
  auto isKept = [&](Value root) {
    auto found = writers.find(root);
    return isBuffer(root) && found != writers.end() &&
           llvm::all_of(found->second, [&](Operation *writer) {
             return plan.steps.contains(writer);
           });
  };
  auto isWrong = [&](Operation *step) {
    return !llvm::all_of(step->getOperands(), [&](Value operand) {
      if (!isa<MemRefType>(operand.getType()))
        return true;
      Value root = getRootBuffer(operand);
      if (hasEffect<MemoryEffects::Write>(step, operand) || isBuffer(root))
        return isKept(root);
      return isParameter(program, root) ||
             root.getDefiningOp<memref::GetGlobalOp>();
    });
  };
  while (plan.steps.remove_if(isWrong)) {
  }
  for (Operation *step : plan.steps)
    for (Value operand : step->getOperands())
      if (hasEffect<MemoryEffects::Write>(step, operand))
        plan.buffers.insert(getRootBuffer(operand).getDefiningOp());
  return plan;
}
