//===- OneHotProducts.cpp - sums of one term each -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OneHotProducts.h. What computes a one-hot factor is taken into a copy of
// the sum first, so that its body says all. The copy becomes the sum's
// replacement, or is erased.
//
//===----------------------------------------------------------------------===//

#include "OneHotProducts.h"

#include "../Decisions/DecisionLog.h"
#include "../Reading/FuseProducer.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {

/// `condition` says that `number`, which the loop doesn't change, is the loop's
/// own number.
struct OneHot {
  arith::CmpIOp condition;
  Value number;
  unsigned loop;
};

} // namespace

/// The loop whose number a value is, in the body of an op.
static std::optional<unsigned> findLoop(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? std::optional<unsigned>(index.getDim()) : std::nullopt;
}

/// What a value is computed from in the body; failure if that has effects or
/// regions.
static FailureOr<llvm::SetVector<Operation *>> findSources(Value value,
                                                           Block *body) {
  llvm::SetVector<Operation *> sources;
  Operation *last = value.getDefiningOp();
  if (!last || last->getBlock() != body)
    return sources;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return op->getBlock() == body; };
  if (failed(getBackwardSlice(last, &sources, options)) ||
      llvm::any_of(sources, [](Operation *op) {
        return op->getNumRegions() != 0 || !isMemoryEffectFree(op);
      }))
    return failure();
  return sources;
}

/// Whether a value of the body is the same in all iterations of the loop.
static bool isFixedAlong(linalg::GenericOp op, Value value, unsigned loop) {
  auto isFixedArgument = [&](Value argument) {
    auto own = dyn_cast<BlockArgument>(argument);
    if (!own || own.getOwner() != op.getBody())
      return true;
    OpOperand *operand = op.getMatchingOpOperand(own);
    return op.isDpsInput(operand) &&
           !op.getMatchingIndexingMap(operand).isFunctionOfDim(loop);
  };
  FailureOr<llvm::SetVector<Operation *>> sources =
      findSources(value, op.getBody());
  return succeeded(sources) && isFixedArgument(value) &&
         llvm::all_of(*sources, [&](Operation *source) {
           auto index = dyn_cast<linalg::IndexOp>(source);
           return (!index || index.getDim() != loop) &&
                  llvm::all_of(source->getOperands(), isFixedArgument);
         });
}

/// Whether a truth value is false where the condition is.
static bool implies(Value value, Value condition) {
  if (value == condition)
    return true;
  auto both = value.getDefiningOp<arith::AndIOp>();
  return both && (implies(both.getLhs(), condition) ||
                  implies(both.getRhs(), condition));
}

/// Whether a value is zero where the condition is false.
static bool vanishes(Value value, Value condition) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (value.getType().isInteger(1))
    return implies(value, condition);
  if (isa<arith::UIToFPOp, arith::SIToFPOp, arith::ExtUIOp, arith::ExtSIOp,
          arith::ExtFOp, arith::TruncFOp>(op))
    return vanishes(op->getOperand(0), condition);
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return vanishes(op->getOperand(0), condition) ||
           vanishes(op->getOperand(1), condition);
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && implies(select.getCondition(), condition) &&
         (matchPattern(select.getFalseValue(), m_AnyZeroFloat()) ||
          matchPattern(select.getFalseValue(), m_Zero()));
}

/// What a sum adds in each iteration; null if the op is no sum from zero on.
static Value findTerm(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return {};
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return {};
  auto sum = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  Value before = op.getRegionOutputArgs()[0];
  if (!sum || !before.hasOneUse() ||
      (sum.getLhs() != before && sum.getRhs() != before))
    return {};
  return sum.getLhs() == before ? sum.getRhs() : sum.getLhs();
}

