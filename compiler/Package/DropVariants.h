//===- DropVariants.h - variants that no launch takes -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch takes the variant that its model predicts to be the fastest among
// those whose guards hold, or the first one (docs/Package.md). Of a program's
// kernel, whose extents are known, most are never taken on the GPU that the
// program is planned for: they aren't compiled. Kernels that callers launch
// keep all, which carousel-tune measures.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_DROPVARIANTS_H
#define CAROUSEL_COMPILER_PACKAGE_DROPVARIANTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Erases them from a module of the tile phase whose engines are selected.
void dropVariants(mlir::gpu::GPUModuleOp module);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_DROPVARIANTS_H
