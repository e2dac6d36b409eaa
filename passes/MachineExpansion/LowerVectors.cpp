//===- LowerVectors.cpp - lower vectors to types that LLVM has ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies upstream's progressive lowerings of vector ops. Upstream's conversion
// to LLVM expects its caller to run them.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/VectorLowering.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERVECTORS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Lanes that the mask leaves out become what changes nothing. Reductions of
/// several dimensions, contractions and outer products end in these.
struct ReduceWithMask : public OpRewritePattern<vector::MaskOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::MaskOp op,
                                PatternRewriter &rewriter) const override {
    auto reduction = dyn_cast_or_null<vector::ReductionOp>(op.getMaskableOp());
    if (!reduction || reduction.getSourceVectorType().isScalable())
      return rewriter.notifyMatchFailure(op, "not a reduction");
    Location loc = reduction.getLoc();
    VectorType type = reduction.getSourceVectorType();
    TypedAttr neutral =
        getNeutral(rewriter, reduction.getKind(), type.getElementType());
    Value others = arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(type, neutral));
    Value lanes = arith::SelectOp::create(rewriter, loc, op.getMask(),
                                          reduction.getVector(), others);
    rewriter.replaceOpWithNewOp<vector::ReductionOp>(op, reduction.getKind(),
                                                     lanes, reduction.getAcc(),
                                                     reduction.getFastmath());
    return success();
  }

private:
  static TypedAttr getNeutral(OpBuilder &builder, vector::CombiningKind kind,
                              Type type) {
    using Kind = vector::CombiningKind;
    auto integer = [&](const APInt &value) {
      return builder.getIntegerAttr(type, value);
    };
    auto floating = [&](auto make) {
      const llvm::fltSemantics &semantics =
          cast<FloatType>(type).getFloatSemantics();
      return builder.getFloatAttr(type, make(semantics));
    };
    unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                   : type.getIntOrFloatBitWidth();
    switch (kind) {
    case Kind::ADD:
      if (isa<FloatType>(type)) // 0 would turn -0 into itself
        return floating([](const llvm::fltSemantics &semantics) {
          return APFloat::getZero(semantics, /*Negative=*/true);
        });
      return integer(APInt::getZero(bits));
    case Kind::MUL:
      return builder.getOneAttr(type);
    case Kind::OR:
    case Kind::XOR:
    case Kind::MAXUI:
      return integer(APInt::getZero(bits));
    case Kind::AND:
    case Kind::MINUI:
      return integer(APInt::getAllOnes(bits));
    case Kind::MINSI:
      return integer(APInt::getSignedMaxValue(bits));
    case Kind::MAXSI:
      return integer(APInt::getSignedMinValue(bits));
    case Kind::MINNUMF:
    case Kind::MAXNUMF:
      return floating([](const llvm::fltSemantics &semantics) {
        return APFloat::getNaN(semantics);
      });
    case Kind::MINIMUMF:
    case Kind::MAXIMUMF:
      return floating([&](const llvm::fltSemantics &semantics) {
        return getEnd(semantics, kind == Kind::MAXIMUMF);
      });
    }
    llvm_unreachable("all kinds are listed");
  }

  /// An infinity, or the largest number where there is none.
  static APFloat getEnd(const llvm::fltSemantics &semantics, bool isNegative) {
    return APFloat::semanticsHasInf(semantics)
               ? APFloat::getInf(semantics, isNegative)
               : APFloat::getLargest(semantics, isNegative);
  }
};

/// Whether a thread has no registers for the vector. LLVM splits it, into pairs
/// only where nothing shuffles the whole.
bool isWide(VectorType type) {
  constexpr int64_t kWideElements = 32;
  return type.getRank() == 1 && type.getNumElements() > kWideElements;
}

/// Elements of a slice move into a wide vector one by one.
struct InsertElements : public OpRewritePattern<vector::InsertStridedSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::InsertStridedSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isWide(op.getDestVectorType()))
      return rewriter.notifyMatchFailure(op, "not a wide vector");
    int64_t first = cast<IntegerAttr>(op.getOffsets()[0]).getInt();
    Value all = op.getDest();
    for (int64_t number : llvm::seq(op.getSourceVectorType().getNumElements()))
      all = vector::InsertOp::create(
          rewriter, op.getLoc(),
          vector::ExtractOp::create(rewriter, op.getLoc(), op.getValueToStore(),
                                    number),
          all, first + number);
    rewriter.replaceOp(op, all);
    return success();
  }
};

/// The same of the elements that shuffles of wide vectors take.
struct TakeElementsOfWide : public OpRewritePattern<vector::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ShuffleOp op,
                                PatternRewriter &rewriter) const override {
    VectorType first = op.getV1VectorType();
    if (!isWide(first) && !isWide(op.getV2VectorType()) &&
        !isWide(op.getResultVectorType()))
      return rewriter.notifyMatchFailure(op, "no wide vector");
    SmallVector<Value> elements;
    for (int64_t number : op.getMask()) {
      bool isOfFirst = number < first.getNumElements();
      elements.push_back(
          number == vector::ShuffleOp::kPoisonIndex
              ? ub::PoisonOp::create(rewriter, op.getLoc(),
                                     first.getElementType())
              : vector::ExtractOp::create(
                    rewriter, op.getLoc(), isOfFirst ? op.getV1() : op.getV2(),
                    isOfFirst ? number : number - first.getNumElements())
                    .getResult());
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, op.getResultVectorType(), elements);
    return success();
  }
};

struct LowerVectors : public carousel::impl::LowerVectorsBase<LowerVectors> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateVectorLowering(patterns);
    patterns.add<ReduceWithMask>(context);
    patterns.add<InsertElements, TakeElementsOfWide>(context, /*benefit=*/2);
    vector::populateVectorToElementsUnrollPatterns(patterns);
    vector::populateVectorInterleaveToShufflePatterns(patterns);
    // Elements out of bounds are masked by the position, computed in i32.
    vector::populateVectorMaskMaterializationPatterns(
        patterns, /*force32BitVectorIndices=*/true);
    frozen = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> vectors;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<vector::VectorDialect>(op->getDialect()) ||
          isa<math::AbsIOp, math::CountLeadingZerosOp,
              math::CountTrailingZerosOp>(op))
        vectors.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(vectors, frozen)))
      signalPassFailure();
  }

  FrozenRewritePatternSet frozen;
};

} // namespace
