//===- StackedTerms.cpp - sums whose terms differ by a number -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StackedTerms.h.
//
//===----------------------------------------------------------------------===//

#include "StackedTerms.h"

#include "../Decisions/DecisionLog.h"
#include "../Products/OneHotProducts.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "EqualTerms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

/// The addition at the end of a sum, and what it adds, in order.
static SmallVector<Value> findTerms(Operation *root) {
  SmallVector<Value> terms, left = {root->getResult(0)};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && isa<arith::AddFOp>(op) && op->getBlock() == root->getBlock() &&
        (op == root || op->hasOneUse())) {
      left.push_back(op->getOperand(1));
      left.push_back(op->getOperand(0));
      continue;
    }
    if (!matchPattern(value, m_AnyZeroFloat()))
      terms.push_back(value);
  }
  return terms;
}

namespace {

/// Writes the sum along a loop of terms.
class TermStacker {
public:
  TermStacker(IRRewriter &rewriter, const EqualTerms &terms)
      : rewriter(rewriter), terms(terms) {}

  /// What is added to other terms; along the loops of the op.
  linalg::GenericOp write(linalg::GenericOp sum, Value first);

private:
  /// The number of a term is the loop's, and the constant that the first one
  /// has.
  Value writeNumber(OpBuilder &builder, Location loc, unsigned loop, Type type,
                    int64_t first);
  Value findStack(Value tensor) const;
  void clone(OpBuilder &builder, Operation *op, IRMapping &mapping,
             unsigned loop);
  Value stack(linalg::GenericOp op);

  IRRewriter &rewriter;
  const EqualTerms &terms;
  DenseMap<Value, Value> stacks; ///< by the first term's tensor
};

} // namespace

Value TermStacker::writeNumber(OpBuilder &builder, Location loc, unsigned loop,
                               Type type, int64_t first) {
  Value number = linalg::IndexOp::create(builder, loc, loop);
  if (first != 0)
    number = arith::AddIOp::create(
        builder, loc, number,
        arith::ConstantIndexOp::create(builder, loc, first));
  return type.isIndex()
             ? number
             : arith::IndexCastOp::create(builder, loc, type, number);
}

/// Null where all terms read one tensor.
Value TermStacker::findStack(Value tensor) const {
  return stacks.lookup(tensor);
}

void TermStacker::clone(OpBuilder &builder, Operation *op, IRMapping &mapping,
                        unsigned loop) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> first = terms.findNumber(operand);
    operands.push_back(
        first ? writeNumber(builder, loc, loop, operand.get().getType(), *first)
              : mapping.lookupOrDefault(operand.get()));
  }
  // What is equal to a loop's number and a constant, less the constant, is
  // equal to the loop's number, which OneHotPoints.h looks for.
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && compare.getPredicate() == arith::CmpIPredicate::eq)
    for (unsigned at : {0, 1})
      if (std::optional<int64_t> first = terms.findNumber(op->getOpOperand(at));
          first && *first != 0) {
        Type type = operands[at].getType();
        Value shift = arith::ConstantOp::create(
            builder, loc, builder.getIntegerAttr(type, *first));
        operands[at] = writeNumber(builder, loc, loop, type, /*first=*/0);
        operands[1 - at] =
            arith::SubIOp::create(builder, loc, operands[1 - at], shift);
        break;
      }
  builder.clone(*op, mapping)->setOperands(operands);
}

/// The results of all terms' ops, as one op along the terms.
Value TermStacker::stack(linalg::GenericOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  AffineExpr term = rewriter.getAffineDimExpr(0);
  auto addMap = [&](OpOperand *operand, bool isStacked) {
    AffineMap map = op.getMatchingIndexingMap(operand).shiftDims(1);
    maps.push_back(isStacked ? map.insertResult(term, 0) : map);
  };
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value stacked = findStack(input->get());
    inputs.push_back(stacked ? stacked : input->get());
    addMap(input, bool(stacked));
  }
  addMap(op.getDpsInitOperand(0), /*isStacked=*/true);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<int64_t> shape = {terms.size()};
  llvm::append_range(shape, type.getShape());
  Value init =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  if (auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    init = linalg::FillOp::create(rewriter, loc, fill.getInputs(), init)
               .getResult(0);
  SmallVector<IteratorType> kinds = {IteratorType::parallel};
  llvm::append_range(kinds, op.getIteratorTypesArray());
  auto stacked = linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, kinds,
      [&](OpBuilder &builder, Location, ValueRange elements) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), elements);
        for (Operation &inner : *op.getBody()) {
          if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
            mapping.map(
                index.getResult(),
                linalg::IndexOp::create(builder, loc, index.getDim() + 1));
            continue;
          }
          clone(builder, &inner, mapping, /*loop=*/0);
        }
      });
  return stacked.getResult(0);
}

