//===- SharedMemoryPlan.h - the layout of shared memory ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns each shared allocation of a kernel its offset in dynamic shared
// memory. Buffers whose lifetimes don't overlap may share bytes. The plan then
// says where the CTA's threads need a barrier, and which operations must be
// complete before it. In: a kernel at the machine phase and its target. Out: a
// plan, which --carousel-allocate-shared applies.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYPLAN_H
#define CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYPLAN_H

#include "carousel/Analysis/SharedMemory/BufferLifetimes.h"
#include "carousel/Analysis/SharedMemory/SharedMemoryUse.h"
#include "carousel/Target/TargetInfo.h"

namespace carousel {

/// A buffer and its offset. All in bytes.
struct PlacedBuffer {
  int64_t bytes = 0;
  int64_t alignment = 1; ///< a power of two
  Lifetime lives;
  int64_t offset = 0;

  int64_t getEnd() const { return offset + bytes; }
  bool sharesBytesWith(const PlacedBuffer &other) const {
    return offset < other.getEnd() && other.offset < getEnd() && bytes > 0 &&
           other.bytes > 0;
  }
};

/// Assigns offsets from `base` on. Buffers whose lifetimes overlap don't share
/// bytes. Returns the end of the last buffer, which is at most that of
/// `placeSeparately`.
int64_t placeByLifetime(llvm::MutableArrayRef<PlacedBuffer> buffers,
                        int64_t base);

/// Assigns offsets from `base` on. No buffers share bytes.
int64_t placeSeparately(llvm::MutableArrayRef<PlacedBuffer> buffers,
                        int64_t base);

struct PlannedBuffer : PlacedBuffer {
  BufferUses uses;
  /// "%name", "file:line:column", or "buffer N".
  std::string name;
};

/// A barrier of all threads of the CTA between the lifetimes of two buffers
/// that share bytes, and the steps before it, in this order.
struct PlannedBarrier {
  /// An existing barrier, or the op before which one is inserted.
  mlir::Operation *at = nullptr;
  bool insertsBarrier = false;
  bool commitsBulk = false;
  bool waitsForBulkReads = false;
  bool waitsForCpAsync = false;
  bool fencesAsyncProxy = false;
};

struct SharedMemoryPlan {
  std::vector<PlannedBuffer> buffers;
  llvm::SmallVector<PlannedBarrier> barriers;
  llvm::StringRef chip;
  /// The shared memory of the chip for one block, static and dynamic.
  int64_t limit = 0;
  /// Static shared memory, with the padding after it.
  int64_t staticBytes = 0;
  /// The offset in dynamic shared memory of the first buffer, after the part
  /// that the kernel already uses.
  int64_t base = 0;
  /// The end of the last buffer, and its end if no buffers shared bytes.
  int64_t end = 0;
  int64_t separateEnd = 0;

  int64_t getTotal() const { return staticBytes + end; }
  /// Prints a table of the buffers and their bytes.
  void print(llvm::raw_ostream &os, llvm::StringRef kernel) const;
};

/// The bytes of an allocation of static shape, with the gaps of a strided
/// layout. `index` counts as 8 bytes. On overflow the largest number; nullopt
/// if the layout or the element type isn't known.
std::optional<int64_t> getAllocationBytes(mlir::MemRefType type);

/// Plans the allocations from `base` bytes of dynamic shared memory on.
/// getAllocationBytes must know the size of each. Without `reuse` no buffers
/// share bytes.
SharedMemoryPlan planSharedMemory(mlir::gpu::GPUFuncOp kernel,
                                  llvm::ArrayRef<mlir::memref::AllocOp> allocs,
                                  const TargetSpec &target, int64_t staticBytes,
                                  int64_t base, bool reuse);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYPLAN_H
