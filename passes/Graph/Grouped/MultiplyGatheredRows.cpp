//===- MultiplyGatheredRows.cpp - few rows of a batch of products ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-multiply-gathered-rows. Where all experts are computed for all
// tokens, and each token has the results of a few, an op reads rows of a batch
// of products by computed indices:
//
//   y[g[t], t, n],  where  y[e, t, n] = sum over k of x[t, k] * w[e, k, n]
//
// These rows are a product of their own, of rows that choose their matrices
// (TileGroupedProducts.cpp):
//
//   z[t, n] = sum over k of x[t, k] * w[g[t], k, n]
//
// No other op may need the batch, and rows are fewer than it has.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Reading/RowReads.h"
#include "../Shapes/FuseGraph.h"
#include "../Tables/TableOps.h"
#include "GroupedProducts.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace carousel {
#define GEN_PASS_DEF_MULTIPLYGATHEREDROWS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

namespace {

/// A read of a product's element, of which one index is a number.
struct GatheredRow {
  linalg::GenericOp reader;
  tensor::ExtractOp extract;
  Value number;
  unsigned batch = 0; ///< the product's loop that it is an index of
  /// Loops of the reader and of the product, for each other dimension of the
  /// product's result.
  SmallVector<std::pair<unsigned, unsigned>> loops;
};

/// The product, and all that read it.
class RowGatherer {
public:
  explicit RowGatherer(linalg::GenericOp product) : product(product) {}

  /// Empty if rows are read by numbers alone, or what stands against it. None
  /// if no row is.
  std::optional<std::string> explain(int64_t leastOperations);
  unsigned write(IRRewriter &rewriter);
  int64_t countRows() const { return numRows; }
  int64_t countAll() const { return numAll; }

private:
  std::optional<GatheredRow> findRow(tensor::ExtractOp extract);
  /// Whether the reader's loops go along all of the product's result.
  bool isAlongAll(const GatheredRow &row);
  /// Whether the number changes along a loop of the product.
  bool isAlongRows(const GatheredRow &row, unsigned loop);
  Value pickFactor(IRRewriter &rewriter, const GatheredRow &row,
                   OpOperand *factor, SmallVectorImpl<unsigned> &loops);
  void write(IRRewriter &rewriter, const GatheredRow &row);

  linalg::GenericOp product;
  SmallVector<GatheredRow> rows;
  int64_t numRows = 0, numAll = 0;
};

} // namespace

std::optional<GatheredRow> RowGatherer::findRow(tensor::ExtractOp extract) {
  GatheredRow row;
  row.extract = extract;
  row.reader = extract->getParentOfType<linalg::GenericOp>();
  if (!row.reader || row.reader->getBlock() != product->getBlock() ||
      extract->getParentOfType<scf::ForOp>())
    return std::nullopt;
  AffineMap written =
      product.getMatchingIndexingMap(product.getDpsInitOperand(0));
  for (auto [dim, loop] : llvm::enumerate(describeRead(extract).loops)) {
    unsigned own = getLoop(written, dim);
    if (loop) {
      if (llvm::is_contained(llvm::make_first_range(row.loops), *loop))
        return std::nullopt;
      row.loops.push_back({*loop, own});
      continue;
    }
    if (row.number)
      return std::nullopt;
    row.number = extract.getIndices()[dim];
    row.batch = own;
  }
  if (!row.number || failed(findSources(row.number, row.reader.getBody())) ||
      (row.number.getDefiningOp() &&
       row.number.getDefiningOp()->getBlock() != row.reader.getBody()))
    return std::nullopt;
  // It says a row: those of a matrix have it in common.
  for (unsigned loop = 0; loop != row.reader.getNumLoops(); ++loop)
    if (!llvm::is_contained(llvm::make_first_range(row.loops), loop) &&
        !isFixedAlong(row.reader, row.number, loop))
      return std::nullopt;
  return row;
}

