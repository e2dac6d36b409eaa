//===- FoldSoftmaxSums.cpp - weights of a softmax from known rows ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-fold-softmax-sums. Gradients compute the weights of a softmax
// again, from the rows that the forward pass leaves:
//   exp(z - m) / l = exp2(z log2(e) - (m log2(e) + log2(l)))
// Gradients are polynomials of weights, so that quotients by the sums l cancel,
// and what a row has in common is computed once for it.
// docs/GraphPhase.md, Gradients.
//
//===----------------------------------------------------------------------===//

#include "../../Block/Kernels/ExtremumRows.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/FusedOps.h"
#include "../Tables/TableOps.h"
#include "OnlineMasks.h"
#include "Polynomials.h"

#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_FOLDSOFTMAXSUMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {

/// An op whose elements are exponentials of scores less a number of their row.
struct SoftmaxWeights {
  linalg::GenericOp op;
  Value exponential;
  OpOperand *score = nullptr, *row = nullptr; ///< of the op
  linalg::GenericOp scores; ///< computes these, for this op alone
};

/// An op of which reductions read polynomials of the weights. Each product has
/// the weights over the sums of their rows.
struct WeightedOp {
  linalg::GenericOp op;
  Polynomial products; ///< without these
  LoopMatch ofWeights; ///< by loop of the weights: that of the op
};

/// All that is computed of weights, and the sums of their rows.
struct FoldedWeights {
  SoftmaxWeights weights;
  Power sum; ///< by loops of the weights
  SmallVector<WeightedOp> readers;
};

} // namespace

static OpOperand *findInput(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(skipRoundings(value));
  if (!argument || argument.getOwner() != op.getBody())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.isDpsInput(operand) ? operand : nullptr;
}

static Value getResultElement(linalg::GenericOp op) {
  return op.getBody()->getTerminator()->getOperand(0);
}

namespace {
/// A choice between a score and minus infinity.
struct ScoreMask {
  arith::SelectOp choice;
  bool holds = true; ///< where the score is chosen
};
} // namespace

static std::optional<ScoreMask> findMask(const SoftmaxWeights &weights) {
  auto choice = skipRoundings(getResultElement(weights.scores))
                    .getDefiningOp<arith::SelectOp>();
  if (choice && matchPattern(choice.getFalseValue(), m_NegInfFloat()))
    return ScoreMask{choice, /*holds=*/true};
  if (choice && matchPattern(choice.getTrueValue(), m_NegInfFloat()))
    return ScoreMask{choice, /*holds=*/false};
  return std::nullopt;
}

/// The bounds of scores that a mask leaves.
static std::optional<SmallVector<IndexBound>> readMask(linalg::GenericOp scores,
                                                       const ScoreMask &mask) {
  return readBounds(scores, arith::SelectOp(mask.choice).getCondition(),
                    mask.holds);
}

/// Whether each row has the score with its own number, along two dimensions.
static bool keepsOwn(linalg::GenericOp scores, const ScoreMask &mask) {
  std::optional<SmallVector<IndexBound>> bounds = readMask(scores, mask);
  SmallVector<int64_t> extents = scores.getStaticLoopRanges();
  auto loops = llvm::seq(scores.getNumLoops());
  return bounds && llvm::any_of(loops, [&](unsigned row) {
           return llvm::any_of(loops, [&](unsigned element) {
             return row != element &&
                    !ShapedType::isDynamic(extents[element]) &&
                    !ShapedType::isDynamic(extents[row]) &&
                    extents[row] <= extents[element] &&
                    holdOfOwn(*bounds, row, element);
           });
         });
}

/// Numbers of this size that exclude scores leave a sum's logarithm ten bits
/// beside them.
static constexpr double kMostScore = 0x1p14;

