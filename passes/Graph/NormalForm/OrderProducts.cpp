//===- OrderProducts.cpp - order of dimensions, tables of rows ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-order-products. A product leaves its sums in any order of its rows
// and in any one of its columns at the same cost, and reads a factor fastest
// whose elements are neighbours along the sums. The type of a value changes
// between two ops that both name its dimensions by maps, so that no element
// moves.
//
// Front ends clamp or wrap the indices of rows that they gather. A product
// reads gathered rows by a table of these (GroupValues.h, readRows).
//
//===----------------------------------------------------------------------===//

#include "../Products/OneHotIndices.h"
#include "../Reading/FusedOps.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/RowReads.h"
#include "../Shapes/Patterns.h"
#include "../Tables/TableOps.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_ORDERPRODUCTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Order of dimensions
//===----------------------------------------------------------------------===//

/// The dimensions of `factor` in the order in which the product should have
/// them: those of the result, and then those that are summed over. Nothing if
/// it isn't a factor of all of its loops, each once.
static std::optional<SmallVector<int64_t>> findOrder(linalg::GenericOp product,
                                                     OpOperand &factor) {
  AffineMap own = product.getMatchingIndexingMap(&factor);
  if (!own.isProjectedPermutation())
    return std::nullopt;
  SmallVector<int64_t> order;
  auto append = [&](AffineMap other) {
    for (AffineExpr loop : other.getResults())
      if (std::optional<unsigned> dim = own.getResultPosition(loop);
          dim && !llvm::is_contained(order, *dim))
        order.push_back(*dim);
  };
  append(product.getMatchingIndexingMap(product.getDpsInitOperand(0)));
  append(product.getMatchingIndexingMap(product.getDpsInputOperand(1)));
  if (order.size() != own.getNumResults())
    return std::nullopt;
  return order;
}

/// Returns the product's init with its dimensions in another order; null if it
/// isn't one value, or has this order.
static Value permuteInit(OpBuilder &builder, linalg::GenericOp product,
                         ArrayRef<int64_t> order) {
  Value init = product.getDpsInitOperand(0)->get();
  auto fill = init.getDefiningOp<linalg::FillOp>();
  auto like = fill ? fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>()
                   : tensor::EmptyOp();
  if (!like || isIdentityPermutation(order))
    return {};
  return resizeInit(builder, product.getLoc(), init,
                    applyPermutation(like.getMixedSizes(), order));
}

static void permuteMap(linalg::GenericOp op, OpOperand &operand,
                       ArrayRef<int64_t> order) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &own = maps[operand.getOperandNumber()];
  own = AffineMap::get(own.getNumDims(), own.getNumSymbols(),
                       applyPermutation(own.getResults(), order),
                       op.getContext());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Gives a product's result and its init the dimensions in another order, if
/// the init is one value.
static bool permuteResult(linalg::GenericOp product, ArrayRef<int64_t> order) {
  OpBuilder builder(product);
  Value init = permuteInit(builder, product, order);
  if (!init)
    return false;
  OpOperand &own = *product.getDpsInitOperand(0);
  permuteMap(product, own, order);
  own.set(init);
  product.getResult(0).setType(init.getType());
  return true;
}

/// Lets each product whose only user is a copy with other dimensions first
/// write that itself, as transposed gradients of weights are.
static void writeTransposed(ArrayRef<linalg::GenericOp> products) {
  for (linalg::GenericOp product : products) {
    Value result = product.getResult(0);
    auto copy = result.hasOneUse()
                    ? dyn_cast<linalg::GenericOp>(*result.user_begin())
                    : linalg::GenericOp();
    if (!copy || !isCopy(copy) || copy.getNumDpsInputs() != 1 ||
        copy.getDpsInputOperand(0)->get() != result)
      continue;
    AffineMap read = copy.getIndexingMapsArray().front(),
              written = copy.getIndexingMapsArray().back();
    if (!read.isPermutation() || !written.isPermutation())
      continue;
    SmallVector<int64_t> order;
    for (AffineExpr loop : written.getResults())
      order.push_back(*read.getResultPosition(loop));
    // One of them may know more extents.
    auto own = cast<RankedTensorType>(result.getType());
    auto known = cast<RankedTensorType>(copy.getType(0));
    if (applyPermutation(own.getShape(), order) != known.getShape() ||
        !permuteResult(product, order))
      continue;
    copy.getResult(0).replaceAllUsesWith(result);
    copy.erase();
  }
}

/// The order of a result that only products read, for the first one of which it
/// is the first factor.
static std::optional<SmallVector<int64_t>> findOrderOfFactor(Value result) {
  OpOperand *first = nullptr;
  for (OpOperand &use : result.getUses()) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || !isContraction(user) || user.isDpsInit(&use) ||
        user->getBlock() != result.getParentBlock())
      return std::nullopt;
    if (use.getOperandNumber() == 0 &&
        (!first || user->isBeforeInBlock(first->getOwner())))
      first = &use;
  }
  if (!first)
    return std::nullopt;
  return findOrder(cast<linalg::GenericOp>(first->getOwner()), *first);
}

