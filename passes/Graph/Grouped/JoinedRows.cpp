//===- JoinedRows.cpp - rows of several choices as one list ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See JoinedRows.h.
//
//===----------------------------------------------------------------------===//

#include "JoinedRows.h"

#include "../Decisions/DecisionLog.h"
#include "../Products/PointReader.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Tables/TableOps.h"
#include "ChosenMatrices.h"
#include "RowTiles.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

namespace {

/// A product of several loops along rows, as batches, tokens and their choices,
/// one along columns, and the depth.
class RowJoiner {
public:
  explicit RowJoiner(linalg::GenericOp op) : op(op) {}

  bool match();
  bool hasStaticExtents() const {
    return !llvm::is_contained(extents, ShapedType::kDynamic);
  }
  int64_t countRows() const { return countRows(rowLoops); }
  /// Returns the joined rows.
  Value write(IRRewriter &rewriter);

private:
  bool matchChooser(OpOperand *factor);
  int64_t countRows(ArrayRef<unsigned> loops) const;
  /// The index of each loop along rows, by that of the joined row.
  SmallVector<Value> splitRow(OpBuilder &builder, Value row) const;
  Value joinRows(IRRewriter &rewriter);
  Value joinChoices(IRRewriter &rewriter);

  linalg::GenericOp op, chooser;
  tensor::ExtractOp extract;
  OpOperand *matrices = nullptr, *rows = nullptr;
  SmallVector<unsigned> rowLoops; ///< outermost first
  unsigned column = 0, depth = 0;
  SmallVector<unsigned> toProduct; ///< by loop of the chooser
  SmallVector<int64_t> extents;
};

} // namespace

static bool areAtLoops(linalg::GenericOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
}

bool RowJoiner::matchChooser(OpOperand *factor) {
  chooser = factor->get().getDefiningOp<linalg::GenericOp>();
  extract = findMatrixRead(chooser);
  unsigned loops = op.getNumLoops();
  if (!extract || chooser.getNumLoops() != loops)
    return false;
  AffineMap made = chooser.getMatchingIndexingMap(chooser.getDpsInitOperand(0));
  AffineMap read = op.getMatchingIndexingMap(factor);
  toProduct.assign(loops, 0);
  for (unsigned dim = 0; dim != loops; ++dim)
    toProduct[getLoop(made, dim)] = getLoop(read, dim);
  llvm::SmallBitVector isRow(loops, true);
  for (Value index : extract.getIndices().take_back(2))
    isRow.reset(index.getDefiningOp<linalg::IndexOp>().getDim());
  return llvm::all_of(isRow.set_bits(), [&](unsigned loop) {
    return llvm::is_contained(rowLoops, toProduct[loop]);
  });
}

bool RowJoiner::match() {
  unsigned loops = op.getNumLoops();
  if (loops < 4 || op.getNumDpsInputs() != 2 || !isContraction(op) ||
      !areAtLoops(op) || !findFill(op.getDpsInits()[0]))
    return false;
  extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (reduced.size() != 1 || written.getNumResults() != loops - 1)
    return false;
  for (unsigned dim = 0; dim != loops - 2; ++dim)
    rowLoops.push_back(getLoop(written, dim));
  column = getLoop(written, loops - 2);
  depth = reduced.front();
  for (unsigned at : {0, 1}) {
    matrices = op.getDpsInputOperand(at);
    rows = op.getDpsInputOperand(1 - at);
    AffineMap read = op.getMatchingIndexingMap(rows);
    if (op.getMatchingIndexingMap(matrices).getNumResults() == loops &&
        read.isFunctionOfDim(depth) && !read.isFunctionOfDim(column) &&
        matchChooser(matrices))
      return true;
  }
  return false;
}

int64_t RowJoiner::countRows(ArrayRef<unsigned> loops) const {
  int64_t rows = 1;
  for (unsigned loop : loops)
    rows *= extents[loop];
  return rows;
}

SmallVector<Value> RowJoiner::splitRow(OpBuilder &builder, Value row) const {
  Location loc = op->getLoc();
  SmallVector<Value> indices(rowLoops.size());
  for (unsigned at = rowLoops.size(); at-- > 1;) {
    Value extent =
        arith::ConstantIndexOp::create(builder, loc, extents[rowLoops[at]]);
    indices[at] = arith::RemUIOp::create(builder, loc, row, extent);
    row = arith::DivUIOp::create(builder, loc, row, extent);
  }
  indices[0] = row;
  return indices;
}

/// The first \p count dimensions as one, and another one.
static SmallVector<ReassociationIndices> joinFirst(unsigned count) {
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, count)), {count}};
}

/// Rows (joined row, depth).
Value RowJoiner::joinRows(IRRewriter &rewriter) {
  AffineMap read = op.getMatchingIndexingMap(rows);
  Location loc = op.getLoc();
  // The outermost loops along rows may read all rows, in the order of memory.
  unsigned outer = read.getNumResults() - 1;
  Value tensor = rows->get();
  bool isOrdered = outer != 0 && getLoop(read, outer) == depth;
  for (unsigned dim = 0; dim != outer; ++dim)
    isOrdered &= getLoop(read, dim) == rowLoops[dim];
  if (isOrdered && outer > 1)
    tensor = tensor::CollapseShapeOp::create(rewriter, loc, tensor,
                                             joinFirst(outer));
  if (isOrdered && outer == rowLoops.size())
    return tensor;
  return createElements(
      rewriter, loc, {countRows(), extents[depth]},
      getElementTypeOrSelf(tensor), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) -> Value {
        SmallVector<Value> at;
        if (isOrdered) {
          Value inner = arith::ConstantIndexOp::create(
              builder, loc, countRows(ArrayRef(rowLoops).drop_front(outer)));
          at = {arith::DivUIOp::create(builder, loc, indices[0], inner),
                indices[1]};
        } else {
          SmallVector<Value> row = splitRow(builder, indices[0]);
          for (unsigned dim = 0; dim != read.getNumResults(); ++dim) {
            const auto *loop = llvm::find(rowLoops, getLoop(read, dim));
            at.push_back(loop == rowLoops.end() ? indices[1]
                                                : row[loop - rowLoops.begin()]);
          }
        }
        return tensor::ExtractOp::create(builder, loc, tensor, at);
      });
}

