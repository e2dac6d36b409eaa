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
#include "../Reading/ReadGraph.h"
#include "RowTiles.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

namespace {

/// A product of loops (token, choice, column) and the depth, by its loops.
class RowJoiner {
public:
  explicit RowJoiner(linalg::GenericOp op) : op(op) {}

  bool match();
  bool hasStaticExtents() const {
    return !llvm::is_contained(extents, ShapedType::kDynamic);
  }
  /// Returns the joined rows.
  Value write(IRRewriter &rewriter);

private:
  bool matchChooser(OpOperand *factor);
  unsigned getLoop(AffineMap map, unsigned dim) const {
    return cast<AffineDimExpr>(map.getResult(dim)).getPosition();
  }
  Value joinRows(IRRewriter &rewriter);
  Value joinChoices(IRRewriter &rewriter);

  linalg::GenericOp op, chooser;
  tensor::ExtractOp extract;
  OpOperand *matrices = nullptr, *rows = nullptr;
  unsigned token = 0, choice = 0, column = 0, depth = 0;
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
  if (!chooser || chooser.getNumLoops() != 4 ||
      chooser.getNumReductionLoops() != 0 || chooser.getNumDpsInits() != 1 ||
      !areAtLoops(chooser))
    return false;
  extract = chooser.getBody()
                ->getTerminator()
                ->getOperand(0)
                .getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract.getIndices().size() < 3)
    return false;
  AffineMap made = chooser.getMatchingIndexingMap(chooser.getDpsInitOperand(0));
  AffineMap read = op.getMatchingIndexingMap(factor);
  toProduct.assign(4, 0);
  for (unsigned dim = 0; dim != 4; ++dim)
    toProduct[getLoop(made, dim)] = getLoop(read, dim);
  llvm::SmallBitVector isRow(4, true);
  for (Value index : extract.getIndices().take_back(2)) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    if (!loop || !isRow.test(loop.getDim()) ||
        !llvm::all_of(extract.getIndices().drop_back(2), [&](Value number) {
          return isFixedAlong(chooser, number, loop.getDim());
        }))
      return false;
    isRow.reset(loop.getDim());
  }
  llvm::SmallBitVector isChosen(4);
  for (unsigned loop : isRow.set_bits())
    isChosen.set(toProduct[loop]);
  return isChosen.test(token) && isChosen.test(choice);
}

bool RowJoiner::match() {
  if (op.getNumLoops() != 4 || op.getNumDpsInputs() != 2 ||
      !linalg::isaContractionOpInterface(op) || !areAtLoops(op) ||
      !findFill(op.getDpsInits()[0]))
    return false;
  extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (reduced.size() != 1 || written.getNumResults() != 3)
    return false;
  token = getLoop(written, 0);
  choice = getLoop(written, 1);
  column = getLoop(written, 2);
  depth = reduced.front();
  for (unsigned at : {0, 1}) {
    matrices = op.getDpsInputOperand(at);
    rows = op.getDpsInputOperand(1 - at);
    AffineMap read = op.getMatchingIndexingMap(rows);
    if (op.getMatchingIndexingMap(matrices).getNumResults() == 4 &&
        read.isFunctionOfDim(depth) && !read.isFunctionOfDim(column) &&
        matchChooser(matrices))
      return true;
  }
  return false;
}

/// Rows (token * choices + choice, depth).
Value RowJoiner::joinRows(IRRewriter &rewriter) {
  AffineMap read = op.getMatchingIndexingMap(rows);
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  SmallVector<AffineExpr> order = {getAffineDimExpr(token, context),
                                   getAffineDimExpr(choice, context),
                                   getAffineDimExpr(depth, context)};
  if (read.getResults() == ArrayRef(order))
    return tensor::CollapseShapeOp::create(
        rewriter, loc, rows->get(),
        SmallVector<ReassociationIndices>{{0, 1}, {2}});
  return createElements(
      rewriter, loc, {extents[token] * extents[choice], extents[depth]},
      getElementTypeOrSelf(rows->get()), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) -> Value {
        Value choices =
            arith::ConstantIndexOp::create(builder, loc, extents[choice]);
        SmallVector<Value> at;
        for (unsigned dim = 0; dim != read.getNumResults(); ++dim) {
          unsigned loop = getLoop(read, dim);
          Value index = indices[1];
          if (loop == token)
            index = arith::DivUIOp::create(builder, loc, indices[0], choices);
          else if (loop == choice)
            index = arith::RemUIOp::create(builder, loc, indices[0], choices);
          at.push_back(index);
        }
        return tensor::ExtractOp::create(builder, loc, rows->get(), at);
      });
}

/// The matrix of each row, in the order of memory.
Value RowJoiner::joinChoices(IRRewriter &rewriter) {
  Location loc = chooser.getLoc();
  SmallVector<int64_t> shape = {extents[token] * extents[choice]};
  for (Value index : extract.getIndices().take_back(2))
    shape.push_back(
        extents[toProduct[index.getDefiningOp<linalg::IndexOp>().getDim()]]);
  return createElements(
      rewriter, loc, shape, extract.getType(), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) -> Value {
        Value choices =
            arith::ConstantIndexOp::create(builder, loc, extents[choice]);
        PointReader reader(chooser);
        for (auto [loop, own] : llvm::enumerate(toProduct)) {
          if (own == token)
            reader.setLoop(loop, arith::DivUIOp::create(builder, loc,
                                                        indices[0], choices));
          if (own == choice)
            reader.setLoop(loop, arith::RemUIOp::create(builder, loc,
                                                        indices[0], choices));
        }
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
      rewriter, loc,
      ArrayRef<int64_t>{extents[token] * extents[choice], extents[column]},
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
      op, type, joined.getResult(0),
      SmallVector<ReassociationIndices>{{0, 1}, {2}});
  return inputs[at];
}

/// Computes joined rows as one list, too, if an elementwise op computes them
/// for each token and choice. So the op can stay in tiles of rows.
static void joinElements(IRRewriter &rewriter, tensor::CollapseShapeOp rows) {
  auto op = rows.getSrc().getDefiningOp<linalg::GenericOp>();
  SmallVector<ReassociationIndices> joined = rows.getReassociationIndices();
  if (!op || op.getNumLoops() != 3 || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInits() != 1 || !areAtLoops(op) ||
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
