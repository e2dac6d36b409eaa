//===- SharedMemoryUse.h - shared memory that a kernel has ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the shared memory that a kernel and the functions that it calls
// declare, and what they view of dynamic shared memory. In: a kernel. Out:
// bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYUSE_H
#define CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYUSE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

#include <cstdint>

namespace carousel {

struct SharedMemoryUse {
  /// Of workgroup attributions and shared variables, with the gaps between
  /// them; the largest number if that is too small.
  uint64_t staticBytes = 0;
  /// The first of these without static extents, or null.
  mlir::MemRefType unsized;
  /// There is a `gpu.dynamic_shared_memory`.
  bool hasDynamic = false;
  /// Where its views at constant places end.
  uint64_t dynamicEnd = 0;
  /// It is used by something else than views of static shape at constant
  /// places.
  bool hasUnknownEnd = false;
};

SharedMemoryUse
computeSharedMemoryUse(mlir::gpu::GPUFuncOp kernel,
                       mlir::SymbolTableCollection &symbolTables);

/// Where in dynamic shared memory a view of it ends at the least; 0 if it is
/// none.
uint64_t getDynamicEnd(mlir::memref::ViewOp view);

/// Static shared memory with the padding that dynamic shared memory behind it
/// needs.
uint64_t padStaticShared(uint64_t bytes);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYUSE_H
