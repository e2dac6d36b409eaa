//===- FoldMasks.cpp - masks as bounds of memrefs -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-fold-masks. A transfer whose mask is a box accesses the elements
// below a limit in each dimension: its index plus the mask's size. If the limit
// is the memref's extent, as it is after tiling, the transfer is one that may
// leave the memref, and its mask goes. Otherwise a view ends at the limit.
//
//===----------------------------------------------------------------------===//

#include "MaskedOps.h"
#include "RestoreBounds.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_FOLDMASKS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Masked elements of values
//===----------------------------------------------------------------------===//

/// Masks that say the same, perhaps by several ops.
static bool isSameMask(Value first, Value second) {
  if (first == second)
    return true;
  auto create = first.getDefiningOp<vector::CreateMaskOp>();
  auto other = second.getDefiningOp<vector::CreateMaskOp>();
  return create && other && create.getType() == other.getType() &&
         llvm::all_of_zip(create.getOperands(), other.getOperands(),
                          [](Value own, Value others) {
                            return isEqualConstantIntOrValue(own, others);
                          });
}

/// Whether a transfer's mask is a mask of its vector. The masks of transfers
/// that permute dimensions have those of the memref.
static bool isMaskedBy(VectorTransferOpInterface op, Value mask) {
  return op.getMask() && op.getPermutationMap().isMinorIdentity() &&
         isSameMask(op.getMask(), mask);
}

namespace {

/// Gives a masked read the padding that its user chooses there.
///   %v = vector.transfer_read %x[%i], %poison, %mask
///   %w = arith.select %mask, %v, %zeros
/// becomes a read with the padding zero. Extensions may be in between.
struct PadMaskedRead : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    SplatElementsAttr wanted;
    if (!matchPattern(op.getFalseValue(), m_Constant(&wanted)))
      return rewriter.notifyMatchFailure(
          op, "expected a splat where the mask is false");
    Value source = op.getTrueValue();
    SmallVector<Operation *> extensions;
    while (source.hasOneUse() &&
           isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
               source.getDefiningOp())) {
      extensions.push_back(source.getDefiningOp());
      source = extensions.back()->getOperand(0);
    }
    auto read = source.getDefiningOp<vector::TransferReadOp>();
    if (!read || !source.hasOneUse() || !isMaskedBy(read, op.getCondition()) ||
        !read.getPadding().getDefiningOp<ub::PoisonOp>())
      return rewriter.notifyMatchFailure(
          op, "expected a read with this mask, and no other use");
    auto padding = cast<TypedAttr>(wanted.getSplatValue<Attribute>());
    if (!extensions.empty()) {
      TypedAttr narrow = narrowPadding(rewriter, read, padding);
      if (!narrow)
        return rewriter.notifyMatchFailure(
            op, "expected a padding that the narrower type has");
      padding = narrow;
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(read);
    Value constant =
        arith::ConstantOp::create(rewriter, read.getLoc(), padding);
    rewriter.modifyOpInPlace(
        read, [&] { read.getPaddingMutable().assign(constant); });
    rewriter.replaceOp(op, op.getTrueValue());
    return success();
  }

private:
  /// The element that extensions turn into `wide`; null if there is none.
  static TypedAttr narrowPadding(OpBuilder &builder, vector::TransferReadOp op,
                                 TypedAttr wide) {
    Type element = op.getVectorType().getElementType();
    auto number = dyn_cast<FloatAttr>(wide);
    if (!number)
      return matchPattern(wide, m_Zero()) ? builder.getZeroAttr(element)
                                          : TypedAttr();
    APFloat value = number.getValue();
    bool losesInfo = false;
    value.convert(cast<FloatType>(element).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    return losesInfo ? TypedAttr() : FloatAttr::get(element, value);
  }
};

/// Drops choices between elements that a masked write doesn't store.
struct DropChoiceBeforeWrite
    : public OpRewritePattern<vector::TransferWriteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferWriteOp op,
                                PatternRewriter &rewriter) const override {
    auto choice = op.getValueToStore().getDefiningOp<arith::SelectOp>();
    if (!choice || !isMaskedBy(op, choice.getCondition()))
      return rewriter.notifyMatchFailure(op,
                                         "expected a selection by this mask");
    rewriter.modifyOpInPlace(
        op, [&] { op.getValueToStoreMutable().assign(choice.getTrueValue()); });
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Masks of transfers
//===----------------------------------------------------------------------===//

/// The elements from which on a bound of a mask says nothing about the vectors
/// of `type`. Those that cover an extent may become wider.
static int64_t getMostElements(Operation *op, VectorType type, unsigned dim) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  auto program =
      kernel->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
  int64_t extent = type.getDimSize(dim);
  return extent == program.getWidth() ? std::numeric_limits<int64_t>::max()
                                      : extent;
}

