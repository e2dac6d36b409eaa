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

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_GROUPSIGNATURE_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_GROUPSIGNATURE_H

#include "GroupKernel.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "llvm/ADT/SmallBitVector.h"

namespace carousel {

/// Memory that the runtime allocates for a kernel.
struct GroupWorkspace {
  std::string name;
  mlir::MemRefType type;
  llvm::SmallVector<ExprAttr> extents; ///< the dynamic ones
};

/// How a tensor becomes the memref of an operand with strides.
struct ViewShapes {
  llvm::SmallVector<int64_t> expanded, collapsed;
  llvm::SmallVector<mlir::ReassociationIndices> expansions, collapses;
};
ViewShapes getViewShapes(const KernelOperand &operand);

/// The numbers that the group's ops compute elements of, each after those that
/// it is computed of.
llvm::SetVector<mlir::Value> findScalars(const GroupProgram &program);

/// The extent of a scheduled dimension, of an argument that has it.
ExprAttr getExtent(const GroupProgram &program,
                   llvm::ArrayRef<KernelOperand> operands, unsigned position);

/// Programs of the grid, without their parts.
ExprAttr getPrograms(const GroupProgram &program,
                     llvm::ArrayRef<KernelOperand> operands);

/// The dimensions of the schedule whose programs have the launch's second
/// dimension, if other programs have the first one: rows of a product, so that
/// the block phase can number tiles in groups that share factors, and those of
/// an online reduction whose later rows have more tiles.
llvm::SmallBitVector findDimsOfRows(const GroupProgram &program);

/// A kernel without a body. Its last arguments are the workspaces, and its grid
/// has the parts of a divided schedule.
mlir::gpu::GPUFuncOp createKernel(GroupProgram &program,
                                  llvm::ArrayRef<KernelOperand> operands,
                                  llvm::ArrayRef<GroupWorkspace> workspaces,
                                  mlir::OpBuilder &builder,
                                  llvm::StringRef name);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_GROUPSIGNATURE_H
