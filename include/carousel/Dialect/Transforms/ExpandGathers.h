//===- ExpandGathers.h - values of a cluster's CTAs -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers carousel.cluster.gather. A pass and the simulated machine share it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_EXPANDGATHERS_H
#define CAROUSEL_DIALECT_TRANSFORMS_EXPANDGATHERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Replaces the gathers of a kernel by stores to the shared memory of its
/// peers. The one thread of a block program stores to all of them. Fails, with
/// an error, at one in a loop or branch, and where the launch's cluster or
/// block doesn't fit the values (C214). Adds the number of gathers to `count`.
mlir::LogicalResult expandGathers(mlir::gpu::GPUFuncOp kernel, unsigned &count);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_EXPANDGATHERS_H
