//===- TileGroupedProducts.cpp - grouped products -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-tile-grouped-products (grouped GEMM, ragged dot). Each row of a
// product may have a matrix of its own, of a few, as experts have (MoE):
//
//   y[m, n] = sum over k of x[m, k] * w[g[m], k, n]
//
// Rows of one matrix are brought together, in tiles of rows. Tables say which
// matrix and which rows a tile has, so that the product is one of tiles:
//
//   z[p, i, n] = sum over k of x[row[p, i], k] * w[matrix[p], k, n]
//   y[m, n] = z[place[m] / rows, place[m] mod rows, n]
//
// Elementwise ops between two such products stay in tiles.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Shapes/FuseGraph.h"
#include "../Tables/TableOps.h"
#include "GroupedProducts.h"
#include "RowTiles.h"

#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/CSE.h"

namespace carousel {
#define GEN_PASS_DEF_TILEGROUPEDPRODUCTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Rows that several products read
//===----------------------------------------------------------------------===//

namespace {

/// A product of several loops along rows, as batches, tokens and their choices,
/// one along columns, and the depth.
class RowJoiner {
public:
  explicit RowJoiner(linalg::GenericOp op)
      : op(op), extents(op.getStaticLoopRanges()) {}

  bool match();
  bool hasStaticExtents() const {
    return !llvm::is_contained(extents, ShapedType::kDynamic);
  }
  /// Returns the joined rows.
  Value write(IRRewriter &rewriter);

private:
  /// Writes a factor (joined row, others).
  Value joinFactor(IRRewriter &rewriter, OpOperand *factor,
                   ArrayRef<unsigned> others);
  Value joinRows(IRRewriter &rewriter);

  linalg::GenericOp op;
  SmallVector<int64_t> extents;
  ChosenMatrices matrices;
  OpOperand *rows = nullptr;
  SmallVector<unsigned> rowLoops; ///< outermost first
  SmallVector<int64_t> rowExtents;
  unsigned column = 0, depth = 0;
};

} // namespace

bool RowJoiner::match() {
  unsigned loops = op.getNumLoops();
  if (loops < 4 || op.getNumDpsInputs() != 2 || !isContraction(op) ||
      !linalg::LinalgOp(op).hasOnlyProjectedPermutations() ||
      !findFill(op.getDpsInits()[0]))
    return false;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (reduced.size() != 1 || written.getNumResults() != loops - 1)
    return false;
  for (unsigned dim = 0; dim != loops - 2; ++dim) {
    rowLoops.push_back(getLoop(written, dim));
    rowExtents.push_back(extents[rowLoops.back()]);
  }
  column = getLoop(written, loops - 2);
  depth = reduced.front();
  for (unsigned at : {0, 1}) {
    rows = op.getDpsInputOperand(1 - at);
    AffineMap read = op.getMatchingIndexingMap(rows);
    std::optional<ChosenMatrices> found =
        findChosenMatrices(op, op.getDpsInputOperand(at));
    if (!found || !read.isFunctionOfDim(depth) ||
        read.isFunctionOfDim(column) ||
        !llvm::is_contained(found->loops, depth) ||
        !llvm::is_contained(found->loops, column))
      continue;
    matrices = *found;
    return true;
  }
  return false;
}

Value RowJoiner::joinFactor(IRRewriter &rewriter, OpOperand *factor,
                            ArrayRef<unsigned> others) {
  SmallVector<int64_t> shape = {computeProduct(rowExtents)};
  for (unsigned loop : others)
    shape.push_back(extents[loop]);
  return createElements(
      rewriter, op.getLoc(), shape, getElementTypeOrSelf(factor->get()), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) {
        BodyEvaluator reader(op, [](Value tensor) {
          return findMatrixRead(tensor.getDefiningOp<linalg::GenericOp>())
              .has_value();
        });
        SmallVector<Value> row = IndexBuilder(builder, op.getLoc())
                                     .delinearize(indices[0], rowExtents);
        for (auto [loop, index] : llvm::zip_equal(rowLoops, row))
          reader.setLoop(loop, index);
        for (auto [loop, index] : llvm::zip_equal(others, indices.drop_front()))
          reader.setLoop(loop, index);
        return reader.compute(builder, op.getMatchingBlockArgument(factor));
      });
}