static std::optional<SoftmaxWeights> findWeights(linalg::GenericOp op) {
  if (!op->hasAttr(kRecomputedAttr) || !isElementwise(op))
    return std::nullopt;
  SoftmaxWeights weights = {op, skipRoundings(getResultElement(op))};
  auto exponential = weights.exponential.getDefiningOp<math::ExpOp>();
  auto difference = exponential ? skipRoundings(exponential.getOperand())
                                      .getDefiningOp<arith::SubFOp>()
                                : arith::SubFOp();
  if (!difference || !exponential.getType().isF32())
    return std::nullopt;
  weights.score = findInput(op, difference.getLhs());
  weights.row = findInput(op, difference.getRhs());
  if (!weights.score || !weights.row)
    return std::nullopt;
  weights.scores = weights.score->get().getDefiningOp<linalg::GenericOp>();
  bool isRow =
      op.getMatchingIndexingMap(weights.row).getNumResults() < op.getNumLoops();
  bool isOwn = isElementwise(weights.scores) && weights.scores->hasOneUse() &&
               getElementTypeOrSelf(weights.score->get()).isF32();
  if (!isRow || !isOwn)
    return std::nullopt;
  // A row without any score has lost its sum.
  std::optional<ScoreMask> mask = findMask(weights);
  if (mask && !keepsOwn(weights.scores, *mask))
    return std::nullopt;
  Value never = !mask         ? Value()
                : mask->holds ? mask->choice.getFalseValue()
                              : mask->choice.getTrueValue();
  return isOfProduct(weights.scores, never, kMostScore) ? std::optional(weights)
                                                        : std::nullopt;
}

