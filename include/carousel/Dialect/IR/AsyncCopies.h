//===- AsyncCopies.h - nvgpu's asynchronous copies --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `nvgpu.device_async_copy`, `nvgpu.device_async_create_group` and
// `nvgpu.device_async_wait` as ops of this dialect, for the ways to code and
// for the simulated machine. PTX ISA, cp.async.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_ASYNCCOPIES_H
#define CAROUSEL_DIALECT_IR_ASYNCCOPIES_H

#include "mlir/IR/Operation.h"

#include <string>

namespace carousel {

/// Whether `op` is one of the three.
bool isAsyncCopyOp(mlir::Operation *op);

/// "expected ..., got ..." for one of the three that cp.async can't do; empty
/// for those that it can, and for other ops.
std::string explainAsyncCopy(mlir::Operation *op);

/// Replaces the three under `root` by `carousel.cp_async` ops. Groups are
/// counted, so that tokens become numbers that nothing depends on. What
/// `explainAsyncCopy` has something to say of is an error.
mlir::LogicalResult lowerAsyncCopies(mlir::Operation *root);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_ASYNCCOPIES_H
