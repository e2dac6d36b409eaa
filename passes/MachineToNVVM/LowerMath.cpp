//===- LowerMath.cpp - math ops that are one instruction ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts fused multiply-adds, the maxima and minima of floats, approximate
// powers of 2 and tanh to LLVM's, and keeps vectors. MLIR's conversion to NVVM
// would call libdevice for each element, and every kernel with such a call must
// read libdevice. A sine and cosine of one number becomes two functions, which
// libdevice has for all types.
//
// Quotients of bf16, and those that allow approximations, don't need a division
// of f32 that is rounded correctly, whose branch for small and large numbers
// ptxas puts around each element.
//
//===----------------------------------------------------------------------===//

#include "../MachineExpansion/ExpandMath.h"
#include "NVVMLowering.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERMATH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static bool hasLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return !vector || (vector.getRank() == 1 && !vector.isScalable());
}

/// One that isn't split into lanes any more.
static bool isQuotient(Operation *op) {
  return isApproximateQuotient(op) && hasLanes(op->getResult(0).getType());
}

/// Whether there is an instruction of this type. libdevice computes narrow ones
/// in f32, which rounds fma twice, and maxima and minima not at all. The
/// conversion to NVVM refuses the intrinsics of most other functions.
static bool isInstruction(Operation *op) {
  if (isQuotient(op))
    return true;
  bool isExtremum = isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
                        arith::MinNumFOp>(op);
  if (!isExtremum && !isApproximate(op) && !isa<math::FmaOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  if (!hasLanes(type))
    return false;
  Type element = getElementTypeOrSelf(type);
  if (element.isF64()) // PTX has neither max.NaN.f64 nor min.NaN.f64
    return !isa<arith::MaximumFOp, arith::MinimumFOp>(op);
  bool isNarrow = element.isF16() || element.isBF16();
  return element.isF32() || (isExtremum && isNarrow);
}

/// MLIR's conversion to NVVM has no function for both at once.
static void splitSincos(Operation *root) {
  root->walk([](math::SincosOp op) {
    OpBuilder builder(op);
    Value sin = math::SinOp::create(builder, op.getLoc(), op.getOperand(),
                                    op.getFastmathAttr());
    Value cos = math::CosOp::create(builder, op.getLoc(), op.getOperand(),
                                    op.getFastmathAttr());
    op->replaceAllUsesWith(ValueRange{sin, cos});
    op.erase();
  });
}

/// Computes each element of f32 by an intrinsic that has no vectors.
static Value
computeElements(OpBuilder &builder, Location loc, ValueRange operands,
                llvm::function_ref<Value(ValueRange elements)> compute) {
  auto vector = dyn_cast<VectorType>(operands.front().getType());
  if (!vector)
    return compute(operands);
  SmallVector<Value> results;
  for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i)
    results.push_back(
        compute(llvm::map_to_vector(operands, [&](Value operand) -> Value {
          return vector::ExtractOp::create(builder, loc, operand, i);
        })));
  return vector::FromElementsOp::create(
      builder, loc, vector.clone(builder.getF32Type()), results);
}

namespace {

/// Lowers exp2 of numbers, one by one: LLVM's own exp2 flushes in modules that
/// do, only.
struct LowerExp2 : public OpConversionPattern<math::Exp2Op> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op, computeElements(
                rewriter, loc, adaptor.getOperands(), [&](ValueRange elements) {
                  return createIntrinsic(rewriter, loc, rewriter.getF32Type(),
                                         "llvm.nvvm.ex2.approx.ftz.f32",
                                         elements);
                }));
    return success();
  }
};

struct LowerQuotient : public OpConversionPattern<arith::DivFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isQuotient(op))
      return rewriter.notifyMatchFailure(op, "expected an approximate one");
    Location loc = op.getLoc();
    Type wide = rewriter.getF32Type();
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      wide = vector.clone(wide);
    SmallVector<Value> operands =
        llvm::map_to_vector(adaptor.getOperands(), [&](Value operand) -> Value {
          if (operand.getType() == wide)
            return operand;
          return arith::ExtFOp::create(rewriter, loc, wide, operand);
        });
    Value quotient =
        computeElements(rewriter, loc, operands, [&](ValueRange elements) {
          return createIntrinsic(rewriter, loc, rewriter.getF32Type(),
                                 "llvm.nvvm.div.full", elements);
        });
    if (op.getType() != wide)
      quotient = arith::TruncFOp::create(rewriter, loc, op.getType(), quotient);
    rewriter.replaceOp(op, quotient);
    return success();
  }
};

struct LowerMath : public carousel::impl::LowerMathBase<LowerMath> {
  void runOnOperation() override {
    splitSincos(getOperation());
    WalkResult found = getOperation()->walk([](Operation *op) {
      return isInstruction(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return;
    // It converts none of these types.
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    populateMathToLLVMConversionPatterns(types, patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    patterns.add<LowerExp2, LowerQuotient>(types, &getContext(),
                                           /*benefit=*/2);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, vector::VectorDialect>();
    target.markUnknownOpDynamicallyLegal(
        [](Operation *op) { return !isInstruction(op); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