/// Whether a tensor's elements are sums of exponentials: more than zero.
static bool isSumOfExponentials(Value tensor) {
  auto sum = tensor.getDefiningOp<linalg::GenericOp>();
  Value summand = sum ? findSummand(sum) : Value();
  if (!summand)
    return false;
  Polynomial read = PolynomialReader(sum, /*expands=*/false).readValue(summand);
  const Monomial &product = read.front();
  return product.coefficient == 1 && product.powers.size() == 1 &&
         isa_and_present<math::ExpOp, math::Exp2Op>(
             product.powers.front().value.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

/// The ops whose results other ops than elementwise ones read, of those that
/// need the weights; nothing if one is of another kind.
static std::optional<SmallVector<linalg::GenericOp>>
findReaders(const SoftmaxWeights &weights) {
  llvm::SetVector<Operation *> ops;
  SmallVector<linalg::GenericOp> readers;
  ops.insert(weights.op);
  for (size_t i = 0; i != ops.size(); ++i) {
    bool isRead = false;
    for (Operation *user : ops[i]->getUsers()) {
      auto reader = dyn_cast<linalg::GenericOp>(user);
      if (reader && isPointwise(reader)) {
        if (!isElementwise(reader))
          return std::nullopt;
        ops.insert(reader);
        continue;
      }
      isRead = true;
    }
    if (isRead)
      readers.push_back(cast<linalg::GenericOp>(ops[i]));
  }
  return readers;
}

/// Whether a factor that is a condition is that of the scores' mask: weights
/// are zero where it doesn't hold.
static bool isOfMask(const SoftmaxWeights &weights, const WeightedOp &reader,
                     const Power &power) {
  std::optional<ScoreMask> mask = findMask(weights);
  if (!mask || power.isTensor() || !power.isCondition())
    return false;
  // Both by the loops of the op that computes scores.
  linalg::GenericOp scores = weights.scores, own = weights.op;
  Value condition = power.value;
  std::optional<LoopMatch> toWeights = matchLoops(
      getResultMap(scores), own.getMatchingIndexingMap(weights.score));
  auto from = dyn_cast_if_present<linalg::GenericOp>(
      condition.getParentBlock()->getParentOp());
  if (!toWeights || !from || from.getNumLoops() != scores.getNumLoops())
    return false;
  // By loop of the condition's op: the loop of the scores'.
  SmallVector<unsigned> match(from.getNumLoops());
  for (auto [loop, its] : llvm::enumerate(*toWeights)) {
    if (!its || !reader.ofWeights[*its])
      return false;
    AffineExpr expr =
        getAffineDimExpr(*reader.ofWeights[*its], power.map.getContext());
    std::optional<unsigned> place = power.map.getResultPosition(expr);
    if (!place)
      return false;
    match[*place] = loop;
  }
  std::optional<SmallVector<IndexBound>> known = readMask(scores, *mask);
  std::optional<SmallVector<IndexBound>> bounds =
      readBounds(from, condition, power.exponent > 0);
  if (!known || !bounds)
    return false;
  return llvm::all_of(*bounds, [&](const IndexBound &bound) {
    SmallVector<int64_t> coefficients(match.size());
    for (auto [place, loop] : llvm::enumerate(match))
      coefficients[loop] = bound.coefficients[place];
    return bound.isOfIndices() &&
           llvm::any_of(*known, [&](const IndexBound &other) {
             return other.isOfIndices() && other.constant == bound.constant &&
                    llvm::equal(other.coefficients, coefficients);
           });
  });
}

static bool isWiderThanF32(Value value) {
  return getElementTypeOrSelf(value).getIntOrFloatBitWidth() > 32;
}

/// Whether all factors are elements of tensors, and those that lack loops have
/// no other ones than the first of them.
static bool areTensors(const Monomial &product, unsigned loops) {
  const Power *rows = nullptr;
  return llvm::all_of(product.powers, [&](const Power &power) {
    if (!power.isTensor() || isWiderThanF32(power.value) ||
        !power.map.isProjectedPermutation())
      return false;
    if (power.map.getNumResults() == loops)
      return true;
    rows = rows ? rows : &power;
    return llvm::all_of(power.map.getResults(), [&](AffineExpr expr) {
      return rows->map.getResultPosition(expr).has_value();
    });
  });
}

/// Reads an op as a polynomial that has the weights over their sums in each
/// product.
static bool readWeighted(FoldedWeights &found, linalg::GenericOp op) {
  if (isWiderThanF32(op.getResult(0)))
    return false;
  WeightedOp reader = {op, {}, {}};
  Polynomial all =
      PolynomialReader(op, /*expands=*/true).readValue(getResultElement(op));
  for (Monomial &product : all) {
    auto *weight = llvm::find_if(product.powers, [&](const Power &power) {
      return power.value == found.weights.exponential && power.exponent == 1;
    });
    if (weight == product.powers.end())
      return false;
    std::optional<LoopMatch> match =
        matchLoops(AffineMap::getMultiDimIdentityMap(
                       weight->map.getNumResults(), op.getContext()),
                   weight->map);
    if (!match || (!reader.ofWeights.empty() && reader.ofWeights != *match))
      return false;
    reader.ofWeights = *match;
    product.multiply(Monomial{1, {*weight}}.raise(-1));
    LoopMatch toWeights(op.getNumLoops());
    for (auto [loop, own] : llvm::enumerate(*match))
      toWeights[*own] = loop;
    auto *sum = llvm::find_if(product.powers, [&](const Power &power) {
      return power.exponent < 0 && isSumOfExponentials(power.value);
    });
    if (sum == product.powers.end())
      return false;
    std::optional<AffineMap> map =
        translateLoops(sum->map, toWeights, found.weights.op.getNumLoops());
    Power own = {sum->value, map.value_or(AffineMap()), 1};
    if (!map || (found.sum.value && !found.sum.isSameElement(own)))
      return false;
    found.sum = own;
    product.multiply(Power{sum->value, sum->map, 1});
    llvm::erase_if(product.powers, [&](const Power &power) {
      return isOfMask(found.weights, reader, power);
    });
    if (!areTensors(product, op.getNumLoops()))
      return false;
    reader.products.push_back(product);
  }
  found.readers.push_back(reader);
  return !reader.products.empty();
}

static std::optional<FoldedWeights> findFolded(linalg::GenericOp op) {
  std::optional<SoftmaxWeights> weights = findWeights(op);
  if (!weights)
    return std::nullopt;
  FoldedWeights found = {*weights, {}, {}};
  std::optional<SmallVector<linalg::GenericOp>> readers = findReaders(*weights);
  if (!readers || readers->empty() ||
      !llvm::all_of(*readers, [&](linalg::GenericOp reader) {
        return readWeighted(found, reader);
      }))
    return std::nullopt;
  // The row and the sum are of the same rows.
  AffineMap row = op.getMatchingIndexingMap(weights->row);
  bool isSame = row.isProjectedPermutation() &&
                row.getNumResults() == found.sum.map.getNumResults() &&
                llvm::all_of(found.sum.map.getResults(), [&](AffineExpr expr) {
                  return row.getResultPosition(expr).has_value();
                });
  return isSame ? std::optional(found) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

class WeightsWriter {
public:
  WeightsWriter(IRRewriter &rewriter, const FoldedWeights &found)
      : rewriter(rewriter), found(found) {}

  void write();

private:
  Value scale(Value element, double factor);
  void scaleScores();
  Value writeLogSums();
  Value writeRows(linalg::GenericOp reader, const Monomial &rows,
                  AffineMap &map);
  void rewrite(const WeightedOp &reader);

  IRRewriter &rewriter;
  const FoldedWeights &found;
  Value folded; ///< the weights over their sums
};

} // namespace

/// Multiplies an element by a constant, where the body multiplies by one.
Value WeightsWriter::scale(Value element, double factor) {
  auto getConstant = [&](double number) -> Value {
    return arith::ConstantOp::create(
        rewriter, element.getLoc(),
        rewriter.getFloatAttr(element.getType(), number));
  };
  APFloat number(0.0);
  auto product = element.getDefiningOp<arith::MulFOp>();
  if (product && matchPattern(product.getRhs(), m_ConstantFloat(&number)))
    return arith::MulFOp::create(
        rewriter, product.getLoc(), product.getLhs(),
        getConstant(number.convertToDouble() * factor));
  return arith::MulFOp::create(rewriter, element.getLoc(), element,
                               getConstant(factor));
}

void WeightsWriter::scaleScores() {
  linalg::GenericOp scores = found.weights.scores;
  OpOperand *element = &scores.getBody()->getTerminator()->getOpOperand(0);
  if (std::optional<ScoreMask> mask = findMask(found.weights))
    element = mask->holds ? &mask->choice.getTrueValueMutable()
                          : &mask->choice.getFalseValueMutable();
  rewriter.setInsertionPoint(element->getOwner());
  Value scaled = scale(element->get(), llvm::numbers::log2e);
  rewriter.modifyOpInPlace(element->getOwner(), [&] { element->set(scaled); });
}

/// Writes the logarithms of the sums, with the rows' dimensions.
Value WeightsWriter::writeLogSums() {
  const SoftmaxWeights &weights = found.weights;
  linalg::GenericOp op = weights.op;
  Location loc = op.getLoc();
  AffineMap row = op.getMatchingIndexingMap(weights.row);
  SmallVector<unsigned> dims; // of the row, by dimension of the sum
  for (AffineExpr expr : found.sum.map.getResults())
    dims.push_back(*row.getResultPosition(expr));
  unsigned rank = row.getNumResults();
  Value rows = weights.row->get();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, rows),
      rewriter.getF32Type());
  return createElements(
      rewriter, loc, empty, {rows, found.sum.value},
      {rewriter.getMultiDimIdentityMap(rank),
       AffineMap::getMultiDimMapWithTargets(rank, dims, rewriter.getContext())},
      [&](OpBuilder &inner, ValueRange, ValueRange elements) -> Value {
        Type type = inner.getF32Type();
        Value most = castFloat(inner, loc, elements[0], type),
              sum = castFloat(inner, loc, elements[1], type);
        Value log2 = arith::ConstantOp::create(
            inner, loc, inner.getF32FloatAttr(llvm::numbers::log2ef));
        Value scaled = arith::MulFOp::create(inner, loc, most, log2);
        return arith::AddFOp::create(inner, loc, scaled,
                                     math::Log2Op::create(inner, loc, sum));
      });
}

