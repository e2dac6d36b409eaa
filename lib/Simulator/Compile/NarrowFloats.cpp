//===- NarrowFloats.cpp - bf16 and f8 on the host ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the device computes in a narrower type, the host computes in f32 and
// rounds after each operation to the nearest even, as the device does.
// Truncations with another rounding mode are calls for all types.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <memory>
#include <mutex>

using namespace mlir;
using namespace carousel::sim;

//===----------------------------------------------------------------------===//
// At run time
//===----------------------------------------------------------------------===//

using Semantics = llvm::APFloatBase::Semantics;

static uint64_t
convertSlowly(uint64_t bits, Semantics from, Semantics to,
              llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven) {
  const llvm::fltSemantics &source = llvm::APFloatBase::EnumToSemantics(from);
  const llvm::fltSemantics &target = llvm::APFloatBase::EnumToSemantics(to);
  unsigned width = llvm::APFloat::getSizeInBits(source);
  llvm::APFloat value(source, llvm::APInt(width, bits, /*isSigned=*/false,
                                          /*implicitTrunc=*/true));
  bool losesInfo;
  value.convert(target, mode, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// Numbers of a type of 16 bits or fewer in a type with NaN and infinities, all
/// computed when the first is asked for: kernels convert more than these types
/// have.
static const uint64_t *getConverted(Semantics from, Semantics to,
                                    unsigned width) {
  constexpr unsigned kTypes = Semantics::S_MaxSemantics + 1;
  static std::unique_ptr<uint64_t[]> tables[kTypes][kTypes];
  static std::once_flag flags[kTypes][kTypes];
  std::call_once(flags[from][to], [&] {
    tables[from][to].reset(new uint64_t[size_t(1) << width]);
    for (uint64_t bits = 0; bits >> width == 0; ++bits)
      tables[from][to][bits] = convertSlowly(bits, from, to);
  });
  return tables[from][to].get();
}

static uint64_t
convert(uint64_t bits, Semantics from, Semantics to,
        llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven) {
  unsigned width =
      llvm::APFloat::getSizeInBits(llvm::APFloatBase::EnumToSemantics(from));
  // Types without NaN or zero have no result for some numbers, which a kernel
  // may not have.
  if (width > 16 || mode != llvm::RoundingMode::NearestTiesToEven ||
      !llvm::APFloatBase::isIEEELikeFP(llvm::APFloatBase::EnumToSemantics(to)))
    return convertSlowly(bits, from, to, mode);
  return getConverted(from, to, width)[bits & ((uint64_t(1) << width) - 1)];
}

extern "C" {
static uint64_t carousel_sim_convert_float(uint64_t bits, int32_t from,
                                           int32_t to, int32_t mode) {
  return convert(bits, Semantics(from), Semantics(to),
                 static_cast<llvm::RoundingMode>(mode));
}

// LLVM passes half and bfloat in the low bits of a float register.
static float widen(uint64_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
}
static uint64_t getBits(float value) { return llvm::bit_cast<uint32_t>(value); }
static uint64_t getBits(double value) {
  return llvm::bit_cast<uint64_t>(value);
}
static float extendHalf(float carrier) {
  return widen(convert(getBits(carrier) & 0xffff, Semantics::S_IEEEhalf,
                       Semantics::S_IEEEsingle));
}
static float truncateToHalf(float value) {
  return widen(
      convert(getBits(value), Semantics::S_IEEEsingle, Semantics::S_IEEEhalf));
}
static float truncateDoubleToHalf(double value) {
  return widen(
      convert(getBits(value), Semantics::S_IEEEdouble, Semantics::S_IEEEhalf));
}
// Called for each element of some vectors, so without APFloat.
static float truncateToBFloat(float value) {
  uint32_t bits = static_cast<uint32_t>(getBits(value));
  if (std::isnan(value))
    return widen(bits >> 16 | 0x40);
  return widen((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static float truncateDoubleToBFloat(double value) {
  return widen(
      convert(getBits(value), Semantics::S_IEEEdouble, Semantics::S_BFloat));
}
}

llvm::ArrayRef<HostSymbol> carousel::sim::getFloatSymbols() {
  static const HostSymbol kSymbols[] = {
      {"carousel_sim_convert_float", (void *)&carousel_sim_convert_float},
      {"__extendhfsf2", (void *)&extendHalf},
      {"__truncsfhf2", (void *)&truncateToHalf},
      {"__truncdfhf2", (void *)&truncateDoubleToHalf},
      {"__truncsfbf2", (void *)&truncateToBFloat},
      {"__truncdfbf2", (void *)&truncateDoubleToBFloat},
  };
  return kSymbols;
}

//===----------------------------------------------------------------------===//
// At compile time
//===----------------------------------------------------------------------===//

/// Whether LLVM has no such type.
static bool isForeign(Type type) {
  auto floating = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return floating && (floating.getWidth() < 16 || floating.isBF16());
}

static llvm::RoundingMode getRounding(arith::ExtFOp) {
  return llvm::RoundingMode::NearestTiesToEven; // exact
}

static llvm::RoundingMode getRounding(arith::TruncFOp op) {
  switch (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::to_nearest_even:
    return llvm::RoundingMode::NearestTiesToEven;
  case arith::RoundingMode::downward:
    return llvm::RoundingMode::TowardNegative;
  case arith::RoundingMode::upward:
    return llvm::RoundingMode::TowardPositive;
  case arith::RoundingMode::toward_zero:
    return llvm::RoundingMode::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return llvm::RoundingMode::NearestTiesToAway;
  }
  llvm_unreachable("all modes are listed");
}

namespace {

/// The default mode is that of the host.
struct DropDefaultMode : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getRoundingmode() != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "none, or another");
    rewriter.modifyOpInPlace(op, [&] { op.removeRoundingmodeAttr(); });
    return success();
  }
};

/// Lowers extf and truncf from or to a foreign type, or with a rounding mode
/// that the host lacks, to one call per element. Upstream has faster
/// conversions between bf16 and f32.
template <typename Op> struct ConvertByCall : public OpRewritePattern<Op> {
  /// With priority over upstream's patterns, which round to the nearest even.
  ConvertByCall(MLIRContext *context)
      : OpRewritePattern<Op>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (getRounding(op) == llvm::RoundingMode::NearestTiesToEven) {
      if (!isForeign(from) && !isForeign(to))
        return rewriter.notifyMatchFailure(op, "LLVM has it");
      if ((from.isBF16() && to.isF32()) || (from.isF32() && to.isBF16()))
        return rewriter.notifyMatchFailure(op, "upstream has it");
    }
    auto vector = dyn_cast<VectorType>(op.getType());
    if (vector && vector.isScalable())
      return rewriter.notifyMatchFailure(op, "scalable");
    Location loc = op.getLoc();
    if (from.isBF16() && to.isF64()) { // by f32, exactly
      Type f32 = rewriter.getF32Type(),
           middle = vector ? vector.clone(f32) : f32;
      Value widened = Op::create(rewriter, loc, middle, op.getIn());
      rewriter.replaceOpWithNewOp<Op>(op, op.getType(), widened);
      return success();
    }
    rewriter.replaceOp(
        op, computeElements(
                rewriter, loc, op.getType(), op.getIn(), [&](ValueRange in) {
                  return convertOne(op, rewriter, loc, in[0], from, to);
                }));
    return success();
  }

private:
  static Semantics getSemantics(Type type) {
    return llvm::APFloatBase::SemanticsToEnum(
        cast<FloatType>(type).getFloatSemantics());
  }
  static Value convertOne(Op op, PatternRewriter &rewriter, Location loc,
                          Value value, Type from, Type to) {
    Type i64 = rewriter.getI64Type(), i32 = rewriter.getI32Type();
    Value bits = arith::BitcastOp::create(
        rewriter, loc, rewriter.getIntegerType(from.getIntOrFloatBitWidth()),
        value);
    if (bits.getType() != i64)
      bits = arith::ExtUIOp::create(rewriter, loc, i64, bits);
    auto constant = [&](auto value) -> Value {
      return arith::ConstantIntOp::create(rewriter, loc, i32, int64_t(value));
    };
    Value converted =
        callHost(rewriter, loc, "carousel_sim_convert_float",
                 {bits, constant(getSemantics(from)),
                  constant(getSemantics(to)), constant(getRounding(op))},
                 i64);
    Type narrow = rewriter.getIntegerType(to.getIntOrFloatBitWidth());
    if (narrow != i64)
      converted = arith::TruncIOp::create(rewriter, loc, narrow, converted);
    return arith::BitcastOp::create(rewriter, loc, to, converted);
  }
};

} // namespace

LogicalResult carousel::sim::lowerNarrowFloats(ModuleOp module) {
  MLIRContext *context = module.getContext();
  static const char *const kForeign[] = {
      "bf16",   "f8E5M2",    "f8E4M3",   "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ",
      "f8E3M4", "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"};
  PassManager manager(context, ModuleOp::getOperationName());
  math::MathExtendToSupportedTypesOptions extend;
  extend.extraTypeStrs = {"f64"};
  extend.targetTypeStr = "f32";
  manager.enableVerifier(false);
  manager.addPass(math::createMathExtendToSupportedTypes(extend));
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs.assign(std::begin(kForeign), std::end(kForeign));
  emulate.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  if (failed(manager.run(module)))
    return failure();

  // Fast-math flags allow conversions to cancel out, which would lose the
  // rounding between two operations.
  module.walk([](arith::ArithFastMathInterface op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      op->removeAttr(op.getFastMathAttrName());
  });

  RewritePatternSet patterns(context);
  patterns.add<DropDefaultMode, ConvertByCall<arith::ExtFOp>,
               ConvertByCall<arith::TruncFOp>>(context);
  populateExpandExtrema(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateExpandScalingExtTruncPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  return rewriteOps(module, std::move(patterns));
}
