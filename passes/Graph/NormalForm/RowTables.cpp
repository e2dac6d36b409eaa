//===- RowTables.cpp - numbers of gathered rows as tables -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowTables.h.
//
//===----------------------------------------------------------------------===//

#include "RowTables.h"

#include "../Reading/RowReads.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

namespace {

/// An op that gathers rows, and what computes their numbers in its body.
struct GatheredRows {
  linalg::GenericOp op;
  tensor::ExtractOp extract;
  llvm::SetVector<Operation *> numbers;
  SmallVector<OpOperand *> inputs; ///< of these
  AffineExpr loop;                 ///< along rows
};

} // namespace

static bool isFactor(linalg::GenericOp op) {
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto product = dyn_cast<linalg::GenericOp>(use.getOwner());
  return product && product.isDpsInput(&use) &&
         linalg::isaContractionOpInterface(product);
}

/// The read of a whole row's element, of which the op's result is made.
static tensor::ExtractOp findExtract(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
    return {};
  tensor::ExtractOp extract =
      findRowRead(op.getBody()->getTerminator()->getOperand(0));
  bool isRow = extract && extract.getIndices().size() == 2 &&
               extract.getIndices()[1].getDefiningOp<linalg::IndexOp>();
  return isRow ? extract : tensor::ExtractOp();
}

/// Notes an input of the numbers: one for each row, or the same for all.
static bool addInput(GatheredRows &rows, BlockArgument argument) {
  OpOperand *input = rows.op.getMatchingOpOperand(argument);
  ArrayRef<AffineExpr> indices =
      rows.op.getMatchingIndexingMap(input).getResults();
  if (!rows.op.isDpsInput(input) || indices.size() > 1)
    return false;
  if (!llvm::is_contained(rows.inputs, input))
    rows.inputs.push_back(input);
  if (indices.empty())
    return true;
  if (!rows.loop)
    rows.loop = indices.front();
  return isa<AffineDimExpr>(rows.loop) && rows.loop == indices.front();
}

static std::optional<GatheredRows> findRows(linalg::GenericOp op) {
  GatheredRows rows;
  rows.op = op;
  if (!isFactor(op) || !(rows.extract = findExtract(op)))
    return std::nullopt;
  Operation *number = rows.extract.getIndices()[0].getDefiningOp();
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *source) {
    return source->getBlock() == op.getBody();
  };
  if (!number || number->getBlock() != op.getBody() ||
      failed(getBackwardSlice(number, &rows.numbers, options)))
    return std::nullopt;
  auto guard = dyn_cast<scf::IfOp>(rows.extract->getParentOp());
  for (Operation *source : rows.numbers) {
    // Nothing else uses them.
    bool isUsedElsewhere = llvm::any_of(source->getUsers(), [&](Operation *u) {
      return u != rows.extract && !rows.numbers.contains(u) &&
             !(guard && u == guard.getCondition().getDefiningOp());
    });
    if (!isa<arith::ArithDialect>(source->getDialect()) || isUsedElsewhere)
      return std::nullopt;
    for (Value operand : source->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == op.getBody() &&
          !addInput(rows, argument))
        return std::nullopt;
  }
  // A table is there already where only its type changes.
  bool isComputed = rows.numbers.size() > 1;
  return rows.loop && isComputed ? std::optional(rows) : std::nullopt;
}

static Value makeTable(OpBuilder &builder, const GatheredRows &rows) {
  linalg::GenericOp op = rows.op;
  Location loc = op.getLoc();
  OpFoldResult extent;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  AffineMap along = builder.getMultiDimIdentityMap(1);
  for (OpOperand *input : rows.inputs) {
    bool isRow = op.getMatchingIndexingMap(input).getNumResults() == 1;
    if (isRow && !extent)
      extent = tensor::getMixedSize(builder, loc, input->get(), 0);
    inputs.push_back(input->get());
    maps.push_back(isRow ? along : AffineMap::get(1, 0, builder.getContext()));
  }
  maps.push_back(along);
  Value empty =
      tensor::EmptyOp::create(builder, loc, extent, builder.getI64Type());
  auto table = linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, maps,
      utils::IteratorType::parallel,
      [&](OpBuilder &inner, Location, ValueRange elements) {
        IRMapping mapping;
        for (auto [input, element] : llvm::zip(rows.inputs, elements))
          mapping.map(op.getMatchingBlockArgument(input), element);
        for (Operation *source : rows.numbers)
          inner.clone(*source, mapping);
        tensor::ExtractOp extract = rows.extract;
        Value number = mapping.lookup(extract.getIndices()[0]);
        number =
            arith::IndexCastOp::create(inner, loc, inner.getI64Type(), number);
        linalg::YieldOp::create(inner, loc, number);
      });
  return table.getResult(0);
}

/// The op, which reads numbers from the table.
static void readTable(OpBuilder &builder, const GatheredRows &rows,
                      Value table) {
  linalg::GenericOp op = rows.op;
  tensor::ExtractOp extract = rows.extract;
  Location loc = op.getLoc();
  SmallVector<Value> inputs = {table};
  SmallVector<AffineMap> maps = {
      AffineMap::get(op.getNumLoops(), 0, rows.loop)};
  SmallVector<BlockArgument> kept;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (llvm::all_of(argument.getUsers(), [&](Operation *user) {
          return rows.numbers.contains(user);
        }))
      continue;
    kept.push_back(argument);
    inputs.push_back(input->get());
    maps.push_back(op.getMatchingIndexingMap(input));
  }
  OpOperand *init = op.getDpsInitOperand(0);
  maps.push_back(op.getMatchingIndexingMap(init));
  kept.push_back(op.getMatchingBlockArgument(init));
  auto read = linalg::GenericOp::create(
      builder, loc, op.getResultTypes(), inputs, init->get(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location, ValueRange elements) {
        IRMapping mapping;
        for (auto [argument, element] :
             llvm::zip_equal(kept, elements.drop_front()))
          mapping.map(argument, element);
        mapping.map(extract.getIndices()[0],
                    arith::IndexCastOp::create(inner, loc, inner.getIndexType(),
                                               elements.front()));
        for (Operation &source : *op.getBody())
          if (!rows.numbers.contains(&source))
            inner.clone(source, mapping);
      });
  op.getResult(0).replaceAllUsesWith(read.getResult(0));
  op.erase();
}

void carousel::nameRows(func::FuncOp func) {
  SmallVector<GatheredRows> gathers;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<GatheredRows> rows = findRows(op))
      gathers.push_back(std::move(*rows));
  });
  for (const GatheredRows &rows : gathers) {
    OpBuilder builder(rows.op);
    readTable(builder, rows, makeTable(builder, rows));
  }
}
