//===- SplitKernels.h - a module of each kernel -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gpu.module of any phase apart, so that its kernels can be compiled at
// once. Only what can be put together again: by joinKernels, or as text by
// MergePTX.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_SPLITKERNELS_H
#define CAROUSEL_TARGET_SPLITKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OwningOpRef.h"

namespace carousel {

/// Copies of the module with some of its kernels each, in order, and what these
/// need; what no kernel needs is in the first. Sixteen at most: which kernels
/// they have doesn't depend on the machine. None if the module has one kernel,
/// or things that can't be there twice: variables of global memory, or
/// functions that others may call.
llvm::SmallVector<mlir::OwningOpRef<mlir::gpu::GPUModuleOp>>
splitKernels(mlir::gpu::GPUModuleOp module);

/// Moves what `parts` have into `module`, instead of what it has. Symbols that
/// several have go there once; fails, and leaves the module as it is, if they
/// differ.
mlir::LogicalResult joinKernels(mlir::gpu::GPUModuleOp module,
                                llvm::ArrayRef<mlir::gpu::GPUModuleOp> parts);

} // namespace carousel

#endif // CAROUSEL_TARGET_SPLITKERNELS_H
