//===- LowerToHost.cpp - upstream dialects to LLVM --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"
#include "KernelModule.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

namespace {

/// Upstream's pass, which widens the other functions of narrow floats, omits
/// this one, because it is rounded twice. Here floats of 8 bits are defined
/// that way (docs/Phases.md).
struct NarrowFMA : public OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), wide = rewriter.getF32Type();
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 16)
      return rewriter.notifyMatchFailure(op, "LLVM has it");
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    Location loc = op.getLoc();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(arith::ExtFOp::create(rewriter, loc, wide, operand));
    Value result = math::FmaOp::create(rewriter, loc, wide, operands);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result);
    return success();
  }
};

/// Copies a sign by a selection: LLVM makes bf16's copysign of masked and
/// joined bits, which its host code gets wrong.
struct NarrowCopySign : public OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), words;
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (width > 16)
      return rewriter.notifyMatchFailure(op, "LLVM has it");
    Type word = words = rewriter.getIntegerType(width);
    auto vector = dyn_cast<VectorType>(type);
    if (vector)
      words = vector.clone(word);
    Location loc = op.getLoc();
    auto constant = [&](const APInt &number) -> Value {
      TypedAttr attr = rewriter.getIntegerAttr(word, number);
      if (vector)
        attr = SplatElementsAttr::get(cast<ShapedType>(words), attr);
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    APInt sign = APInt::getSignMask(width);
    Value lhs = arith::BitcastOp::create(rewriter, loc, words, op.getLhs());
    Value rhs = arith::BitcastOp::create(rewriter, loc, words, op.getRhs());
    Value positive = arith::AndIOp::create(rewriter, loc, lhs, constant(~sign));
    Value negative =
        arith::OrIOp::create(rewriter, loc, positive, constant(sign));
    Value isNegative =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, rhs,
                              constant(APInt::getZero(width)));
    Value bits =
        arith::SelectOp::create(rewriter, loc, isNegative, negative, positive);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, bits);
    return success();
  }
};

/// The number of tf32 towards zero, or the next one if that is nearer, or as
/// near and even.
struct RoundToTF32 : public OpRewritePattern<RoundTF32Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RoundTF32Op op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t kBelow = (1 << 13) - 1, kHalf = 1 << 12,
                      kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto vector = dyn_cast<VectorType>(op.getType());
    Type word = b.getI32Type();
    Type words = vector ? Type(vector.clone(word)) : word;
    auto constant = [&](int64_t number) -> Value {
      TypedAttr attr = b.getIntegerAttr(word, number);
      if (vector)
        attr = DenseElementsAttr::get(cast<ShapedType>(words), Attribute(attr));
      return arith::ConstantOp::create(b, attr);
    };
    auto isAbove = [&](Value part, int64_t number) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, part,
                                   constant(number));
    };
    Value bits = arith::BitcastOp::create(b, words, op.getValue());
    Value below = arith::AndIOp::create(b, bits, constant(kBelow));
    Value lower = arith::SubIOp::create(b, bits, below);
    Value upper = arith::AddIOp::create(b, lower, constant(kBelow + 1));
    // The lower one has a last bit of 1: the upper one is even.
    Value isOdd =
        isAbove(arith::AndIOp::create(b, lower, constant(kBelow + 1)), 0);
    Value isUpper = arith::OrIOp::create(
        b, isAbove(below, kHalf),
        arith::AndIOp::create(b, isAbove(below, kHalf - 1), isOdd));
    Value nearest = arith::SelectOp::create(b, isUpper, upper, lower);
    Value magnitude = arith::AndIOp::create(b, bits, constant(kMagnitude));
    Value result = arith::SelectOp::create(b, isAbove(magnitude, kInfinity),
                                           bits, nearest);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }
};

/// Upstream's conversion lets LLVM round twice.
struct FuseVectorFMA : public OpRewritePattern<vector::FMAOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::FMAOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, op.getLhs(), op.getRhs(),
                                             op.getAcc());
    return success();
  }
};