/// Keeps the rows and the columns of a product without batches together, so
/// that its result is one matrix. The last dimension stays the last one.
static void keepMatrix(linalg::GenericOp product,
                       SmallVectorImpl<int64_t> &order) {
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  auto isOf = [&](unsigned factor, int64_t dim) {
    return maps[factor].isFunctionOfDim(maps.back().getDimPosition(dim));
  };
  SmallVector<int64_t> before, last;
  for (int64_t dim : order) {
    if (isOf(0, dim) == isOf(1, dim))
      return;
    (isOf(0, dim) == isOf(0, order.back()) ? last : before).push_back(dim);
  }
  order = llvm::to_vector(llvm::concat<int64_t>(before, last));
}

/// Reorders the dimensions of each product that is the first factor of another
/// one, and that only products read: those of that product's result come first,
/// in its order, and then those that it sums over, in its second factor's.
/// So attention's result, which jax writes as (batch, head, element, row),
/// becomes (batch, row, head, element): the next product sums over the last
/// two.
static void orderProducts(func::FuncOp func) {
  SmallVector<linalg::GenericOp> products;
  func.walk([&](linalg::GenericOp op) {
    if (isContraction(op))
      products.push_back(op);
  });
  writeTransposed(products);
  // The last one of a chain comes first: those before it follow.
  for (linalg::GenericOp product : llvm::reverse(products)) {
    Value result = product.getResult(0);
    std::optional<SmallVector<int64_t>> order = findOrderOfFactor(result);
    if (!order)
      continue;
    keepMatrix(product, *order);
    if (!permuteResult(product, *order))
      continue;
    for (OpOperand &use : result.getUses())
      permuteMap(cast<linalg::GenericOp>(use.getOwner()), use, *order);
  }
}

//===----------------------------------------------------------------------===//
// Tables of rows
//===----------------------------------------------------------------------===//

namespace {

/// An op that gathers rows, and what computes their numbers in its body.
struct GatheredRows {
  linalg::GenericOp op;
  tensor::ExtractOp extract;
  llvm::SetVector<Operation *> numbers;
  SmallVector<OpOperand *> inputs;         ///< of these
  llvm::SmallSetVector<unsigned, 2> loops; ///< that the numbers depend on
};

} // namespace

static bool isFactor(linalg::GenericOp op) {
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto product = dyn_cast<linalg::GenericOp>(use.getOwner());
  return product && product.isDpsInput(&use) && isContraction(product);
}

/// The read of a whole row's element, of which the op's result is made.
static tensor::ExtractOp findExtract(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
    return {};
  std::optional<TableRead> read = matchTableRead(op);
  return read && read->loops.size() == 2 && read->loops[1]
             ? read->extract
             : tensor::ExtractOp();
}

/// Notes an input of the numbers, which elements of a row have in common.
static bool noteInput(GatheredRows &rows, BlockArgument argument) {
  OpOperand *input = rows.op.getMatchingOpOperand(argument);
  if (!rows.op.isDpsInput(input))
    return false;
  if (!llvm::is_contained(rows.inputs, input))
    rows.inputs.push_back(input);
  for (AffineExpr expr : rows.op.getMatchingIndexingMap(input).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return false;
    rows.loops.insert(loop.getPosition());
  }
  return true;
}

static std::optional<GatheredRows> findRows(linalg::GenericOp op) {
  GatheredRows rows;
  rows.op = op;
  // Rows that follow each other need no table.
  if (!isFactor(op) || !(rows.extract = findExtract(op)) ||
      findFollowingRows(op))
    return std::nullopt;
  FailureOr<llvm::SetVector<Operation *>> numbers =
      findSources(rows.extract.getIndices()[0], op.getBody());
  if (failed(numbers))
    return std::nullopt;
  rows.numbers = std::move(*numbers);
  auto guard = dyn_cast<scf::IfOp>(rows.extract->getParentOp());
  auto isPart = [&](Operation *user) {
    return rows.numbers.contains(op.getBody()->findAncestorOpInBlock(*user));
  };
  for (Operation *source : rows.numbers) {
    if (auto index = dyn_cast<linalg::IndexOp>(source)) {
      rows.loops.insert(index.getDim());
      continue;
    }
    // No other op may use these.
    bool isUsedElsewhere = llvm::any_of(source->getUsers(), [&](Operation *u) {
      return u != rows.extract && !isPart(u) &&
             !(guard && u == guard.getCondition().getDefiningOp());
    });
    if (isa<scf::ForOp>(source) || isUsedElsewhere)
      return std::nullopt;
    bool isKnown = true;
    source->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand);
            argument && argument.getOwner() == op.getBody())
          isKnown &= noteInput(rows, argument);
    });
    if (!isKnown)
      return std::nullopt;
  }
  auto column = rows.extract.getIndices()[1].getDefiningOp<linalg::IndexOp>();
  // A table is there already where only its type changes.
  bool isComputed = rows.numbers.size() > 1;
  return isComputed && !rows.loops.empty() &&
                 !rows.loops.contains(column.getDim())
             ? std::optional(rows)
             : std::nullopt;
}

