//===- BufferLifetimes.h - who uses shared buffers, and when ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the shared allocations of a kernel of the machine phase through views
// and structured control flow to their accesses. Out: for each allocation which
// of the kernel's top-level ops lie between its first and its last access, and
// the accesses by kind, since each kind completes in a way of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_SHAREDMEMORY_BUFFERLIFETIMES_H
#define CAROUSEL_ANALYSIS_SHAREDMEMORY_BUFFERLIFETIMES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace carousel {

/// Ops at the top of the kernel's body by number, an op with regions as one.
struct Lifetime {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = -1;

  static Lifetime whole() {
    return {0, std::numeric_limits<int64_t>::max() - 1};
  }
  bool isEmpty() const { return last < first; }
  bool isWhole() const { return last == whole().last; }
  bool overlaps(const Lifetime &other) const {
    return first <= other.last && other.first <= last && !isEmpty() &&
           !other.isEmpty();
  }
  void extend(int64_t position) {
    first = std::min(first, position);
    last = std::max(last, position);
  }
};

/// What a kernel does with an allocation.
struct BufferUses {
  mlir::memref::AllocOp alloc;
  /// From the first access to the last, or to the last use of a barrier that
  /// tells of a load's completion.
  Lifetime lives;
  /// Why the buffer has to live as long as the kernel; empty if it needn't.
  std::string keptFor;
  /// What the accesses ask for, in bytes, the allocation's own wish included.
  int64_t alignment = 1;

  llvm::SmallVector<mlir::Operation *> genericWrites;
  /// Written by an engine; completes on an mbarrier.
  llvm::SmallVector<mlir::Operation *> asyncWrites;
  /// Read by an engine; completes in a bulk group.
  llvm::SmallVector<mlir::Operation *> asyncReads;
  /// Written by cp.async; completes in a group of each thread.
  llvm::SmallVector<mlir::Operation *> cpAsyncWrites;
  /// Of this buffer, or of one that may be it.
  llvm::SmallVector<mlir::memref::DeallocOp> deallocs;
  /// Where the buffer is sure to be deallocated; behind everything if nowhere.
  int64_t deallocated = std::numeric_limits<int64_t>::max();
  /// An access behind that, or null.
  mlir::Operation *useAfterDealloc = nullptr;
};

/// The uses of the kernel's allocations of shared memory, in program order.
/// Their types have static shapes.
std::vector<BufferUses>
computeBufferUses(mlir::gpu::GPUFuncOp kernel,
                  llvm::ArrayRef<mlir::memref::AllocOp> allocs);

/// The ops of a body of one block, which lifetimes count, or nothing for a body
/// of several.
llvm::SmallVector<mlir::Operation *>
getTopLevelOps(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SHAREDMEMORY_BUFFERLIFETIMES_H
