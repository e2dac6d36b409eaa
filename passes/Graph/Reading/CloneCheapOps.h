//===- CloneCheapOps.h - elementwise ops for each user ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_CLONECHEAPOPS_H
#define CAROUSEL_PASSES_GRAPH_READING_CLONECHEAPOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Gives each user its own copy of elementwise ops that read no more bytes than
/// they write and compute little, together with the copies that they read:
/// kernels then read their operands instead of their result. Sums along the
/// same pixels, which are one kernel, have one copy. Returns the number of
/// copies.
unsigned cloneCheapOps(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_CLONECHEAPOPS_H
