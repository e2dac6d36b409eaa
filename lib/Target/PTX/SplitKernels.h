//===- SplitKernels.h - a module of each kernel -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gpu.module of the target phase apart, so that its kernels can be
// translated at once. Only what can be put together again by MergePTX.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_SPLITKERNELS_H
#define CAROUSEL_LIB_TARGET_PTX_SPLITKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace carousel {

/// The kernels of a module, in order, if each can be translated without the
/// others; otherwise none.
llvm::SmallVector<mlir::LLVM::LLVMFuncOp>
findIndependentKernels(mlir::gpu::GPUModuleOp module);

/// A copy of the module with `kernels` and what they need.
mlir::OwningOpRef<mlir::gpu::GPUModuleOp>
extractKernels(mlir::gpu::GPUModuleOp module,
               llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> kernels);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_SPLITKERNELS_H
