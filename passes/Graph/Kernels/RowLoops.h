//===- RowLoops.h - products along the rows of a range ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product whose factor is zero outside of a range of rows (RowRanges.h) sums
// over this range alone. A loop goes along full tiles, which need no masks, so
// that engines copy both factors. A second one goes along the rows that are
// left, in shorter tiles that end with views of both factors: what is behind
// the range isn't read, and never multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_ROWLOOPS_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_ROWLOOPS_H

#include "../Reading/RowRanges.h"
#include "GroupLoops.h"
#include "OpWriter.h"

namespace carousel {

/// A factor of the only product of a group.
struct RowLoops {
  unsigned op = 0; ///< that masks the factor
  unsigned product = 0;
  RowRange range;
  unsigned position = 0; ///< of the rows, in the schedule
  /// The memory that both factors are read from.
  mlir::Value factors[2];
};

/// Finds the loops over a group's range of rows; nullopt for other groups.
std::optional<RowLoops> findRowLoops(const GroupProgram &program);

/// The range of the loop of a product whose factor has rows that follow each
/// other (RowReads.h): nothing, if the first one of a program is behind all,
/// and nothing reads such tiles (kUnreadTilesAttr). Null for other groups.
mlir::FailureOr<std::optional<LoopRange>>
skipMissingRows(const GroupProgram &program, GroupVectors &vectors,
                OpWriter &writer);

/// Notes the elements of the factor, which are in the range.
mlir::LogicalResult noteInside(const RowLoops &loops,
                               const GroupProgram &program, GroupMemory &memory,
                               OpWriter &writer);

/// Has \p writeLoop write both loops. In the second one, the schedule has other
/// tiles, and the factors end with the range.
mlir::LogicalResult writeRowLoops(
    const RowLoops &loops, GroupProgram &program, GroupVectors &vectors,
    GroupMemory &memory, OpWriter &writer,
    llvm::function_ref<mlir::LogicalResult(const std::optional<LoopRange> &)>
        writeLoop);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_ROWLOOPS_H
