//===- SplitKernels.h - split modules by kernel -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a gpu.module of any phase, so that its kernels can be compiled in
// parallel. The results can be merged again: modules by joinKernels, PTX by
// MergePTX.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_SPLITKERNELS_H
#define CAROUSEL_TARGET_SPLITKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OwningOpRef.h"

namespace carousel {

/// Copies of the module, each with some of its kernels, in order, and with the
/// symbols that these need. The first copy also has the symbols that no kernel
/// needs. There are at most 16 copies, and their contents don't depend on the
/// host. Returns none if the module has one kernel, or symbols that can't be
/// duplicated: variables in global memory, or functions with public visibility.
llvm::SmallVector<mlir::OwningOpRef<mlir::gpu::GPUModuleOp>>
splitKernels(mlir::gpu::GPUModuleOp module);

/// Replaces the contents of `module` by those of `parts`. Symbols that several
/// parts have are moved once. If they differ, fails, and doesn't change the
/// module.
mlir::LogicalResult joinKernels(mlir::gpu::GPUModuleOp module,
                                llvm::ArrayRef<mlir::gpu::GPUModuleOp> parts);

} // namespace carousel

#endif // CAROUSEL_TARGET_SPLITKERNELS_H
