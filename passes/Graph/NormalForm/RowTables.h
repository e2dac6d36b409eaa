//===- RowTables.h - numbers of gathered rows as tables ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends clamp or wrap the numbers of rows that they gather. A product
// reads gathered rows by a table of their numbers (GroupValues.h, readRows).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_ROWTABLES_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_ROWTABLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Where a factor of a product has rows of a matrix by numbers that are
/// computed for each row, computes these by an op of their own.
void nameRows(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_ROWTABLES_H
