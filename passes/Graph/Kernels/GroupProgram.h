//===- GroupProgram.h - a group of ops with its schedule --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a carousel.group: the graph of its ops, the loops that these share, and
// the schedules that it holds. A kernel is written from that.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPROGRAM_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPROGRAM_H

#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

/// The ops of a group, and how they become a kernel.
struct GroupProgram {
  GroupOp op;
  Graph graph;
  OpGroup group; ///< all of the graph's ops
  GroupShape shape;
  GroupSchedule schedule; ///< of the variant that is planned or written
  /// Factors of f32 are rounded to tf32.
  bool usesTF32 = false;

  /// Some variant divides a loop among programs.
  bool isDivided = false;

  mlir::Block &getBlock() const { return GroupOp(op).getBody().front(); }
  mlir::MLIRContext *getContext() const { return GroupOp(op).getContext(); }
};

/// All but the schedule. Emits an error where ops can't be one kernel.
mlir::FailureOr<GroupProgram> readGroup(GroupOp op, bool usesTF32);

/// The memory that a result of a group has (PitchedRows.h), or null.
mlir::Value findResultMemory(mlir::Value result);

/// Whether two groups compute the same of other tensors, in the same way.
bool areEqual(const GroupProgram &program, const GroupProgram &other);

/// The schedules that the group holds. Emits an error where it has none, or
/// where they are for other dimensions.
mlir::FailureOr<std::vector<GroupSchedule>>
readSchedules(const GroupProgram &program);
void setSchedules(GroupProgram &program,
                  llvm::ArrayRef<GroupSchedule> schedules);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPROGRAM_H
