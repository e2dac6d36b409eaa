//===- GroupParts.h - partial results of divided kernels --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several parts of a program reduce some of the elements each. They leave their
// partial results in workspaces and draw tickets; the part that draws the last
// one combines what all of them left, in the order of their numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_GROUPPARTS_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_GROUPPARTS_H

#include "../Bodies/GroupValues.h"
#include "../Kernels/GroupMemory.h"
#include "GroupSignature.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// The number of parts of a divided schedule, at least 1.
ExprAttr getParts(const GroupProgram &program,
                  llvm::ArrayRef<KernelOperand> operands);

/// What a kernel of a divided schedule needs of memory: the partial results of
/// each op that its loops reduce, in the group's order, and the counters.
llvm::SmallVector<GroupWorkspace>
findWorkspaces(const GroupProgram &program,
               llvm::ArrayRef<KernelOperand> operands);

/// The parts of one program, in the kernel.
class PartsWriter {
public:
  PartsWriter(const GroupProgram &program, GroupVectors &vectors)
      : program(program), vectors(vectors) {}

  /// Takes the part from the block's number, of which the program's is
  /// returned.
  mlir::Value place(mlir::gpu::GPUFuncOp kernel,
                    llvm::ArrayRef<KernelOperand> operands, mlir::Value block);

  /// The divided dimension's elements that the part has: from, to.
  std::pair<mlir::Value, mlir::Value> getRange();

  /// The same of the iterations of one loop along all dimensions.
  std::pair<mlir::Value, mlir::Value> getIterations(mlir::Value iterations);

  /// Leaves the partial result of the next op. It has no reduced dimension.
  void leave(const GroupValue &partial);
  /// Draws a ticket, and lets what follows be executed by the last part.
  mlir::scf::IfOp startLast();
  /// The combined result of the next op.
  GroupValue combine(const GroupValue &own, mlir::vector::CombiningKind kind);

private:
  mlir::Value getPartials(unsigned number);
  mlir::Value getCounters();

  const GroupProgram &program;
  GroupVectors &vectors;
  mlir::gpu::GPUFuncOp kernel;
  unsigned firstWorkspace = 0, left = 0, combined = 0;
  mlir::Value parts, part, number; ///< `number`: the program's
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_GROUPPARTS_H
