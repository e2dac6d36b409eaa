//===- TilePermutation.cpp - indices of swizzled tiles --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TilePermutation.h.
//
//===----------------------------------------------------------------------===//

#include "TilePermutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

Value TilePermutation::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value TilePermutation::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}
Value TilePermutation::multiply(Value value, int64_t by) {
  return builder.createOrFold<arith::MulIOp>(loc, value, constant(by));
}
Value TilePermutation::divide(Value value, int64_t by) {
  return builder.createOrFold<arith::DivUIOp>(loc, value, constant(by));
}
Value TilePermutation::remainder(Value value, int64_t by) {
  return builder.createOrFold<arith::RemUIOp>(loc, value, constant(by));
}

/// The number of the row.
Value TilePermutation::linearize(ValueRange indices) {
  Value row = constant(0);
  for (auto [dim, index] : llvm::enumerate(indices))
    row = add(multiply(row, tile.getDimSize(dim)), index);
  return row;
}

/// Permutes pieces of 16 bytes of a panel's row by the row's number.
Value TilePermutation::swizzle(Value row, Value column) {
  Value key = remainder(divide(row, pattern.rowsPerStep), pattern.steps);
  return builder.createOrFold<arith::XOrIOp>(
      loc, column, multiply(key, pattern.pieceElements));
}

SmallVector<Value> TilePermutation::apply(ValueRange indices) {
  SmallVector<Value> place(indices);
  Value row = linearize(indices.drop_back());
  if (pattern.panels == 1) {
    place.back() = swizzle(row, indices.back());
    return place;
  }
  Value panel = divide(indices.back(), pattern.panelElements);
  Value column = remainder(indices.back(), pattern.panelElements);
  // Rows of panels are consecutive; `panels` of them are as long as a row of
  // the tile.
  Value line = add(multiply(panel, pattern.rows), row);
  Value begin =
      multiply(remainder(line, pattern.panels), pattern.panelElements);
  place.back() = add(begin, swizzle(row, column));
  Value outer = divide(line, pattern.panels);
  for (size_t dim = place.size() - 1; dim-- > 1;) {
    place[dim] = remainder(outer, tile.getDimSize(dim));
    outer = divide(outer, tile.getDimSize(dim));
  }
  if (place.size() > 1)
    place.front() = outer;
  return place;
}
