//===- OnlineReductionWriter.h - reductions in one pass ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the loop of an online reduction: what its tiles compute, and how sums
// are corrected where the rows change that tiles are computed with.
// docs/GraphPhase.md, Online reductions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEREDUCTIONWRITER_H
#define CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEREDUCTIONWRITER_H

#include "../Kernels/GroupMemory.h"
#include "../Kernels/PartialSums.h"

namespace carousel {

/// Writes all ops of an online reduction, where the builder of \p vectors is.
/// \p parts: of a program that divides the online reduction, or null.
mlir::LogicalResult writeStream(const GroupProgram &program,
                                GroupVectors &vectors, GroupMemory &memory,
                                PartialSums *parts);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEREDUCTIONWRITER_H