/// The first \p count dimensions as one, and another one.
static SmallVector<ReassociationIndices> joinFirst(unsigned count) {
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, count)), {count}};
}

/// Rows (joined row, depth).
Value RowJoiner::joinRows(IRRewriter &rewriter) {
  AffineMap read = op.getMatchingIndexingMap(rows);
  // The outermost loops along rows may read all rows, in the order of memory.
  unsigned outer = read.getNumResults() - 1;
  SmallVector<unsigned> inMemory(ArrayRef(rowLoops).take_front(outer));
  inMemory.push_back(depth);
  if (outer == 0 || read != AffineMap::getMultiDimMapWithTargets(
                                extents.size(), inMemory, op.getContext()))
    return joinFactor(rewriter, rows, depth);
  Location loc = op.getLoc();
  Value tensor = rows->get();
  if (outer > 1)
    tensor = tensor::CollapseShapeOp::create(rewriter, loc, tensor,
                                             joinFirst(outer));
  if (outer == rowLoops.size())
    return tensor;
  return createElements(
      rewriter, loc, {computeProduct(rowExtents), extents[depth]},
      getElementTypeOrSelf(tensor), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) -> Value {
        int64_t inner = computeProduct(ArrayRef(rowExtents).drop_front(outer));
        Value row = IndexBuilder(builder, loc).divide(indices[0], inner);
        return tensor::ExtractOp::create(builder, loc, tensor,
                                         ValueRange{row, indices[1]});
      });
}

Value RowJoiner::write(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  MLIRContext *context = op.getContext();
  AffineExpr m, n, k;
  bindDims(context, m, n, k);
  SmallVector<AffineExpr> ofMatrix = {m};
  for (unsigned loop : matrices.loops)
    ofMatrix.push_back(loop == depth ? k : n);
  SmallVector<Value> factors(2);
  SmallVector<AffineMap> maps(3, AffineMap::get(3, 0, {m, n}, context));
  unsigned at = rows->getOperandNumber();
  factors[at] = joinRows(rewriter);
  maps[at] = AffineMap::get(3, 0, {m, k}, context);
  factors[1 - at] = joinFactor(rewriter, matrices.factor, matrices.loops);
  maps[1 - at] = AffineMap::get(3, 0, ofMatrix, context);
  Value joined =
      createProduct(rewriter, op, {computeProduct(rowExtents), extents[column]},
                    factors, maps,
                    {IteratorType::parallel, IteratorType::parallel,
                     IteratorType::reduction});
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
      op, op.getResult(0).getType(), joined, joinFirst(rowLoops.size()));
  return factors[at];
}

