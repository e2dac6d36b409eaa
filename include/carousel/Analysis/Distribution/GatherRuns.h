//===- GatherRuns.h - gathers of neighbouring elements ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gather by rows: its indices are that of a row plus the number of a column.
// Elements beside each other in the vector then are so in memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_GATHERRUNS_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_GATHERRUNS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <string>

namespace carousel {

/// Whether all elements along a dimension are one.
bool isUniformAlong(mlir::Value vector, int64_t dim);
/// Whether each element along a dimension is its neighbour plus one.
bool countsAlong(mlir::Value vector, int64_t dim);

/// The reason why a gather has no runs of elements along its last dimension, or
/// an empty string. A run that begins at a multiple of its length, counted from
/// the memref's beginning, can be one access if the memref's address can.
std::string explainNoRuns(mlir::vector::GatherOp op);
/// The elements of the longest access.
int64_t getMostRun(mlir::vector::GatherOp op);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_GATHERRUNS_H
