//===- GroupSort.h - the sort of a group's kernel ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has whole lines, and sorts each by carousel.sort.
// docs/GraphPhase.md, Sorts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_GROUPSORT_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_GROUPSORT_H

#include "GroupMemory.h"
#include "OpWriter.h"

namespace carousel {

mlir::LogicalResult writeSort(const GroupProgram &program, unsigned op,
                              GroupVectors &vectors, GroupMemory &memory,
                              OpWriter &writer);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_GROUPSORT_H
