//===- ProgramVariance.cpp - what differs between programs ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramVariance.h. Repeats until nothing new is found: loops carry values
// to earlier ops.
//
//===----------------------------------------------------------------------===//

#include "ProgramVariance.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

ProgramVariance::ProgramVariance(gpu::GPUFuncOp kernel) {
  bool changed = true;
  while (changed) {
    changed = false;
    kernel->walk([&](Operation *op) {
      if (op != kernel)
        changed |= update(op);
    });
  }
}

bool ProgramVariance::anyVaries(ValueRange values) const {
  return llvm::any_of(values, [&](Value value) { return varies(value); });
}

bool ProgramVariance::mark(ValueRange values) {
  bool isNew = false;
  for (Value value : values)
    isNew |= varying.insert(value).second;
  return isNew;
}

bool ProgramVariance::markEach(ValueRange from, ValueRange to) {
  bool isNew = false;
  for (auto [source, target] : llvm::zip_equal(from, to))
    if (varies(source))
      isNew |= mark(target);
  return isNew;
}

bool ProgramVariance::update(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](gpu::BlockIdOp id) {
        return id.getDimension() == gpu::Dimension::x && mark(op->getResults());
      })
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp>(
          [&](auto control) { return update(control); })
      .Default([&](Operation *) {
        return anyVaries(op->getOperands()) && mark(op->getResults());
      });
}

/// Programs that leave a loop at other times carry other values out of it.
bool ProgramVariance::update(scf::ForOp loop) {
  bool isNew = false;
  if (anyVaries({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})) {
    isNew |= mark(loop.getRegionIterArgs());
    isNew |= mark(loop.getResults());
    if (anyVaries({loop.getLowerBound(), loop.getStep()}))
      isNew |= mark(loop.getInductionVar());
  }
  isNew |= markEach(loop.getInitArgs(), loop.getRegionIterArgs());
  isNew |= markEach(loop.getYieldedValues(), loop.getRegionIterArgs());
  isNew |= markEach(loop.getRegionIterArgs(), loop.getResults());
  return isNew;
}

bool ProgramVariance::update(scf::IfOp branch) {
  if (varies(branch.getCondition()))
    return mark(branch.getResults());
  if (branch.getNumResults() == 0)
    return false;
  bool isNew = markEach(branch.thenYield().getResults(), branch.getResults());
  isNew |= markEach(branch.elseYield().getResults(), branch.getResults());
  return isNew;
}

/// Programs leave the loop at other times.
bool ProgramVariance::update(scf::WhileOp loop) {
  scf::ConditionOp end = loop.getConditionOp();
  bool isNew = false;
  if (varies(end.getCondition())) {
    isNew |= mark(loop.getBeforeArguments());
    isNew |= mark(loop.getAfterArguments());
    isNew |= mark(loop.getResults());
    return isNew;
  }
  isNew |= markEach(loop.getInits(), loop.getBeforeArguments());
  isNew |= markEach(loop.getYieldedValues(), loop.getBeforeArguments());
  isNew |= markEach(end.getArgs(), loop.getAfterArguments());
  isNew |= markEach(end.getArgs(), loop.getResults());
  return isNew;
}
