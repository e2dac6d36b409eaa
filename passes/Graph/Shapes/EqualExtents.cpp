//===- EqualExtents.cpp - extents that a graph needs to be equal ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EqualExtents.h.
//
//===----------------------------------------------------------------------===//

#include "EqualExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace carousel;

EqualExtents::EqualExtents(func::FuncOp func) {
  func.walk([&](Operation *op) { add(op); });
}

void EqualExtents::add(Operation *op) {
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
    if (compare && compare.getPredicate() == arith::CmpIPredicate::eq)
      unite(factorizeExtent(compare.getLhs()),
            factorizeExtent(compare.getRhs()));
    return;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics())
    return;
  SmallVector<std::optional<ExtentFactors>> loops(structured.getNumLoops());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(
             structured.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      ExtentFactors extent = factorizeExtent(operand.get(), dim);
      std::optional<ExtentFactors> &first = loops[loop.getPosition()];
      if (first)
        unite(*first, extent);
      else
        first = extent;
    }
}

void EqualExtents::unite(const ExtentFactors &a, const ExtentFactors &b) {
  auto isSymbol = [](const ExtentFactors &extent) {
    return !extent.isTooLarge && extent.constant == 1 &&
           extent.others.size() == 1;
  };
  ExtentFactors left = simplify(a), right = simplify(b);
  if (left == right)
    return;
  if (!isSymbol(left))
    std::swap(left, right);
  // Products of several symbols are left alone, since one symbol stands for
  // its class only if its own replacement doesn't have it.
  if (!isSymbol(left) || (!isSymbol(right) && !right.others.empty()))
    return;
  replacements.try_emplace(left.others.front(), right);
  values.insert(left.others.front().first);
  for (const Factor &factor : right.others)
    values.insert(factor.first);
}

ExtentFactors EqualExtents::simplify(const ExtentFactors &extent) const {
  ExtentFactors simple = extent;
  simple.others.clear();
  for (Factor factor : extent.others) {
    auto found = replacements.find(factor);
    // Another symbol or a constant stands for each of them.
    while (found != replacements.end() && !found->second.others.empty()) {
      factor = found->second.others.front();
      found = replacements.find(factor);
    }
    if (found == replacements.end())
      simple.others.push_back(factor);
    else
      simple.multiply(found->second);
  }
  return simple;
}

bool EqualExtents::areEqual(const ExtentFactors &a,
                            const ExtentFactors &b) const {
  return simplify(a) == simplify(b);
}

bool EqualExtentsListener::areEqual(const ExtentFactors &a,
                                    const ExtentFactors &b) {
  if (!found)
    found.emplace(func);
  return found->areEqual(a, b);
}

void EqualExtentsListener::notifyOperationInserted(
    Operation *op, OpBuilder::InsertPoint previous) {
  if (found)
    found->add(op);
}

void EqualExtentsListener::notifyOperationModified(Operation *op) {
  if (found)
    found->add(op);
}

void EqualExtentsListener::notifyOperationErased(Operation *op) {
  // Another value may get the address of one that is gone.
  if (found && llvm::any_of(op->getResults(),
                            [&](Value value) { return found->knows(value); }))
    found.reset();
}