linalg::GenericOp TermStacker::write(linalg::GenericOp sum, Value first) {
  Location loc = sum.getLoc();
  rewriter.setInsertionPoint(sum);
  unsigned loops = sum.getNumLoops();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto findSlices = [&](Value tensor) {
    const EqualTensors &own = terms.find(tensor);
    if (!own.source || stacks.count(tensor))
      return;
    auto whole = cast<RankedTensorType>(own.source.getType());
    Value part = own.source;
    if (whole.getDimSize(0) != terms.size()) {
      SmallVector<OpFoldResult> offsets(whole.getRank(),
                                        rewriter.getIndexAttr(0)),
          strides(whole.getRank(), rewriter.getIndexAttr(1)), sizes;
      for (int64_t extent : whole.getShape())
        sizes.push_back(rewriter.getIndexAttr(extent));
      offsets.front() = rewriter.getIndexAttr(own.first);
      sizes.front() = rewriter.getIndexAttr(terms.size());
      part = tensor::ExtractSliceOp::create(rewriter, loc, part, offsets, sizes,
                                            strides);
    }
    stacks[tensor] = part;
  };
  for (linalg::GenericOp op : terms.getStacked()) {
    for (Value input : op.getInputs())
      findSlices(input);
    stacks[op.getResult(0)] = stack(op);
  }
  AffineExpr term = rewriter.getAffineDimExpr(loops);
  for (BlockArgument argument : terms.getInputs()) {
    OpOperand *input = sum.getMatchingOpOperand(argument);
    findSlices(input->get());
    Value stacked = findStack(input->get());
    AffineMap map = sum.getMatchingIndexingMap(input);
    map = AffineMap::get(loops + 1, 0, map.getResults(), map.getContext());
    inputs.push_back(stacked ? stacked : input->get());
    maps.push_back(stacked ? map.insertResult(term, 0) : map);
  }
  // Contractions add in f32 at least, and so does this one.
  Type element = first.getType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = rewriter.getF32Type();
  OpOperand *written = sum.getDpsInitOperand(0);
  AffineMap along = sum.getMatchingIndexingMap(written);
  maps.push_back(
      AffineMap::get(loops + 1, 0, along.getResults(), along.getContext()));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc,
      cast<RankedTensorType>(sum.getResult(0).getType()).getShape(), element);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value init = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  SmallVector<IteratorType> kinds(loops, IteratorType::parallel);
  kinds.push_back(IteratorType::reduction);
  return linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, kinds,
      [&](OpBuilder &builder, Location, ValueRange elements) {
        IRMapping mapping;
        for (auto [argument, own] :
             llvm::zip_equal(terms.getInputs(), elements.drop_back()))
          mapping.map(argument, own);
        for (Operation &inner : *sum.getBody())
          if (terms.getOps().contains(&inner))
            clone(builder, &inner, mapping, loops);
        Value own = mapping.lookupOrDefault(first);
        if (own.getType() != element)
          own = arith::ExtFOp::create(builder, loc, element, own);
        linalg::YieldOp::create(
            builder, loc,
            arith::AddFOp::create(builder, loc, elements.back(), own)
                .getResult());
      });
}

