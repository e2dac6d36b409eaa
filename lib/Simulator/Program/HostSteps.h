//===- HostSteps.h - what programs do between launches ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program does to memory between launches, by itself or by a library,
// becomes a kernel of one thread, so that the machine checks its accesses as
// those of other kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PROGRAM_HOSTSTEPS_H
#define CAROUSEL_LIB_SIMULATOR_PROGRAM_HOSTSTEPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace carousel::sim {

/// The name of the kernel.
llvm::StringRef getStepName(mlir::Operation *op);

/// Whether the op is such a step.
bool isHostStep(mlir::Operation *op);

/// How many of the op's first operands its kernel has.
unsigned countStepOperands(mlir::Operation *op);

/// A module with a kernel that does what a linalg.fill, linalg.copy,
/// memref.copy or carousel.library_matmul does, on the op's first operands in
/// their order. Emits an error for operands that it isn't for.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
makeStepKernel(mlir::Operation *op);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PROGRAM_HOSTSTEPS_H
