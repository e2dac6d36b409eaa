//===- RowTiles.cpp - tables of rows by a number --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowTiles.h.
//
//===----------------------------------------------------------------------===//

#include "RowTiles.h"

#include "../Tables/TableOps.h"
#include "MonotonicIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

RowTiles carousel::chooseRowTiles(int64_t count, int64_t numbers) {
  // Those of matrix instructions, and of a whole tile of a product.
  constexpr int64_t kLeastRows = 16, kMostRows = 128;
  RowTiles tiles;
  tiles.numbers = numbers;
  int64_t mean = llvm::divideCeil(count, numbers);
  tiles.rows =
      std::clamp<int64_t>(llvm::PowerOf2Ceil(mean), kLeastRows, kMostRows);
  // Most are needed where each number has a row more than its full tiles.
  int64_t used = std::min(count, numbers);
  tiles.tiles = used + (count - used) / tiles.rows;
  return tiles;
}

namespace {

/// Writes tables of counts.
class TileWriter {
public:
  TileWriter(IRRewriter &rewriter, Location loc, Value number, int64_t numbers)
      : rewriter(rewriter), loc(loc), numbers(numbers),
        count(cast<RankedTensorType>(number.getType()).getDimSize(0)),
        length(count > kLongBlock ? kBlock : count),
        blocks(llvm::divideCeil(count, length)), number(number) {}

  RowTiles write();
  RowTiles writeMonotonic();

private:
  /// Rows that are compared with each other, if there are many.
  static constexpr int64_t kBlock = 128, kLongBlock = 1024;
  using Predicate = arith::CmpIPredicate;

  Value reduce(ArrayRef<int64_t> shape, ValueRange inputs,
               ArrayRef<SmallVector<unsigned>> loops, bool isMaximum,
               ComputeElement compute) {
    return createReduction(rewriter, loc, shape, rewriter.getI32Type(), inputs,
                           loops, isMaximum, compute);
  }
  Value elements(ArrayRef<int64_t> shape, ComputeElement compute) {
    return createElements(rewriter, loc, shape, rewriter.getI32Type(), {}, {},
                          compute);
  }
  /// Elements of a tensor from a number on, or, if it has two dimensions, the
  /// first ones at a number of the first dimension.
  Value slice(Value tensor, int64_t at, int64_t size);
  Value findMatrices(const RowTiles &tiles, Value ends);

  IRRewriter &rewriter;
  Location loc;
  int64_t numbers, count, length, blocks;
  Value number;
};

} // namespace

Value TileWriter::slice(Value tensor, int64_t at, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto getIndex = [&](int64_t value) -> OpFoldResult {
    return rewriter.getIndexAttr(value);
  };
  SmallVector<OpFoldResult> offsets(type.getRank(), getIndex(0)),
      sizes(type.getRank(), getIndex(1)), strides(type.getRank(), getIndex(1));
  offsets.front() = getIndex(at);
  sizes.back() = getIndex(size);
  return tensor::ExtractSliceOp::create(
      rewriter, loc, RankedTensorType::get({size}, type.getElementType()),
      tensor, offsets, sizes, strides);
}

/// Finds the matrices of tiles, by where the tiles of each number end.
Value TileWriter::findMatrices(const RowTiles &tiles, Value ends) {
  // Tiles behind all others have the last number, and no rows.
  return reduce({tiles.tiles}, {slice(ends, 0, numbers - 1)}, {{1}},
                /*isMaximum=*/false,
                [&](OpBuilder &b, ValueRange at, ValueRange own) {
                  IndexBuilder n(b, loc);
                  return n.compare(Predicate::ule, n.index(own[0]), at[0]);
                });
}

