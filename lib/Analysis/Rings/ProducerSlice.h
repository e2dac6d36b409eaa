//===- ProducerSlice.h - what producers execute -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Producers execute the ops that compute the operands of loads, the control
// flow around them, and waits for the signals of peers that write what is
// loaded. They access no shared memory, no other threads, and no global memory
// that the kernel writes, which would have to be ordered with the other role.
// Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_PRODUCERSLICE_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_PRODUCERSLICE_H

#include "Transfers/LoopTransfers.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"

namespace carousel {

/// A ticket and the ops that compute its operands.
llvm::SetVector<mlir::Operation *> getTicketSlice(GridTicketOp ticket);

/// Follows the values that producers compute.
class ProducerSlice {
public:
  explicit ProducerSlice(mlir::gpu::GPUFuncOp kernel);

  /// The reason why producers can't start `load` of `loop`, or an empty one.
  Obstacle explain(LoadOp load, mlir::scf::ForOp loop,
                   LoopTransfers &transfers);
  /// The reason why producers can't wait as well, or an empty one.
  Obstacle explain(WaitSignalOp wait);
  /// The values that they compute for the loads and waits so far.
  llvm::DenseSet<mlir::Value> takeValues() { return std::move(visited); }

private:
  Obstacle explainSource(LoadOp load, mlir::scf::ForOp loop,
                         LoopTransfers &transfers);
  Obstacle follow();
  void addControl(mlir::Operation *op);
  void addRegionOp(mlir::Operation *op);
  std::string explainOp(mlir::Operation *op);
  /// The first op that may write the memref, or null.
  mlir::Operation *findWriter(mlir::Value memref) const;

  mlir::gpu::GPUFuncOp kernel;
  /// Global arguments that the kernel writes, and the ops that do so. Null
  /// stands for any argument.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Operation *>> written;
  llvm::SmallVector<mlir::Value> values; // to be visited
  llvm::DenseSet<mlir::Value> visited;
  llvm::SmallPtrSet<mlir::Operation *, 32> seen;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_PRODUCERSLICE_H