/// The matrix of each row, in the order of memory.
Value RowJoiner::joinChoices(IRRewriter &rewriter) {
  Location loc = chooser.getLoc();
  SmallVector<int64_t> shape = {countRows()};
  for (Value index : extract.getIndices().take_back(2))
    shape.push_back(
        extents[toProduct[index.getDefiningOp<linalg::IndexOp>().getDim()]]);
  return createElements(
      rewriter, loc, shape, extract.getType(), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) -> Value {
        SmallVector<Value> row = splitRow(builder, indices[0]);
        PointReader reader(chooser);
        for (auto [loop, own] : llvm::enumerate(toProduct))
          if (const auto *found = llvm::find(rowLoops, own);
              found != rowLoops.end())
            reader.setLoop(loop, row[found - rowLoops.begin()]);
        SmallVector<Value> at;
        for (Value number : extract.getIndices().drop_back(2))
          at.push_back(reader.compute(builder, number));
        at.append({indices[1], indices[2]});
        return tensor::ExtractOp::create(builder, loc, extract.getTensor(), at);
      });
}

Value RowJoiner::write(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  AffineExpr m, n, k;
  bindDims(context, m, n, k);
  SmallVector<AffineExpr> ofMatrix = {m};
  for (Value index : extract.getIndices().take_back(2))
    ofMatrix.push_back(
        toProduct[index.getDefiningOp<linalg::IndexOp>().getDim()] == depth
            ? k
            : n);
  SmallVector<Value> inputs(2);
  SmallVector<AffineMap> maps(3);
  unsigned at = rows->getOperandNumber();
  inputs[at] = joinRows(rewriter);
  maps[at] = AffineMap::get(3, 0, {m, k}, context);
  inputs[1 - at] = joinChoices(rewriter);
  maps[1 - at] = AffineMap::get(3, 0, ofMatrix, context);
  maps[2] = AffineMap::get(3, 0, {m, n}, context);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, ArrayRef<int64_t>{countRows(), extents[column]},
      type.getElementType());
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value init = linalg::FillOp::create(rewriter, loc, fill.getInputs(), empty)
                   .getResult(0);
  auto joined = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, init, maps,
      ArrayRef<IteratorType>{IteratorType::parallel, IteratorType::parallel,
                             IteratorType::reduction});
  IRMapping mapping;
  op.getRegion().cloneInto(&joined.getRegion(), mapping);
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
      op, type, joined.getResult(0), joinFirst(rowLoops.size()));
  return inputs[at];
}

/// Computes joined rows as one list, too, if an elementwise op computes them
/// by several loops. So the op can stay in tiles of rows.
static void joinElements(IRRewriter &rewriter, tensor::CollapseShapeOp rows) {
  auto op = rows.getSrc().getDefiningOp<linalg::GenericOp>();
  SmallVector<ReassociationIndices> joined = rows.getReassociationIndices();
  if (!op || op.getNumLoops() != rows.getSrcType().getRank() ||
      op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
      !areAtLoops(op) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), joined))
    return;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> result =
      linalg::collapseOpIterationDims(op, joined, rewriter);
  if (failed(result))
    return;
  rewriter.replaceOp(op, result->results);
  // Rows that were joined before need no reshape between the ops.
  for (OpOperand &operand : result->collapsedOp->getOpOperands()) {
    auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
    auto expand = collapse
                      ? collapse.getSrc().getDefiningOp<tensor::ExpandShapeOp>()
                      : tensor::ExpandShapeOp();
    if (expand && expand.getSrcType() == collapse.getResultType() &&
        expand.getReassociationIndices() == collapse.getReassociationIndices())
      operand.set(expand.getSrc());
  }
  auto expand = rows.getSrc().getDefiningOp<tensor::ExpandShapeOp>();
  rewriter.replaceOp(rows, expand.getSrc());
}

void carousel::joinChoosingRows(func::FuncOp func) {
  SmallVector<RowJoiner> joiners;
  DecisionLog log(func, "carousel-normalize-graph");
  func.walk([&](linalg::GenericOp op) {
    RowJoiner joiner(op);
    if (!joiner.match())
      return;
    if (joiner.hasStaticExtents())
      joiners.push_back(joiner);
    else
      log.missed(op, "Grouped",
                 "each row reads a matrix of its own: an extent isn't known");
  });
  IRRewriter rewriter(func.getContext());
  SmallVector<Value> joined;
  for (RowJoiner &joiner : joiners)
    joined.push_back(joiner.write(rewriter));
  for (Value rows : joined)
    if (auto collapse = rows.getDefiningOp<tensor::CollapseShapeOp>())
      joinElements(rewriter, collapse);
}