/// Computes joined rows as one list, too, if an elementwise op computes them
/// by several loops. So the op can stay in tiles of rows.
static void joinElements(IRRewriter &rewriter, tensor::CollapseShapeOp rows) {
  auto op = rows.getSrc().getDefiningOp<linalg::GenericOp>();
  SmallVector<ReassociationIndices> joined = rows.getReassociationIndices();
  if (!op || op.getNumLoops() != rows.getSrcType().getRank() ||
      op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
      !linalg::LinalgOp(op).hasOnlyProjectedPermutations() ||
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

/// Makes one dimension of those along which products choose matrices.
static void joinChoosingRows(func::FuncOp func) {
  std::vector<RowJoiner> joiners;
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// Rows in tiles, of a tensor that may have rows along its last dimension.
struct TiledRows {
  Value value;
  const RowTiles *tiles = nullptr;
  bool isTransposed = false;
};

/// Rewrites products in the order of a function.
class ProductTiler {
public:
  ProductTiler(func::FuncOp func, DecisionLog &log)
      : rewriter(func.getContext()), log(log) {}

  void tile(const GroupedProduct &product);

private:
  const RowTiles &findTiles(const GroupedProduct &product);
  /// Rows of a tensor (row, element), or the other way round, in tiles.
  Value tileRows(Value tensor, bool isTransposed, const RowTiles &tiles);
  /// The same of what an op computes of rows in tiles; null if it needs others.
  Value tileOp(linalg::GenericOp op, const RowTiles &tiles);
  Value readRows(Value tensor, bool isTransposed, const RowTiles &tiles);
  /// The numbers that an op reads rows by, of the rows of tiles.
  Value nameRows(linalg::GenericOp op, Value number, const RowTiles &tiles);
  Value chooseMatrices(const GroupedProduct &product, const RowTiles &tiles);
  Value multiply(const GroupedProduct &product, Value rows, Value matrices,
                 const RowTiles &tiles);
  Value round(Value tiles, Type narrow);

  IRRewriter rewriter;
  DecisionLog &log;
  std::vector<std::unique_ptr<RowTiles>> all;
  /// By results as they are in the graph.
  llvm::DenseMap<Value, TiledRows> tiled;
};

} // namespace

const RowTiles &ProductTiler::findTiles(const GroupedProduct &product) {
  linalg::GenericOp chooser = product.matrices.chooser;
  Location loc = chooser.getLoc();
  Value number = createElements(
      rewriter, loc, {product.count}, rewriter.getI32Type(), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) {
        BodyEvaluator reader(chooser);
        reader.setLoop(product.row, indices[0]);
        return IndexBuilder(builder, loc)
            .integer(product.computeMatrixIndex(builder, reader));
      });
  auto own = number.getDefiningOp<linalg::GenericOp>();
  for (const auto &tiles : all) {
    auto other = tiles->number.getDefiningOp<linalg::GenericOp>();
    if (other->getBlock() != own->getBlock() ||
        other.getResultTypes() != own.getResultTypes() ||
        tiles->numbers != product.numbers)
      continue;
    // They may be equal if they have one tensor.empty.
    own.getDpsInitsMutable().assign(other.getDpsInits());
    if (!OperationEquivalence::isEquivalentTo(
            own, other, OperationEquivalence::IgnoreLocations))
      continue;
    rewriter.eraseOp(own);
    return *tiles;
  }
  all.push_back(std::make_unique<RowTiles>(
      createRowTiles(rewriter, loc, number, product.numbers)));
  return *all.back();
}

/// An element of a row, or zero where there is none; \p at lacks the row.
static Value readRow(OpBuilder &builder, Value tensor, Value number,
                     unsigned dim, SmallVector<Value> at) {
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  IndexBuilder n(builder, loc);
  at[dim] = n.index(number);
  Value exists = n.compare(arith::CmpIPredicate::ult, at[dim],
                           n.constant(type.getDimSize(dim)));
  return createBranch(builder, loc, type.getElementType(), exists,
                      [&](OpBuilder &inner) -> Value {
                        return tensor::ExtractOp::create(inner, loc, tensor,
                                                         at);
                      });
}

/// The read of a row that a number names, which makes all of an op's result;
/// null if elements are something else.
static tensor::ExtractOp findNamedRow(linalg::GenericOp op) {
  if (op.getNumLoops() != 2 || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInits() != 1 ||
      !linalg::LinalgOp(op).hasOnlyProjectedPermutations())
    return {};
  std::optional<TableRead> read = matchTableRead(op);
  bool isNamed =
      read && !read->isGuarded && read->loops.size() == 2 &&
      read->getType().hasStaticShape() && read->loops[1] == 1u &&
      isFixedAlong(op, read->getIndex(0), 1) &&
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
  return isNamed ? read->extract : tensor::ExtractOp();
}

Value ProductTiler::nameRows(linalg::GenericOp op, Value number,
                             const RowTiles &tiles) {
  Location loc = op.getLoc();
  int64_t count = op.getStaticLoopRanges().front();
  return createElements(
      rewriter, loc, {tiles.tiles, tiles.rows}, rewriter.getI32Type(),
      tiles.row, rewriter.getMultiDimIdentityMap(2),
      [&](OpBuilder &builder, ValueRange, ValueRange elements) -> Value {
        IndexBuilder n(builder, loc);
        Value row = n.index(elements[0]);
        Value exists =
            n.compare(arith::CmpIPredicate::ult, row, n.constant(count));
        Value named = createBranch(
            builder, loc, builder.getI32Type(), exists, [&](OpBuilder &inner) {
              BodyEvaluator reader(op);
              reader.setLoop(0, row);
              return arith::IndexCastOp::create(inner, loc, inner.getI32Type(),
                                                reader.compute(inner, number))
                  .getResult();
            });
        return n.choose(exists, named, elements[0]);
      });
}

Value ProductTiler::readRows(Value tensor, bool isTransposed,
                             const RowTiles &tiles) {
  Value table = tiles.row;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (tensor::ExtractOp named =
          op && !isTransposed ? findNamedRow(op) : tensor::ExtractOp()) {
    table = nameRows(op, named.getIndices().front(), tiles);
    tensor = named.getTensor();
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned rows = isTransposed ? 1 : 0;
  AffineMap ofRow = rewriter.getMultiDimIdentityMap(3).dropResult(2);
  // Rows behind those of a tile are other ones, which nothing reads.
  if (tiles.first && table == tiles.row && !isTransposed) {
    Value read = createElements(
        rewriter, tensor.getLoc(),
        {tiles.tiles, tiles.rows, type.getDimSize(1)}, type.getElementType(),
        tiles.first, AffineMap::get(3, 0, rewriter.getAffineDimExpr(0)),
        [&](OpBuilder &builder, ValueRange indices, ValueRange elements) {
          IndexBuilder n(builder, tensor.getLoc());
          Value row = n.add(n.index(elements[0]), indices[1]);
          return readRow(builder, tensor, row, rows, {Value(), indices[2]});
        });
    read.getDefiningOp()->setAttr(kUnreadTilesAttr, rewriter.getUnitAttr());
    return read;
  }
  return createElements(
      rewriter, tensor.getLoc(),
      {tiles.tiles, tiles.rows, type.getDimSize(1 - rows)},
      type.getElementType(), table, ofRow,
      [&](OpBuilder &builder, ValueRange indices, ValueRange elements) {
        SmallVector<Value> at = {Value(), indices[2]};
        if (isTransposed)
          std::swap(at[0], at[1]);
        return readRow(builder, tensor, elements[0], rows, at);
      });
}

Value ProductTiler::tileOp(linalg::GenericOp op, const RowTiles &tiles) {
  if (op.getNumLoops() != 2 || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInits() != 1 || readsInit(op, 0) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return {};
  // Rows in tiles, what is the same for all rows, and others by their indices.
  SmallVector<Value> inputs = {tiles.row};
  SmallVector<AffineMap> maps = {
      rewriter.getMultiDimIdentityMap(3).dropResult(2)};
  SmallVector<BlockArgument> known, gathered;
  bool hasRows = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    BlockArgument argument = op.getMatchingBlockArgument(input);
    TiledRows found = tiled.lookup(input->get());
    bool isTiled = found.tiles == &tiles && map.getNumResults() == 2 &&
                   map.isPermutation() &&
                   map.isIdentity() != found.isTransposed;
    hasRows |= isTiled;
    if (map.isFunctionOfDim(0) && !isTiled) {
      if (!map.isProjectedPermutation())
        return {};
      gathered.push_back(argument);
      continue;
    }
    known.push_back(argument);
    inputs.push_back(isTiled ? found.value : input->get());
    maps.push_back(isTiled ? rewriter.getMultiDimIdentityMap(3)
                           : map.shiftDims(1));
  }
  Value result = op.getBody()->getTerminator()->getOperand(0);
  bool usesRow =
      llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(),
                   [](linalg::IndexOp index) { return index.getDim() == 0; });
  if (!hasRows || usesRow || failed(findSources(result, op.getBody())))
    return {};
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  return createElements(
      rewriter, op.getLoc(), {tiles.tiles, tiles.rows, type.getDimSize(1)},
      type.getElementType(), inputs, maps,
      [&](OpBuilder &builder, ValueRange indices, ValueRange elements) {
        BodyEvaluator reader(op);
        reader.setLoop(1, indices[2]);
        for (auto [argument, element] :
             llvm::zip_equal(known, elements.drop_front()))
          reader.set(argument, element);
        for (BlockArgument argument : gathered) {
          OpOperand *input = op.getMatchingOpOperand(argument);
          AffineMap map = op.getMatchingIndexingMap(input);
          unsigned row = *map.getResultPosition(rewriter.getAffineDimExpr(0));
          SmallVector<Value> at(map.getNumResults(), indices[2]);
          reader.set(argument,
                     readRow(builder, input->get(), elements[0], row, at));
        }
        return reader.compute(builder, result);
      });
}

Value ProductTiler::tileRows(Value tensor, bool isTransposed,
                             const RowTiles &tiles) {
  TiledRows found = tiled.lookup(tensor);
  if (found.tiles == &tiles && found.isTransposed == isTransposed)
    return found.value;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (Value own = op && !isTransposed ? tileOp(op, tiles) : Value()) {
    tiled[tensor] = {own, &tiles, isTransposed};
    return own;
  }
  return readRows(tensor, isTransposed, tiles);
}

Value ProductTiler::chooseMatrices(const GroupedProduct &product,
                                   const RowTiles &tiles) {
  tensor::ExtractOp extract = product.matrices.read.extract;
  linalg::GenericOp op = product.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges(),
                       shape = {tiles.tiles};
  for (unsigned loop : product.matrices.loops)
    shape.push_back(extents[loop]);
  Location loc = extract.getLoc();
  return createElements(
      rewriter, loc, shape, extract.getType(), tiles.matrix,
      AffineMap::get(3, 0, rewriter.getAffineDimExpr(0)),
      [&](OpBuilder &builder, ValueRange indices,
          ValueRange elements) -> Value {
        SmallVector<Value> at = product.findMatrix(builder, elements[0]);
        at.append({indices[1], indices[2]});
        return tensor::ExtractOp::create(builder, loc, extract.getTensor(), at);
      });
}

Value ProductTiler::multiply(const GroupedProduct &product, Value rows,
                             Value matrices, const RowTiles &tiles) {
  linalg::GenericOp op = product.op;
  // Loops (tile, row, column, depth).
  AffineExpr p, i, n, k;
  bindDims(rewriter.getContext(), p, i, n, k);
  // The matrix's dimensions, in the order of memory.
  SmallVector<AffineExpr> ofMatrix = {p};
  for (unsigned loop : product.matrices.loops)
    ofMatrix.push_back(loop == product.k ? k : n);
  MLIRContext *context = rewriter.getContext();
  bool isFirst = product.rows->getOperandNumber() == 0;
  SmallVector<Value> inputs = {rows, matrices};
  SmallVector<AffineMap> maps = {AffineMap::get(4, 0, {p, i, k}, context),
                                 AffineMap::get(4, 0, ofMatrix, context)};
  if (!isFirst) {
    std::swap(inputs[0], inputs[1]);
    std::swap(maps[0], maps[1]);
  }
  maps.push_back(AffineMap::get(4, 0, {p, i, n}, context));
  SmallVector<IteratorType> kinds(3, IteratorType::parallel);
  kinds.push_back(IteratorType::reduction);
  return createProduct(rewriter, op, {tiles.tiles, tiles.rows, product.columns},
                       inputs, maps, kinds);
}

/// The type to which all that reads an op's result rounds it first; null if
/// something doesn't.
static Type findRounding(linalg::GenericOp op) {
  Type narrow;
  for (OpOperand &use : op->getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use))
      return {};
    for (Operation *user : reader.getMatchingBlockArgument(&use).getUsers()) {
      if (!isa<arith::TruncFOp>(user) ||
          (narrow && narrow != user->getResult(0).getType()))
        return {};
      narrow = user->getResult(0).getType();
    }
  }
  return narrow;
}

