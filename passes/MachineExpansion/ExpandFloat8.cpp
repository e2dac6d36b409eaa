//===- ExpandFloat8.cpp - expand arithmetic on 8-bit floats ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns replace arithmetic on f8E4M3FN and f8E5M2 by arithmetic
// on f32 that rounds after each op. Conversions become the chip's instructions
// or integer arithmetic. The NVVM and EmitC stages both use the result. Ops
// that only move values are unchanged.
//
//===----------------------------------------------------------------------===//

#include "Float8Conversions.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDFLOAT8
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static bool hasFloat8(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isFloat8) ||
         llvm::any_of(op->getResultTypes(), isFloat8);
}

namespace {

struct Extend : public OpRewritePattern<arith::ExtFOp> {
  Extend(MLIRContext *context, bool isNative)
      : OpRewritePattern(context), isNative(isNative) {}
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat8(op.getIn().getType()) || !convertsToFloat8(op.getType()))
      return rewriter.notifyMatchFailure(op, "not from a float of 8 bits");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       createExtension(b, op.getIn(), op.getType(), isNative));
    return success();
  }
  bool isNative;
};

struct Truncate : public OpRewritePattern<arith::TruncFOp> {
  Truncate(MLIRContext *context, bool isNative)
      : OpRewritePattern(context), isNative(isNative) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat8(op.getType()) || !convertsToFloat8(op.getIn().getType()))
      return rewriter.notifyMatchFailure(op, "not to a float of 8 bits");
    arith::RoundingMode mode =
        op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
    if (mode != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "rounds otherwise");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       createTruncation(b, op.getIn(), op.getType(), isNative));
    return success();
  }
  bool isNative;
};

struct ExpandFloat8 : public carousel::impl::ExpandFloat8Base<ExpandFloat8> {
  using ExpandFloat8Base::ExpandFloat8Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    bool isNeeded = module
                        ->walk([](Operation *op) {
                          return hasFloat8(op) ? WalkResult::interrupt()
                                               : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!isNeeded)
      return markAllAnalysesPreserved();
    bool isNative = false;
    if (!useIntegers) {
      FailureOr<TargetSpec> target = getTargetSpec(module);
      if (failed(target))
        return signalPassFailure();
      // cvt to and from pairs of floats of 8 bits.
      isNative = target->explainMissing({/*sm=*/89, /*ptx=*/81}).empty();
    }
    if (failed(computeInFloat(module)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<Extend, Truncate>(&getContext(), isNative);
    SmallVector<Operation *> conversions;
    module.walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op) && hasFloat8(op))
        conversions.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(
            applyOpPatternsGreedily(conversions, std::move(patterns), config)))
      return signalPassFailure();
    if (asBytes) {
      module.walk(movePairs);
      moveBytes(module);
    }
  }

