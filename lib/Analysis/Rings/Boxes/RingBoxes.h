//===- RingBoxes.h - boxes of loads and stores ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that the boxes of a load and a store of one global memref have no
// common element, by constants, ranges and strides, and by the guards of the
// kernel. Private to the ring planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_RINGBOXES_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_RINGBOXES_H

#include "BoxDistances.h"

#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

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
