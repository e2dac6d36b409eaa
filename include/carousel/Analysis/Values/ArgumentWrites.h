//===- ArgumentWrites.h - writes to arguments that are read -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_ARGUMENTWRITES_H
#define CAROUSEL_ANALYSIS_VALUES_ARGUMENTWRITES_H

#include "mlir/Support/LLVM.h"

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace carousel {

/// C252: no op of the kernel, or of a function that it calls, visibly writes a
/// memref argument with the access `in`. Emits an error at each that does.
/// Callers order launches and share buffers by what arguments say.
mlir::LogicalResult verifyArgumentWrites(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_ARGUMENTWRITES_H
