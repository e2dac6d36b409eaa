//===- StoreGranules.cpp - stores of rows that begin anywhere -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GranuleRows.h.
//
//===----------------------------------------------------------------------===//

#include "GranuleRows.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

/// The number of elements from the row's begin to a multiple of 16 bytes.
static Value createHead(ImplicitLocOpBuilder &b, GranuleRows &rows,
                        ArrayRef<Value> positions) {
  SmallVector<Value> begin(positions);
  begin.back() = createIndex(b, 0);
  Value distance = rows.createDistance(b, rows.createIndices(b, begin));
  Value head = createFolded<arith::AndIOp>(
      b,
      createFolded<arith::SubIOp>(
          b, createConstant(b, b.getI32Type(), rows.granule), distance),
      rows.granule - 1);
  return createCast(b, head, b.getIndexType());
}

/// Stores the aligned granule of global memory that begins in granule `number`
/// of the tile, if it is in the box and inside.
static void storeGranule(ImplicitLocOpBuilder &b, GranuleRows &rows, Value end,
                         Value number, Value exists) {
  SmallVector<Value> low = rows.createPositions(b, number), high = low;
  Value head = createHead(b, rows, low);
  SmallVector<Value> at = low;
  at.back() = createFolded<arith::AddIOp>(b, low.back(), head);
  Value isInside = createAnd(b, exists, rows.createIsRowInside(b, low));
  isInside = createAnd(
      b, isInside,
      createCompare(b, arith::CmpIPredicate::sle,
                    createFolded<arith::AddIOp>(b, at.back(), rows.granule),
                    end));
  createIf(b, isInside, [&] {
    // An aligned granule is its own neighbour.
    Value above = createAlignedDown(
        b, createFolded<arith::AddIOp>(b, head, rows.granule - 1),
        rows.granule);
    high.back() = createFolded<arith::AddIOp>(b, low.back(), above);
    Value value = rows.createShifted(
        b, rows.loadGranule(b, rows.box.tile, rows.createPlace(b, low)),
        rows.loadGranule(b, rows.box.tile, rows.createPlace(b, high)),
        createCast(b, head, b.getI32Type()));
    vector::StoreOp::create(b, value, rows.box.global,
                            rows.createIndices(b, at), /*nontemporal=*/false,
                            llvm::MaybeAlign(rules::kBulkGranule));
  });
}

/// The element `number` of the rows' ends, a granule for each row. The head of
/// a whole row and its tail are a granule together, unless the row is aligned;
/// `isCut`: the tail of a row that the memref's end cuts before that one.
static void storeEnd(ImplicitLocOpBuilder &b, GranuleRows &rows, Value end,
                     Value number, Value exists, bool isCut) {
  int64_t granule = rows.granule, extent = rows.shape.getRowElements();
  Value element = createCast(
      b, createFolded<arith::RemUIOp>(b, number, granule), b.getIndexType());
  SmallVector<Value> positions = createRowPositions(
      b, rows.shape,
      createCast(b, createFolded<arith::DivUIOp>(b, number, granule),
                 b.getIndexType()));
  Value head = createHead(b, rows, positions), isInside = exists;
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    isInside = createAnd(b, isInside, createCompare(b, predicate, lhs, rhs));
  };
  Value isAligned =
      createCompare(b, arith::CmpIPredicate::eq, head, createIndex(b, 0));
  Value &position = positions.back();
  if (isCut) {
    Value rest = createFolded<arith::SubIOp>(b, end, head);
    Value tail = createFolded<arith::AddIOp>(
        b, head, createAlignedDown(b, rest, granule));
    require(arith::CmpIPredicate::sge, rest, createIndex(b, 0));
    Value last = b.createOrFold<arith::SelectOp>(
        isAligned, createIndex(b, extent),
        createFolded<arith::AddIOp>(b, head, extent - granule));
    require(arith::CmpIPredicate::slt, tail, last);
    position = createFolded<arith::AddIOp>(b, tail, element);
  } else {
    require(arith::CmpIPredicate::ne, head, createIndex(b, 0));
    Value isHead = createCompare(b, arith::CmpIPredicate::slt, element, head);
    position = b.createOrFold<arith::SelectOp>(
        isHead, element,
        createFolded<arith::AddIOp>(b, element, extent - granule));
  }
  require(arith::CmpIPredicate::slt, position, end);
  isInside = createAnd(b, isInside, rows.createIsRowInside(b, positions));
  copyElement(b, rows.issue, rows.box, positions, isInside);
}

static void storeGranules(ImplicitLocOpBuilder &b, const TransferIssue &issue) {
  GranuleRows rows(b, issue);
  const TransferShape &shape = rows.shape;
  int64_t extent = shape.getRowElements();
  // The row ends here in the tile.
  Value end = createIndex(b, extent);
  if (Value behind = rows.box.ends.back())
    end = createFolded<arith::MinSIOp>(
        b, createFolded<arith::SubIOp>(b, behind, rows.box.begins.back()), end);
  auto forEach = [&](int64_t count, function_ref<void(Value, Value)> body) {
    forEachOfThread(b, issue, count, /*batch=*/1,
                    [&](const GranuleNumbers &numbers) {
                      body(numbers.front().first, numbers.front().second);
                    });
  };
  forEach(issue.op.getTileBytes() / rules::kBulkGranule,
          [&](Value number, Value exists) {
            storeGranule(b, rows, end, number, exists);
          });
  int64_t ends = shape.getRows() * rows.granule;
  forEach(ends, [&](Value number, Value exists) {
    storeEnd(b, rows, end, number, exists, /*isCut=*/false);
  });
  if (!shape.dims.back().mayEndBehind)
    return;
  Value isCut =
      createCompare(b, arith::CmpIPredicate::slt, end, createIndex(b, extent));
  createIf(b, isCut, [&] {
    forEach(ends, [&](Value number, Value exists) {
      storeEnd(b, rows, end, number, exists, /*isCut=*/true);
    });
  });
}

void carousel::copyGranules(ImplicitLocOpBuilder &b,
                            const TransferIssue &issue) {
  if (issue.op.isLoad())
    return loadGranules(b, issue);
  storeGranules(b, issue);
}
