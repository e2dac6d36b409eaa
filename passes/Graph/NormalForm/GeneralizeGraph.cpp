//===- GeneralizeGraph.cpp - linalg.generic of all ops --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-generalize-graph. Verifies what front ends write (C276), and makes
// linalg.generic of named ops, elementwise ops on tensors, and reductions to a
// largest or least element and its index (argmax). Schedules reduce to one
// result by one operation, so that these are two reductions, which are parts of
// one kernel.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/LowerConvolutions.h"
#include "../Reading/FusedOps.h"
#include "../Reading/GreedyRewrites.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadScan.h"
#include "../Shapes/Patterns.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/ConstantBytes.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {
#define GEN_PASS_DEF_GENERALIZEGRAPH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Largest elements and their indices
//===----------------------------------------------------------------------===//

namespace {

/// The body's values: an element, its index, and those that were best before.
struct ArgReduction {
  Value element, index;
  bool isMax = false;
  /// Whether elements that aren't numbers are never the best.
  bool skipsNaN = false;
  /// Whether of equal elements the one that comes first stays, whatever its
  /// index is.
  bool keepsFirst = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// If a condition is that `a` is larger than `b`, or that it is less: whether
/// larger.
static std::optional<bool> matchBetter(Value condition, Value a, Value b) {
  Value lhs, rhs;
  bool isLarger;
  if (auto floats = condition.getDefiningOp<arith::CmpFOp>()) {
    if (floats.getPredicate() != arith::CmpFPredicate::OGT &&
        floats.getPredicate() != arith::CmpFPredicate::OLT)
      return std::nullopt;
    isLarger = floats.getPredicate() == arith::CmpFPredicate::OGT;
    lhs = floats.getLhs();
    rhs = floats.getRhs();
  } else if (auto integers = condition.getDefiningOp<arith::CmpIOp>()) {
    if (integers.getPredicate() != arith::CmpIPredicate::sgt &&
        integers.getPredicate() != arith::CmpIPredicate::slt)
      return std::nullopt;
    isLarger = integers.getPredicate() == arith::CmpIPredicate::sgt;
    lhs = integers.getLhs();
    rhs = integers.getRhs();
  } else {
    return std::nullopt;
  }
  if (lhs == a && rhs == b)
    return isLarger;
  if (lhs == b && rhs == a)
    return !isLarger;
  return std::nullopt;
}

static bool isNaN(Value condition, Value value) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  return compare &&
         (compare.getPredicate() == arith::CmpFPredicate::UNE ||
          compare.getPredicate() == arith::CmpFPredicate::UNO) &&
         compare.getLhs() == value && compare.getRhs() == value;
}

static bool isEqual(Value condition, Value a, Value b) {
  Operation *compare = condition.getDefiningOp();
  if (auto floats = dyn_cast_if_present<arith::CmpFOp>(compare);
      floats && floats.getPredicate() != arith::CmpFPredicate::OEQ)
    return false;
  if (auto integers = dyn_cast_if_present<arith::CmpIOp>(compare);
      integers && integers.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  return isa_and_present<arith::CmpFOp, arith::CmpIOp>(compare) &&
         ((compare->getOperand(0) == a && compare->getOperand(1) == b) ||
          (compare->getOperand(0) == b && compare->getOperand(1) == a));
}

/// Calls `match` with the operands of a disjunction or conjunction in both
/// orders.
template <typename Op>
static bool matchBoth(Value condition,
                      llvm::function_ref<bool(Value, Value)> match) {
  auto op = condition.getDefiningOp<Op>();
  return op &&
         (match(op.getLhs(), op.getRhs()) || match(op.getRhs(), op.getLhs()));
}

/// Whether a condition keeps the best element: it is better, or no number.
static std::optional<bool> matchKeeps(Value condition, Value best,
                                      Value element) {
  if (std::optional<bool> isMax = matchBetter(condition, best, element))
    return isMax;
  std::optional<bool> isMax;
  matchBoth<arith::OrIOp>(condition, [&](Value better, Value nan) {
    isMax = matchBetter(better, best, element);
    return isMax && isNaN(nan, best);
  });
  return isMax;
}

static std::optional<bool> matchElement(Value yielded, Value best,
                                        Value &element, bool &skipsNaN) {
  Operation *op = yielded.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp>(
          op)) {
    bool isFirst = op->getOperand(0) == best;
    if (!isFirst && op->getOperand(1) != best)
      return std::nullopt;
    element = op->getOperand(isFirst ? 1 : 0);
    return isa<arith::MaximumFOp, arith::MaxSIOp>(op);
  }
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return std::nullopt;
  if (select.getTrueValue() == best) {
    element = select.getFalseValue();
    return matchKeeps(select.getCondition(), best, element);
  }
  element = select.getTrueValue();
  if (select.getFalseValue() != best)
    return std::nullopt;
  // An ordered comparison with NaN is false.
  skipsNaN = true;
  return matchBetter(select.getCondition(), element, best);
}

/// Whether the index is that of the best element, and the least of equal ones.
static bool matchIndex(Value yielded, Value best, Value before,
                       ArgReduction &found) {
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  if (!select)
    return false;
  Value condition = select.getCondition();
  if (select.getFalseValue() == before) {
    found.keepsFirst = true;
    found.index = select.getTrueValue();
    return matchBetter(condition, found.element, best) == found.isMax;
  }
  if (select.getTrueValue() != before)
    return false;
  found.index = select.getFalseValue();
  return matchBoth<arith::OrIOp>(condition, [&](Value keeps, Value isFirst) {
    return matchKeeps(keeps, best, found.element) == found.isMax &&
           matchBoth<arith::AndIOp>(isFirst, [&](Value equal, Value less) {
             return isEqual(equal, best, found.element) &&
                    matchBetter(less, before, found.index) == false;
           });
  });
}

static bool dependsOn(Value value, Block *body, unsigned firstInit) {
  auto isInBody = [&](Value inner) { return inner.getParentBlock() == body; };
  return isComputedOf(value, isInBody, [&](Value inner) {
    auto argument = dyn_cast<BlockArgument>(inner);
    return argument && argument.getOwner() == body &&
           argument.getArgNumber() >= firstInit;
  });
}

/// Whether an index ascends along the only loop that is reduced.
static bool isAscending(linalg::GenericOp op, Value index) {
  while (isa_and_present<CastOpInterface>(index.getDefiningOp()))
    index = index.getDefiningOp()->getOperand(0);
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  return loop && op.getNumReductionLoops() == 1 &&
         op.getIteratorTypesArray()[loop.getDim()] ==
             utils::IteratorType::reduction;
}

/// Whether neighbours in memory are reduced. Otherwise vectors of results are
/// computed by one loop, which takes any body.
static bool isAlongNeighbours(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() == 0)
      return false;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    return last && op.getIteratorTypesArray()[last.getPosition()] ==
                       utils::IteratorType::reduction;
  });
}

