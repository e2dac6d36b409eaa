//===- RowNumbers.h - rows that a table names -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the passes look the rows of carousel.rows up.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_ROWNUMBERS_H
#define CAROUSEL_DIALECT_TRANSFORMS_ROWNUMBERS_H

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// The number that the table has at `position`, perhaps of no row; -1 if there
/// is no such position.
mlir::Value createTableNumber(mlir::ImplicitLocOpBuilder &b, RowsOp rows,
                              mlir::Value position);

/// The number of the row at `position` of the table, an index; -1 if there is
/// no such position, or no such row.
mlir::Value createRowNumber(mlir::ImplicitLocOpBuilder &b, RowsOp rows,
                            mlir::Value position);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_ROWNUMBERS_H
