//===- NormalizeGraph.cpp - few forms of structured ops -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-normalize-graph. Mostly patterns of upstream's; FusedOps.h says
// what they fuse.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Grouped/GroupedProducts.h"
#include "../Grouped/GroupedSums.h"
#include "../Grouped/PickedRows.h"
#include "../Grouped/StackedTerms.h"
#include "../Precision/NarrowFactors.h"
#include "../Precision/WidenSums.h"
#include "../Products/ChannelsLast.h"
#include "../Products/ConvolutionForms.h"
#include "../Products/OneHotProducts.h"
#include "../Reading/FusedOps.h"
#include "../Reading/GreedyRewrites.h"
#include "../Reading/ReadConvolution.h"
#include "../Shapes/BranchCasts.h"
#include "../Shapes/ExtentPatterns.h"
#include "../Shapes/ExtractPatterns.h"
#include "../Shapes/InsertPatterns.h"
#include "../Shapes/IntegerPatterns.h"
#include "../Shapes/NumberPatterns.h"
#include "../Shapes/ReshapePatterns.h"
#include "../Shapes/SelectedReads.h"
#include "../Shapes/ShapeTensors.h"
#include "../Shapes/SlicePatterns.h"
#include "ArgReductions.h"
#include "ConstantArithmetic.h"
#include "ConstantCopies.h"
#include "EmptyLoops.h"
#include "EmptyReads.h"
#include "InitReads.h"
#include "ProductOrder.h"
#include "RowTables.h"
#include "SlicedProducts.h"
#include "SplitProducts.h"

#include "carousel/Passes/Passes.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_NORMALIZEGRAPH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Named ops
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
          kinds[loop.getPosition()] == utils::IteratorType::reduction)
        return op.emitOpError("expected results without reduced loops, got "
                              "loop ")
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

namespace {
struct NormalizeGraph
    : public carousel::impl::NormalizeGraphBase<NormalizeGraph> {
  using NormalizeGraphBase::NormalizeGraphBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    bool addsInF32 = accumulate == ContractionSums::F32;
    if (failed(verifyOps(func)) || failed(getChipModel(func)))
      return signalPassFailure();
    removeChecks(func);
    readConstantNumbers(func);
    RewritePatternSet elementwise(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(elementwise);
    tensor::populateFoldTensorEmptyPatterns(elementwise);
    populateConcatenationPatterns(elementwise);
    if (failed(decompose(func)) ||
        failed(rewriteGreedily(func, std::move(elementwise))) ||
        failed(generalize(func)))
      return signalPassFailure();
    putChannelsLast(func);
    fillReadEmpties(func);
    RewritePatternSet reductions(&getContext());
    populateArgReductionPatterns(reductions);
    if (failed(rewriteGreedily(func, std::move(reductions))))
      return signalPassFailure();
    if (addsInF32)
      widened += widenSums(func);
    if (failed(fuse(func)))
      return signalPassFailure();
    auto count = [&](Statistic &statistic, unsigned changed) {
      statistic += changed;
      return changed == 0 || succeeded(fuse(func));
    };
    if (!count(bits, multiplyBits(func)))
      return signalPassFailure();
    // Zero times what isn't finite isn't zero.
    if (!count(narrowed, narrowFactors(func, addsInF32)) ||
        (addsInF32 && (!count(stacked, stackTerms(func, pickedOperations)) ||
                       !count(oneHots, readOneHots(func, pickedOperations)) ||
                       !count(grouped, boundGroupedSums(func)))) ||
        !count(cut, cutProducts(func)) ||
        !multiplyPickedRows(func, pickedOperations,
                            [&] { return fuse(func); }) ||
        !count(grouped, tileGroupedProducts(func)))
      return signalPassFailure();
    orderProducts(func);
    nameRows(func);
    split += splitProducts(func);
    widened += orderConvolutions(func, addsInF32);
    foldConstantCopies(func);
    DecisionLog log(func, "carousel-normalize-graph");
    noteBroadcasts(func, log);
  }

  LogicalResult fuse(func::FuncOp func) {
    RewritePatternSet scalars(&getContext());
    linalg::populateInlineConstantOperandsPatterns(scalars);
    // A pad is a fill, and a copy of what it surrounds.
    linalg::populateDecomposePadPatterns(scalars);
    populatePaddedSlicePatterns(scalars);
    // Before elements that are read are computed where they are.
    EqualExtentsListener extents(func);
    populateLoopReadPatterns(scalars, extents);
    if (failed(rewriteGreedily(func, std::move(scalars), &extents)))
      return failure();
    foldConstantArithmetic(func);
    // What is simpler after fusion may have unit extents that can go.
    for (unsigned round = 0; round != 2; ++round) {
      if (failed(dropUnitExtents(func)))
        return failure();
      // Also of ops whose reductions had one step.
      makeReadInitsInputs(func);
      if (failed(fuseOps(func)))
        return failure();
      // What ops of no iteration were to write.
      fillReadEmpties(func);
    }
    guardSelectedReads(func);
    RewritePatternSet rest(&getContext());
    populateTensorOfNumbersPatterns(rest);
    linalg::populateInlineConstantOperandsPatterns(rest);
    populateOtherReshapePatterns(rest);
    return rewriteGreedily(func, std::move(rest));
  }

  /// By one walk: the patterns aren't for the greedy driver.
  LogicalResult dropUnitExtents(func::FuncOp func) {
    RewritePatternSet units(&getContext()), reshapes(&getContext());
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
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(reshapes,
                                                               options);
    walkAndApplyPatterns(func, std::move(units));
    return rewriteGreedily(func, std::move(reshapes));
  }

  /// Elements that ops choose are computed where they are used. Producers have
  /// theirs, and are simplified, before they are copied: in another order, each
  /// path through a chain of choices would be copied apart.
  LogicalResult copyElements(func::FuncOp func) {
    MLIRContext *context = &getContext();
    EqualExtentsListener extents(func);
    RewritePatternSet patterns(context);
    populateExtractPatterns(patterns, extents);
    populateIntegerPatterns(patterns);
    populateNumberPatterns(patterns);
    scf::IfOp::getCanonicalizationPatterns(patterns, context);
    return rewriteGreedily(func, std::move(patterns), &extents,
                           /*startsAtProducers=*/true);
  }

  LogicalResult fuseOps(func::FuncOp func) {
    MLIRContext *context = &getContext();
    if (failed(copyElements(func)))
      return failure();
    EqualExtentsListener extents(func);
    RewritePatternSet patterns(context);
    bool keepsUnits = func.walk([](Operation *op) {
                            return isWindow(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
                          })
                          .wasInterrupted();
    populateFusedOpPatterns(patterns, keepsUnits);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::populateInlineConstantOperandsPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    populateEmptyLoopPatterns(patterns);
    populateExtractPatterns(patterns, extents);
    populateInsertPatterns(patterns);
    populateIntegerPatterns(patterns);
    populateNumberPatterns(patterns);
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
};

} // namespace