bool RowGatherer::isAlongAll(const GatheredRow &row) {
  linalg::GenericOp reader = row.reader;
  SmallVector<int64_t> own = reader.getStaticLoopRanges(),
                       extents = product.getStaticLoopRanges();
  return llvm::all_of(row.loops, [&](auto loop) {
    return own[loop.first] == extents[loop.second];
  });
}

bool RowGatherer::isAlongRows(const GatheredRow &row, unsigned loop) {
  return llvm::any_of(row.loops, [&](auto along) {
    return along.second == loop &&
           !isFixedAlong(row.reader, row.number, along.first);
  });
}

std::optional<std::string> RowGatherer::explain(int64_t leastOperations) {
  if (product.getNumLoops() != 4 || product.getNumDpsInputs() != 2 ||
      !isContraction(product) || !findFill(product.getDpsInits()[0]) ||
      product.getMatchingIndexingMap(product.getDpsInitOperand(0))
              .getNumResults() != 3)
    return std::nullopt;
  SmallVector<tensor::ExtractOp> extracts;
  bool hasOthers = false;
  for (Operation *user : product->getUsers()) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(user))
      extracts.push_back(extract);
    else
      hasOthers = true;
  }
  if (extracts.empty())
    return std::nullopt;
  SmallVector<int64_t> extents = product.getStaticLoopRanges();
  for (tensor::ExtractOp extract : extracts) {
    std::optional<GatheredRow> row = findRow(extract);
    if (!row)
      return "an element is read by other numbers than that of a matrix";
    rows.push_back(*row);
  }
  if (hasOthers)
    return "other ops read it, too";
  if (llvm::is_contained(extents, ShapedType::kDynamic))
    return "an extent isn't known";
  if (!linalg::LinalgOp(product).hasOnlyProjectedPermutations())
    return "a factor isn't read at loops";
  for (const GatheredRow &row : rows) {
    if (!isAlongAll(row))
      return "a loop of an op isn't as long as its rows or columns";
    // The number goes along the rows of one factor alone.
    unsigned along = 0;
    for (unsigned loop = 0; loop != 4; ++loop) {
      if (!isAlongRows(row, loop))
        continue;
      ++along;
      numRows += extents[loop];
      numAll = extents[loop] * extents[row.batch];
    }
    if (along != 1)
      return "the number of a matrix isn't that of a row";
  }
  double operations = 2.0 * static_cast<double>(numAll - numRows);
  for (unsigned loop = 0; loop != 4; ++loop) {
    bool isRow =
        loop == rows.front().batch || llvm::any_of(rows, [&](GatheredRow &row) {
          return isAlongRows(row, loop);
        });
    operations *= isRow ? 1.0 : static_cast<double>(extents[loop]);
  }
  if (numRows >= numAll || operations < static_cast<double>(leastOperations))
    return "of " + std::to_string(numAll) + " rows, " +
           std::to_string(numRows) +
           " are read, which saves less than the tables cost";
  return "";
}

/// A factor without the batch; along \p loops of the product.
Value RowGatherer::pickFactor(IRRewriter &rewriter, const GatheredRow &row,
                              OpOperand *factor,
                              SmallVectorImpl<unsigned> &loops) {
  AffineMap map = product.getMatchingIndexingMap(factor);
  for (unsigned dim = 0; dim != map.getNumResults(); ++dim)
    if (unsigned loop = getLoop(map, dim); loop != row.batch)
      loops.push_back(loop);
  if (!map.isFunctionOfDim(row.batch))
    return factor->get();
  // The loops of the number, and those that the factor has.
  for (auto [ofReader, loop] : row.loops)
    if (!isFixedAlong(row.reader, row.number, ofReader) &&
        !llvm::is_contained(loops, loop))
      loops.insert(loops.begin(), loop);
  SmallVector<int64_t> extents = product.getStaticLoopRanges(), shape;
  for (unsigned loop : loops)
    shape.push_back(extents[loop]);
  Location loc = product.getLoc();
  return createElements(
      rewriter, loc, shape, getElementTypeOrSelf(factor->get()), {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) -> Value {
        auto find = [&](unsigned loop) {
          return indices[llvm::find(loops, loop) - loops.begin()];
        };
        BodyEvaluator point(row.reader), element(product);
        for (auto [ofReader, loop] : row.loops)
          if (llvm::is_contained(loops, loop))
            point.setLoop(ofReader, find(loop));
        Value own = point.compute(builder, row.number);
        // Where the reader discards an element, the number may be any.
        if (!isInside(row.number, extents[row.batch]))
          own = IndexBuilder(builder, loc).limit(own, extents[row.batch]);
        element.setLoop(row.batch, own);
        for (unsigned loop : loops)
          element.setLoop(loop, find(loop));
        return element.compute(builder,
                               product.getMatchingBlockArgument(factor));
      });
}