static std::optional<ArgReduction> matchArgReduction(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 2 || op.getNumReductionLoops() == 0 ||
      !op.hasPureTensorSemantics() || !isAlongNeighbours(op))
    return std::nullopt;
  Block *body = op.getBody();
  unsigned inputs = op.getNumDpsInputs();
  Value best = body->getArgument(inputs),
        before = body->getArgument(inputs + 1);
  ValueRange yielded = body->getTerminator()->getOperands();
  ArgReduction found;
  std::optional<bool> isMax =
      matchElement(yielded[0], best, found.element, found.skipsNaN);
  if (!isMax)
    return std::nullopt;
  found.isMax = *isMax;
  if (!matchIndex(yielded[1], best, before, found) ||
      !isa<IntegerType>(found.index.getType()) ||
      dependsOn(found.element, body, inputs) ||
      dependsOn(found.index, body, inputs) ||
      (found.keepsFirst && !isAscending(op, found.index)))
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

/// Computes values of a body again.
static SmallVector<Value> cloneBody(OpBuilder &builder, linalg::GenericOp op,
                                    ValueRange arguments, ValueRange wanted) {
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments().take_front(op.getNumDpsInputs()),
              arguments.take_front(op.getNumDpsInputs()));
  // Ops that don't need the results so far.
  for (Operation &inner : op.getBody()->without_terminator())
    if (!llvm::any_of(inner.getResults(), [&](Value result) {
          return dependsOn(result, op.getBody(), op.getNumDpsInputs());
        }))
      builder.clone(inner, mapping);
  return llvm::map_to_vector(
      wanted, [&](Value value) { return mapping.lookupOrDefault(value); });
}

