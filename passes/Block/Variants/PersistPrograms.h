//===- PersistPrograms.h - CTAs that go through programs --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block program whose CTAs execute many programs, one after the other, reads
// once what all programs read. Its loop is pipelined, so that rings bring what
// the next programs read.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_PERSISTPROGRAMS_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_PERSISTPROGRAMS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Whether the programs of a kernel can be executed in a loop: straight code,
/// and a grid of as many programs as an extent of an argument.
bool canPersist(mlir::gpu::GPUFuncOp kernel);

/// For one that can. The grid becomes what is resident, in clusters of `ctas`
/// CTAs if these execute a program together.
void persistPrograms(mlir::gpu::GPUFuncOp kernel, int64_t ctas);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_PERSISTPROGRAMS_H