RowTiles TileWriter::write() {
  RowTiles tiles = chooseRowTiles(count, numbers);
  tiles.number = number;
  // In blocks; -1 behind the last row.
  Value blocked =
      elements({blocks, length}, [&](OpBuilder &b, ValueRange at, ValueRange) {
        IndexBuilder n(b, loc);
        Value row = n.add(n.multiply(at[0], length), at[1]);
        Value last = n.constant(count - 1);
        Value own = n.read(number, {n.least(row, last)});
        Value exists = n.compare(Predicate::ule, row, last);
        return n.integer(n.choose(exists, own, n.constant(-1)));
      });
  // Rows of the same number before each in its block, those of each number in
  // a block, and up to its end.
  Value rank = reduce({blocks, length}, {blocked, blocked}, {{0, 1}, {0, 2}},
                      /*isMaximum=*/false,
                      [&](OpBuilder &b, ValueRange at, ValueRange own) {
                        IndexBuilder n(b, loc);
                        return n.both(n.compare(Predicate::ult, at[2], at[1]),
                                      n.compare(Predicate::eq, own[0], own[1]));
                      });
  Value counts = reduce(
      {blocks, numbers}, {blocked}, {{0, 2}},
      /*isMaximum=*/false, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        return n.compare(Predicate::eq, n.index(own[0]), at[1]);
      });
  Value sums = reduce({blocks, numbers}, {counts}, {{2, 1}},
                      /*isMaximum=*/false,
                      [&](OpBuilder &b, ValueRange at, ValueRange own) {
                        IndexBuilder n(b, loc);
                        return n.choose(n.compare(Predicate::ule, at[2], at[0]),
                                        n.index(own[0]), n.constant(0));
                      });
  // Tiles up to the end of each number's.
  Value ends = reduce(
      {numbers}, {slice(sums, blocks - 1, numbers)}, {{1}},
      /*isMaximum=*/false, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        Value ownTiles = n.divide(
            n.add(n.index(own[0]), n.constant(tiles.rows - 1)), tiles.rows);
        return n.choose(n.compare(Predicate::ule, at[1], at[0]), ownTiles,
                        n.constant(0));
      });
  tiles.matrix = findMatrices(tiles, ends);
  auto findRank = [&](IndexBuilder &n, ValueRange at, Value own) {
    Value first = n.readBefore(ends, own);
    return n.add(n.multiply(n.subtract(at[0], first), tiles.rows), at[1]);
  };
  // The block that has the row of a place, then the row.
  Value marks = slice(blocked, 0, length);
  Value ofBlocks = tensor::ExtractSliceOp::create(
      rewriter, loc, RankedTensorType::get({blocks}, rewriter.getI32Type()),
      sums,
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(0),
                             rewriter.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(blocks),
                             rewriter.getIndexAttr(1)},
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1),
                             rewriter.getIndexAttr(1)});
  SmallVector<int64_t> shape = {tiles.tiles, tiles.rows};
  Value block = reduce(
      shape, {tiles.matrix, ofBlocks}, {{0}, {2}},
      /*isMaximum=*/false, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        Value matrix = n.index(own[0]);
        return n.compare(Predicate::ule, n.read(sums, {at[2], matrix}),
                         findRank(n, at, matrix));
      });
  tiles.row = reduce(
      shape, {tiles.matrix, block, marks}, {{0}, {0, 1}, {2}},
      /*isMaximum=*/true, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        Value matrix = n.index(own[0]), found = n.index(own[1]);
        // No row of the last block has a rank behind those of its number.
        found = n.least(found, n.constant(blocks - 1));
        Value isOwn =
            n.compare(Predicate::eq, n.read(blocked, {found, at[2]}), matrix);
        Value place = n.add(n.readBefore(sums, {found, matrix}),
                            n.read(rank, {found, at[2]}));
        Value isHere = n.compare(Predicate::eq, place, findRank(n, at, matrix));
        Value row = n.add(n.multiply(found, length), at[2]);
        return n.choose(n.both(isOwn, isHere), row, n.constant(-1));
      });
  tiles.place = elements({count}, [&](OpBuilder &b, ValueRange at, ValueRange) {
    IndexBuilder n(b, loc);
    Value own = n.read(number, at), block = n.divide(at[0], length);
    Value before = n.readBefore(sums, {block, own});
    Value ownRank = n.read(rank, {block, n.remainder(at[0], length)});
    Value first = n.multiply(n.readBefore(ends, own), tiles.rows);
    return n.integer(n.add(first, n.add(before, ownRank)));
  });
  return tiles;
}

