//===- ExpandRows.h - transfers of rows that a table names ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers of the rows of carousel.rows as operations on the memref itself,
// where no engine makes them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_EXPANDROWS_H
#define CAROUSEL_DIALECT_TRANSFORMS_EXPANDROWS_H

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace carousel {

/// The number of the row at `position` of the table, an index; -1 if there is
/// no such position, or no such row.
mlir::Value createRowNumber(mlir::ImplicitLocOpBuilder &b, RowsOp rows,
                            mlir::Value position);

/// Makes a transfer of a vector a gather or a scatter.
void expandVectorRows(mlir::VectorTransferOpInterface op);

/// Does so for all of `root`, and makes transfers of tiles those of each row.
void expandAllRows(mlir::Operation *root);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_EXPANDROWS_H
