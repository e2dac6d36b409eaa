//===- FuseGraph.cpp - fusion of elementwise ops --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-fuse-graph. Mostly patterns of upstream's; FusedOps.h says what
// they fuse.
//
//===----------------------------------------------------------------------===//

#include "FuseGraph.h"

#include "../Reading/FusedOps.h"
#include "../Reading/GreedyRewrites.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "EqualExtents.h"
#include "Patterns.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_FUSEGRAPH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Fills, and ops without iterations
//===----------------------------------------------------------------------===//

namespace {
struct RemoveEmptyLoops final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        !llvm::is_contained(op.getStaticLoopRanges(), 0))
      return rewriter.notifyMatchFailure(op, "it may compute something");
    SmallVector<Value> inits(op.getDpsInits());
    rewriter.replaceOp(op, inits);
    return success();
  }
};

/// A fill doesn't read its init. Upstream does so for linalg.generic.
struct FillEmptyTensors final : OpRewritePattern<linalg::FillOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    OpOperand &init = op.getDpsInitsMutable()[0];
    auto type = dyn_cast<RankedTensorType>(init.get().getType());
    if (!type || init.get().getDefiningOp<tensor::EmptyOp>())
      return rewriter.notifyMatchFailure(op, "its init is empty");
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), init.get()),
        type.getElementType());
    if (empty.getType() != type)
      return rewriter.notifyMatchFailure(op, "its extents are in no type");
    rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
    return success();
  }
};

/// Constants that ops only start from are fills: front ends broadcast them.
struct FillConstants final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    TypedAttr element;
    if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
        op.use_empty() || !llvm::all_of(op->getUses(), isStart) ||
        op.getNumParallelLoops() != op.getNumLoops() ||
        !op.getIndexingMapsArray().back().isPermutation() ||
        !matchPattern(op.getBody()->getTerminator()->getOperand(0),
                      m_Constant(&element)))
      return rewriter.notifyMatchFailure(op, "expected a start");
    Value start = arith::ConstantOp::create(rewriter, op.getLoc(), element);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, start, op.getDpsInits()[0]);
    return success();
  }
};
} // namespace

static void populateFillPatterns(RewritePatternSet &patterns) {
  patterns.add<RemoveEmptyLoops, FillEmptyTensors, FillConstants>(
      patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Elements that don't differ
//===----------------------------------------------------------------------===//

namespace {

/// Elements that are the same in each iteration of a loop are computed once,
/// and copied: a product whose factor is broadcast, as the gradient of a sum
/// is, or the keys that several heads of queries share.
struct SameElements : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
        (op.getNumReductionLoops() == 0
             ? isCopy(op) || isOfIndices(op) ||
                   op.payloadUsesValueFromOperand(op.getDpsInitOperand(0))
             : !findFill(op.getDpsInits()[0])))
      return rewriter.notifyMatchFailure(op, "expected an op that computes");
    AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    llvm::SmallBitVector idle = findIdleLoops(op);
    if (idle.none() || !written.isProjectedPermutation())
      return rewriter.notifyMatchFailure(op, "each iteration may differ");
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    SmallVector<OpFoldResult> extents =
        tensor::getMixedSizes(rewriter, loc, op.getDpsInits()[0]);
    SmallVector<OpFoldResult> sizes;
    SmallVector<AffineExpr> results, kept;
    for (auto [dim, expr] : llvm::enumerate(written.getResults()))
      if (!idle.test(cast<AffineDimExpr>(expr).getPosition())) {
        sizes.push_back(extents[dim]);
        results.push_back(expr);
        kept.push_back(getAffineDimExpr(dim, context));
      }
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands())
      maps.push_back(projectDims(op.getMatchingIndexingMap(input), idle,
                                 /*compressDimsFlag=*/true));
    maps.push_back(
        projectDims(AffineMap::get(op.getNumLoops(), 0, results, context), idle,
                    /*compressDimsFlag=*/true));
    SmallVector<utils::IteratorType> kinds;
    SmallVector<int64_t> places;
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      places.push_back(kinds.size());
      if (!idle.test(loop))
        kinds.push_back(kind);
    }
    Value init = resizeInit(rewriter, loc, op.getDpsInits()[0], sizes);
    auto once = linalg::GenericOp::create(rewriter, loc, init.getType(),
                                          op.getInputs(), init, maps, kinds);
    rewriter.cloneRegionBefore(op.getRegion(), once.getRegion(),
                               once.getRegion().begin());
    once.getBody()->walk(
        [&](linalg::IndexOp index) { index.setDim(places[index.getDim()]); });
    Value empty = tensor::EmptyOp::create(rewriter, loc, extents,
                                          getElementTypeOrSelf(op.getType(0)));
    unsigned rank = extents.size();
    SmallVector<utils::IteratorType> all(rank, utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), once.getResult(0), empty,
        ArrayRef{AffineMap::get(rank, 0, kept, context),
                 rewriter.getMultiDimIdentityMap(rank)},
        all, [](OpBuilder &builder, Location at, ValueRange elements) {
          linalg::YieldOp::create(builder, at, elements.front());
        });
    replaceWithCast(rewriter, op, copy.getResult(0));
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Casts of branches
//===----------------------------------------------------------------------===//