/// Writes what rows have in common as a tensor; of one factor, it is that.
/// \p map: of the reader's loops.
Value WeightsWriter::writeRows(linalg::GenericOp reader, const Monomial &rows,
                               AffineMap &map) {
  map = rows.powers.front().map;
  if (rows.coefficient == 1 && rows.powers.size() == 1 &&
      rows.powers.front().exponent == 1)
    return rows.powers.front().value;
  Location loc = reader.getLoc();
  Value first = rows.powers.front().value;
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, first),
      rewriter.getF32Type());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Power &power : rows.powers) {
    SmallVector<unsigned> dims;
    for (AffineExpr expr : power.map.getResults())
      dims.push_back(*map.getResultPosition(expr));
    inputs.push_back(power.value);
    maps.push_back(AffineMap::getMultiDimMapWithTargets(
        map.getNumResults(), dims, rewriter.getContext()));
  }
  return createElements(
      rewriter, loc, empty, inputs, maps,
      [&](OpBuilder &inner, ValueRange, ValueRange elements) -> Value {
        return writeProduct(inner, loc, rows, elements, inner.getF32Type());
      });
}

void WeightsWriter::rewrite(const WeightedOp &reader) {
  linalg::GenericOp op = reader.op;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  unsigned loops = op.getNumLoops();
  std::optional<AffineMap> ofWeights =
      translateLoops(getResultMap(found.weights.op), reader.ofWeights, loops);
  SmallVector<Value> inputs = {folded};
  SmallVector<AffineMap> maps = {*ofWeights};
  // Each product is one of elements, times what its rows have in common.
  SmallVector<Monomial> ofTiles;
  SmallVector<bool> haveRows;
  for (const Monomial &product : reader.products) {
    Monomial tile, rows = {product.coefficient, {}};
    for (const Power &power : product.powers)
      (power.map.getNumResults() == loops ? tile : rows).multiply(power);
    bool hasRows = !rows.powers.empty();
    if (!hasRows)
      tile.coefficient = rows.coefficient;
    for (const Power &power : tile.powers) {
      inputs.push_back(power.value);
      maps.push_back(power.map);
    }
    if (hasRows) {
      AffineMap map;
      inputs.push_back(writeRows(op, rows, map));
      maps.push_back(map);
    }
    ofTiles.push_back(tile);
    haveRows.push_back(hasRows);
  }
  maps.push_back(getResultMap(op));
  auto folded = linalg::GenericOp::create(
      rewriter, loc, op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location, ValueRange values) {
        Type type = inner.getF32Type();
        Value weight = castFloat(inner, loc, values[0], type), sum;
        bool isOne = false;
        size_t next = 1;
        for (auto [tile, hasRows] : llvm::zip_equal(ofTiles, haveRows)) {
          ValueRange elements = values.slice(next, tile.powers.size());
          next += tile.powers.size();
          Value row =
              hasRows ? castFloat(inner, loc, values[next++], type) : Value();
          if (tile.powers.empty() && row) {
            sum = sum ? arith::AddFOp::create(inner, loc, sum, row) : row;
            continue;
          }
          isOne |= tile.powers.empty() && tile.coefficient == 1;
          Value element = writeProduct(inner, loc, tile, elements, type);
          if (row)
            element = arith::MulFOp::create(inner, loc, element, row);
          sum = sum ? arith::AddFOp::create(inner, loc, sum, element) : element;
        }
        if (!isOne || reader.products.size() != 1)
          weight = arith::MulFOp::create(inner, loc, sum, weight);
        linalg::YieldOp::create(
            inner, loc,
            castFloat(inner, loc, weight,
                      getElementTypeOrSelf(op.getResult(0))));
      });
  if (Attribute copy = op->getDiscardableAttr(kRecomputedAttr))
    folded->setDiscardableAttr(kRecomputedAttr, copy);
  rewriter.replaceOp(op, folded);
}

