//===- GroupKernel.h - the kernel of a group of ops -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a kernel of the block phase that computes what a function on tensors
// does. docs/GraphPhase.md, Kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_GROUPKERNEL_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_GROUPKERNEL_H

#include "../Kernels/GroupProgram.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

struct GroupWorkspace;

/// An argument of the kernel.
struct KernelOperand {
  mlir::Value value; ///< of the function: an argument or a result
  /// The tensor's dimensions that are one of the kernel's memref, if it is a
  /// tensor.
  llvm::SmallVector<mlir::ReassociationIndices> dims;
  /// By dimension of an image that windows with strides read: the stride. The
  /// memref has two dimensions for each that isn't 1 (countMemoryDims).
  llvm::SmallVector<int64_t> strides;
  /// The last two dimensions of an image are one.
  bool hasGroups = false;
  bool isResult = false;
  /// The memref has strides.
  bool isSlice = false;
  /// The group's argument of which the op of a result changes some rows in
  /// place: the memory has its elements before (RowUpdates.h).
  mlir::BlockArgument updated = {};
  /// The operand that callers may pass the same memory for as for this result.
  std::optional<unsigned> mayAlias = {};
};

/// The kernel's signature: operands that ops read, then results.
llvm::SmallVector<KernelOperand> findOperands(GroupProgram &program);

/// Fails with an error at the op that has no form for vectors.
llvm::FailureOr<mlir::gpu::GPUFuncOp>
emitGroupKernel(GroupProgram &program, llvm::ArrayRef<KernelOperand> operands,
                llvm::ArrayRef<GroupWorkspace> workspaces,
                mlir::OpBuilder &builder, llvm::StringRef name);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_GROUPKERNEL_H