/// Upstream's conversion takes vectors of one dimension only.
struct FlattenSincos : public OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getOperand().getType());
    if (!type || type.getRank() == 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "one row");
    Location loc = op.getLoc();
    auto flat = VectorType::get(type.getNumElements(), type.getElementType());
    Value operand =
        vector::ShapeCastOp::create(rewriter, loc, flat, op.getOperand());
    auto both = math::SincosOp::create(rewriter, loc, flat, flat, operand,
                                       op.getFastmath());
    SmallVector<Value> results;
    for (Value result : both->getResults())
      results.push_back(
          vector::ShapeCastOp::create(rewriter, loc, type, result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

LogicalResult carousel::sim::rewriteOps(Operation *op,
                                        RewritePatternSet patterns) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(op, std::move(patterns), config);
}

/// Lowers ops to other ops of math and arith that later steps support.
static LogicalResult simplifyMath(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateHostMath(patterns);
  patterns.add<NarrowCopySign, FuseVectorFMA, NarrowFMA, FlattenSincos,
               RoundToTF32>(module.getContext());
  return rewriteOps(module, std::move(patterns));
}

/// Makes calls of libm, of the ops that the target doesn't allow.
static LogicalResult callLibrary(ModuleOp module,
                                 const ConversionTarget &target) {
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Expands functions that neither LLVM nor libm has.
static LogicalResult expandMath(ModuleOp module) {
  MLIRContext *context = module.getContext();
  // Upstream's exp(x) - 1 loses the precision that expm1 has.
  ConversionTarget precise(*context);
  precise.markUnknownOpDynamicallyLegal(
      [](Operation *op) { return !isa<math::ExpM1Op>(op); });
  if (failed(callLibrary(module, precise)))
    return failure();
  PassManager manager(context, ModuleOp::getOperationName());
  manager.enableVerifier(false);
  ConvertMathToLLVMPassOptions options;
  // So does the shortcut log(1 + x).
  options.approximateLog1p = false;
  manager.addPass(createConvertMathToLLVMPass(options));
  if (failed(manager.run(module)))
    return failure();
  // Upstream's pass reports functions that libm lacks as illegal. Here the walk
  // at the end reports them (verifyLowered).
  ConversionTarget target(*context);
  target.addLegalDialect<arith::ArithDialect, BuiltinDialect, func::FuncDialect,
                         vector::VectorDialect>();
  return callLibrary(module, target);
}

/// Converts the last loop or branch first. Upstream's conversion splits the
/// block there and records each op that follows: few, in this order.
static LogicalResult lowerControlFlow(ModuleOp module) {
  RewritePatternSet list(module.getContext());
  populateSCFToControlFlowConversionPatterns(list);
  FrozenRewritePatternSet patterns(std::move(list));
  ConversionTarget target(*module.getContext());
  target.addIllegalOp<scf::ForOp, scf::ForallOp, scf::IfOp, scf::IndexSwitchOp,
                      scf::ParallelOp, scf::WhileOp, scf::ExecuteRegionOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  SmallVector<Operation *> outermost;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa_and_nonnull<scf::SCFDialect>(op->getDialect()))
      return WalkResult::advance();
    outermost.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : llvm::reverse(outermost))
    if (failed(applyPartialConversion(op, target, patterns)))
      return failure();
  return success();
}

static LogicalResult convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns,
                                            /*abortOnFailure=*/false);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateComplexToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  // The walk below finds ops without a pattern, and reports their location.
  return applyPartialConversion(module, target, std::move(patterns));
}

static LogicalResult verifyLowered(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) ||
        isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) ||
        isa<UnrealizedConversionCastOp>(op))
      return WalkResult::advance();
    op->emitError("the simulated machine doesn't know this operation: '")
        << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult carousel::sim::lowerToHost(ModuleOp module) {
  MLIRContext *context = module.getContext();
  if (failed(simplifyMath(module)) || failed(prepareVectors(module)) ||
      failed(lowerNarrowFloats(module)))
    return module.emitError("expected a kernel of vectors and floats that the "
                            "host can compute with");
  PassManager expand(context, ModuleOp::getOperationName());
  expand.enableVerifier(false); // LLVM verifies the module that comes of it
  expand.addPass(memref::createExpandOpsPass());
  expand.addPass(memref::createExpandStridedMetadataPass());
  expand.addPass(createLowerAffinePass());
  if (failed(expand.run(module)) || failed(lowerControlFlow(module)) ||
      failed(expandMath(module)) || failed(convertToLLVM(module)) ||
      failed(verifyLowered(module)))
    return failure();
  PassManager clean(context, ModuleOp::getOperationName());
  clean.enableVerifier(false);
  clean.addPass(createReconcileUnrealizedCastsPass());
  // Addresses are extracted from descriptors that the same function has built.
  clean.addPass(createCanonicalizerPass(
      GreedyRewriteConfig().setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled)));
  clean.addPass(createCSEPass());
  return clean.run(module);
}
