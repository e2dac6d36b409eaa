//===- GroupedProducts.cpp - products whose rows choose matrices ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupedProducts.h.
//
//===----------------------------------------------------------------------===//

#include "GroupedProducts.h"

#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Tables/TableOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace carousel;

/// The extents of the dimensions that matrices are chosen along.
static ArrayRef<int64_t> getNumbers(const TableRead &read) {
  return read.getType().getShape().drop_back(2);
}

Value GroupedProduct::computeMatrixIndex(OpBuilder &builder,
                                         BodyEvaluator &reader) const {
  tensor::ExtractOp extract = matrices.read.extract;
  SmallVector<Value> indices =
      llvm::map_to_vector(extract.getIndices().drop_back(2), [&](Value index) {
        return reader.compute(builder, index);
      });
  return IndexBuilder(builder, extract.getLoc())
      .linearize(indices, getNumbers(matrices.read));
}

SmallVector<Value> GroupedProduct::findMatrix(OpBuilder &builder,
                                              Value number) const {
  tensor::ExtractOp extract = matrices.read.extract;
  IndexBuilder n(builder, extract.getLoc());
  return n.delinearize(n.index(number), getNumbers(matrices.read));
}

std::optional<TableRead> carousel::findMatrixRead(linalg::GenericOp chooser) {
  if (!chooser || chooser.getNumLoops() < 3 ||
      chooser.getNumReductionLoops() != 0 || chooser.getNumDpsInits() != 1 ||
      !linalg::LinalgOp(chooser).hasOnlyProjectedPermutations())
    return std::nullopt;
  std::optional<TableRead> read = matchTableRead(chooser);
  if (!read || read->isGuarded || read->loops.size() < 3)
    return std::nullopt;
  llvm::SmallBitVector isFree(chooser.getNumLoops(), true);
  for (std::optional<unsigned> loop : ArrayRef(read->loops).take_back(2)) {
    if (!loop || !isFree.test(*loop) ||
        !llvm::all_of(
            read->extract.getIndices().drop_back(2),
            [&](Value number) { return isFixedAlong(chooser, number, *loop); }))
      return std::nullopt;
    isFree.reset(*loop);
  }
  return read;
}

std::optional<ChosenMatrices>
carousel::findChosenMatrices(linalg::GenericOp product, OpOperand *factor) {
  auto chooser = factor->get().getDefiningOp<linalg::GenericOp>();
  std::optional<TableRead> found = findMatrixRead(chooser);
  AffineMap read = product.getMatchingIndexingMap(factor);
  if (!found || chooser.getNumLoops() != product.getNumLoops() ||
      !read.isPermutation())
    return std::nullopt;
  AffineMap made = chooser.getMatchingIndexingMap(chooser.getDpsInitOperand(0));
  ChosenMatrices matrices{factor, chooser, *found, {}};
  for (std::optional<unsigned> loop : ArrayRef(found->loops).take_back(2)) {
    AffineExpr along = getAffineDimExpr(*loop, product.getContext());
    matrices.loops.push_back(getLoop(read, *made.getResultPosition(along)));
  }
  return matrices;
}

std::optional<GroupedProduct>
carousel::findGroupedProduct(linalg::GenericOp op) {
  if (op.getNumLoops() != 3 || op.getNumDpsInputs() != 2 ||
      !isContraction(op) || !findFill(op.getDpsInits()[0]))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned at : {0, 1}) {
    std::optional<ChosenMatrices> matrices =
        findChosenMatrices(op, op.getDpsInputOperand(at));
    GroupedProduct product;
    product.op = op;
    product.rows = op.getDpsInputOperand(1 - at);
    AffineMap ofRows = op.getMatchingIndexingMap(product.rows);
    if (!matrices || !matrices->read.getType().hasStaticShape() ||
        ofRows.getNumResults() != 2 || written.getNumResults() != 2)
      continue;
    product.matrices = *matrices;
    product.m = 3 - matrices->loops[0] - matrices->loops[1];
    if (reduced.size() != 1 || reduced.front() == product.m)
      continue;
    product.k = reduced.front();
    product.n = 3 - product.m - product.k;
    if (!ofRows.isFunctionOfDim(product.m) ||
        !ofRows.isFunctionOfDim(product.k) ||
        !written.isFunctionOfDim(product.m) ||
        !written.isFunctionOfDim(product.n))
      continue;
    auto ofMatrix = ArrayRef(matrices->read.loops).take_back(2);
    product.row = 3 - *ofMatrix[0] - *ofMatrix[1];
    product.numbers = computeProduct(getNumbers(matrices->read));
    product.count = extents[product.m];
    if (product.count == 0 || product.numbers == 0)
      return std::nullopt; // There is nothing to put into tiles.
    product.columns = extents[product.n];
    product.depth = extents[product.k];
    return product;
  }
  return std::nullopt;
}
