//===- BufferLifetimes.h - uses and lifetimes of shared buffers -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the shared allocations of a kernel at the machine phase through views
// and structured control flow to their accesses. Out: for each allocation, the
// range of the kernel's top-level ops from its first to its last access. Also
// its accesses by kind, since each kind completes in a different way.
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

/// A range of ops at the top of the kernel's body, by number. An op with
/// regions counts as one.
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

/// The accesses of a kernel to an allocation.
struct BufferUses {
  mlir::memref::AllocOp alloc;
  /// From the first access to the last one, or to the last use of a barrier
  /// that signals the completion of a load.
  Lifetime lives;
  /// The reason why the buffer must live as long as the kernel, or empty.
  std::string keptFor;
  /// The alignment in bytes that the accesses and the allocation itself
  /// require.
  int64_t alignment = 1;

  llvm::SmallVector<mlir::Operation *> genericWrites;
  /// Writes by an engine that complete on an mbarrier.
  llvm::SmallVector<mlir::Operation *> asyncWrites;
  /// Reads by an engine that complete in a bulk group.
  llvm::SmallVector<mlir::Operation *> asyncReads;
  /// Writes by cp.async that complete in a group of each thread.
  llvm::SmallVector<mlir::Operation *> cpAsyncWrites;
  /// Deallocations of this buffer, or of a value that may be this buffer.
  llvm::SmallVector<mlir::memref::DeallocOp> deallocs;
  /// The op at which the buffer is always deallocated; the largest number if
  /// there is none.
  int64_t deallocated = std::numeric_limits<int64_t>::max();
  /// An access after the deallocation, or null.
  mlir::Operation *useAfterDealloc = nullptr;
};

/// The uses of the kernel's allocations of shared memory, in program order. The
/// allocations have types of static shape.
std::vector<BufferUses>
computeBufferUses(mlir::gpu::GPUFuncOp kernel,
                  llvm::ArrayRef<mlir::memref::AllocOp> allocs);

/// The ops that lifetimes count, in a body of one block. nullopt for a body of
/// several blocks.
llvm::SmallVector<mlir::Operation *>
getTopLevelOps(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SHAREDMEMORY_BUFFERLIFETIMES_H