Value ProductTiler::round(Value tiles, Type narrow) {
  Location loc = tiles.getLoc();
  auto type = cast<RankedTensorType>(tiles.getType());
  return createElements(
      rewriter, loc, type.getShape(), narrow, tiles,
      rewriter.getMultiDimIdentityMap(type.getRank()),
      [&](OpBuilder &builder, ValueRange, ValueRange elements) -> Value {
        return arith::TruncFOp::create(builder, loc, narrow, elements[0]);
      });
}

void ProductTiler::tile(const GroupedProduct &product) {
  linalg::GenericOp op = product.op;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  const RowTiles &tiles = findTiles(product);
  log.passed(op, "Grouped",
             llvm::Twine(product.count) + " rows " +
                 (tiles.first ? "in order " : "") + "choose one of " +
                 llvm::Twine(product.numbers) + " matrices: at most " +
                 llvm::Twine(tiles.tiles) + " tiles of " +
                 llvm::Twine(tiles.rows) + " rows have one each");
  bool isTransposed =
      getLoop(op.getMatchingIndexingMap(product.rows), 0) != product.m;
  Value rows = tileRows(product.rows->get(), isTransposed, tiles);
  Value result = multiply(product, rows, chooseMatrices(product, tiles), tiles);
  // In the order of the graph, for those that aren't in tiles, and rounded
  // where they are written.
  Type narrow = findRounding(op);
  Value stored = narrow ? round(result, narrow) : result;
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned rowDim = getLoop(written, 0) == product.m ? 0 : 1;
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Value own = createElements(
      rewriter, loc, type.getShape(), type.getElementType(), tiles.place,
      AffineMap::get(2, 0, rewriter.getAffineDimExpr(rowDim)),
      [&](OpBuilder &builder, ValueRange indices,
          ValueRange elements) -> Value {
        IndexBuilder n(builder, loc);
        Value place = n.index(elements[0]), tile = n.divide(place, tiles.rows),
              row = n.remainder(place, tiles.rows);
        Value element = tensor::ExtractOp::create(
            builder, loc, stored, ValueRange{tile, row, indices[1 - rowDim]});
        if (!narrow)
          return element;
        return arith::ExtFOp::create(builder, loc, type.getElementType(),
                                     element);
      });
  rewriter.replaceOp(op, own);
  tiled[own] = {result, &tiles, rowDim == 1};
}

