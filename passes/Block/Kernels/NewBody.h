//===- NewBody.h - kernels that are written again ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_NEWBODY_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_NEWBODY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace carousel {

/// Adds an empty block with the arguments of the kernel's only one, which is
/// about to be written there again, and puts `builder` at its start.
inline mlir::Block *startNewBody(mlir::gpu::GPUFuncOp kernel,
                                 mlir::OpBuilder &builder) {
  mlir::Block &old = kernel.getBody().front();
  llvm::SmallVector<mlir::Location> locations;
  for (mlir::BlockArgument argument : old.getArguments())
    locations.push_back(argument.getLoc());
  return builder.createBlock(&kernel.getBody(), kernel.getBody().end(),
                             old.getArgumentTypes(), locations);
}

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_NEWBODY_H
