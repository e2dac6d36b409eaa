//===- RowNumbers.cpp - rows that a table names ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowNumbers.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/RowNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;
using arith::CmpIPredicate;

/// `number` if `isValid` says so, or else -1.
static Value createValid(ImplicitLocOpBuilder &b, Value isValid, Value number) {
  Value none =
      arith::ConstantOp::create(b, b.getIntegerAttr(number.getType(), -1));
  return arith::SelectOp::create(b, isValid, number, none);
}

/// Whether `value` is less than the rows of `memref`, and not negative:
/// negative numbers are large ones.
static Value createIsBelow(ImplicitLocOpBuilder &b, Value value, Value memref) {
  return arith::CmpIOp::create(
      b, CmpIPredicate::ult, value,
      b.createOrFold<memref::DimOp>(memref, int64_t(0)));
}

Value carousel::createTableNumber(ImplicitLocOpBuilder &b, RowsOp rows,
                                  Value position) {
  Value table = rows.getTable();
  Type type = rows.getTable().getType().getElementType();
  auto branch = scf::IfOp::create(
      b, createIsBelow(b, position, table),
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(
            nested, loc,
            memref::LoadOp::create(nested, loc, table, position).getResult());
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc,
                             arith::ConstantOp::create(
                                 nested, loc, nested.getIntegerAttr(type, -1))
                                 .getResult());
      });
  return branch.getResult(0);
}

Value carousel::createRowNumber(ImplicitLocOpBuilder &b, RowsOp rows,
                                Value position) {
  Value number = arith::IndexCastOp::create(
      b, b.getIndexType(), createTableNumber(b, rows, position));
  return createValid(b, createIsBelow(b, number, rows.getSource()), number);
}