namespace {

struct CastInBranch : public OpInterfaceRewritePattern<CastOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(CastOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return rewriter.notifyMatchFailure(op, "no cast of floats");
    auto branch = op->getOperand(0).getDefiningOp<scf::IfOp>();
    if (!branch || branch->getNumResults() != 1 || !branch->hasOneUse() ||
        branch->getBlock() != op->getBlock())
      return rewriter.notifyMatchFailure(op, "no branch of its own");
    rewriter.setInsertionPoint(branch);
    auto moved = scf::IfOp::create(rewriter, branch.getLoc(),
                                   op->getResultTypes(), branch.getCondition(),
                                   /*addThenBlock=*/false,
                                   /*addElseBlock=*/false);
    for (auto [from, to] :
         {std::pair(&branch.getThenRegion(), &moved.getThenRegion()),
          std::pair(&branch.getElseRegion(), &moved.getElseRegion())}) {
      rewriter.inlineRegionBefore(*from, *to, to->begin());
      Operation *yield = to->front().getTerminator();
      rewriter.setInsertionPoint(yield);
      IRMapping mapping;
      mapping.map(op->getOperand(0), yield->getOperand(0));
      Operation *cast = rewriter.clone(*op, mapping);
      rewriter.modifyOpInPlace(
          yield, [&] { yield->setOperand(0, cast->getResult(0)); });
    }
    rewriter.replaceOp(op, moved.getResults());
    rewriter.eraseOp(branch);
    return success();
  }
};

} // namespace

/// Takes casts of a branch's only result into both branches.
static void populateBranchCastPatterns(RewritePatternSet &patterns) {
  patterns.add<CastInBranch>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Elements of tensor.empty
//===----------------------------------------------------------------------===//

/// The number of elements, if it is known.
static std::optional<int64_t> count(RankedTensorType type) {
  return type.hasStaticShape() ? std::optional(type.getNumElements())
                               : std::nullopt;
}

/// Whether elements that no op has written are read. Ops of tensor fold, or
/// only name a tensor, unless they copy elements. \p left: how many elements of
/// the tensor are known not to be written.
static bool readsElements(OpOperand &first, std::optional<int64_t> left) {
  SmallVector<std::pair<OpOperand *, std::optional<int64_t>>> open = {
      {&first, left}};
  while (!open.empty()) {
    auto [use, left] = open.pop_back_val();
    Operation *user = use->getOwner();
    if (auto structured = dyn_cast<linalg::LinalgOp>(user)) {
      if (structured.payloadUsesValueFromOperand(use))
        return true;
      continue;
    }
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(user)) {
      if (use == &insert.getSourceMutable())
        return true;
      std::optional<int64_t> written = count(insert.getSourceType());
      if (!left || !written || *written >= *left)
        continue;
      *left -= *written;
    } else if (isa<tensor::ExtractSliceOp>(user)) {
      left = std::nullopt;
    } else if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                    tensor::CastOp>(user)) {
      if (isa<tensor::ExtractOp, tensor::PadOp>(user))
        return true;
      continue;
    }
    for (OpOperand &next : user->getResult(0).getUses())
      open.push_back({&next, left});
  }
  return false;
}

/// Fills each tensor.empty with zeros where an op reads its elements, also
/// those that slices of known extents leave. Inits that are only replaced stay
/// empty, and so does what has no elements.
static void fillReadEmpties(func::FuncOp func) {
  SmallVector<tensor::EmptyOp> empties;
  func.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp empty : empties) {
    OpBuilder builder(empty.getContext());
    TypedAttr zero = builder.getZeroAttr(empty.getType().getElementType());
    auto isRead = [left = count(empty.getType())](OpOperand &use) {
      return readsElements(use, left);
    };
    if (!zero || count(empty.getType()) == 0 ||
        llvm::none_of(empty->getUses(), isRead))
      continue;
    builder.setInsertionPointAfter(empty);
    Value number = arith::ConstantOp::create(builder, empty.getLoc(), zero);
    auto fill = linalg::FillOp::create(builder, empty.getLoc(), number,
                                       empty.getResult());
    empty.getResult().replaceUsesWithIf(fill.getResult(0), isRead);
  }
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// Whether an operand has more elements along a dimension than the loops of
/// its index reach. Without a loop of one iteration, the index of such a
/// dimension is another loop, which has as many iterations as the operand has
/// elements.
static bool leavesPartOfWindow(linalg::LinalgOp op, unsigned loop) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, extent] :
         llvm::zip_equal(map.getResults(), op.getShape(&operand))) {
      if (isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(loop))
        continue;
      SmallVector<int64_t> strides(extents.size(), 0);
      int64_t end = 1;
      if (!readLinear(expr, strides, end) || ShapedType::isDynamic(extent))
        return true;
      for (auto [stride, iterations] : llvm::zip_equal(strides, extents)) {
        if (stride != 0 && ShapedType::isDynamic(iterations))
          return true;
        end += stride * (stride == 0 ? 0 : iterations - 1);
      }
      if (end != extent)
        return true;
    }
  }
  return false;
}

