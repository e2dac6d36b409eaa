//===- InlineBodies.h - calls in block programs -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of vectors are a way to write block programs. Threads have parts of
// a vector only after the kernel is distributed, so nothing calls such a
// function then. The passes and the simulated machine inline them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_INLINEBODIES_H
#define CAROUSEL_DIALECT_TRANSFORMS_INLINEBODIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {

/// The functions that a kernel calls, and those that they call, each after its
/// callees. Reports a call that can't be inlined.
mlir::FailureOr<llvm::SetVector<mlir::func::FuncOp>>
findCalledFunctions(mlir::gpu::GPUFuncOp kernel);

/// Inlines all calls of block programs. Private functions without other uses
/// are erased. Returns the number of calls.
mlir::FailureOr<unsigned> inlineFunctions(mlir::gpu::GPUModuleOp module);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_INLINEBODIES_H