namespace {

struct SplitArgReduction : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ArgReduction> found = matchArgReduction(op);
    if (!found)
      return rewriter.notifyMatchFailure(op, "no argmax");
    Location loc = op.getLoc();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned inputs = op.getNumDpsInputs();
    AffineMap ofResult = maps[inputs];
    if (maps[inputs + 1] != ofResult)
      return rewriter.notifyMatchFailure(op, "results differ in their loops");
    maps.pop_back();
    Value best =
        linalg::GenericOp::create(
            rewriter, loc, op.getResult(0).getType(), op.getInputs(),
            op.getOutputs().front(), maps, op.getIteratorTypesArray(),
            [&](OpBuilder &builder, Location, ValueRange arguments) {
              Value element =
                  cloneBody(builder, op, arguments, found->element).front();
              linalg::YieldOp::create(
                  builder, loc,
                  vector::makeArithReduction(builder, loc, getKind(*found),
                                             arguments.back(), element));
            })
            .getResult(0);
    rewriter.replaceAllUsesWith(op.getResult(0), best);
    if (op.getResult(1).use_empty())
      return success();

    // No element may have this index.
    auto type = cast<IntegerType>(found->index.getType());
    TypedAttr none = rewriter.getIntegerAttr(
        type, APInt::getSignedMaxValue(type.getWidth()));
    Value start = op.getOutputs().back();
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, start), type);
    Value noneValue = arith::ConstantOp::create(rewriter, loc, none);
    Value filled =
        linalg::FillOp::create(rewriter, loc, noneValue, empty).getResult(0);
    SmallVector<Value> operands(op.getInputs());
    operands.push_back(best);
    maps.push_back(ofResult);
    Value index =
        linalg::GenericOp::create(
            rewriter, loc, filled.getType(), operands, filled, maps,
            op.getIteratorTypesArray(),
            [&](OpBuilder &builder, Location, ValueRange arguments) {
              SmallVector<Value> own = cloneBody(
                  builder, op, arguments, {found->element, found->index});
              Value isBest =
                  isSame(builder, loc, *found, own[0], arguments[inputs]);
              Value other = arith::ConstantOp::create(builder, loc, none);
              Value chosen =
                  arith::SelectOp::create(builder, loc, isBest, own[1], other);
              linalg::YieldOp::create(
                  builder, loc,
                  arith::MinSIOp::create(builder, loc, arguments.back(), chosen)
                      .getResult());
            })
            .getResult(0);
    rewriter.replaceOp(op,
                       {best, startIfNone(rewriter, loc, index, start, none)});
    return success();
  }

  /// The kind of the reduction to the best element.
  static vector::CombiningKind getKind(const ArgReduction &found) {
    using Kind = vector::CombiningKind;
    if (!isa<FloatType>(found.element.getType()))
      return found.isMax ? Kind::MAXSI : Kind::MINSI;
    if (found.skipsNaN)
      return found.isMax ? Kind::MAXNUMF : Kind::MINNUMF;
    return found.isMax ? Kind::MAXIMUMF : Kind::MINIMUMF;
  }

  /// Whether an element is the best one; if that isn't a number, each that
  /// isn't is.
  static Value isSame(OpBuilder &builder, Location loc,
                      const ArgReduction &found, Value element, Value best) {
    if (!isa<FloatType>(element.getType()))
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   element, best);
    Value isEqual = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, element, best);
    if (found.skipsNaN)
      return isEqual;
    Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        element, element);
    return arith::OrIOp::create(builder, loc, isEqual, isNaN);
  }

  /// The index of no elements is what the reduction starts from.
  static Value startIfNone(OpBuilder &builder, Location loc, Value index,
                           Value start, TypedAttr noneAttr) {
    return createElementwise(
               builder, loc, cast<RankedTensorType>(index.getType()),
               tensor::getMixedSizes(builder, loc, start), {index, start},
               [&](OpBuilder &body, ValueRange elements) -> Value {
                 Value none = arith::ConstantOp::create(body, loc, noneAttr);
                 Value isNone = arith::CmpIOp::create(
                     body, loc, arith::CmpIPredicate::eq, elements[0], none);
                 return arith::SelectOp::create(body, loc, isNone, elements[1],
                                                elements[0]);
               })
        .getResult(0);
  }
};

} // namespace

