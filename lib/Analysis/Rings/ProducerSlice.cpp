//===- ProducerSlice.cpp - what producers execute -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProducerSlice.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

llvm::SetVector<Operation *> carousel::getTicketSlice(GridTicketOp ticket) {
  llvm::SetVector<Operation *> slice;
  slice.insert(ticket);
  for (unsigned i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        slice.insert(op);
  return slice;
}

/// Whether what a ticket is drawn with can be computed before roles start.
static bool isComputedBeforeRoles(GridTicketOp ticket) {
  llvm::SetVector<Operation *> slice = getTicketSlice(ticket);
  return llvm::all_of(slice, [&](Operation *op) {
    return op == ticket || isa<gpu::GridDimOp, gpu::BlockIdOp>(op) ||
           (isPure(op) && op->getNumRegions() == 0 &&
            !isa_and_nonnull<gpu::GPUDialect>(op->getDialect()));
  });
}

/// Whether a ticket can be drawn for both roles, before they start. No op that
/// precedes it may have to stay before it.
static bool isDrawnBeforeRoles(GridTicketOp ticket) {
  if (!isa<gpu::GPUFuncOp>(ticket->getParentOp()))
    return false;
  for (Operation &op : *ticket->getBlock()) {
    auto drawn = dyn_cast<GridTicketOp>(op);
    if (drawn ? !isComputedBeforeRoles(drawn)
              : !isMemoryEffectFree(&op) && !isa<memref::AllocOp>(op))
      return false;
    if (drawn == ticket)
      break;
  }
  return true;
}

ProducerSlice::ProducerSlice(gpu::GPUFuncOp kernel) : kernel(kernel) {
  kernel.walk([&](Operation *op) {
    if (op != kernel)
      forEachWritten(op, [&](Value target) {
        written.emplace_back(target ? getRootBuffer(target) : Value(), op);
      });
  });
}

Operation *ProducerSlice::findWriter(Value memref) const {
  for (auto [target, op] : written)
    if (!target || mayOverlap(target, memref))
      return op;
  return nullptr;
}

/// The values on which the control flow around `op` depends.
void ProducerSlice::addControl(Operation *op) {
  for (Operation *outer = op->getParentOp(); outer != kernel;
       outer = outer->getParentOp())
    if (seen.insert(outer).second)
      addRegionOp(outer);
}

/// All values that determine how often a region is executed.
void ProducerSlice::addRegionOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    values.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    values.push_back(branch.getCondition());
  } else {
    llvm::append_range(values, op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getTerminator()->getOperands());
  }
}

std::string ProducerSlice::explainOp(Operation *op) {
  if (involvesOtherThreads(op))
    return quoteName(op) + ", which needs the other threads";
  if (isMemoryEffectFree(op))
    return {};
  if (auto ticket = dyn_cast<GridTicketOp>(op))
    return isDrawnBeforeRoles(ticket)
               ? std::string()
               : quoteName(op) + ", which one role can't draw for the other";
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || !effects.onlyHasEffect<MemoryEffects::Read>())
    return quoteName(op) + ", which has effects";
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()) &&
        (!isGlobalMemRef(operand.getType()) || findWriter(operand)))
      return quoteName(op) + ", which reads memory that the kernel writes";
  return {};
}

/// Whether `op` is executed after `loop`, once and for all: when the consumers
/// have waited for all of its loads.
static bool comesAfter(Operation *op, scf::ForOp loop) {
  for (Operation *outer = loop; !isa<gpu::GPUFuncOp>(outer);
       outer = outer->getParentOp()) {
    Operation *other = outer->getBlock()->findAncestorOpInBlock(*op);
    if (other && other != outer)
      return outer->isBeforeInBlock(other);
    if (!other && !isa<scf::IfOp>(outer->getParentOp()))
      return false;
  }
  return false;
}

/// Producers don't wait for the consumers' writes of what they load.
Obstacle ProducerSlice::explainSource(LoadOp load, scf::ForOp loop,
                                      LoopTransfers &transfers) {
  for (auto [target, op] : written) {
    if ((target && !mayOverlap(target, load.getGlobal())) ||
        comesAfter(op, loop))
      continue;
    auto store = dyn_cast<StoreOp>(op);
    if (!store || !transfers.areApartInNest(load, store))
      return {Miss::UnifiedSourceWritten,
              "the kernel has " + quoteName(op) +
                  ", which may write the memref that is loaded from"};
  }
  return {};
}

Obstacle ProducerSlice::explain(LoadOp load, scf::ForOp loop,
                                LoopTransfers &transfers) {
  Obstacle source = explainSource(load, loop, transfers);
  if (!source.empty())
    return source;
  llvm::append_range(values, getInputs(load));
  addControl(load);
  return follow();
}

Obstacle ProducerSlice::explain(WaitSignalOp wait) {
  if (wait.getReached())
    return {Miss::UnifiedAcquires,
            "roles may see different results of " + quoteName(wait)};
  llvm::append_range(values, wait->getOperands());
  addControl(wait);
  return follow();
}

/// The values that are still to be visited, and what they depend on.
Obstacle ProducerSlice::follow() {
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      if (owner == kernel)
        continue;
      addControl(owner);
      auto loop = dyn_cast<scf::ForOp>(owner);
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      if (init) {
        values.push_back(init->get());
        values.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      }
      if (seen.insert(owner).second)
        addRegionOp(owner);
      continue;
    }
    Operation *op = value.getDefiningOp();
    addControl(op);
    if (op->getNumRegions() == 0) {
      std::string reason = explainOp(op);
      if (!reason.empty())
        return {Miss::UnifiedOperands, "its operands depend on " + reason};
      llvm::append_range(values, op->getOperands());
      continue;
    }
    // A result of a structured op: follow the yielded value.
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (seen.insert(op).second)
      addRegionOp(op);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      values.push_back(loop.getRegionIterArg(index));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      values.push_back(branch.thenYield().getOperand(index));
      values.push_back(branch.elseYield().getOperand(index));
    } else {
      return {Miss::UnifiedOperands, "its operands depend on " + quoteName(op) +
                                         ", which isn't followed"};
    }
  }
  return {};
}
