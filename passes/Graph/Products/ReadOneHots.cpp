//===- ReadOneHots.cpp - sums of one term each ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-read-one-hots; see ReadOneHots.h. What computes a one-hot factor
// is taken into a copy of the sum first, so that its body says all. The copy
// becomes the sum's replacement, or is erased.
//
//===----------------------------------------------------------------------===//

#include "ReadOneHots.h"

#include "../Decisions/DecisionLog.h"
#include "../Reading/FusedOps.h"
#include "../Reading/ReadGraph.h"
#include "../Shapes/FuseGraph.h"
#include "OneHotIndices.h"
#include "SortedScatter.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {
#define GEN_PASS_DEF_READONEHOTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Factors in the sum
//===----------------------------------------------------------------------===//

/// The iterations of a short sum, as of the choices of a token; none of others.
static std::optional<int64_t> countUpdates(linalg::GenericOp op) {
  constexpr int64_t kMostTerms = 8;
  int64_t terms = 1;
  for (auto [kind, extent] :
       llvm::zip_equal(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (kind == utils::IteratorType::reduction &&
        (ShapedType::isDynamic(extent) || (terms *= extent) > kMostTerms))
      return std::nullopt;
  return terms;
}

/// Whether this is a short sum of factors; sums of integers are numbers, which
/// points refer to.
static bool isShortSum(linalg::GenericOp op) {
  Value term = findSummand(op);
  return term && isa<FloatType>(term.getType()) && countUpdates(op) &&
         linalg::LinalgOp(op).hasOnlyProjectedPermutations();
}

/// Whether what computes a tensor compares numbers with those of loops, at most
/// a few ops before.
static bool mayBeOneHot(Value tensor) {
  constexpr unsigned kDepth = 6;
  llvm::SetVector<Value> tensors;
  tensors.insert(tensor);
  for (unsigned depth = 0, at = 0; depth != kDepth; ++depth)
    for (unsigned end = tensors.size(); at != end; ++at) {
      auto op = tensors[at].getDefiningOp<linalg::GenericOp>();
      if (!op || op.getNumDpsInits() != 1 ||
          (op.getNumReductionLoops() != 0 && !isShortSum(op)))
        continue;
      if (comparesLoops(op))
        return true;
      tensors.insert_range(op.getInputs());
    }
  return false;
}

/// Whether an element of a factor can be computed where it is read.
static bool isComputed(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || !mayBeOneHot(tensor))
    return false;
  Value result = op.getBody()->getTerminator()->getOperand(0);
  return succeeded(findSources(result, op.getBody())) && !readsInit(op, 0) &&
         linalg::LinalgOp(op).hasOnlyProjectedPermutations();
}

/// The terms of a short sum in one body, without loops that reduce.
static Value unrollSum(IRRewriter &rewriter, linalg::GenericOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value term = findSummand(op);
  if (failed(findSources(term, op.getBody())))
    return {};
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  // Results have all loops that aren't reduced.
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return createElements(
      rewriter, loc, fill.getOutputs()[0], {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) {
        BodyEvaluator reader(op, isComputed);
        for (auto [expr, index] :
             llvm::zip_equal(written.getResults(), indices))
          reader.setLoop(cast<AffineDimExpr>(expr).getPosition(), index);
        Value total = fill.getInputs()[0];
        for (int64_t number = 0, e = *countUpdates(op); number != e; ++number) {
          BodyEvaluator own = reader;
          int64_t rest = number;
          for (unsigned loop : llvm::reverse(reduced)) {
            own.setLoop(loop, arith::ConstantIndexOp::create(
                                  builder, loc, rest % extents[loop]));
            rest /= extents[loop];
          }
          Value element = own.compute(builder, term);
          total = ArithBuilder(builder, loc).add(total, element);
        }
        return total;
      });
}

/// A copy of the sum that computes its one-hot factors itself.
static linalg::GenericOp takeFactors(IRRewriter &rewriter,
                                     linalg::GenericOp sum) {
  auto op = cast<linalg::GenericOp>(rewriter.clone(*sum));
  for (bool changed = true; changed;) {
    changed = false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!mayBeOneHot(input->get()))
        continue;
      auto producer = input->get().getDefiningOp<linalg::GenericOp>();
      if (producer.getNumReductionLoops() != 0) {
        Value unrolled = unrollSum(rewriter, producer);
        if (!unrolled)
          continue;
        rewriter.modifyOpInPlace(op, [&] { input->set(unrolled); });
      }
      FailureOr<linalg::GenericOp> fused = fuseProducer(rewriter, op, *input);
      if (failed(fused))
        return op;
      rewriter.eraseOp(op);
      op = *fused;
      changed = true;
      break;
    }
  }
  return op;
}

