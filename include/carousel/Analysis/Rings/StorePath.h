//===- StorePath.h - stores through shared memory or not --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides for each store in a pipelined loop whether threads write its tile to
// shared memory, from where an engine stores it, or write the tile's elements
// to global memory themselves. docs/Decisions.md states the conditions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_STOREPATH_H
#define CAROUSEL_ANALYSIS_RINGS_STOREPATH_H

#include "carousel/Analysis/Rings/RingPlan.h"

namespace carousel {

/// A write of registers to the tile.
struct RegisterWrite {
  mlir::Operation *op = nullptr; ///< memref.store, vector.store
  mlir::Value value;
  mlir::OperandRange indices;
  int64_t elements = 1; ///< in the innermost dimension
  /// A divisor of the address in global memory, in bytes.
  int64_t alignment = 1;
};

struct StorePathPlan {
  StoreOp store;
  StorePath path = StorePath::Shared;
  /// If the path is by registers. Every element is written by one of them.
  std::vector<RegisterWrite> writes;
  /// Whether elements of the tile may be behind the end of each dimension of
  /// the global memref.
  llvm::SmallVector<bool> mayEndBehind;
  /// The path was asked for, or only one is possible; otherwise predicted.
  bool isGiven = false;
  /// The reason why registers can't be stored, or empty.
  Obstacle obstacle;
  // Predicted nanoseconds of a launch by each path; 0 where not compared.
  double sharedNs = 0, registersNs = 0;

  void print(llvm::raw_ostream &os) const;
};

/// The plan for each store in a pipelined loop of a kernel with these rings.
std::vector<StorePathPlan> planStorePaths(mlir::gpu::GPUFuncOp kernel,
                                          const RingPlan &rings,
                                          const ChipModel &target);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_STOREPATH_H
