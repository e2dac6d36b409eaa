//===- GroupParts.h - partial results of divided kernels --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several parts of a program (split-K) reduce some of the elements each. They
// leave their partial results in workspaces and draw tickets; the part that
// draws the last one combines what all of them left, in the order of their
// indices.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_GROUPPARTS_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_GROUPPARTS_H

#include "../Bodies/GroupValues.h"
#include "../Kernels/GroupMemory.h"
#include "../Kernels/PartialSums.h"
#include "GroupSignature.h"

namespace carousel {

/// The number of parts of a divided schedule, at least 1.
ExprAttr getParts(const GroupProgram &program,
                  llvm::ArrayRef<KernelOperand> operands);

/// Finds the memory that a kernel of a divided schedule needs: the partial
/// results of each op that its loops reduce, in the group's order, and the
/// counters. In an online reduction, these are the ops that go along its
/// dimension.
llvm::SmallVector<GroupWorkspace>
findWorkspaces(const GroupProgram &program,
               llvm::ArrayRef<KernelOperand> operands);

/// The parts of one program, in the kernel.
class PartsWriter : public PartialSums {
public:
  PartsWriter(const GroupProgram &program, GroupVectors &vectors)
      : program(program), vectors(vectors) {}

  /// Takes the part from the block's number, of which the program's is
  /// returned.
  mlir::Value place(mlir::gpu::GPUFuncOp kernel,
                    llvm::ArrayRef<KernelOperand> operands, mlir::Value block);

  mlir::Value getCount() const override { return parts; }
  /// The divided dimension's elements that the part has: from, to.
  std::pair<mlir::Value, mlir::Value> getRange();
  std::pair<mlir::Value, mlir::Value> getRange(mlir::Value from,
                                               mlir::Value to) override;
  /// The same of the iterations of one loop along all dimensions.
  std::pair<mlir::Value, mlir::Value> getIterations(mlir::Value iterations);

  void leave(const GroupValue &partial) override;
  mlir::scf::IfOp startLast() override;
  mlir::Value read(unsigned op, mlir::Value part,
                   const GroupValue &own) override;
  /// The combined result of the next op.
  GroupValue combine(const GroupValue &own, mlir::vector::CombiningKind kind);
  /// Before the kernel ends.
  void finish();

private:
  std::pair<mlir::Value, mlir::Value> divide(mlir::Value elements);
  mlir::Value getPartials(unsigned number);
  mlir::Value getCounters();
  bool isCluster() const { return program.schedule.division->isCluster; }
  GroupValue combineTiles(const GroupValue &own,
                          mlir::vector::CombiningKind kind);

  const GroupProgram &program;
  GroupVectors &vectors;
  mlir::gpu::GPUFuncOp kernel;
  unsigned firstWorkspace = 0, left = 0, combined = 0;
  mlir::Value parts, part, number; ///< `number`: the program's
  /// In shared memory, where the parts are a cluster's CTAs.
  llvm::SmallVector<mlir::Value> tiles;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_GROUPPARTS_H