/// The index behind the last one that a mask of `size` elements from `index` on
/// leaves; null if it leaves `most`.
static OpFoldResult findLimit(OpBuilder &builder, Location loc,
                              OpFoldResult size, Value index, int64_t most) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    if (*number >= most)
      return {};
  unsigned dims = 1;
  AffineExpr expr = getAffineDimExpr(0, builder.getContext());
  SmallVector<OpFoldResult> operands = {size};
  unsigned symbols = 0;
  auto value = dyn_cast<Value>(size);
  if (auto min = value ? value.getDefiningOp<affine::AffineMinOp>() : nullptr) {
    SmallVector<AffineExpr> bounds;
    for (AffineExpr bound : min.getMap().getResults()) {
      auto number = dyn_cast<AffineConstantExpr>(bound);
      if (!number || number.getValue() < most)
        bounds.push_back(bound);
    }
    if (bounds.empty())
      return {};
    if (bounds.size() == 1) {
      expr = bounds.front();
      dims = min.getMap().getNumDims();
      symbols = min.getMap().getNumSymbols();
      operands = getAsOpFoldResult(min.getOperands());
    }
  }
  operands.insert(operands.begin() + dims, index);
  expr = expr + getAffineDimExpr(dims, builder.getContext());
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(dims + 1, symbols, expr), operands);
}

static bool isNeverNegative(OpFoldResult limit) {
  if (std::optional<int64_t> number = getConstantIntValue(limit))
    return *number >= 0;
  FailureOr<int64_t> least = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::LB, cast<Value>(limit));
  return succeeded(least) && *least >= 0;
}

static bool isExtent(OpFoldResult limit, Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (std::optional<int64_t> number = getConstantIntValue(limit))
    return *number == type.getDimSize(dim);
  auto extent = cast<Value>(limit).getDefiningOp<memref::DimOp>();
  return extent && extent.getSource() == memref &&
         extent.getConstantIndex() == dim;
}

namespace {

struct FoldTransferMask
    : public OpInterfaceRewritePattern<VectorTransferOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(VectorTransferOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getShapedType());
    if (!type || !isGlobalMemRef(type) || !op.getMask())
      return rewriter.notifyMatchFailure(
          op, "expected a mask of a memref in global memory");
    std::optional<SmallVector<OpFoldResult>> sizes =
        findMaskSizes(op.getMask());
    std::optional<SmallVector<unsigned>> dims = findMaskDims(op);
    if (!sizes || !dims || sizes->size() != dims->size())
      return rewriter.notifyMatchFailure(op, "not masked by a box");

    SmallVector<bool> inBounds = op.getInBoundsValues();
    SmallVector<OpFoldResult> limits(type.getRank());
    for (auto [size, dim] : llvm::zip_equal(*sizes, *dims)) {
      int64_t along = getMemRefDim(op, dim);
      OpFoldResult limit =
          findLimit(rewriter, op.getLoc(), size, op.getIndices()[along],
                    getMostElements(op, op.getVectorType(), dim));
      if (!limit)
        continue;
      if (!isExtent(limit, op.getBase(), along))
        limits[along] = bound(rewriter, op, along, limit, inBounds[dim]);
      inBounds[dim] = false;
    }
    Value view = limitView(rewriter, op, limits);
    rewriter.modifyOpInPlace(op, [&] {
      ArrayAttr attr = rewriter.getBoolArrayAttr(inBounds);
      if (auto read = dyn_cast<vector::TransferReadOp>(op.getOperation()))
        accessWithinBounds(read, view, attr);
      else
        accessWithinBounds(cast<vector::TransferWriteOp>(op.getOperation()),
                           view, attr);
    });
    return success();
  }

private:
  static int64_t getMemRefDim(VectorTransferOpInterface op, unsigned dim) {
    return cast<AffineDimExpr>(op.getPermutationMap().getResult(dim))
        .getPosition();
  }

  /// The vector's dimension for each of the mask's, which are in the order of
  /// the memref's and have no broadcasts.
  static std::optional<SmallVector<unsigned>>
  findMaskDims(VectorTransferOpInterface op) {
    SmallVector<unsigned> dims;
    for (auto [dim, expr] :
         llvm::enumerate(op.getPermutationMap().getResults()))
      if (isa<AffineDimExpr>(expr))
        dims.push_back(dim);
    llvm::sort(dims, [&](unsigned left, unsigned right) {
      return getMemRefDim(op, left) < getMemRefDim(op, right);
    });
    return dims;
  }

  /// A limit that is an extent: not negative, and within the memref if the
  /// transfer may leave it.
  static OpFoldResult bound(PatternRewriter &rewriter,
                            VectorTransferOpInterface op, int64_t dim,
                            OpFoldResult limit, bool isInBounds) {
    Location loc = op.getLoc();
    if (!isInBounds) {
      Value extent =
          memref::DimOp::create(rewriter, loc, op.getBase(), int64_t(dim));
      limit = arith::MinSIOp::create(
                  rewriter, loc,
                  getValueOrCreateConstantIndexOp(rewriter, loc, limit), extent)
                  .getResult();
    }
    if (isNeverNegative(limit))
      return limit;
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    return arith::MaxSIOp::create(
               rewriter, loc,
               getValueOrCreateConstantIndexOp(rewriter, loc, limit), zero)
        .getResult();
  }

  /// The memref up to the limits; itself without any.
  static Value limitView(PatternRewriter &rewriter,
                         VectorTransferOpInterface op,
                         ArrayRef<OpFoldResult> limits) {
    if (llvm::none_of(limits, [](OpFoldResult limit) { return bool(limit); }))
      return op.getBase();
    SmallVector<OpFoldResult> sizes =
        memref::getMixedSizes(rewriter, op.getLoc(), op.getBase());
    for (auto [size, limit] : llvm::zip_equal(sizes, limits))
      if (limit)
        size = limit;
    SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(sizes.size(), rewriter.getIndexAttr(1));
    return memref::SubViewOp::create(rewriter, op.getLoc(), op.getBase(), zeros,
                                     sizes, ones);
  }

  template <typename Op>
  static void accessWithinBounds(Op op, Value memref, ArrayAttr inBounds) {
    op.getBaseMutable().assign(memref);
    op.setInBoundsAttr(inBounds);
    op.getMaskMutable().clear();
  }
};

