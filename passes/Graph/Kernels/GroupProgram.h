//===- GroupProgram.h - a group of ops with its schedule --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel is written from.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPROGRAM_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPROGRAM_H

#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Graph/GroupSchedule.h"

namespace carousel {

/// The ops of a function with the attribute carousel.group, and how they become
/// a kernel.
struct GroupProgram {
  mlir::func::FuncOp func;
  Graph graph;
  OpGroup group; ///< all of the graph's ops
  GroupShape shape;
  GroupSchedule schedule;
  /// Factors of f32 are rounded to tf32.
  bool usesTF32 = false;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPROGRAM_H
