//===- AsyncCopies.h - nvgpu's asynchronous copies --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers `nvgpu.device_async_copy`, `nvgpu.device_async_create_group` and
// `nvgpu.device_async_wait` to ops of this dialect. NVVM and EmitC lowering use
// it, and the simulated machine. PTX ISA, cp.async.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_ASYNCCOPIES_H
#define CAROUSEL_DIALECT_IR_ASYNCCOPIES_H

#include "mlir/IR/Operation.h"

#include <string>

namespace carousel {

/// Whether `op` is one of these three.
bool isAsyncCopyOp(mlir::Operation *op);

/// "expected ..., got ..." for one of the three ops that cp.async can't
/// implement. Empty for the others.
std::string explainAsyncCopy(mlir::Operation *op);

/// Replaces the three ops under `root` by `carousel.cp_async` ops. Tokens are
/// replaced by the number of pending groups. Emits an error for ops that
/// `explainAsyncCopy` rejects.
mlir::LogicalResult lowerAsyncCopies(mlir::Operation *root);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_ASYNCCOPIES_H