void WeightsWriter::write() {
  scaleScores();
  linalg::GenericOp op = found.weights.op;
  // The sums may be computed behind the op.
  auto *first = llvm::min_element(
      found.readers, [](const WeightedOp &a, const WeightedOp &b) {
        return linalg::GenericOp(a.op)->isBeforeInBlock(b.op);
      });
  rewriter.setInsertionPoint(first->op);
  Value logSums = writeLogSums();
  auto weights = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(),
      ValueRange{found.weights.score->get(), logSums}, op.getOutputs(),
      ArrayRef<AffineMap>{op.getMatchingIndexingMap(found.weights.score),
                          op.getMatchingIndexingMap(found.weights.row),
                          getResultMap(op)},
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location loc, ValueRange values) {
        Value difference =
            arith::SubFOp::create(inner, loc, values[0], values[1]);
        Value weight = math::Exp2Op::create(inner, loc, difference);
        linalg::YieldOp::create(
            inner, loc, castFloat(inner, loc, weight, values[2].getType()));
      });
  weights->setDiscardableAttr(kRecomputedAttr,
                              op->getDiscardableAttr(kRecomputedAttr));
  folded = weights.getResult(0);
  llvm::for_each(found.readers,
                 [&](const WeightedOp &reader) { rewrite(reader); });
}

namespace {

struct FoldSoftmaxSums
    : public carousel::impl::FoldSoftmaxSumsBase<FoldSoftmaxSums> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    for (auto op : func.getBody().front().getOps<linalg::GenericOp>())
      if (findWeights(op))
        ops.push_back(op);
    bool isChanged = false;
    for (linalg::GenericOp op : ops)
      if (std::optional<FoldedWeights> found = findFolded(op)) {
        WeightsWriter(rewriter, *found).write();
        ++folded;
        isChanged = true;
      }
    if (isChanged)
      (void)runRegionDCE(rewriter, func->getRegions());
  }
};

} // namespace