/// The op, which reads the sum in place of adding the terms.
static void readSum(IRRewriter &rewriter, linalg::GenericOp op, Operation *root,
                    ArrayRef<Value> others, Value total) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned place = inputs.size();
  inputs.push_back(total);
  maps.insert(maps.begin() + place,
              op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  auto reader = linalg::GenericOp::create(
      rewriter, loc, op.getResultTypes(), inputs, op.getDpsInits(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location, ValueRange elements) {
        SmallVector<Value> own(elements);
        Value sum = own[place];
        own.erase(own.begin() + place);
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), own);
        for (Operation &inner : *op.getBody()) {
          builder.clone(inner, mapping);
          if (&inner != root)
            continue;
          Type type = root->getResult(0).getType();
          if (sum.getType() != type)
            sum = arith::TruncFOp::create(builder, loc, type, sum);
          for (Value other : others)
            sum = arith::AddFOp::create(builder, loc,
                                        mapping.lookupOrDefault(other), sum);
          mapping.map(root->getResult(0), sum);
        }
      });
  rewriter.replaceOp(op, reader.getResults());
}

/// Whether the batches of products are worth it, as few of their rows are read.
static bool savesEnough(const EqualTerms &terms, int64_t leastOperations) {
  bool hasProducts = false;
  for (linalg::GenericOp op : terms.getStacked()) {
    if (!isContraction(op))
      continue;
    hasProducts = true;
    double operations = 2.0 * double(terms.size() - terms.getChoices());
    for (int64_t extent : op.getStaticLoopRanges())
      operations *= double(extent);
    if (operations < double(leastOperations))
      return false;
  }
  return hasProducts;
}

/// Whether terms are products of rows by matrices of their own.
static bool haveProducts(linalg::GenericOp sum) {
  return llvm::any_of(sum.getInputs(), [](Value input) {
    auto op = input.getDefiningOp<linalg::GenericOp>();
    return op && isContraction(op);
  });
}

/// Whether the sum that ends with an addition was changed.
static bool stackTerms(IRRewriter &rewriter, linalg::GenericOp sum,
                       Operation *root, int64_t leastOperations,
                       DecisionLog &log) {
  SmallVector<Value> terms = findTerms(root), others;
  // What is before the terms, as the residual.
  auto isOther = [&](Value value) {
    return isa<BlockArgument>(value) ||
           value.getDefiningOp()->getName() !=
               terms.back().getDefiningOp()->getName();
  };
  if (terms.size() < 2 || isa<BlockArgument>(terms.back()))
    return false;
  llvm::copy_if(terms, std::back_inserter(others), isOther);
  llvm::erase_if(terms, isOther);
  if (terms.size() < 2)
    return false;
  EqualTerms equal(sum, terms);
  if (!equal.compareNumbers())
    return false;
  std::string reason = equal.getReason();
  if (!cast<RankedTensorType>(sum.getResult(0).getType()).hasStaticShape())
    reason = "an extent isn't known";
  if (reason.empty() && !savesEnough(equal, leastOperations))
    reason = "choosing rows saves less than the tables cost";
  linalg::GenericOp total;
  if (reason.empty()) {
    total = TermStacker(rewriter, equal).write(sum, terms.front());
    reason = explainOneHot(rewriter, total);
  }
  if (!reason.empty()) {
    log.missed(sum, "StackedTerms",
               "each of " + llvm::Twine(terms.size()) +
                   " terms is computed for all rows: " + reason);
    return false;
  }
  log.passed(sum, "StackedTerms",
             llvm::Twine(terms.size()) +
                 " terms that differ by a number are a sum along it");
  readSum(rewriter, sum, root, others, total.getResult(0));
  return true;
}

unsigned carousel::stackTerms(func::FuncOp func, int64_t leastOperations) {
  SmallVector<linalg::GenericOp> ops;
  func.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
        !readsInit(op, 0) && haveProducts(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  DecisionLog log(func, "carousel-normalize-graph");
  unsigned changed = 0;
  for (linalg::GenericOp op : ops) {
    // The last addition of each sum.
    SmallVector<Operation *> roots;
    for (Operation &inner : *op.getBody())
      if (isa<arith::AddFOp>(inner) &&
          !(inner.hasOneUse() && isa<arith::AddFOp>(*inner.user_begin())))
        roots.push_back(&inner);
    for (Operation *root : roots)
      if (::stackTerms(rewriter, op, root, leastOperations, log)) {
        ++changed;
        break; // the op is another one
      }
  }
  // Terms that are gone, and sums that weren't worth it.
  (void)runRegionDCE(rewriter, func->getRegions());
  return changed;
}
