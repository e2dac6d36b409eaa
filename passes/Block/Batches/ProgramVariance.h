//===- ProgramVariance.h - what differs between programs --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values of a block program depend on its number. Programs that a CTA
// executes together have all others in common.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_BATCHES_PROGRAMVARIANCE_H
#define CAROUSEL_PASSES_BLOCK_BATCHES_PROGRAMVARIANCE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

class ProgramVariance {
public:
  explicit ProgramVariance(mlir::gpu::GPUFuncOp kernel);

  bool varies(mlir::Value value) const { return varying.contains(value); }

private:
  bool update(mlir::Operation *op);
  bool update(mlir::scf::ForOp loop);
  bool update(mlir::scf::IfOp branch);
  bool update(mlir::scf::WhileOp loop);
  bool anyVaries(mlir::ValueRange values) const;
  bool mark(mlir::ValueRange values);
  bool markEach(mlir::ValueRange from, mlir::ValueRange to);

  llvm::DenseSet<mlir::Value> varying;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_BATCHES_PROGRAMVARIANCE_H