void RowGatherer::write(IRRewriter &rewriter, const GatheredRow &row) {
  rewriter.setInsertionPoint(row.reader);
  SmallVector<int64_t> extents = product.getStaticLoopRanges(), shape;
  SmallVector<AffineExpr> dims(4);
  SmallVector<IteratorType> kinds;
  for (auto [loop, kind] : llvm::enumerate(product.getIteratorTypesArray()))
    if (loop != row.batch) {
      dims[loop] = rewriter.getAffineDimExpr(kinds.size());
      kinds.push_back(kind);
    }
  SmallVector<Value> factors;
  SmallVector<AffineMap> maps;
  auto addMap = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(dims[loop]);
    maps.push_back(AffineMap::get(3, 0, exprs, rewriter.getContext()));
  };
  for (OpOperand *factor : product.getDpsInputOperands()) {
    SmallVector<unsigned> loops;
    factors.push_back(pickFactor(rewriter, row, factor, loops));
    addMap(loops);
  }
  SmallVector<unsigned> written, read;
  for (auto [ofReader, loop] : row.loops) {
    read.push_back(ofReader);
    written.push_back(loop);
    shape.push_back(extents[loop]);
  }
  addMap(written);
  Value own = createProduct(rewriter, product, shape, factors, maps, kinds);
  linalg::GenericOp reader = row.reader;
  rewriter.replaceOp(row.extract, addInput(rewriter, reader, own,
                                           AffineMap::getMultiDimMapWithTargets(
                                               reader.getNumLoops(), read,
                                               rewriter.getContext())));
}

unsigned RowGatherer::write(IRRewriter &rewriter) {
  for (const GatheredRow &row : rows)
    write(rewriter, row);
  return rows.size();
}

static unsigned multiplyRows(func::FuncOp func, int64_t leastOperations) {
  SmallVector<linalg::GenericOp> products;
  func.walk([&](linalg::GenericOp op) { products.push_back(op); });
  DecisionLog log(func, "carousel-normalize-graph");
  IRRewriter rewriter(func.getContext());
  unsigned changed = 0;
  for (linalg::GenericOp product : products) {
    RowGatherer picker(product);
    std::optional<std::string> reason = picker.explain(leastOperations);
    if (!reason)
      continue;
    if (!reason->empty()) {
      log.missed(product, "PickedRows",
                 "all rows are multiplied by all matrices: " +
                     llvm::Twine(*reason));
      continue;
    }
    log.passed(product, "PickedRows",
               "multiplies the " + llvm::Twine(picker.countRows()) +
                   " rows that are read by their matrices, in place of " +
                   llvm::Twine(picker.countAll()));
    changed += picker.write(rewriter);
  }
  return changed;
}

namespace {
struct MultiplyGatheredRows
    : public carousel::impl::MultiplyGatheredRowsBase<MultiplyGatheredRows> {
  using MultiplyGatheredRowsBase::MultiplyGatheredRowsBase;

  /// New products may read rows of other batches.
  void runOnOperation() override {
    constexpr unsigned kMostInChain = 8;
    for (unsigned round = 0; round != kMostInChain; ++round) {
      unsigned changed = multiplyRows(getOperation(), leastSavedOperations);
      picked += changed;
      if (changed == 0)
        return;
      if (failed(fuseGraph(getOperation())))
        return signalPassFailure();
    }
  }
};

} // namespace
