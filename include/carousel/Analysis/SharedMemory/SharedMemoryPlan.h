//===- SharedMemoryPlan.h - where shared buffers lie ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives each shared allocation of a kernel its place in dynamic shared memory.
// Buffers that don't live at the same time may share bytes; the plan says where
// the kernel's threads have to meet for that, and what has to be complete
// before. In: a kernel of the machine phase and its target. Out: a plan that
// --carousel-allocate-shared applies.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYPLAN_H
#define CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYPLAN_H

#include "carousel/Analysis/SharedMemory/BufferLifetimes.h"
#include "carousel/Analysis/SharedMemory/SharedMemoryUse.h"
#include "carousel/Target/TargetInfo.h"

namespace carousel {

/// A buffer to place, and where it lies. All in bytes.
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

/// Places the buffers from `base` on; those that live at the same time don't
/// share bytes. Returns where the last one ends, which is never behind
/// the end of `placeSeparately`.
int64_t placeByLifetime(llvm::MutableArrayRef<PlacedBuffer> buffers,
                        int64_t base);

/// Places the buffers from `base` on, none sharing bytes with another.
int64_t placeSeparately(llvm::MutableArrayRef<PlacedBuffer> buffers,
                        int64_t base);

struct PlannedBuffer : PlacedBuffer {
  BufferUses uses;
  /// "%name", "file:line:column", or "buffer N".
  std::string name;
};

/// Where all threads of the CTA meet between the lives of two buffers that
/// share bytes, and what they do before, in this order.
struct PlannedBarrier {
  /// A barrier that is there, or the op before which one is inserted.
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
  /// What the chip has for a block, static and dynamic.
  int64_t limit = 0;
  /// Declared memory, with the padding behind it.
  int64_t staticBytes = 0;
  /// Where the buffers begin in dynamic shared memory, behind what the kernel
  /// has there already.
  int64_t base = 0;
  /// Where they end, and where they would without sharing.
  int64_t end = 0;
  int64_t separateEnd = 0;

  int64_t getTotal() const { return staticBytes + end; }
  /// A table of the bytes by buffer.
  void print(llvm::raw_ostream &os, llvm::StringRef kernel) const;
};

/// Bytes of an allocation of static shape, gaps of a strided layout included;
/// `index` counts as 8. The largest number if that is too small, nothing for a
/// layout or an element type that isn't known.
std::optional<int64_t> getAllocationBytes(mlir::MemRefType type);

/// Plans the allocations, all of which getAllocationBytes knows, behind `base`
/// bytes of dynamic shared memory. Without `reuse` no bytes are shared.
SharedMemoryPlan planSharedMemory(mlir::gpu::GPUFuncOp kernel,
                                  llvm::ArrayRef<mlir::memref::AllocOp> allocs,
                                  const TargetSpec &target, int64_t staticBytes,
                                  int64_t base, bool reuse);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYPLAN_H
