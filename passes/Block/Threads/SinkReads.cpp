//===- SinkReads.cpp - reads of tiles for branches ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SinkReads.h.
//
//===----------------------------------------------------------------------===//

#include "SinkReads.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"

using namespace mlir;
using namespace carousel;

/// The tile that an op reads, which a load fills; null for others.
static Value getReadTile(Operation *op) {
  Value tile;
  if (auto load = dyn_cast<vector::LoadOp>(op))
    tile = load.getBase();
  else if (auto load = dyn_cast<memref::LoadOp>(op))
    tile = load.getMemRef();
  bool isLoaded = tile && tile.getDefiningOp<memref::AllocOp>() &&
                  llvm::any_of(tile.getUsers(), llvm::IsaPred<LoadOp>);
  return isLoaded ? tile : Value();
}

static bool mayWrite(Operation *op, Value tile) {
  if (auto load = dyn_cast<LoadOp>(op))
    return getRootBuffer(load.getTile()) == tile;
  return !isa<memref::LoadOp, vector::LoadOp>(op) && !isMemoryEffectFree(op);
}

/// Whether the tile has the same elements where the branch begins.
static bool staysUntil(Operation *branch, Operation *read, Value tile) {
  auto visit = [&](Operation *op) {
    return !isa<scf::IfOp, scf::ForOp>(op) && mayWrite(op, tile)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  for (Operation *op = read->getNextNode(); op && op != branch;
       op = op->getNextNode())
    if (op->walk(visit).wasInterrupted())
      return false;
  return true;
}

/// Whether a thread computes an op alone. Others, such as shuffles, exchange
/// values with threads that may not take the branch.
static bool isOfOneThread(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         isa<arith::ArithDialect, math::MathDialect, vector::VectorDialect>(
             op->getDialect());
}

namespace {

/// What may be done in a branch.
class BranchOps {
public:
  explicit BranchOps(Operation *branch) : branch(branch) {}

  /// Reads, and what is computed of them: what else a branch computes may be
  /// the same in all iterations of a loop.
  bool contains(Operation *op) {
    if (op->getBlock() != branch->getBlock())
      return false;
    if (Value tile = getReadTile(op))
      return staysUntil(branch, op, tile);
    return isOfOneThread(op) &&
           llvm::any_of(op->getOperands(),
                        [&](Value operand) { return contains(operand); });
  }

private:
  bool contains(Value value) {
    auto isComputed = [&](Value inner) {
      Operation *source = inner.getDefiningOp();
      return source->getBlock() == branch->getBlock() && isOfOneThread(source);
    };
    return known.get(value, isComputed, [&](Value inner) {
      Operation *source = inner.getDefiningOp();
      return source && contains(source);
    });
  }

  Operation *branch;
  OperandFold<bool> known;
};

} // namespace

void carousel::sinkReads(gpu::GPUFuncOp kernel) {
  DominanceInfo dominance(kernel);
  kernel.walk([&](scf::IfOp branch) {
    SmallVector<Region *> regions = {&branch.getThenRegion()};
    if (!branch.getElseRegion().empty())
      regions.push_back(&branch.getElseRegion());
    BranchOps ops(branch);
    controlFlowSink(
        regions, dominance,
        [&](Operation *op, Region *) { return ops.contains(op); },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  });
}
