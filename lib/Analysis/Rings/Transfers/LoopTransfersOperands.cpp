//===- LoopTransfersOperands.cpp - operands that are computed ahead -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of a loop that compute the operands and conditions of a load. All of
// them must give the same in iterations ahead.
//
//===----------------------------------------------------------------------===//

#include "LoopTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace carousel;

bool carousel::involvesOtherThreads(Operation *op) {
  return isa<gpu::ShuffleOp, gpu::AllReduceOp, gpu::SubgroupReduceOp,
             gpu::RotateOp, gpu::SubgroupBroadcastOp, nvgpu::LdMatrixOp,
             nvgpu::MmaSyncOp, nvgpu::MmaSparseSyncOp,
             AsyncConsumerOpInterface>(op);
}

bool carousel::canExecuteAhead(
    Operation *op,
    function_ref<bool(Operation *read, Value memref)> isReadable) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (involvesOtherThreads(inner))
      return WalkResult::interrupt();
    if (inner->getNumRegions() != 0 || isMemoryEffectFree(inner))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    bool isAhead = effects && effects.onlyHasEffect<MemoryEffects::Read>() &&
                   llvm::all_of(inner->getOperands(), [&](Value operand) {
                     return !isa<MemRefType>(operand.getType()) ||
                            isReadable(inner, operand);
                   });
    return isAhead ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

SmallVector<Value> carousel::getInputs(LoadOp load) {
  SmallVector<Value> inputs(load.getOffsets());
  inputs.push_back(load.getGlobal());
  if (load.getMap())
    inputs.push_back(load.getMap());
  for (Operation *view : getViews(load.getTile()))
    llvm::append_range(inputs, getViewParameters(view));
  return inputs;
}

/// Whether `read` finds in iterations ahead what it would find in its own: no
/// op writes the memref, or only loads of tiles do. A load has written the tile
/// for all threads of its scope where it ends. The threads' own writes would
/// have to be ordered by barriers, which the read would pass.
bool LoopTransfers::isReadableAhead(Operation *read, Value memref, LoadOp load,
                                    LoadSlice &slice) {
  if (isNeverWritten(memref))
    return true;
  Value buffer = getRootBuffer(memref);
  if (!isSharedMemRef(buffer.getType()) || !isBufferOfKernel(buffer))
    return false;
  std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
  if (!accesses)
    return false;
  bool isLoadedInLoop = false;
  for (Operation *op : *accesses) {
    bool isWrite = false;
    forEachWritten(op, [&](Value target) {
      isWrite |= !target || mayOverlap(target, buffer);
    });
    if (!isWrite)
      continue;
    auto source = dyn_cast<LoadOp>(op);
    if (!source || source.getReduceAttr())
      return false;
    // What is loaded for a warp is known to that warp alone, in its own part.
    if (source.getScope() != TransferScope::CTA &&
        (source.getScope() != load.getScope() ||
         !llvm::is_contained(*getAccesses(source.getTile()), read)))
      return false;
    isLoadedInLoop |= loop->isProperAncestor(source);
  }
  if (isLoadedInLoop)
    slice.operandTiles.insert(buffer);
  return true;
}

Obstacle LoopTransfers::explainSlice(LoadOp load, LoadSlice &slice) {
  SmallVector<Value> values = getInputs(load);
  for (Operation *outer = load->getParentOp(); outer != loop;
       outer = outer->getParentOp())
    values.push_back(cast<scf::IfOp>(outer).getCondition());
  SmallVector<Operation *> found;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(value))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody())
        return {Miss::OperandsInside,
                "its operands are computed in an inner region"};
      if (argument != loop.getInductionVar())
        slice.carried.insert(argument.getArgNumber() - 1);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (slice.ops.contains(op) || llvm::is_contained(found, op))
      continue;
    if (!canExecuteAhead(op, [&](Operation *read, Value memref) {
          return isReadableAhead(read, memref, load, slice);
        }))
      return {Miss::OperandsNotAhead, "its operands depend on " +
                                          quoteName(op) +
                                          ", which can't be executed ahead"};
    found.push_back(op);
    llvm::append_range(values, op->getOperands());
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          values.push_back(operand);
    });
  }
  slice.ops.insert(found.begin(), found.end());
  return {};
}
