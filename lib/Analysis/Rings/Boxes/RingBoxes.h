//===- RingBoxes.h - boxes that are apart -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that the boxes of a load and a store of one global memref have no
// common element, by constants, ranges and strides, and by the guards of the
// kernel. The least gap between the box of a load and the box that an earlier
// iteration stores is a range of numbers and, if the launch determines it, an
// expression of the launch. Private to the ring planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_RINGBOXES_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_RINGBOXES_H

#include "../../Sync/SyncAccesses.h"

#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// A dimension of two boxes.
struct BoxPairDim {
  IndexPosition load, store;
  int64_t loaded, stored; ///< extents
};

/// A number that doesn't change in the kernel: an interval that contains it,
/// and what the launch computes it as.
struct LaunchNumber {
  IndexInterval range;
  LaunchSum sum = LaunchSum::unknown();

  static LaunchNumber constant(int64_t value) {
    return {IndexInterval::exactly(value), LaunchSum::constant(value)};
  }
  LaunchNumber plus(const LaunchNumber &other) const {
    return {range.plus(other.range), sum.plus(other.sum)};
  }
  LaunchNumber times(int64_t factor) const {
    return {range.times(factor), sum.times(factor)};
  }
};

class BoxDistances {
public:
  BoxDistances(mlir::gpu::GPUFuncOp kernel, SyncPositions &positions,
               Divisibility &facts)
      : launch(kernel), positions(positions), facts(facts) {}

  /// The least number of elements between the two boxes where the load's comes
  /// `after` the store's, otherwise where it comes before. 0 or more: the boxes
  /// are apart. The load is executed in a later iteration of `loop` than the
  /// store, and in any iterations of other loops in `outermost`. Without
  /// `loop`, both are executed in one iteration.
  LaunchNumber getGap(const BoxPairDim &dim, bool after, mlir::scf::ForOp loop,
                      mlir::scf::ForOp outermost);

private:
  LaunchNumber getBound(const IndexPosition &position, bool isUpper);
  LaunchNumber getBound(mlir::Value value, bool isUpper);
  LaunchNumber getLastOfLoop(mlir::scf::ForOp loop);
  LaunchNumber getAdvance(mlir::scf::ForOp loop, bool isMost);
  LaunchNumber getScaled(mlir::Value value, int64_t factor);

  LaunchExpressions launch;
  SyncPositions &positions;
  Divisibility &facts;
};

class RingBoxes {
public:
  explicit RingBoxes(mlir::gpu::GPUFuncOp kernel);

  /// Whether the load of an iteration of `loops` reads nothing that the store
  /// of an earlier iteration writes. `loops` is a nest with the outermost loop
  /// first. With `inSameIteration`, also whether the two boxes of one iteration
  /// are apart. Where this depends on the launch, adds to `missing` the guards
  /// that the kernel lacks, if it is given, and takes them to hold.
  bool areApart(LoadOp load, StoreOp store,
                llvm::ArrayRef<mlir::scf::ForOp> loops, bool inSameIteration,
                llvm::SmallVectorImpl<GuardAttr> *missing = nullptr);

private:
  bool areRegionsApart(const BoxPairDim &dim,
                       llvm::ArrayRef<mlir::scf::ForOp> loops);
  bool haveStrides(const BoxPairDim &dim,
                   llvm::ArrayRef<mlir::scf::ForOp> loops);
  bool haveGaps(llvm::ArrayRef<BoxPairDim> dims, mlir::scf::ForOp loop,
                mlir::scf::ForOp outermost,
                llvm::SmallVectorImpl<GuardAttr> *missing);

  mlir::gpu::GPUFuncOp kernel;
  SyncPositions positions;
  Divisibility facts;
  BoxDistances distances;
  llvm::SmallVector<GuardAttr> guards; ///< of the kernel
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_RINGBOXES_H