/// A poison stands for any padding, and engines fill in numbers.
struct PadByZero : public OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getPadding().getDefiningOp<ub::PoisonOp>())
      return rewriter.notifyMatchFailure(op, "expected a padding of poison");
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getZeroAttr(op.getVectorType().getElementType()));
    rewriter.modifyOpInPlace(op, [&] { op.getPaddingMutable().assign(zero); });
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct FoldMasks : public carousel::impl::FoldMasksBase<FoldMasks> {
  using FoldMasksBase::FoldMasksBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel->hasAttr(CarouselDialect::kBlockProgram))
        continue;
      moveToGlobal(kernel);
      restoreBounds(kernel);
      if (concerns(kernel) && failed(fold(kernel)))
        return signalPassFailure();
    }
  }

  /// Callers pass memory of the device, and so memrefs without a memory space
  /// are in global memory.
  static void moveToGlobal(gpu::GPUFuncOp kernel) {
    auto isUnplaced = [](Type type) {
      auto memref = dyn_cast<BaseMemRefType>(type);
      return memref && !memref.getMemorySpace();
    };
    bool isPassed = llvm::any_of(kernel.getArgumentTypes(), isUnplaced);
    bool isAllocated = kernel
                           ->walk([&](memref::AllocOp op) {
                             return isUnplaced(op.getType())
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
    if (!isPassed || isAllocated)
      return;
    auto global = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                             gpu::AddressSpace::Global);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BaseMemRefType type) -> std::optional<Type> {
      if (type.getMemorySpace())
        return std::nullopt;
      if (auto ranked = dyn_cast<MemRefType>(type))
        return MemRefType::Builder(ranked).setMemorySpace(global);
      return UnrankedMemRefType::get(type.getElementType(), global);
    });
    replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  /// Kernels without masks, views and paddings of poison stay as they are.
  static bool concerns(gpu::GPUFuncOp kernel) {
    return kernel
        ->walk([](Operation *op) {
          if (isa<vector::MaskOp>(op))
            return WalkResult::interrupt();
          auto transfer = dyn_cast<VectorTransferOpInterface>(op);
          if (!transfer)
            return WalkResult::advance();
          auto read = dyn_cast<vector::TransferReadOp>(op);
          bool isPoison =
              read && read.getPadding().getDefiningOp<ub::PoisonOp>();
          return transfer.getMask() || isPoison ||
                         transfer.getBase().getDefiningOp<memref::SubViewOp>()
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  LogicalResult fold(gpu::GPUFuncOp kernel) {
    // Upstream's fold of transfers states bounds that don't hold.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    IRRewriter rewriter(&getContext());
    SmallVector<vector::MaskOp> masks;
    kernel->walk([&](vector::MaskOp op) { masks.push_back(op); });
    for (vector::MaskOp op : masks) {
      if (std::string reason = explainMask(op); !reason.empty())
        return op.emitError(reason);
      unmask(rewriter, op);
    }
    // Masks are compared before they go.
    RewritePatternSet values(&getContext()), transfers(&getContext());
    values.add<PadMaskedRead, DropChoiceBeforeWrite>(&getContext());
    memref::populateFoldMemRefAliasOpPatterns(transfers);
    transfers.add<FoldTransferMask, PadByZero>(&getContext());
    auto count = [&] {
      int64_t number = 0;
      kernel->walk(
          [&](VectorTransferOpInterface op) { number += bool(op.getMask()); });
      return number;
    };
    if (failed(applyPatternsGreedily(kernel, std::move(values), config)))
      return failure();
    int64_t before = count();
    // Upstream's patterns for expanded and collapsed memrefs make ops before
    // they fail, again and again (MLIR 22). What they leave is right.
    (void)applyPatternsGreedily(kernel, std::move(transfers), config);
    folded += before - count();
    return success();
  }
};

} // namespace
