//===- AccessVectors.h - reads and writes by all threads --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread reads and writes its own elements of a vector, in runs of
// consecutive ones.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ACCESSVECTORS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ACCESSVECTORS_H

#include "../Threads/ThreadProgram.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"

namespace carousel {

/// The memory that a transfer accesses, in terms of the thread's program. If
/// the plan says so, a tile is copied from or to there.
struct ThreadAccess {
  mlir::VectorTransferOpInterface transfer;
  const AccessPlan &plan;
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices;
  /// The thread's elements of the mask; null without one.
  mlir::Value mask;
};

/// Elements that are outside of the memref or masked are `padding`.
mlir::Value readVector(ThreadProgram &program, const ThreadAccess &access,
                       mlir::Value padding);
/// A transfer to a tile, which is returned.
mlir::Value loadTile(ThreadProgram &program, const ThreadAccess &access,
                     mlir::Value padding);
void writeVector(ThreadProgram &program, const ThreadAccess &access,
                 mlir::Value registers);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ACCESSVECTORS_H