//===----------------------------------------------------------------------===//
// The terms at points
//===----------------------------------------------------------------------===//

namespace {

/// Writes the op that reads the terms at the points of a sum.
class TermReader {
public:
  TermReader(IRRewriter &rewriter, linalg::GenericOp op,
             ArrayRef<OneHotIndices> points)
      : rewriter(rewriter), op(op), points(points), gone(op.getNumLoops()) {
    for (const OneHotIndex &place : points.front())
      gone.set(place.loop);
  }

  /// Empty if the op can be written, or what stands against it.
  std::string explain();
  Value write();

private:
  bool isAlong(AffineMap map) const {
    return llvm::any_of(gone.set_bits(), [&](unsigned loop) {
      return map.isFunctionOfDim(loop);
    });
  }
  bool haveIndicesAlong(unsigned loop) const {
    return llvm::any_of(points, [&](const OneHotIndices &point) {
      return llvm::any_of(point, [&](const OneHotIndex &place) {
        return !isFixedAlong(op, place.number, loop);
      });
    });
  }
  Value writeTerms(OpBuilder &builder, ValueRange elements);

  IRRewriter &rewriter;
  linalg::GenericOp op;
  ArrayRef<OneHotIndices> points;
  llvm::SmallBitVector gone; ///< the loops that don't stay
};

} // namespace

std::string TermReader::explain() {
  // The most terms that are faster than a product, and points of their own.
  constexpr int64_t kMostTerms = 16, kMostOneHotIndices = 256;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  int64_t terms = 1, branches = points.size();
  for (unsigned loop = 0; loop != gone.size(); ++loop) {
    bool isDynamic = ShapedType::isDynamic(extents[loop]);
    if (gone.test(loop)) {
      if (isDynamic)
        return "the extent of what it goes along isn't known";
      continue;
    }
    // A window, as of i + k, says the extent of neither.
    AffineExpr own = getAffineDimExpr(loop, op.getContext());
    bool isSeen = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      return llvm::is_contained(map.getResults(), own) && !isAlong(map);
    });
    if (!isSeen)
      return "no operand that is left says how long a loop is";
    if (kinds[loop] != utils::IteratorType::reduction)
      continue;
    if (isDynamic)
      return "what is left is a sum of an unknown number of terms";
    (haveIndicesAlong(loop) ? branches : terms) *= extents[loop];
  }
  if (terms > kMostTerms)
    return "what is left is a sum of more than " + std::to_string(kMostTerms) +
           " terms";
  if (branches > kMostOneHotIndices)
    return "terms are at more than " + std::to_string(kMostOneHotIndices) +
           " points";
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (isAlong(map) && !map.isProjectedPermutation())
      return "an operand isn't read at loops";
  }
  if (failed(findSources(findSummand(op), op.getBody())))
    return "what is summed has branches";
  if (llvm::any_of(points, [&](const OneHotIndices &point) {
        return orderIndices(op, point).empty();
      }))
    return "its numbers depend on each other";
  return "";
}

/// Whether two points are the same.
static Value areEqual(IndexBuilder &n, const ComputedIndices &a,
                      const ComputedIndices &b) {
  Value equal;
  for (auto [own, other] : llvm::zip_equal(a.numbers, b.numbers))
    equal = n.both(equal, n.compare(arith::CmpIPredicate::eq, own, other));
  return equal;
}

Value TermReader::writeTerms(OpBuilder &builder, ValueRange elements) {
  Location loc = op.getLoc();
  IndexBuilder n(builder, loc);
  BodyEvaluator reader(op);
  unsigned next = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!isAlong(op.getMatchingIndexingMap(input)))
      reader.set(op.getMatchingBlockArgument(input), elements[next++]);
  // Not in the branch: there are no loops of linalg.
  next = 0;
  for (unsigned loop = 0; loop != gone.size(); ++loop)
    if (!gone.test(loop))
      reader.setLoop(loop, linalg::IndexOp::create(builder, loc, next++));
  Value term = findSummand(op), total;
  SmallVector<ComputedIndices> before;
  for (const OneHotIndices &point : points) {
    ComputedIndices computed = computeIndices(builder, op, point, reader);
    Value isOwn = computed.exists;
    // An element that several points have is one term.
    for (const ComputedIndices &other : before) {
      Value isSame = n.both(other.exists, areEqual(n, computed, other));
      Value isOther = arith::XOrIOp::create(
          builder, loc, isSame,
          arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
      isOwn = n.both(isOwn, isOther);
    }
    before.push_back(computed);
    Value element = createBranch(
        builder, loc, term.getType(), isOwn, [&](OpBuilder &inner) {
          return evaluateAt(inner, point, computed, reader)
              .compute(inner, term);
        });
    total = total ? ArithBuilder(builder, loc).add(total, element) : element;
  }
  return total;
}