/// The one-hot factors of a sum along loops of a kind, one for each loop.
static SmallVector<OneHot> findOneHots(linalg::GenericOp op,
                                       utils::IteratorType kind) {
  SmallVector<OneHot> found;
  Value term = findTerm(op);
  if (!term)
    return found;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>()) {
    if (compare.getPredicate() != arith::CmpIPredicate::eq ||
        !vanishes(term, compare))
      continue;
    for (auto [number, own] : {std::pair(compare.getLhs(), compare.getRhs()),
                               std::pair(compare.getRhs(), compare.getLhs())}) {
      std::optional<unsigned> loop = findLoop(own);
      if (!loop || kinds[*loop] != kind || !isFixedAlong(op, number, *loop) ||
          llvm::any_of(
              found, [&](const OneHot &other) { return other.loop == *loop; }))
        continue;
      found.push_back({compare, number, *loop});
      break;
    }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Factors in the sum
//===----------------------------------------------------------------------===//

/// Whether what computes a tensor compares numbers with those of loops.
static bool mayBeOneHot(Value tensor, unsigned depth = 0) {
  constexpr unsigned kDepth = 4;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || depth == kDepth || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInits() != 1)
    return false;
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>())
    if (compare.getPredicate() == arith::CmpIPredicate::eq &&
        (findLoop(compare.getLhs()) || findLoop(compare.getRhs())))
      return true;
  return llvm::any_of(op.getInputs(), [&](Value input) {
    return mayBeOneHot(input, depth + 1);
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
// The only term
//===----------------------------------------------------------------------===//

namespace {

/// Writes the op that reads the only term.
class TermReader {
public:
  TermReader(IRRewriter &rewriter, linalg::GenericOp op,
             ArrayRef<OneHot> oneHots)
      : rewriter(rewriter), op(op), oneHots(oneHots),
        place(op.getNumLoops(), -1) {
    for (unsigned loop = 0, next = 0; loop != place.size(); ++loop)
      if (!isGone(loop))
        place[loop] = next++;
  }

  /// Empty if the op can be written, or what stands against it.
  std::string explain();
  Value write();

private:
  bool isGone(unsigned loop) const {
    return llvm::any_of(
        oneHots, [&](const OneHot &oneHot) { return oneHot.loop == loop; });
  }
  bool isAlong(AffineMap map) const {
    return llvm::any_of(oneHots, [&](const OneHot &oneHot) {
      return map.isFunctionOfDim(oneHot.loop);
    });
  }
  AffineMap getMap(AffineMap map);
  Value writeTerm(OpBuilder &builder, Location loc, ValueRange elements);

  IRRewriter &rewriter;
  linalg::GenericOp op;
  ArrayRef<OneHot> oneHots;
  SmallVector<int64_t> place; ///< of each loop among those that stay
};

} // namespace

std::string TermReader::explain() {
  constexpr int64_t kMostTerms = 16;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  int64_t terms = 1;
  for (unsigned loop = 0; loop != place.size(); ++loop) {
    bool isDynamic = ShapedType::isDynamic(extents[loop]);
    if (isGone(loop)) {
      if (isDynamic)
        return "the extent of what it goes along isn't known";
      continue;
    }
    if (kinds[loop] != utils::IteratorType::reduction)
      continue;
    if (isDynamic || (terms *= extents[loop]) > kMostTerms)
      return "what is left is a sum of more than " +
             std::to_string(kMostTerms) + " terms";
  }
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (isAlong(map) && !map.isProjectedPermutation())
      return "an operand isn't read at loops";
  }
  if (failed(findSources(findTerm(op), op.getBody())))
    return "what is summed has branches";
  return "";
}

AffineMap TermReader::getMap(AffineMap map) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims;
  for (int64_t position : place)
    dims.push_back(position < 0 ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(position, context));
  return map.replaceDimsAndSymbols(dims, {}, place.size() - oneHots.size(), 0);
}

