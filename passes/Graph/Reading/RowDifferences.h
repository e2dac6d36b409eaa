//===- RowDifferences.h - differences from rows in a body -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which elements a body subtracts a row from, and what it computes of these
// differences. Where the row is the largest of the elements, they are bounded
// while it isn't complete, and so are their exponentials.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_ROWDIFFERENCES_H
#define CAROUSEL_PASSES_GRAPH_READING_ROWDIFFERENCES_H

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// Of what \p element becomes where an argument of the op's body is a row, or,
/// if \p isDifference, such a difference.
GraphDifference findRowDifference(mlir::linalg::LinalgOp op,
                                  mlir::BlockArgument argument,
                                  mlir::Value element, bool isDifference);

/// Whether exponentials depend on an argument that is scaled, by its logarithm.
bool hasExponentials(mlir::linalg::LinalgOp op, mlir::BlockArgument argument,
                     mlir::Value element);

/// Whether an op's result is the number that it reads, perhaps bounded or
/// replaced where it isn't finite; of a reduction, whether the elements are.
bool keepsNumber(mlir::linalg::LinalgOp op, mlir::BlockArgument argument);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_ROWDIFFERENCES_H
