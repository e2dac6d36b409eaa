//===- TileLoads.h - the loads of one tile in a loop ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile may have several loads in a loop, in different branches: each
// iteration executes one of them at most. Private to the ring planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_TRANSFERS_TILELOADS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_TRANSFERS_TILELOADS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

class TileLoads {
public:
  /// Takes the loads among `accesses` that stand in `loop`.
  TileLoads(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Operation *> accesses);

  llvm::ArrayRef<LoadOp> get() const { return loads; }
  /// Whether an iteration executes one load at most.
  bool areExclusive() const;
  /// Whether every iteration that executes `op`, an op of the loop, has
  /// executed a load before.
  bool isLoadedBefore(mlir::Operation *op) const;
  /// Whether every iteration executes a load.
  bool isLoadedAlways() const;

private:
  /// The branches that are taken where some op is executed: conditions and
  /// their values.
  using Taken = llvm::SmallDenseMap<mlir::Value, bool>;

  bool isLoadedBy(mlir::Operation *op, const Taken &taken) const;
  bool isLoadedBy(mlir::Block &block, const Taken &taken) const;

  mlir::scf::ForOp loop;
  llvm::SmallVector<LoadOp> loads;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_TRANSFERS_TILELOADS_H