/// A pattern for the greedy driver: a reduction of rows to an element and its
/// index becomes one to the element, and one to the least index of what is
/// equal to it. The first element that isn't a number is taken, if there is
/// one.
static void populateArgReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitArgReduction>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Named ops
//===----------------------------------------------------------------------===//

/// Ops that stand for several, such as a softmax.
static LogicalResult decompose(func::FuncOp func) {
  SmallVector<linalg::AggregatedOpInterface> ops;
  func.walk([&](linalg::AggregatedOpInterface op) { ops.push_back(op); });
  IRRewriter rewriter(func.getContext());
  for (linalg::AggregatedOpInterface op : ops) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return op.emitError("expected an op that can be decomposed, got '")
             << op->getName() << "'";
    rewriter.replaceOp(op, *results);
  }
  return success();
}

/// A product reads no loops of one iteration besides those of its pixels.
static void dropKernelLoops(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    loops.push_back(kind == utils::IteratorType::reduction
                        ? getAffineConstantExpr(0, op.getContext())
                        : getAffineDimExpr(loop, op.getContext()));
  SmallVector<AffineExpr> image(maps.front().getResults());
  for (AffineExpr &expr : image)
    if (!isa<AffineDimExpr>(expr))
      expr = simplifyAffineExpr(expr.replaceDims(loops), loops.size(), 0);
  maps.front() = AffineMap::get(loops.size(), 0, image, op.getContext());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

static LogicalResult generalize(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op) &&
        (!isWindow(op) || isPlainConvolution(op)) &&
        op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    bool isPlain = isPlainConvolution(op);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return op.emitError("expected an op that has a linalg.generic, got '")
             << op->getName() << "'";
    if (isPlain)
      dropKernelLoops(*generic);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops that kernels can have
//===----------------------------------------------------------------------===//

/// Whether each index is a loop of its own, or 0.
static bool isAtLoops(AffineMap map) {
  llvm::SmallBitVector found(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop && expr != getAffineConstantExpr(0, map.getContext()))
      return false;
    if (loop && found.test(loop.getPosition()))
      return false;
    if (loop)
      found.set(loop.getPosition());
  }
  return true;
}

/// The first and the last index that an op surely has if it has an iteration.
/// Loops of unknown extents are at 0.
static std::pair<int64_t, int64_t> findIndices(AffineExpr expr,
                                               ArrayRef<int64_t> extents) {
  SmallVector<int64_t> strides(extents.size(), 0);
  int64_t first = 0;
  if (!readLinear(expr, strides, first)) {
    SmallVector<AffineExpr> zeros(extents.size(),
                                  getAffineConstantExpr(0, expr.getContext()));
    auto index = dyn_cast<AffineConstantExpr>(expr.replaceDims(zeros));
    first = index ? index.getValue() : 0;
    return {first, first};
  }
  int64_t last = first;
  for (auto [stride, extent] : llvm::zip_equal(strides, extents)) {
    if (ShapedType::isDynamic(extent))
      continue;
    int64_t &end = stride < 0 ? first : last;
    int64_t way;
    if (llvm::MulOverflow(stride, extent - 1, way) ||
        llvm::AddOverflow(end, way, end))
      end = stride < 0 ? std::numeric_limits<int64_t>::min()
                       : std::numeric_limits<int64_t>::max();
  }
  return {first, last};
}

/// C276. MLIR's verifier compares no index with an extent of 0, and others only
/// where it knows the extents of all loops.
static LogicalResult verifyIndices(linalg::LinalgOp op,
                                   ArrayRef<int64_t> extents) {
  if (llvm::is_contained(extents, 0))
    return success();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    ArrayRef<AffineExpr> indices =
        op.getMatchingIndexingMap(&operand).getResults();
    for (auto [dim, expr] : llvm::enumerate(indices)) {
      auto [first, last] = findIndices(expr, extents);
      if (!type.isDynamicDim(dim) &&
          (first < 0 || last >= type.getDimSize(dim)))
        return op.emitOpError("expected indices inside of dimension ")
               << dim << " of " << type << ", got " << first << " to " << last;
    }
  }
  return success();
}

