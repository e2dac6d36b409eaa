//===- CoveredExtent.h - what ends with the covered extent ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds memrefs and sizes of a block program that are at most as large as the
// extent that its vectors cover. A launch decides on arguments other than that
// of the extent: these are conditions, which become guards where they matter.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_COVEREDEXTENT_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_COVEREDEXTENT_H

#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstdint>
#include <optional>

namespace carousel {

/// A set of conditions of a launch, by their numbers.
using Conditions = uint64_t;

class CoveredExtent {
public:
  CoveredExtent(mlir::gpu::GPUFuncOp kernel, BlockProgramAttr program);

  int64_t getWidth() const { return program.getWidth(); }
  /// Whether each launch has elements for whole vectors.
  bool isAlwaysWhole() const { return most && *most >= getWidth(); }

  /// The conditions under which a number, or a memref's extent, is at most the
  /// covered one. Nothing if they aren't known.
  std::optional<Conditions> findConditions(mlir::Value size);
  std::optional<Conditions> findConditions(mlir::Value memref, int64_t dim);

  /// The same, for all elements of a transfer beyond the covered extent to be
  /// beyond the memref's end, too.
  std::optional<Conditions> findConditions(mlir::VectorTransferOpInterface op);

  /// The guards that require conditions.
  llvm::SmallVector<GuardAttr> getGuards(Conditions conditions) const;

private:
  std::optional<Conditions> computeConditions(mlir::Value size);
  std::optional<Conditions> compare(int64_t size) const;
  std::optional<Conditions> ofArgument(mlir::BlockArgument memref, int64_t dim);

  mlir::gpu::GPUFuncOp kernel;
  BlockProgramAttr program;
  /// If it is the same in all launches.
  std::optional<int64_t> most;
  /// Extents of arguments that are at most the covered one, by condition.
  llvm::SmallVector<ExprAttr> extents;
  OperandFold<std::optional<Conditions>> known;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_COVEREDEXTENT_H