/// Makes tiles of the products whose rows choose their matrices. Returns how
/// many it changed.
static unsigned tileGroupedProducts(func::FuncOp func) {
  joinChoosingRows(func);
  DecisionLog log(func, "carousel-normalize-graph");
  auto findProducts = [&](bool isStatic) {
    SmallVector<GroupedProduct> products;
    func.walk([&](linalg::GenericOp op) {
      std::optional<GroupedProduct> product = findGroupedProduct(op);
      if (product && product->hasStaticExtents() == isStatic)
        products.push_back(*product);
    });
    return products;
  };
  for (const GroupedProduct &product : findProducts(/*isStatic=*/false))
    log.missed(product.op, "Grouped",
               "each row reads a matrix of its own: an extent isn't known");
  if (findProducts(/*isStatic=*/true).empty())
    return 0;
  // Front ends may compute the numbers of each product again.
  IRRewriter rewriter(func.getContext());
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);
  ProductTiler tiler(func, log);
  SmallVector<GroupedProduct> products = findProducts(/*isStatic=*/true);
  for (const GroupedProduct &found : products) {
    // It may read what has changed.
    std::optional<GroupedProduct> product = findGroupedProduct(found.op);
    tiler.tile(*product);
  }
  return products.size();
}

namespace {
struct TileGroupedProducts
    : public carousel::impl::TileGroupedProductsBase<TileGroupedProducts> {
  using TileGroupedProductsBase::TileGroupedProductsBase;

  void runOnOperation() override {
    unsigned changed = tileGroupedProducts(getOperation());
    grouped += changed;
    if (changed != 0 && failed(fuseGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
