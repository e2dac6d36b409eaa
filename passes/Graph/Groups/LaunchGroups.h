//===- LaunchGroups.h - calls of groups as launches -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a function with carousel.group becomes a launch of its kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_LAUNCHGROUPS_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_LAUNCHGROUPS_H

#include "GroupKernel.h"

#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

/// Notes in the group's problem which of its arguments are slices, in which
/// dimensions that follow one another aren't one.
void findGaps(GroupProgram &program, llvm::ArrayRef<mlir::func::CallOp> calls);

/// Marks the operands that some call passes a slice of a tensor for, or puts in
/// one: their memrefs have strides.
void findSlices(GroupProgram &program,
                llvm::MutableArrayRef<KernelOperand> operands,
                llvm::ArrayRef<mlir::func::CallOp> calls);

/// Replaces a call. Operands and results are reshaped to what the kernel has.
LaunchKernelOp launchGroup(mlir::func::CallOp call, GroupProgram &program,
                           llvm::ArrayRef<KernelOperand> operands,
                           mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_LAUNCHGROUPS_H
