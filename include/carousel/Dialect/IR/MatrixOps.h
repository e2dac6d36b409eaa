//===- MatrixOps.h - supported matrix instructions --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The subset of nvgpu's matrix ops that both lowerings and the simulated
// machine support. PTX ISA, Warp-level matrix instructions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_MATRIXOPS_H
#define CAROUSEL_DIALECT_IR_MATRIXOPS_H

#include "mlir/IR/Operation.h"

#include <string>

namespace carousel {

/// "expected ..., got ..." for an `nvgpu.ldmatrix` or `nvgpu.mma.sync` that
/// isn't supported. Empty for supported ones and for other ops.
std::string explainMatrixOp(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_MATRIXOPS_H