/// By one walk: the patterns aren't for the greedy driver.
static LogicalResult dropUnitExtents(func::FuncOp func) {
  RewritePatternSet units(func.getContext()), reshapes(func.getContext());
  linalg::ControlDropUnitDims options;
  auto findAll = options.controlFn;
  options.controlFn = [findAll](Operation *op) {
    // Pads have all dimensions of what they surround.
    SmallVector<unsigned> dims;
    if (isWindow(op))
      return dims;
    dims = findAll(op);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      llvm::erase_if(dims, [&](unsigned loop) {
        return leavesPartOfWindow(structured, loop);
      });
    return dims;
  };
  linalg::populateFoldUnitExtentDimsPatterns(units, options);
  linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(reshapes, options);
  walkAndApplyPatterns(func, std::move(units));
  return rewriteGreedily(func, std::move(reshapes));
}

namespace {
/// Reads that are reversed twice, as gradients of reversed loops have them, are
/// those of plain loops.
struct SimplifyMaps : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps =
        llvm::map_to_vector(op.getIndexingMapsArray(), [](AffineMap map) {
          return simplifyAffineMap(map);
        });
    if (maps == op.getIndexingMapsArray())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};
} // namespace

/// Elements that ops choose are computed where they are used. Producers have
/// theirs, and are simplified, before they are copied: in another order, each
/// path through a chain of choices would be copied apart.
static LogicalResult copyElements(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  EqualExtentsListener extents(func);
  RewritePatternSet patterns(context);
  populateExtractPatterns(patterns, extents);
  populateIntegerPatterns(patterns);
  populateIndexPatterns(patterns);
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  return rewriteGreedily(func, std::move(patterns), &extents,
                         /*startsAtProducers=*/true);
}

static LogicalResult fuseOps(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  if (failed(copyElements(func)))
    return failure();
  EqualExtentsListener extents(func);
  RewritePatternSet patterns(context);
  int64_t windowRank = 0;
  func.walk([&](linalg::LinalgOp op) {
    if (isWindow(op))
      for (OpOperand &operand : op->getOpOperands())
        windowRank = std::max(windowRank, op.getRank(&operand));
  });
  populateFusedOpPatterns(patterns, windowRank);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  linalg::populateInlineConstantOperandsPatterns(patterns);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  populateFillPatterns(patterns);
  patterns.add<SameElements, SimplifyMaps>(context);
  populateExtractPatterns(patterns, extents);
  populateInsertPatterns(patterns);
  populateIntegerPatterns(patterns);
  populateIndexPatterns(patterns);
  populateBranchCastPatterns(patterns);
  populateReshapePatterns(patterns);
  populateShapeTensorPatterns(patterns);
  populateSlicePatterns(patterns);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect,
                        arith::ArithDialect>(&op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  return rewriteGreedily(func, std::move(patterns), &extents);
}

LogicalResult carousel::fuseGraph(func::FuncOp func) {
  fillReadEmpties(func);
  RewritePatternSet scalars(func.getContext());
  linalg::populateInlineConstantOperandsPatterns(scalars);
  // A pad is a fill, and a copy of what it surrounds.
  linalg::populateDecomposePadPatterns(scalars);
  populatePaddedSlicePatterns(scalars);
  populateReducedConcatenationPatterns(scalars);
  populateSlicedProductPatterns(scalars);
  // Before elements that are read are computed where they are.
  EqualExtentsListener extents(func);
  populateLoopReadPatterns(scalars, extents);
  if (failed(rewriteGreedily(func, std::move(scalars), &extents)))
    return failure();
  foldConstantArithmetic(func);
  // Ops that are simpler after fusion may have unit extents that can go.
  for (unsigned round = 0; round != 2; ++round) {
    if (failed(dropUnitExtents(func)))
      return failure();
    // Also of ops whose reductions had one step.
    RewritePatternSet inits(func.getContext());
    linalg::populateMoveInitOperandsToInputPattern(inits);
    walkAndApplyPatterns(func, std::move(inits));
    if (failed(fuseOps(func)))
      return failure();
    // Fill tensors that ops of no iteration were to write.
    fillReadEmpties(func);
  }
  guardSelectedReads(func);
  RewritePatternSet rest(func.getContext());
  // Offsets that fusion has made constant.
  populatePaddedSlicePatterns(rest);
  populateTensorOfScalarsPatterns(rest);
  linalg::populateInlineConstantOperandsPatterns(rest);
  populateOtherReshapePatterns(rest);
  return rewriteGreedily(func, std::move(rest));
}

namespace {
struct FuseGraph : public carousel::impl::FuseGraphBase<FuseGraph> {
  using FuseGraphBase::FuseGraphBase;

  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(fuseGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
