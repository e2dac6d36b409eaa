//===- SharedMemoryUse.h - shared memory that a kernel uses -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the shared memory that a kernel and the functions that it calls
// declare, and the dynamic shared memory that they view. In: a kernel. Out:
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
  /// Workgroup attributions and shared variables, with padding between them; on
  /// overflow the largest number.
  uint64_t staticBytes = 0;
  /// The first of these without static extents, or null.
  mlir::MemRefType unsized;
  /// The kernel has a `gpu.dynamic_shared_memory`.
  bool hasDynamic = false;
  /// The end of its views at constant offsets.
  uint64_t dynamicEnd = 0;
  /// It has uses other than views of static shape at constant offsets.
  bool hasUnknownEnd = false;
};

SharedMemoryUse
computeSharedMemoryUse(mlir::gpu::GPUFuncOp kernel,
                       mlir::SymbolTableCollection &symbolTables);

/// The least end of a view in dynamic shared memory; 0 if the op isn't such a
/// view.
uint64_t getDynamicEnd(mlir::memref::ViewOp view);

/// The size of static shared memory with the padding that a following dynamic
/// part needs.
uint64_t padStaticShared(uint64_t bytes);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYUSE_H
