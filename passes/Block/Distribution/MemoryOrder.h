//===- MemoryOrder.h - accesses of one memory by many threads ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a block program one thread makes all accesses in order. Distributed, two
// accesses of the same elements may be those of two threads. A barrier keeps
// their order, if one of them writes. Transfers order themselves.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MEMORYORDER_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MEMORYORDER_H

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "llvm/ADT/DenseSet.h"

namespace carousel {

class MemoryOrder {
public:
  MemoryOrder(mlir::gpu::GPUFuncOp kernel, const LayoutPlan &plan);

  /// Takes the ops of the kernel in program order. Whether a barrier must come
  /// before the op.
  bool needsBarrier(mlir::Operation *op);

  /// Takes an op once more, which comes after the last barrier.
  void addPending(mlir::Operation *op) {
    if (std::optional<Access> access = describe(op))
      pending.push_back(*access);
  }

  /// Whether accesses of different threads may meet where the ops access
  /// memory.
  bool mayMeet(mlir::Operation *a, mlir::Operation *b) const;

  /// Takes the loops around them. Whether a barrier must come after each
  /// iteration.
  void enterLoop() { bodies.emplace_back(); }
  bool leaveLoop(mlir::Operation *loop);

  /// Regions of which some are executed, or none.
  class Branches;

private:
  struct Access {
    mlir::Operation *op;
    mlir::Value memory; ///< what it is part of
    bool writes;
  };

  std::optional<Access> describe(mlir::Operation *op) const;
  mlir::Value findMemory(mlir::Value memref) const;
  bool isOfSameThread(mlir::Operation *a, mlir::Operation *b) const;
  bool isOfOneIteration(mlir::Operation *op, mlir::Operation *loop) const;
  bool isOfTiling(mlir::Operation *op) const;

  mutable mlir::gpu::GPUFuncOp kernel; ///< its queries are not const
  const LayoutPlan &plan;
  Divisibility indices;
  /// Since the last barrier.
  std::vector<Access> pending;
  /// The accesses of the loops around, innermost last.
  std::vector<std::vector<Access>> bodies;
};

/// In its lifetime, the order takes the ops of regions. After it, what is
/// pending is what any path leaves, each access once.
class MemoryOrder::Branches {
public:
  explicit Branches(MemoryOrder &order) : order(order), before(order.pending) {
    collect();
  }
  ~Branches() {
    collect();
    order.pending = std::move(after);
  }
  Branches(const Branches &) = delete;
  Branches &operator=(const Branches &) = delete;

  /// A region that follows the one before, or else the op's begin.
  void startRegion(bool followsRegion) {
    collect();
    if (!followsRegion)
      order.pending = before;
  }

private:
  void collect() {
    for (const Access &access : order.pending)
      if (seen.insert(access.op).second)
        after.push_back(access);
  }

  MemoryOrder &order;
  std::vector<Access> before, after;
  llvm::DenseSet<mlir::Operation *> seen; ///< those of `after`
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MEMORYORDER_H
