//===- GroupSignature.h - the signature of a group's kernel -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments, the grid and the covered extent of the kernel that a group
// becomes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPSIGNATURE_H
#define CAROUSEL_PASSES_GRAPH_GROUPSIGNATURE_H

#include "GroupKernel.h"

#include "carousel/Dialect/IR/CarouselDialect.h"

namespace carousel {

/// The extent of a scheduled dimension, of an argument that has it.
ExprAttr getExtent(const GroupProgram &program,
                   llvm::ArrayRef<KernelOperand> operands, unsigned position);

/// A kernel without a body.
mlir::gpu::GPUFuncOp createKernel(GroupProgram &program,
                                  llvm::ArrayRef<KernelOperand> operands,
                                  mlir::OpBuilder &builder,
                                  llvm::StringRef name);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPSIGNATURE_H
