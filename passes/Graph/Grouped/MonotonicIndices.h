//===- MonotonicIndices.h - tables that never descend -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows whose segment ids are monotonic come in the order of their segments, so
// that the first row of each segment says which rows it has. Front ends count
// the segments that end before a row: the counts ascend, whatever the ends are.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_MONOTONICINDICES_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_MONOTONICINDICES_H

#include "mlir/IR/Value.h"

namespace carousel {

/// Whether the integers of a tensor surely never descend in the order of
/// memory, by what they are computed from.
bool isMonotonic(mlir::Value table);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_MONOTONICINDICES_H
