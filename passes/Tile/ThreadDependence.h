//===- ThreadDependence.h - values that differ by thread --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traces thread and lane ids through integer arithmetic, to refuse operands of
// a transfer that visibly differ within its scope. It assumes that values from
// memory, calls and shuffles are the same in all threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_THREADDEPENDENCE_H
#define CAROUSEL_PASSES_TILE_THREADDEPENDENCE_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace carousel {

class ThreadDependence {
public:
  explicit ThreadDependence(mlir::gpu::GPUFuncOp kernel);

  /// The op that makes `value` differ between threads of one scope; null if no
  /// difference is visible.
  mlir::Operation *findVariation(mlir::Value value, TransferScope scope) const;

  /// The number of threads of a block, if the kernel gives it.
  std::optional<int64_t> getBlockThreads() const;

private:
  /// A value that differs from thread to thread.
  struct Variation {
    /// The value is the same in each aligned group of threads whose size
    /// divides this.
    int64_t run = 1;
    /// If it isn't 0, the value is `factor` * floor(thread / run).
    int64_t factor = 0;
    /// Whether the value always differs within larger groups.
    bool certain = true;
    mlir::Operation *source = nullptr;
  };

  std::optional<int64_t> getBlockExtent(unsigned dim) const;
  std::optional<Variation> getIdVariation(mlir::Operation *op) const;
  std::optional<Variation> lookup(mlir::Value value) const;
  std::optional<Variation> derive(mlir::Operation *op) const;
  std::optional<Variation> deriveArithmetic(mlir::Operation *op) const;
  std::optional<Variation> deriveComparison(mlir::Operation *op) const;
  std::optional<Variation> mergeOperands(mlir::Operation *op) const;

  mlir::gpu::GPUFuncOp kernel;
  llvm::SmallVector<int64_t, 3> block; // empty: not known
  llvm::DenseMap<mlir::Value, Variation> variations;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_THREADDEPENDENCE_H