/// C276. MLIR's verifier compares extents only where it knows those of all
/// loops, and lets results have loops that are reduced, or skip elements.
/// Kernels add up along reduced loops, and write whole results once.
static LogicalResult verifyLoops(linalg::LinalgOp op) {
  if (!op.getBlock()->getOps<SortedOp>().empty() && !findSort(op))
    return op.emitOpError("expected results of carousel.sorted alone, with the "
                          "only loop that no operand has in place of the "
                          "reduced one");
  SmallVector<int64_t> extents(op.getNumLoops(), ShapedType::kDynamic);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand) && !isAtLoops(map))
      return op.emitOpError("expected results at loops, each at most once, "
                            "got ")
             << AffineMapAttr::get(map);
    ArrayRef<AffineExpr> dims = map.getResults();
    for (auto [extent, expr] : llvm::zip_equal(type.getShape(), dims)) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop && op.isDpsInit(&operand) && extent != 1)
        return op.emitOpError("expected an extent of 1 where a result has no "
                              "loop, got ")
               << type << " at " << AffineMapAttr::get(map);
      if (!loop)
        continue;
      if (op.isDpsInit(&operand) && !op.getTiedOpResult(&operand).use_empty() &&
          kinds[loop.getPosition()] == utils::IteratorType::reduction &&
          !findScan(op))
        return op.emitOpError("expected results without reduced loops, but for "
                              "those of scans, got loop ")
               << loop.getPosition() << " in one";
      int64_t &known = extents[loop.getPosition()];
      if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(known) &&
          extent != known)
        return op.emitOpError("expected operands of the same extent along "
                              "loop ")
               << loop.getPosition() << ", got " << known << " and " << extent;
      known = ShapedType::isDynamic(extent) ? known : extent;
    }
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [loop, kind, extent] : llvm::enumerate(kinds, extents))
      if (kind == utils::IteratorType::parallel && extent != 1 &&
          !map.isFunctionOfDim(loop))
        return op.emitOpError("expected results with all parallel loops, got ")
               << AffineMapAttr::get(map) << " without loop " << loop;
  }
  return verifyIndices(op, extents);
}

/// Planners count the bits of elements, which instructions must have.
static bool isElement(Type type) {
  if (type.isIndex() || type.isInteger(1))
    return true;
  return type.isIntOrFloat() &&
         llvm::is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}

/// C276
static LogicalResult verifyOps(func::FuncOp func) {
  WalkResult result = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (structured && failed(verifyLoops(structured)))
      return WalkResult::interrupt();
    auto isRefused = [](Type type) {
      auto tensor = dyn_cast<TensorType>(type);
      return tensor && !isElement(tensor.getElementType());
    };
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    if (op == func)
      llvm::append_range(types, func.getArgumentTypes());
    auto refused = llvm::find_if(types, isRefused);
    if (refused == types.end())
      return WalkResult::advance();
    op->emitOpError("expected tensors of indices, or of integers or floats of "
                    "1, 8, 16, 32 or 64 bits, got ")
        << *refused;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Ops of other dialects
//===----------------------------------------------------------------------===//

/// Returns the extents of the results of an op, of which each coordinate d is
/// one of a source.
static FailureOr<SmallVector<OpFoldResult>>
getExtents(DistributionOpInterface op, ArrayRef<ElementSource> sources,
           OpBuilder &builder) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> extents =
      getAsIndexOpFoldResult(op.getContext(), type.getShape());
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    AffineExpr own = builder.getAffineDimExpr(dim);
    auto source = llvm::find_if(sources, [&](const ElementSource &source) {
      return source.map.getResultPosition(own).has_value();
    });
    if (source == sources.end())
      return op->emitOpError("expected an extent that isn't known to be one of "
                             "an operand, got none for dimension ")
             << dim;
    extents[dim] = tensor::getMixedSize(builder, op.getLoc(),
                                        op->getOperand(source->operand),
                                        *source->map.getResultPosition(own));
  }
  return extents;
}

