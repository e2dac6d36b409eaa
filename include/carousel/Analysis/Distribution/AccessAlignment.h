//===- AccessAlignment.h - how wide accesses of vectors are -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of the block phase is read and written in runs: consecutive elements
// of one thread, by one access. A run must be aligned, and wholly inside the
// memref or wholly outside. What isn't known of the kernel becomes conditions
// on the launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_ACCESSALIGNMENT_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_ACCESSALIGNMENT_H

#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/Misses.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/VectorInterfaces.h"

#include <string>

namespace carousel {

/// The alignment that accesses of a kernel's memory are known to have.
class AccessAlignment {
public:
  /// The kernel must not change in the lifetime of this object. Its variant's
  /// guards are known to hold.
  explicit AccessAlignment(mlir::gpu::GPUFuncOp kernel);

  /// Adds to `guards` the conditions, apart from the known ones, under which
  /// runs of `elements`, a power of two, can be accessed at once: those that
  /// begin at multiples of `elements` in the last dimension, counted from
  /// `memref[indices]`. Unless `inBounds`, a run must not cross the memref's
  /// end. Returns false, and doesn't change `guards`, if no conditions suffice.
  bool require(mlir::Value memref, mlir::ValueRange indices, bool inBounds,
               int64_t elements,
               llvm::SmallVectorImpl<GuardAttr> &guards) const;

  /// The most elements, up to `most`, for which there are no conditions.
  int64_t getRun(mlir::Value memref, mlir::ValueRange indices, bool inBounds,
                 int64_t most) const;

  /// Why no conditions suffice for runs of `elements` at `memref[indices]`, as
  /// far as the kernel's author can change that: nothing of extents and offsets
  /// that are known, and no multiples.
  Obstacle findObstacle(mlir::Value memref, mlir::ValueRange indices,
                        int64_t elements) const;

private:
  bool isKnown(GuardAttr guard) const;
  bool requireMultiple(mlir::OpFoldResult index, int64_t divisor,
                       llvm::SmallVectorImpl<GuardAttr> &guards) const;
  bool requireDivisible(ExprAttr expr, int64_t divisor,
                        llvm::SmallVectorImpl<GuardAttr> &guards) const;
  /// The number of a kernel's argument that `memref` is, apart from casts.
  std::optional<unsigned> findArgument(mlir::Value memref) const;

  Divisibility indices;
  llvm::SmallVector<KernelArgument> arguments;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<GuardAttr> known;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_ACCESSALIGNMENT_H
