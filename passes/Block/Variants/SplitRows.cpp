//===- SplitRows.cpp - rows in the CTAs of a cluster ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SplitRows.h.
//
//===----------------------------------------------------------------------===//

#include "SplitRows.h"

#include "../Kernels/ClusterParts.h"

#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

namespace {

class Splitter {
public:
  Splitter(gpu::GPUFuncOp kernel, int64_t width, int64_t ctas)
      : kernel(kernel), width(width), ctas(ctas) {
    kernel.walk([&](Operation *op) { note(op); });
  }

  void write() {
    resizeVectors(kernel, width, width / ctas);
    OpBuilder builder(&kernel.getBody().front(),
                      kernel.getBody().front().begin());
    part.emplace(builder, kernel.getLoc(), ctas, width / ctas);
    for (OpOperand *index : indices)
      moveIndex<arith::AddIOp>(*index);
    for (OpOperand *size : sizes)
      moveIndex<arith::SubIOp>(*size);
    for (vector::StepOp steps : allSteps)
      moveSteps(steps);
    for (Operation *op : ofPrograms)
      countPrograms(op);
    for (Operation *op : writes)
      leaveToFirst(op);
    for (vector::MultiDimReductionOp op : reductions) {
      OpBuilder at(op);
      Value all = reduceParts(at, op, op.getSource(), op.getAcc(), ctas);
      op.getResult().replaceAllUsesWith(all);
      op.erase();
    }
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    kernel->setAttr(CarouselDialect::kLaunch, withClusters(launch, ctas));
  }

private:
  bool isSplit(Type type) const { return isCovered(type, width); }

  void note(Operation *op) {
    bool splits = llvm::any_of(op->getOperandTypes(),
                               [&](Type type) { return isSplit(type); });
    bool isWrite = op->getNumResults() == 0 && op->getNumRegions() == 0 &&
                   !op->hasTrait<OpTrait::IsTerminator>() &&
                   !isMemoryEffectFree(op);
    if (isWrite && !splits)
      writes.push_back(op);
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
      noteIndices(transfer);
    } else if (auto mask = dyn_cast<vector::CreateMaskOp>(op)) {
      for (auto [dim, size] : llvm::enumerate(op->getOpOperands()))
        if (mask.getVectorType().getDimSize(dim) == width)
          sizes.push_back(&size);
    } else if (auto steps = dyn_cast<vector::StepOp>(op)) {
      if (isSplit(steps.getType()))
        allSteps.push_back(steps);
    } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      if (splits)
        reductions.push_back(reduction);
    } else if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
      if (id.getDimension() == gpu::Dimension::x)
        ofPrograms.push_back(op);
    } else if (auto size = dyn_cast<gpu::GridDimOp>(op)) {
      if (size.getDimension() == gpu::Dimension::x)
        ofPrograms.push_back(op);
    }
  }

  void noteIndices(VectorTransferOpInterface transfer) {
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults())) {
      auto along = dyn_cast<AffineDimExpr>(expr);
      if (!along || transfer.getVectorType().getDimSize(dim) != width)
        continue;
      unsigned number =
          transfer.getIndices().getBeginOperandIndex() + along.getPosition();
      indices.push_back(&transfer->getOpOperand(number));
    }
  }

  /// Counts from the begin of the CTA's part, or of the row.
  template <typename Op> void moveIndex(OpOperand &index) {
    OpBuilder builder(index.getOwner());
    index.set(Op::create(builder, index.getOwner()->getLoc(), index.get(),
                         part->begin));
  }

  void moveSteps(vector::StepOp steps) {
    OpBuilder builder(steps);
    builder.setInsertionPointAfter(steps);
    Location loc = steps.getLoc();
    Value begins =
        vector::BroadcastOp::create(builder, loc, steps.getType(), part->begin);
    Value moved = arith::AddIOp::create(builder, loc, steps, begins);
    steps.getResult().replaceAllUsesExcept(moved, moved.getDefiningOp());
  }

  void countPrograms(Operation *op) {
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value number = op->getResult(0);
    Value programs = toPrograms(builder, op->getLoc(), number, ctas);
    number.replaceAllUsesExcept(programs, programs.getDefiningOp());
  }

  /// What isn't a part of a row is written once.
  void leaveToFirst(Operation *op) {
    OpBuilder builder(op);
    auto branch = scf::IfOp::create(builder, op->getLoc(),
                                    isFirstCTA(builder, op->getLoc(), *part),
                                    /*withElseRegion=*/false);
    op->moveBefore(branch.thenBlock()->getTerminator());
  }

  gpu::GPUFuncOp kernel;
  int64_t width, ctas;
  SmallVector<OpOperand *> indices, sizes;
  SmallVector<vector::StepOp> allSteps;
  SmallVector<Operation *> ofPrograms, writes;
  SmallVector<vector::MultiDimReductionOp> reductions;
  std::optional<ClusterPart> part;
};

} // namespace

void carousel::splitRows(gpu::GPUFuncOp kernel, int64_t width, int64_t ctas) {
  Splitter(kernel, width, ctas).write();
}
