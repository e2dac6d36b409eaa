//===- BoundSegmentSums.cpp - sums over the rows of a group ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-bound-segment-sums. The gradient of the matrices that rows choose
// sums over the rows of each:
//
//   z[g, a, b] = sum over m of (number[m] == g ? x[m, a] : 0) * y[m, b]
//
// If the segment ids are monotonic, the rows of a matrix are a range, whose
// ends are counts:
//
//   begin[g] = how many m have number[m] < g, and end[g] those with <= g
//   z[g, a, b] = sum over m of (begin[g] <= m < end[g] ? x[m, a] : 0) * y[m, b]
//
// Kernels go along these rows alone (Kernels/RowLoops.h).
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/RowRanges.h"
#include "../Shapes/FuseGraph.h"
#include "../Tables/TableOps.h"
#include "MonotonicIndices.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {
#define GEN_PASS_DEF_BOUNDSEGMENTSUMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;
using utils::IteratorType;

namespace {

/// An op that keeps elements where the number of a row is that of a group.
struct GroupMask {
  linalg::GenericOp op;
  arith::SelectOp choice;
  OpOperand *number = nullptr; ///< of rows, a tensor of integers
  unsigned row = 0, group = 0; ///< loops
  int64_t groups = 0;
};

} // namespace

/// Whether products sum over what is a loop of an op, and have the other loop
/// in their results; and nothing else reads the op.
static bool isSummed(const GroupMask &mask) {
  linalg::GenericOp op = mask.op;
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto find = [&](unsigned loop) {
    return *written.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  };
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto product = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!product || !isContraction(product) || !product.isDpsInput(&use))
      return false;
    AffineMap read = product.getMatchingIndexingMap(&use);
    SmallVector<IteratorType> kinds = product.getIteratorTypesArray();
    auto getKind = [&](unsigned loop) {
      auto dim = dyn_cast<AffineDimExpr>(read.getResult(find(loop)));
      return dim ? std::optional(kinds[dim.getPosition()]) : std::nullopt;
    };
    return getKind(mask.row) == IteratorType::reduction &&
           getKind(mask.group) == IteratorType::parallel;
  });
}

static std::optional<GroupMask> findMask(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return std::nullopt;
  GroupMask mask;
  mask.op = op;
  mask.choice = op.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!mask.choice ||
      !matchPattern(mask.choice.getFalseValue(), m_PosZeroFloat()))
    return std::nullopt;
  auto compare = mask.choice.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != Predicate::eq)
    return std::nullopt;
  Value lhs = skipIndexCasts(compare.getLhs()),
        rhs = skipIndexCasts(compare.getRhs());
  if (lhs.getDefiningOp<linalg::IndexOp>())
    std::swap(lhs, rhs);
  auto group = rhs.getDefiningOp<linalg::IndexOp>();
  auto number = dyn_cast<BlockArgument>(lhs);
  if (!group || !number || number.getOwner() != op.getBody() ||
      number.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  mask.number = op.getMatchingOpOperand(number);
  AffineMap map = op.getMatchingIndexingMap(mask.number);
  mask.group = group.getDim();
  mask.groups = op.getStaticLoopRanges()[mask.group];
  if (map.getNumResults() != 1 || !isa<AffineDimExpr>(map.getResult(0)) ||
      map.isFunctionOfDim(mask.group) || ShapedType::isDynamic(mask.groups))
    return std::nullopt;
  mask.row = cast<AffineDimExpr>(map.getResult(0)).getPosition();
  if (!isSummed(mask))
    return std::nullopt;
  return mask;
}

/// How many rows have a number before each group, and before the one behind
/// the last.
static Value countRows(RewriterBase &rewriter, const GroupMask &mask) {
  linalg::GenericOp op = mask.op;
  return createReduction(
      rewriter, op.getLoc(), mask.groups + 1, rewriter.getI32Type(),
      mask.number->get(), {{1}}, /*isMaximum=*/false,
      [&](OpBuilder &builder, ValueRange loops, ValueRange elements) {
        IndexBuilder n(builder, op.getLoc());
        Value group = n.integer(loops[0], elements[0].getType());
        return n.compare(Predicate::slt, elements[0], group);
      });
}

static void bound(RewriterBase &rewriter, const GroupMask &mask) {
  linalg::GenericOp op = mask.op;
  rewriter.setInsertionPoint(op);
  Value counts = countRows(rewriter, mask);
  Value bounds[2];
  for (int64_t offset : {0, 1}) {
    auto getIndex = [&](int64_t number) -> OpFoldResult {
      return rewriter.getIndexAttr(number);
    };
    Value part = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), counts, getIndex(offset), getIndex(mask.groups),
        getIndex(1));
    AffineExpr group = rewriter.getAffineDimExpr(mask.group);
    bounds[offset] = addInput(rewriter, op, part,
                              AffineMap::get(op.getNumLoops(), 0, group));
  }
  arith::SelectOp choice = mask.choice;
  rewriter.setInsertionPoint(choice);
  Value row = linalg::IndexOp::create(rewriter, op.getLoc(), mask.row);
  choice.getConditionMutable().assign(
      createRangeCheck(rewriter, op.getLoc(), row, bounds[0], bounds[1]));
}

/// Says of the factors of products where their rows begin and end. Returns how
/// many it changed.
static unsigned boundSegmentSums(func::FuncOp func) {
  DecisionLog log(func, "carousel-normalize-graph");
  SmallVector<GroupMask> masks;
  func.walk([&](linalg::GenericOp op) {
    std::optional<GroupMask> mask = findMask(op);
    if (!mask)
      return;
    if (Type type = getElementTypeOrSelf(mask->number->get());
        !type.isInteger(32) && !type.isInteger(64)) {
      log.missed(op, "GroupedSum",
                 "a product goes over all rows for each of " +
                     llvm::Twine(mask->groups) +
                     " groups: their numbers are neither i32 nor i64");
      return;
    }
    if (!isMonotonic(mask->number->get())) {
      log.missed(op, "GroupedSum",
                 "a product goes over all rows for each of " +
                     llvm::Twine(mask->groups) +
                     " groups: their numbers may descend");
      return;
    }
    log.passed(op, "GroupedSum",
               "a product goes over the rows of each of " +
                   llvm::Twine(mask->groups) + " groups alone");
    masks.push_back(*mask);
  });
  IRRewriter rewriter(func.getContext());
  for (const GroupMask &mask : masks)
    bound(rewriter, mask);
  return masks.size();
}

namespace {
struct BoundSegmentSums
    : public carousel::impl::BoundSegmentSumsBase<BoundSegmentSums> {
  using BoundSegmentSumsBase::BoundSegmentSumsBase;

  void runOnOperation() override {
    unsigned changed = boundSegmentSums(getOperation());
    bounded += changed;
    if (changed != 0 && failed(fuseGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
