//===- MathToEmitC.cpp - math to EmitC ------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts math ops to CUDA's functions. The NVVM stage calls the same
// functions in libdevice. carousel/device/math.h defines them for vectors and
// for narrow floats, under the same names without the `f`.
//
//===----------------------------------------------------------------------===//

#include "../MachineExpansion/ExpandMath.h"
#include "ToEmitC.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

/// `expf` for float, `exp` for double, `carousel::exp` for others.
static LogicalResult lowerFunction(Operation *op, ArrayRef<Value> operands,
                                   CBuilder &builder, StringRef text) {
  Type type = builder.types.convertType(op->getResult(0).getType());
  if (!type)
    return failure();
  std::string callee = "carousel::" + text.str();
  // libdevice has no narrow ones; vector.fma is an instruction of its own.
  if (op->getName().getStringRef() == "math.fma" &&
      getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() <
          32)
    callee += "_in_float";
  if (isApproximate(op)) { // one instruction
    builder.rewriter.replaceOp(
        op,
        builder.pure(type, "carousel::approximate_" + text.str(), operands));
    return success();
  }
  bool scalars = llvm::all_of(
      operands, [&](Value value) { return value.getType() == type; });
  // rsqrt is CUDA's own; the rest are C's.
  if (scalars && type.isF32())
    callee = text.str() + "f";
  else if (scalars && type.isF64())
    callee = text.str();
  builder.rewriter.replaceOp(op, builder.pure(type, callee, operands));
  return success();
}

/// Two functions, whose arguments the compiler reduces once.
static LogicalResult lowerSincos(math::SincosOp op,
                                 AdaptorOf<math::SincosOp> adaptor,
                                 CBuilder &builder) {
  Value operand = one(adaptor.getOperand());
  Type type = operand.getType();
  auto call = [&](StringRef text) -> Value {
    std::string callee = type.isF32()   ? text.str() + "f"
                         : type.isF64() ? text.str()
                                        : "carousel::" + text.str();
    return builder.pure(type, callee, operand);
  };
  builder.rewriter.replaceOp(op, {call("sin"), call("cos")});
  return success();
}

/// One of carousel::'s for all types.
static LogicalResult lowerOwn(Operation *op, ArrayRef<Value> operands,
                              CBuilder &builder, StringRef text) {
  Type type = builder.types.convertType(op->getResult(0).getType());
  if (!type)
    return failure();
  builder.rewriter.replaceOp(op, builder.pure(type, text, operands));
  return success();
}

void carousel::populateMathToEmitC(RewritePatternSet &patterns,
                                   const CTypes &types) {
  struct Row {
    StringRef op, text;
  };
  const Row functions[] = {
      {"math.absf", "fabs"},         {"math.acos", "acos"},
      {"math.acosh", "acosh"},       {"math.asin", "asin"},
      {"math.asinh", "asinh"},       {"math.atan", "atan"},
      {"math.atan2", "atan2"},       {"math.atanh", "atanh"},
      {"math.cbrt", "cbrt"},         {"math.ceil", "ceil"},
      {"math.copysign", "copysign"}, {"math.cos", "cos"},
      {"math.cosh", "cosh"},         {"math.erf", "erf"},
      {"math.erfc", "erfc"},         {"math.exp", "exp"},
      {"math.exp2", "exp2"},         {"math.expm1", "expm1"},
      {"math.floor", "floor"},       {"math.fma", "fma"},
      {"math.log", "log"},           {"math.log10", "log10"},
      {"math.log1p", "log1p"},       {"math.log2", "log2"},
      {"math.powf", "pow"},          {"math.round", "round"},
      {"math.roundeven", "rint"},    {"math.rsqrt", "rsqrt"},
      {"math.sin", "sin"},           {"math.sinh", "sinh"},
      {"math.sqrt", "sqrt"},         {"math.tan", "tan"},
      {"math.tanh", "tanh"},         {"math.trunc", "trunc"},
      {"vector.fma", "fma"},
  };
  for (const Row &row : functions)
    addNamedPattern(patterns, types, row.op, lowerFunction, row.text);
  const Row own[] = {
      {"math.absi", "carousel::abs"},
      {"math.ctlz", "carousel::count_leading_zeros"},
      {"math.cttz", "carousel::count_trailing_zeros"},
      {"math.ctpop", "carousel::count_ones"},
      {"math.isnan", "carousel::is_nan"},
      {"math.isinf", "carousel::is_inf"},
      {"math.isfinite", "carousel::is_finite"},
  };
  for (const Row &row : own)
    addNamedPattern(patterns, types, row.op, lowerOwn, row.text);
  addPattern<math::SincosOp>(patterns, types, lowerSincos);
}
