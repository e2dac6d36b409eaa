//===- StreamWriter.h - reductions of a kernel in one pass ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the loop of a stream: what its tiles compute, and how sums are
// corrected where the rows change that tiles are computed with.
// docs/GraphPhase.md, Streams.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_STREAMS_STREAMWRITER_H
#define CAROUSEL_PASSES_GRAPH_STREAMS_STREAMWRITER_H

#include "../Kernels/GroupMemory.h"
#include "../Kernels/PartialSums.h"

namespace carousel {

/// Writes all ops of a stream, where the builder of \p vectors is. \p parts: of
/// a program that divides the stream, or null.
mlir::LogicalResult writeStream(const GroupProgram &program,
                                GroupVectors &vectors, GroupMemory &memory,
                                PartialSums *parts);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_STREAMS_STREAMWRITER_H
