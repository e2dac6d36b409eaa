//===- ChosenMatrices.cpp - products whose rows choose matrices -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ChosenMatrices.h.
//
//===----------------------------------------------------------------------===//

#include "ChosenMatrices.h"

#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Reading/RowReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

Value GroupedProduct::computeNumber(OpBuilder &builder,
                                    PointReader &reader) const {
  tensor::ExtractOp read = extract;
  Location loc = read.getLoc();
  Value number;
  for (auto [index, extent] :
       llvm::zip(read.getIndices().drop_back(2), getShape(read.getTensor()))) {
    Value own = reader.compute(builder, index);
    if (number) {
      Value count = arith::ConstantIndexOp::create(builder, loc, extent);
      number = arith::MulIOp::create(builder, loc, number, count);
      own = arith::AddIOp::create(builder, loc, number, own);
    }
    number = own;
  }
  return number;
}

SmallVector<Value> GroupedProduct::findMatrix(OpBuilder &builder,
                                              Value number) const {
  tensor::ExtractOp read = extract;
  Location loc = read.getLoc();
  Value rest =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
  SmallVector<Value> indices;
  for (int64_t extent :
       llvm::reverse(getShape(read.getTensor()).drop_back(2).drop_front())) {
    Value count = arith::ConstantIndexOp::create(builder, loc, extent);
    indices.push_back(arith::RemUIOp::create(builder, loc, rest, count));
    rest = arith::DivUIOp::create(builder, loc, rest, count);
  }
  indices.push_back(rest);
  return SmallVector<Value>(llvm::reverse(indices));
}

tensor::ExtractOp carousel::findMatrixRead(linalg::GenericOp chooser) {
  if (!chooser || chooser.getNumLoops() < 3 ||
      chooser.getNumReductionLoops() != 0 || chooser.getNumDpsInits() != 1 ||
      !llvm::all_of(chooser.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  std::optional<TableRead> read = matchTableRead(chooser);
  if (!read || read->isGuarded || read->loops.size() < 3)
    return {};
  llvm::SmallBitVector isFree(chooser.getNumLoops(), true);
  for (std::optional<unsigned> loop : ArrayRef(read->loops).take_back(2)) {
    if (!loop || !isFree.test(*loop) ||
        !llvm::all_of(
            read->extract.getIndices().drop_back(2),
            [&](Value number) { return isFixedAlong(chooser, number, *loop); }))
      return {};
    isFree.reset(*loop);
  }
  return read->extract;
}

/// The op that chooses a matrix for each row, by a number that only the row
/// says.
static bool findChooser(GroupedProduct &product) {
  auto chooser = product.matrices->get().getDefiningOp<linalg::GenericOp>();
  tensor::ExtractOp extract = findMatrixRead(chooser);
  if (!extract || chooser.getNumLoops() != 3 ||
      !cast<RankedTensorType>(extract.getTensor().getType()).hasStaticShape())
    return false;
  llvm::SmallBitVector isRow(3, true);
  for (Value index : extract.getIndices().take_back(2))
    isRow.reset(index.getDefiningOp<linalg::IndexOp>().getDim());
  product.numbers = 1;
  for (int64_t extent : getShape(extract.getTensor()).drop_back(2))
    product.numbers *= extent;
  product.row = isRow.find_first();
  product.chooser = chooser;
  product.extract = extract;
  return true;
}

std::optional<GroupedProduct>
carousel::findGroupedProduct(linalg::GenericOp op) {
  if (op.getNumLoops() != 3 || op.getNumDpsInputs() != 2 ||
      !isContraction(op) || !findFill(op.getDpsInits()[0]))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned at : {0, 1}) {
    GroupedProduct product;
    product.op = op;
    product.matrices = op.getDpsInputOperand(at);
    product.rows = op.getDpsInputOperand(1 - at);
    AffineMap ofMatrices = op.getMatchingIndexingMap(product.matrices);
    AffineMap ofRows = op.getMatchingIndexingMap(product.rows);
    AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (ofMatrices.getNumResults() != 3 || ofRows.getNumResults() != 2 ||
        written.getNumResults() != 2 || !ofMatrices.isProjectedPermutation() ||
        !findChooser(product))
      continue;
    // The dimension of the chooser's result that goes along rows.
    linalg::GenericOp chooser = product.chooser;
    AffineMap made =
        chooser.getMatchingIndexingMap(chooser.getDpsInitOperand(0));
    for (unsigned dim = 0; dim != 3; ++dim)
      if (getLoop(made, dim) == product.row)
        product.m = getLoop(ofMatrices, dim);
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    if (reduced.size() != 1 || reduced.front() == product.m)
      continue;
    product.k = reduced.front();
    product.n = 3 - product.m - product.k;
    if (!ofRows.isFunctionOfDim(product.m) ||
        !ofRows.isFunctionOfDim(product.k) ||
        !written.isFunctionOfDim(product.m) ||
        !written.isFunctionOfDim(product.n))
      continue;
    product.count = extents[product.m];
    if (product.count == 0 || product.numbers == 0)
      return std::nullopt; // There is nothing to put into tiles.
    product.columns = extents[product.n];
    product.depth = extents[product.k];
    return product;
  }
  return std::nullopt;
}