/// The integer of 64 bits, as of a table, that a row's index is cast from; null
/// if there is none. It may be what a guard compares.
static Value findLongIndex(Value row) {
  auto cast = row.getDefiningOp<arith::IndexCastOp>();
  return cast && cast.getIn().getType().isInteger(64) ? cast.getIn() : Value();
}

static Value makeTable(IRRewriter &rewriter, const GatheredRows &rows) {
  linalg::GenericOp op = rows.op;
  Location loc = op.getLoc();
  // Results have all loops.
  OpOperand *init = op.getDpsInitOperand(0);
  SmallVector<OpFoldResult> extents;
  for (unsigned loop : rows.loops)
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(init).getResults()))
      if (expr == rewriter.getAffineDimExpr(loop))
        extents.push_back(
            tensor::getMixedSize(rewriter, loc, init->get(), dim));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : rows.inputs) {
    SmallVector<unsigned> along; // of the table's loops
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      along.push_back(
          llvm::find(rows.loops, cast<AffineDimExpr>(expr).getPosition()) -
          rows.loops.begin());
    inputs.push_back(input->get());
    maps.push_back(AffineMap::getMultiDimMapWithTargets(
        rows.loops.size(), along, rewriter.getContext()));
  }
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, extents, rewriter.getI64Type());
  return createElements(
      rewriter, loc, empty, inputs, maps,
      [&](OpBuilder &inner, ValueRange indices, ValueRange elements) -> Value {
        BodyEvaluator reader(op);
        for (auto [input, element] : llvm::zip_equal(rows.inputs, elements))
          reader.set(op.getMatchingBlockArgument(input), element);
        for (auto [loop, index] : llvm::zip_equal(rows.loops, indices))
          reader.setLoop(loop, index);
        tensor::ExtractOp extract = rows.extract;
        Value row = extract.getIndices()[0];
        if (Value number = findLongIndex(row))
          return reader.compute(inner, number);
        return arith::IndexCastOp::create(inner, loc, inner.getI64Type(),
                                          reader.compute(inner, row));
      });
}

/// Makes the op read numbers from the table.
static void readTable(IRRewriter &rewriter, const GatheredRows &rows,
                      Value table) {
  linalg::GenericOp op = rows.op;
  tensor::ExtractOp extract = rows.extract;
  AffineMap along = AffineMap::getMultiDimMapWithTargets(
      op.getNumLoops(), rows.loops.getArrayRef(), rewriter.getContext());
  BlockArgument element = addInput(rewriter, op, table, along, /*place=*/0);
  rewriter.setInsertionPointToStart(op.getBody());
  Value index = IndexBuilder(rewriter, op.getLoc()).index(element);
  auto isRead = [&](OpOperand &use) {
    return !rows.numbers.contains(use.getOwner());
  };
  Value row = extract.getIndices()[0];
  if (Value number = findLongIndex(row))
    rewriter.replaceUsesWithIf(number, element, [&](OpOperand &use) {
      return use.getOwner() != index.getDefiningOp() && isRead(use);
    });
  rewriter.replaceUsesWithIf(row, index, isRead);
  // The column's number may be among these.
  for (Operation *source : llvm::reverse(rows.numbers))
    if (source->use_empty())
      rewriter.eraseOp(source);
  RewritePatternSet patterns(rewriter.getContext());
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  (void)applyOpPatternsGreedily(
      op.getOperation(), std::move(patterns),
      GreedyRewriteConfig().setStrictness(
          GreedyRewriteStrictness::ExistingAndNewOps));
}

/// Where a factor of a product has rows of a matrix by numbers that are
/// computed for each row, computes these by an op of their own.
static void nameRows(func::FuncOp func) {
  SmallVector<GatheredRows> gathers;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<GatheredRows> rows = findRows(op))
      gathers.push_back(std::move(*rows));
  });
  for (const GatheredRows &rows : gathers) {
    IRRewriter rewriter(rows.op);
    readTable(rewriter, rows, makeTable(rewriter, rows));
  }
}

namespace {
struct OrderProducts : public carousel::impl::OrderProductsBase<OrderProducts> {
  using OrderProductsBase::OrderProductsBase;

  void runOnOperation() override {
    orderProducts(getOperation());
    nameRows(getOperation());
  }
};

} // namespace