Value TermReader::writeTerm(OpBuilder &builder, Location loc,
                            ValueRange elements) {
  IRMapping mapping;
  unsigned next = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!isAlong(op.getMatchingIndexingMap(input)))
      mapping.map(op.getMatchingBlockArgument(input), elements[next++]);
  // Not in the branch: there are no loops of linalg.
  SmallVector<Value> loops(place.size());
  for (auto [loop, position] : llvm::enumerate(place))
    if (position >= 0)
      loops[loop] = linalg::IndexOp::create(builder, loc, position);
  // The numbers, which depend on no loop that is gone.
  llvm::DenseMap<unsigned, Value> numbers;
  Value exists;
  auto cloneSource = [&](Operation *source) {
    if (llvm::all_of(source->getResults(),
                     [&](Value value) { return mapping.contains(value); }))
      return;
    if (auto index = dyn_cast<linalg::IndexOp>(source)) {
      auto known = numbers.find(index.getDim());
      mapping.map(index.getResult(), known == numbers.end()
                                         ? loops[index.getDim()]
                                         : known->second);
      return;
    }
    builder.clone(*source, mapping);
  };
  auto cloneSources = [&](Value value) {
    FailureOr<llvm::SetVector<Operation *>> sources =
        findSources(value, op.getBody());
    assert(succeeded(sources) && "checked before");
    for (Operation *source : *sources)
      cloneSource(source);
  };
  for (const OneHot &oneHot : oneHots) {
    cloneSources(oneHot.number);
    Value number = mapping.lookupOrDefault(oneHot.number);
    if (!number.getType().isIndex())
      number = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          number);
    numbers[oneHot.loop] = number;
    // Negative numbers are large ones.
    Value extent = arith::ConstantIndexOp::create(
        builder, loc, op.getStaticLoopRanges()[oneHot.loop]);
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, number, extent);
    exists =
        exists
            ? arith::AndIOp::create(builder, loc, exists, isInside).getResult()
            : isInside;
  }
  Value term = findTerm(op);
  auto branch = scf::IfOp::create(builder, loc, term.getType(), exists,
                                  /*withElseRegion=*/true);
  auto writeBranch = [&](Block *block, llvm::function_ref<Value()> write) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    scf::YieldOp::create(builder, loc, write());
  };
  writeBranch(branch.thenBlock(), [&] {
    Value yes =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    for (OneHot oneHot : oneHots)
      mapping.map(oneHot.condition.getResult(), yes);
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (!isAlong(map))
        continue;
      SmallVector<Value> indices;
      for (AffineExpr expr : map.getResults()) {
        unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        auto known = numbers.find(loop);
        indices.push_back(known == numbers.end() ? loops[loop] : known->second);
      }
      mapping.map(op.getMatchingBlockArgument(input),
                  tensor::ExtractOp::create(builder, loc, input->get(), indices)
                      .getResult());
    }
    cloneSources(term);
    return mapping.lookupOrDefault(term);
  });
  writeBranch(branch.elseBlock(), [&]() -> Value {
    return arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(term.getType())));
  });
  return branch.getResult(0);
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
    maps.push_back(getMap(map));
  }
  maps.push_back(getMap(op.getMatchingIndexingMap(op.getDpsInitOperand(0))));
  SmallVector<utils::IteratorType> kinds;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!isGone(loop))
      kinds.push_back(kind);
  bool isSum = llvm::is_contained(kinds, utils::IteratorType::reduction);
  Value init = op.getDpsInits()[0];
  if (!isSum)
    init = init.getDefiningOp<linalg::FillOp>().getOutputs()[0];
  rewriter.setInsertionPoint(op);
  return linalg::GenericOp::create(
             rewriter, loc, op.getResultTypes(), inputs, init, maps, kinds,
             [&](OpBuilder &builder, Location, ValueRange elements) {
               Value term = writeTerm(builder, loc, elements.drop_back());
               if (isSum)
                 term =
                     arith::AddFOp::create(builder, loc, elements.back(), term);
               linalg::YieldOp::create(builder, loc, term);
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether the sum was changed.
static bool readOneHot(IRRewriter &rewriter, linalg::GenericOp sum,
                       DecisionLog &log) {
  rewriter.setInsertionPoint(sum);
  linalg::GenericOp op = takeFactors(rewriter, sum);
  SmallVector<OneHot> oneHots = findOneHots(op, utils::IteratorType::reduction);
  TermReader reader(rewriter, op, oneHots);
  std::string reason =
      !oneHots.empty() ? reader.explain()
      : !findOneHots(op, utils::IteratorType::parallel).empty()
          ? "the numbers are those of terms: they say to which sum each belongs"
          : "it compares no number with those along which it is summed";
  if (reason.empty()) {
    int64_t terms = 1;
    for (const OneHot &oneHot : oneHots)
      terms *= op.getStaticLoopRanges()[oneHot.loop];
    log.passed(sum, "OneHot",
               "a factor is one-hot: elements are read by their numbers, in "
               "place of sums of " +
                   llvm::Twine(terms) + " terms");
    rewriter.replaceOp(sum, reader.write());
  } else {
    log.missed(sum, "OneHot", "a factor may be one-hot, but " + reason);
  }
  rewriter.eraseOp(op);
  return reason.empty();
}

unsigned carousel::readOneHots(func::FuncOp func) {
  SmallVector<linalg::GenericOp> sums;
  func.walk([&](linalg::GenericOp op) {
    if (findTerm(op) &&
        (llvm::any_of(op.getInputs(),
                      [](Value input) { return mayBeOneHot(input); }) ||
         !findOneHots(op, utils::IteratorType::reduction).empty()))
      sums.push_back(op);
  });
  DecisionLog log(func, "carousel-normalize-graph");
  IRRewriter rewriter(func.getContext());
  unsigned changed = 0;
  for (linalg::GenericOp sum : sums)
    changed += readOneHot(rewriter, sum, log);
  return changed;
}