Value TermReader::write() {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (isAlong(map))
      continue;
    inputs.push_back(input->get());
    maps.push_back(compressDims(map, gone));
  }
  maps.push_back(
      compressDims(op.getMatchingIndexingMap(op.getDpsInitOperand(0)), gone));
  SmallVector<utils::IteratorType> kinds;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!gone.test(loop))
      kinds.push_back(kind);
  bool isSum = llvm::is_contained(kinds, utils::IteratorType::reduction);
  Value init = op.getDpsInits()[0];
  if (!isSum)
    init = init.getDefiningOp<linalg::FillOp>().getOutputs()[0];
  rewriter.setInsertionPoint(op);
  return linalg::GenericOp::create(
             rewriter, loc, op.getResultTypes(), inputs, init, maps, kinds,
             [&](OpBuilder &builder, Location, ValueRange elements) {
               Value term = writeTerms(builder, elements.drop_back());
               if (isSum)
                 term = ArithBuilder(builder, loc).add(elements.back(), term);
               linalg::YieldOp::create(builder, loc, term);
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::string carousel::explainOneHot(IRRewriter &rewriter,
                                    linalg::GenericOp sum) {
  rewriter.setInsertionPoint(sum);
  linalg::GenericOp op = takeFactors(rewriter, sum);
  SmallVector<OneHotIndices> points =
      findOneHotIndices(op, findSummand(op), utils::IteratorType::reduction);
  std::string reason = points.empty()
                           ? "they aren't zero where numbers differ"
                           : TermReader(rewriter, op, points).explain();
  rewriter.eraseOp(op);
  return reason;
}

/// Whether the sum, or another reduction, was changed.
static bool readOneHot(IRRewriter &rewriter, linalg::GenericOp sum,
                       int64_t leastOperations, DecisionLog &log) {
  using utils::IteratorType;
  rewriter.setInsertionPoint(sum);
  linalg::GenericOp op = takeFactors(rewriter, sum);
  Value term = findSummand(op);
  SmallVector<OneHotIndices> points;
  if (term)
    points = findOneHotIndices(op, term, IteratorType::reduction);
  std::string reason =
      comparesNarrowLoops(op)
          ? "it compares numbers in a type that doesn't have all those of a "
            "loop"
          : "it compares no number with those along which it is summed";
  Value replacement;
  if (!points.empty()) {
    TermReader reader(rewriter, op, points);
    reason = reader.explain();
    if (reason.empty()) {
      int64_t terms = 1;
      for (const OneHotIndex &place : points.front())
        terms *= op.getStaticLoopRanges()[place.loop];
      log.passed(sum, "OneHot",
                 "a factor is one-hot: elements are read by their numbers, in "
                 "place of sums of " +
                     llvm::Twine(terms) + " terms");
      replacement = reader.write();
    }
  } else if (SortedScatter placed(op); placed.hasIndices()) {
    reason = placed.explain(leastOperations);
    if (reason.empty()) {
      log.passed(sum, "OneHot",
                 "a factor is one-hot: terms are sorted by their places, in "
                 "place of sums of " +
                     placed.countUpdates() + " terms");
      replacement = placed.write(rewriter);
    }
  }
  if (replacement)
    rewriter.replaceOp(sum, replacement);
  else
    log.missed(sum, "OneHot", "a factor may be one-hot, but " + reason);
  rewriter.eraseOp(op);
  return bool(replacement);
}

/// Reads the only terms in place of sums, and sorts terms by their places where
/// that saves as many operations. Returns how many sums it changed.
static unsigned readOneHots(func::FuncOp func, int64_t leastOperations) {
  SmallVector<linalg::GenericOp> sums;
  func.walk([&](linalg::GenericOp op) {
    Value term = findSummand(op);
    if ((term &&
         (llvm::any_of(op.getInputs(),
                       [](Value input) { return mayBeOneHot(input); }) ||
          comparesNarrowLoops(op) ||
          !findOneHotIndices(op, term, utils::IteratorType::reduction)
               .empty())) ||
        SortedScatter(op).hasIndices())
      sums.push_back(op);
  });
  DecisionLog log(func, "carousel-normalize-graph");
  IRRewriter rewriter(func.getContext());
  unsigned changed = 0;
  for (linalg::GenericOp sum : sums)
    changed += readOneHot(rewriter, sum, leastOperations, log);
  return changed;
}

namespace {
struct ReadOneHots : public carousel::impl::ReadOneHotsBase<ReadOneHots> {
  using ReadOneHotsBase::ReadOneHotsBase;

  void runOnOperation() override {
    unsigned changed = readOneHots(getOperation(), leastSavedOperations);
    oneHots += changed;
    if (changed != 0 && failed(fuseGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
