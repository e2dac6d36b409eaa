//===- BatchedControl.h - loops and branches of several programs *- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow of programs that a CTA executes together. Where programs have
// conditions and bounds in common, it stays as it is. Otherwise the CTA takes
// each way that one of its programs takes, with a mask of these.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDCONTROL_H
#define CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDCONTROL_H

#include "BatchedAccesses.h"
#include "ProgramVariance.h"

namespace carousel {

class BatchedControl {
public:
  /// `batchBlock` writes the ops of a block without its terminator.
  BatchedControl(mlir::gpu::GPUFuncOp kernel, BatchedBody &body,
                 BatchedAccesses &accesses,
                 std::function<void(mlir::Block &)> batchBlock)
      : body(body), builder(body.builder), accesses(accesses), variance(kernel),
        batchBlock(std::move(batchBlock)) {}

  /// An op with regions.
  void batch(mlir::Operation *op);

private:
  void batchLoop(mlir::scf::ForOp loop);
  void batchLoop(mlir::scf::WhileOp loop);
  void batchBranch(mlir::scf::IfOp branch);
  void batchDivergent(mlir::scf::ForOp loop);
  void batchDivergent(mlir::scf::WhileOp loop);
  void batchDivergent(mlir::scf::IfOp branch);
  void writeBefore(mlir::scf::WhileOp loop, mlir::scf::WhileOp batched);
  void writeAfter(mlir::scf::WhileOp loop, mlir::scf::WhileOp batched);

  mlir::Type getCarriedType(mlir::Value value);
  mlir::Value getCarried(mlir::Location loc, mlir::Value value,
                         mlir::Value carrier);
  llvm::SmallVector<mlir::Value> getCarried(mlir::Location loc,
                                            mlir::ValueRange from,
                                            mlir::ValueRange carriers);
  void setCarried(mlir::ValueRange from, mlir::ValueRange to);
  void writeBody(mlir::Block &from, mlir::Value mask,
                 llvm::function_ref<void()> writeEnd);
  void startBody(mlir::scf::ForOp loop);
  void addBlock(mlir::Region &region, mlir::TypeRange types);
  llvm::SmallVector<mlir::Value>
  runIfAny(mlir::Operation *op, mlir::Value mask, mlir::ValueRange results,
           llvm::function_ref<llvm::SmallVector<mlir::Value>()> write);
  mlir::Value toIndices(mlir::Location loc, mlir::Value numbers);
  void setInduction(mlir::scf::ForOp loop, mlir::Value number);

  BatchedBody &body;
  mlir::OpBuilder &builder;
  BatchedAccesses &accesses;
  const ProgramVariance variance;
  std::function<void(mlir::Block &)> batchBlock;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDCONTROL_H
