//===- AscendingNumbers.h - tables that never descend -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows whose numbers ascend come in the order of their groups, so that the
// first row of each group says which rows it has. Front ends count the groups
// that end before a row: the counts ascend, whatever the ends are.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_ASCENDINGNUMBERS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_ASCENDINGNUMBERS_H

#include "mlir/IR/Value.h"

namespace carousel {

/// Whether the integers of a tensor with one dimension surely never descend, by
/// what they are computed from.
bool isAscending(mlir::Value table);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_ASCENDINGNUMBERS_H
