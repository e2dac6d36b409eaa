//===- UniformValues.h - values equal in all threads ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds values of a kernel that are the same in all threads of a block. The
// analysis is pessimistic: a value that it can't follow may differ. A read of
// memory that all threads share counts as the same if its address is, which
// holds without data races.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_UNIFORMVALUES_H
#define CAROUSEL_ANALYSIS_VALUES_UNIFORMVALUES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <optional>

namespace carousel {

/// The extents of a kernel's block in threads, from known_block_size or
/// carousel.launch.
std::optional<std::array<int64_t, 3>>
getKnownBlock(mlir::gpu::GPUFuncOp kernel);

/// The values that are the same in all threads of a block.
class UniformValues {
public:
  explicit UniformValues(mlir::gpu::GPUFuncOp kernel);
  /// Those that are the same in threads of one number, of `ctas` CTAs whose ids
  /// in x are i * `ctas` and the next ones.
  static UniformValues ofCluster(mlir::gpu::GPUFuncOp kernel, int64_t ctas) {
    return UniformValues(kernel, ctas);
  }

  bool contains(mlir::Value value) const { return !varying.contains(value); }

private:
  UniformValues(mlir::gpu::GPUFuncOp kernel, int64_t ctas);

  bool isFunctionOfOperands(mlir::Operation *op) const;
  bool isSameInCluster(mlir::Operation *op) const;
  void visit(mlir::Operation *op);
  void visitLoop(mlir::Operation *op);
  void mark(mlir::Value value);

  int64_t ctas; ///< 1: threads of a block are compared
  std::optional<std::array<int64_t, 3>> block;
  llvm::DenseSet<mlir::Value> varying;
  bool changed = false;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_UNIFORMVALUES_H