private:
  /// Moves pairs of bytes as words where they stay together: LLVM takes vectors
  /// of bytes apart, and puts each word together again.
  static void movePairs(vector::FromElementsOp op) {
    auto type = cast<VectorType>(op.getType());
    if (!isFloat8(type) || type.getRank() != 1 || type.getNumElements() % 4)
      return;
    // The vector of an element, and its place there.
    auto find = [](Value element) -> std::pair<Value, int64_t> {
      auto extract = element.getDefiningOp<vector::ExtractOp>();
      if (!extract || extract.getNumIndices() != 1 ||
          extract.hasDynamicPosition() ||
          extract.getSourceVectorType().getNumElements() % 2 != 0)
        return {};
      return {extract.getSource(), extract.getStaticPosition().front()};
    };
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<std::pair<Value, int64_t>> pairs;
    for (int64_t i = 0; i < type.getNumElements(); i += 2) {
      auto [vector, place] = find(op.getElements()[i]);
      if (!vector || place % 2 != 0 ||
          find(op.getElements()[i + 1]) != std::pair(vector, place + 1))
        return;
      pairs.push_back({vector, place / 2});
    }
    SmallVector<Value> halves, words;
    for (auto [vector, place] : pairs) {
      auto from = cast<VectorType>(vector.getType());
      Value all = b.createOrFold<vector::BitCastOp>(
          VectorType::get({from.getNumElements() / 2}, b.getI16Type()), vector);
      halves.push_back(b.createOrFold<vector::ExtractOp>(all, place));
      if (halves.size() < 2)
        continue;
      Value word = vector::FromElementsOp::create(
          b, VectorType::get({2}, b.getI16Type()),
          ValueRange(std::exchange(halves, {})));
      word = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()),
                                       word);
      words.push_back(vector::ExtractOp::create(b, word, 0));
    }
    Value joined = vector::FromElementsOp::create(
        b, VectorType::get({type.getNumElements() / 4}, b.getI32Type()),
        ValueRange(words));
    op.replaceAllUsesWith(
        vector::BitCastOp::create(b, type, joined).getResult());
    SetVector<Value> bytes(op.getElements().begin(), op.getElements().end());
    op.erase();
    for (Value byte : bytes)
      if (byte.use_empty())
        byte.getDefiningOp()->erase();
  }

  /// Makes i8 of both types where nothing computes with them: conversions of
  /// upstream take for granted that LLVM has the elements of vectors.
  static void moveBytes(gpu::GPUModuleOp module) {
    auto computes = [](Operation *op) {
      return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                 op->getDialect()) &&
             !isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op) &&
             hasFloat8(op);
    };
    bool isRefused = module
                         ->walk([&](Operation *op) {
                           return computes(op) ? WalkResult::interrupt()
                                               : WalkResult::advance();
                         })
                         .wasInterrupted();
    if (isRefused) // an error of carousel-verify-target
      return;
    Type byte = IntegerType::get(module.getContext(), 8);
    AttrTypeReplacer replacer;
    replacer.addReplacement([=](FloatType type) -> std::optional<Type> {
      return isFloat8(type) ? std::optional<Type>(byte) : std::nullopt;
    });
    replacer.addReplacement([=](FloatAttr attr) -> std::optional<Attribute> {
      if (!isFloat8(attr.getType()))
        return std::nullopt;
      return IntegerAttr::get(byte, attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement(
        [=](DenseElementsAttr attr) -> std::optional<Attribute> {
          if (!isFloat8(attr.getElementType()))
            return std::nullopt;
          return attr.bitcast(byte);
        });
    // A descriptor says how a product reads the bytes.
    replacer.addReplacement([](MatrixDescriptorType type) {
      return std::make_pair(Type(type), WalkResult::skip());
    });
    // So does a product, of a factor that is in registers.
    SmallVector<std::pair<WgmmaMmaOp, Type>> factors;
    module.walk([&](WgmmaMmaOp product) {
      WgmmaForm form = product.getForm();
      if (form.aInRegisters && isFloat8(form.a))
        factors.push_back({product, form.a});
    });
    module.walk([&](Operation *op) {
      // Their attributes name the format.
      if (!isa<NVVM::ConvertF32x2ToF8x2Op, NVVM::ConvertF16x2ToF8x2Op,
               NVVM::ConvertF8x2ToF16x2Op>(op))
        replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                                   /*replaceLocs=*/false,
                                   /*replaceTypes=*/true);
    });
    for (auto [product, type] : factors)
      product.setAType(type);
  }

  /// Arithmetic between conversions that nothing folds away: each op rounds.
  LogicalResult computeInFloat(gpu::GPUModuleOp module) {
    MLIRContext *context = &getContext();
    Type wide = Float32Type::get(context);
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    TypeConverter arithTypes;
    arith::populateEmulateUnsupportedFloatsConversions(
        arithTypes,
        {Float8E4M3FNType::get(context), Float8E5M2Type::get(context)}, wide);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, arithTypes);
    arith::populateEmulateUnsupportedFloatsLegality(target, arithTypes);
    SetVector<Type> kept;
    kept.insert_range(ArrayRef<Type>{Float16Type::get(context),
                                     BFloat16Type::get(context), wide,
                                     Float64Type::get(context)});
    TypeConverter mathTypes;
    math::populateExtendToSupportedTypesTypeConverter(mathTypes, kept, wide);
    math::populateExtendToSupportedTypesPatterns(patterns, mathTypes);
    target.addDynamicallyLegalDialect<math::MathDialect>(
        [](Operation *op) { return !hasFloat8(op); });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return failure();
    module.walk([](arith::ArithFastMathInterface op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op) && hasFloat8(op))
        op->removeAttr(op.getFastMathAttrName());
    });
    return success();
  }
};

} // namespace
