//===- GroupLoops.h - the loops of a group's kernel -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops along the dimensions of a schedule that each program goes along.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_GROUPLOOPS_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_GROUPLOOPS_H

#include "../Bodies/GroupValues.h"
#include "GroupProgram.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// A part of a dimension: from, to.
struct LoopRange {
  unsigned position;
  mlir::Value from, to;
};

/// The first iteration of a part, and the one behind its last, of all
/// iterations of one loop along several dimensions.
using DivideLoop =
    llvm::function_ref<std::pair<mlir::Value, mlir::Value>(mlir::Value)>;

struct GroupLoops {
  mlir::scf::ForOp outer, inner;
  /// The innermost body's values of those that loops carry.
  llvm::SmallVector<mlir::Value> carried;
};

/// The dimensions of a schedule that loops go along.
llvm::SmallVector<unsigned> findLoopPositions(const GroupSchedule &schedule);

/// Creates the loops, without the innermost yield, and says where vectors begin
/// in them. The builder is in the innermost body afterwards. `part` is of loops
/// along one dimension each; `divide` may be null.
GroupLoops createLoops(GroupVectors &vectors,
                       const std::optional<LoopRange> &part, DivideLoop divide,
                       mlir::ValueRange inits);

/// Whether later passes shall bring the innermost loop's tiles by rings: it has
/// iterations, and they fit.
bool isPipelined(const GroupProgram &program);
void pipelineLoop(mlir::scf::ForOp loop);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_GROUPLOOPS_H