/// Writes an op as linalg.generic of the code that it creates. Sources at
/// other places than coordinates are read in the body.
static LogicalResult generalize(DistributionOpInterface op) {
  IRRewriter rewriter(op);
  Location loc = op.getLoc();
  SmallVector<ElementSource> sources = op.getElementSources();
  FailureOr<SmallVector<OpFoldResult>> extents =
      getExtents(op, sources, rewriter);
  if (failed(extents))
    return failure();
  auto isInput = [&](const ElementSource &source) {
    return source.map.getNumResults() != 0 &&
           source.map.isProjectedPermutation();
  };
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (const ElementSource &source :
       llvm::make_filter_range(sources, isInput)) {
    inputs.push_back(op->getOperand(source.operand));
    maps.push_back(source.map);
  }
  for (Type type : op->getResultTypes()) {
    inits.push_back(tensor::EmptyOp::create(rewriter, loc, *extents,
                                            getElementTypeOrSelf(type)));
    maps.push_back(rewriter.getMultiDimIdentityMap(extents->size()));
  }
  LogicalResult isWritten = success();
  auto writeBody = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    SmallVector<Value> coordinates, values;
    for (unsigned dim = 0; dim < extents->size(); ++dim)
      coordinates.push_back(linalg::IndexOp::create(builder, loc, dim));
    for (const ElementSource &source : sources) {
      Value operand = op->getOperand(source.operand);
      if (isInput(source)) {
        values.push_back(arguments.front());
        arguments = arguments.drop_front();
      } else if (isa<RankedTensorType>(operand.getType())) {
        SmallVector<Value> indices;
        for (AffineExpr expr : source.map.getResults())
          indices.push_back(
              affine::expandAffineExpr(builder, loc, expr, coordinates, {}));
        values.push_back(
            tensor::ExtractOp::create(builder, loc, operand, indices));
      } else {
        values.push_back(operand);
      }
    }
    FailureOr<SmallVector<Value>> elements =
        createElements(op, builder, values, /*count=*/std::nullopt);
    isWritten = elements;
    if (succeeded(elements))
      linalg::YieldOp::create(builder, loc, *elements);
  };
  SmallVector<utils::IteratorType> iterators(extents->size(),
                                             utils::IteratorType::parallel);
  auto generic =
      linalg::GenericOp::create(rewriter, loc, op->getResultTypes(), inputs,
                                inits, maps, iterators, writeBody);
  rewriter.replaceOp(op, generic);
  return isWritten;
}

/// Ops of embedders; nothing else has the interface.
static LogicalResult generalizeOthers(func::FuncOp func) {
  SmallVector<DistributionOpInterface> others;
  func.walk([&](DistributionOpInterface op) {
    if (llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      others.push_back(op);
  });
  for (DistributionOpInterface op : others)
    if (failed(generalize(op)))
      return failure();
  return success();
}

/// Kernels can't stop a program: checks of elements are left out.
static void removeChecks(func::FuncOp func) {
  SmallVector<cf::AssertOp> checks;
  func.walk([&](linalg::LinalgOp op) {
    op.getBlock()->walk([&](cf::AssertOp check) { checks.push_back(check); });
  });
  DecisionLog log(func, "carousel-normalize-graph");
  for (cf::AssertOp check : checks) {
    log.warned(check, "Check",
               "kernels don't check elements: '" + check.getMsg() + "'");
    check.erase();
  }
}

/// Gives constants of one element that are resources an attribute instead, so
/// that upstream's patterns read the number and kernels needn't load it.
static void readConstantNumbers(func::FuncOp func) {
  func.walk([](arith::ConstantOp op) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (!resource || resource.getNumElements() != 1)
      return;
    if (std::optional<std::string> bytes = getConstantBytes(resource))
      op.setValueAttr(DenseElementsAttr::getFromRawBuffer(
          resource.getType(), ArrayRef(bytes->data(), bytes->size())));
  });
}

namespace {
struct GeneralizeGraph
    : public carousel::impl::GeneralizeGraphBase<GeneralizeGraph> {
  using GeneralizeGraphBase::GeneralizeGraphBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    if (failed(verifyOps(func)) || failed(getChipModel(func)))
      return signalPassFailure();
    removeChecks(func);
    readConstantNumbers(func);
    RewritePatternSet elementwise(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(elementwise);
    tensor::populateFoldTensorEmptyPatterns(elementwise);
    populateConcatenationPatterns(elementwise);
    RewritePatternSet reductions(&getContext());
    populateArgReductionPatterns(reductions);
    if (failed(generalizeOthers(func)) || failed(decompose(func)) ||
        failed(rewriteGreedily(func, std::move(elementwise))) ||
        failed(generalize(func)) ||
        failed(rewriteGreedily(func, std::move(reductions))))
      signalPassFailure();
  }
};

} // namespace