RowTiles TileWriter::writeMonotonic() {
  RowTiles tiles = chooseRowTiles(count, numbers);
  tiles.number = number;
  // The first row of each number, and the one behind all rows.
  Value starts = reduce(
      {numbers + 1}, {number}, {{1}},
      /*isMaximum=*/false, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        return n.compare(Predicate::slt, n.index(own[0]), at[0]);
      });
  Value begin = slice(starts, 0, numbers), end = slice(starts, 1, numbers);
  auto countTiles = [&](IndexBuilder &n, Value from, Value to) {
    Value rows = n.subtract(n.index(to), n.index(from));
    return n.divide(n.add(rows, n.constant(tiles.rows - 1)), tiles.rows);
  };
  Value ends = reduce(
      {numbers}, {begin, end}, {{1}, {1}},
      /*isMaximum=*/false, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        return n.choose(n.compare(Predicate::ule, at[1], at[0]),
                        countTiles(n, own[0], own[1]), n.constant(0));
      });
  // Tiles behind all others have the last number, and begin behind the rows.
  // Reductions aren't computed again by the product's kernel.
  tiles.matrix = reduce(
      {tiles.tiles}, {begin, end, ends}, {{1}, {1}, {1}},
      /*isMaximum=*/false, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        return n.both(
            n.compare(Predicate::sle, n.index(own[2]), at[0]),
            n.compare(Predicate::ult, at[1], n.constant(numbers - 1)));
      });
  tiles.first = reduce(
      {tiles.tiles}, {begin, end, ends}, {{1}, {1}, {1}},
      /*isMaximum=*/true, [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        Value behind = n.index(own[2]);
        Value first = n.subtract(behind, countTiles(n, own[0], own[1]));
        Value isHere = n.both(n.compare(Predicate::sle, first, at[0]),
                              n.compare(Predicate::slt, at[0], behind));
        Value rows = n.multiply(n.subtract(at[0], first), tiles.rows);
        // No tile of the last number, or of one before it, is this one.
        Value isLast = n.compare(Predicate::eq, at[1], n.constant(numbers - 1));
        Value isBehind =
            n.both(isLast, n.compare(Predicate::sle, behind, at[0]));
        Value other = n.choose(isBehind, n.constant(count), n.constant(-1));
        return n.choose(isHere, n.add(n.index(own[0]), rows), other);
      });
  AffineMap ofRow = rewriter.getMultiDimIdentityMap(2).dropResult(1);
  tiles.row = createElements(
      rewriter, loc, {tiles.tiles, tiles.rows}, rewriter.getI32Type(),
      {tiles.matrix, tiles.first}, {ofRow, ofRow},
      [&](OpBuilder &b, ValueRange at, ValueRange own) {
        IndexBuilder n(b, loc);
        Value first = n.index(own[1]), row = n.add(first, at[1]);
        Value behind = n.read(starts, {n.add(n.index(own[0]), n.constant(1))});
        Value exists = n.both(n.compare(Predicate::sge, first, n.constant(0)),
                              n.compare(Predicate::slt, row, behind));
        return n.integer(n.choose(exists, row, n.constant(-1)));
      });
  tiles.place = elements({count}, [&](OpBuilder &b, ValueRange at, ValueRange) {
    IndexBuilder n(b, loc);
    Value own = n.read(number, at);
    Value first = n.multiply(n.readBefore(ends, own), tiles.rows);
    return n.integer(n.add(first, n.subtract(at[0], n.read(starts, own))));
  });
  return tiles;
}

RowTiles carousel::createRowTiles(IRRewriter &rewriter, Location loc,
                                  Value number, int64_t numbers) {
  TileWriter writer(rewriter, loc, number, numbers);
  return isMonotonic(number) ? writer.writeMonotonic() : writer.write();
}
