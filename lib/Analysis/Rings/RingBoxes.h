//===- RingBoxes.h - boxes of loads and stores --------------------*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that the boxes of a load and a store of one global memref have no
// common element, by constants, ranges and strides. Private to the ring
// planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_RINGBOXES_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_RINGBOXES_H

#include "../Sync/SyncAccesses.h"

#include "carousel/Analysis/Values/Divisibility.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

class RingBoxes {
public:
  explicit RingBoxes(mlir::gpu::GPUFuncOp kernel) : positions(kernel) {}

  /// Whether the boxes are apart whenever the two are executed in different
  /// iterations of `loops`, a nest with the outermost loop first. With
  /// `inSameIteration`, also in the same iteration.
  bool areApart(LoadOp load, StoreOp store,
                llvm::ArrayRef<mlir::scf::ForOp> loops, bool inSameIteration);

private:
  /// A dimension of two boxes.
  struct Dim {
    IndexPosition load, store;
    int64_t loaded, stored; ///< extents
  };
  bool isVarying(mlir::Value value, mlir::scf::ForOp outermost) const;
  bool haveDistance(const Dim &dim);
  bool areRegionsApart(const Dim &dim, llvm::ArrayRef<mlir::scf::ForOp> loops);
  bool haveStrides(const Dim &dim, llvm::ArrayRef<mlir::scf::ForOp> loops);
  bool advances(const Dim &dim, mlir::scf::ForOp loop,
                mlir::scf::ForOp outermost);

  SyncPositions positions;
  Divisibility facts;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_RINGBOXES_H
