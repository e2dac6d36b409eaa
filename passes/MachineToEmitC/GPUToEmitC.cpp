//===- GPUToEmitC.cpp - gpu to EmitC --------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers of threads, the CTA's barrier, shuffles, and what threads report.
// Kernels are in
// FunctionsToEmitC.cpp.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace carousel;

/// A register of 32 bits as an index.
static void replaceByRegister(Operation *op, CBuilder &builder,
                              StringRef text) {
  Type word = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
  builder.rewriter.replaceOp(op, builder.cast(builder.literal(text, word),
                                              builder.types.getIndexType()));
}

/// threadIdx.x and its like.
static LogicalResult lowerRegister(Operation *op, ArrayRef<Value>,
                                   CBuilder &builder, StringRef text) {
  auto dimension = op->getAttrOfType<gpu::DimensionAttr>("dimension");
  std::string name = text.str();
  if (dimension)
    name += gpu::stringifyDimension(dimension.getValue());
  replaceByRegister(op, builder, name);
  return success();
}

/// Where CUDA has a function: carousel::cluster_id(0).
static LogicalResult lowerFunction(Operation *op, ArrayRef<Value>,
                                   CBuilder &builder, StringRef text) {
  auto dimension = op->getAttrOfType<gpu::DimensionAttr>("dimension");
  SmallVector<std::string> arguments;
  if (dimension)
    arguments.push_back(
        std::to_string(static_cast<unsigned>(dimension.getValue())));
  Type word = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
  Value value = builder.pure(word, text, {}, arguments);
  builder.rewriter.replaceOp(op,
                             builder.cast(value, builder.types.getIndexType()));
  return success();
}

static LogicalResult lowerGlobalId(gpu::GlobalIdOp op,
                                   AdaptorOf<gpu::GlobalIdOp>,
                                   CBuilder &builder) {
  std::string dim = gpu::stringifyDimension(op.getDimension()).str();
  Type word = IntegerType::get(op.getContext(), 32, IntegerType::Unsigned);
  auto reg = [&](StringRef name) {
    return builder.cast(builder.literal((name + "." + dim).str(), word),
                        builder.types.getIndexType());
  };
  Value base = builder.binary<emitc::MulOp>(reg("blockIdx"), reg("blockDim"));
  builder.rewriter.replaceOp(
      op, builder.binary<emitc::AddOp>(base, reg("threadIdx")));
  return success();
}

static LogicalResult lowerBarrier(gpu::BarrierOp op, AdaptorOf<gpu::BarrierOp>,
                                  CBuilder &builder) {
  builder.call(Type(), "__syncthreads", {});
  builder.rewriter.eraseOp(op);
  return success();
}

/// CUDA's shuffle of the whole warp; of a part of it, one with the
/// instruction's own operands, as the way through LLVM has it.
static LogicalResult lowerShuffle(gpu::ShuffleOp op,
                                  AdaptorOf<gpu::ShuffleOp> adaptor,
                                  CBuilder &builder) {
  Value value = one(adaptor.getValue()), offset = one(adaptor.getOffset());
  Value width = one(adaptor.getWidth());
  Type type = value.getType();
  if (!isa<IntegerType, FloatType>(type) || type.getIntOrFloatBitWidth() != 32)
    return builder.rewriter.notifyMatchFailure(op, "expected 32 bits");
  StringRef mode = gpu::stringifyShuffleMode(op.getMode());
  if (op.getValid().use_empty() && getConstant(width) == rules::kWarpSize) {
    StringRef name = mode == "idx"   ? "__shfl_sync"
                     : mode == "xor" ? "__shfl_xor_sync"
                     : mode == "up"  ? "__shfl_up_sync"
                                     : "__shfl_down_sync";
    Type word = IntegerType::get(op.getContext(), 32, IntegerType::Unsigned);
    auto call = builder.call(
        type, name, {builder.literal("0xffffffff", word), value, offset});
    Value result = call.getResult(0);
    builder.rewriter.replaceOp(
        op, {result, builder.constant(builder.rewriter.getI1Type(), 1)});
    return success();
  }
  // The predicate comes by a variable that the call writes.
  Type pair = emitc::OpaqueType::get(
      op.getContext(), "carousel::shuffled<" + builder.types.spell(type) + ">");
  auto call = builder.call(pair, ("carousel::shuffle_" + mode).str(),
                           {value, offset, width});
  auto member = [&](StringRef name, Type of) {
    return builder.pure(of, ("carousel::shuffled_" + name).str(),
                        call.getResult(0));
  };
  builder.rewriter.replaceOp(
      op,
      {member("value", type), member("valid", builder.rewriter.getI1Type())});
  return success();
}

/// Lowers a printf of words of 32 and 64 bits, which carousel-lower-gpu-ops
/// makes.
static LogicalResult lowerPrintf(gpu::PrintfOp op,
                                 AdaptorOf<gpu::PrintfOp> adaptor,
                                 CBuilder &builder) {
  SmallVector<Value> arguments = flatten(adaptor.getArgs());
  for (Value argument : arguments)
    if (argument.getType().isIntOrFloat() &&
        argument.getType().getIntOrFloatBitWidth() < 32)
      return builder.rewriter.notifyMatchFailure(op, "narrow arguments");
  auto call = builder.call(Type(), "printf", arguments);
  SmallVector<Attribute> spelled = {op.getFormatAttr()};
  for (size_t i = 0; i < arguments.size(); ++i)
    spelled.push_back(builder.rewriter.getIndexAttr(i));
  call.setArgsAttr(builder.rewriter.getArrayAttr(spelled));
  builder.rewriter.eraseOp(op);
  return success();
}

/// Lowers an assertion that doesn't hold, which carousel-lower-gpu-ops makes,
/// to the function that CUDA's assert calls: (message, file, line, function,
/// bytes of a character).
static LogicalResult lowerAssert(cf::AssertOp op, AdaptorOf<cf::AssertOp>,
                                 CBuilder &builder) {
  if (!matchPattern(op.getArg(), m_Zero()))
    return builder.rewriter.notifyMatchFailure(op, "a condition");
  auto file = op.getLoc()->findInstanceOf<FileLineColLoc>();
  auto function = op->getParentOfType<FunctionOpInterface>();
  Builder &b = builder.rewriter;
  auto call = builder.call(Type(), "__assertfail", {});
  call.setArgsAttr(b.getArrayAttr(
      {op.getMsgAttr(), file ? file.getFilename() : b.getStringAttr(""),
       b.getI32IntegerAttr(file ? file.getLine() : 0),
       b.getStringAttr(function.getName()), b.getI32IntegerAttr(1)}));
  builder.rewriter.eraseOp(op);
  return success();
}

void carousel::populateGPUToEmitC(RewritePatternSet &patterns,
                                  const CTypes &types) {
  struct Row {
    StringRef op;
    NamedFunction function;
    StringRef text;
  };
  const Row rows[] = {
      {"gpu.thread_id", lowerRegister, "threadIdx."},
      {"gpu.block_id", lowerRegister, "blockIdx."},
      {"gpu.block_dim", lowerRegister, "blockDim."},
      {"gpu.grid_dim", lowerRegister, "gridDim."},
      {"gpu.lane_id", lowerFunction, "carousel::lane_id"},
      {"gpu.cluster_id", lowerFunction, "carousel::cluster_id"},
      {"gpu.cluster_dim", lowerFunction, "carousel::cluster_grid_dim"},
      {"gpu.cluster_dim_blocks", lowerFunction, "carousel::cluster_dim_blocks"},
      {"gpu.cluster_block_id", lowerFunction, "carousel::cluster_block_id"},
  };
  for (const Row &row : rows)
    addNamedPattern(patterns, types, row.op, row.function, row.text);
  addPattern<gpu::GlobalIdOp>(patterns, types, lowerGlobalId);
  addPattern<gpu::BarrierOp>(patterns, types, lowerBarrier);
  addPattern<gpu::ShuffleOp>(patterns, types, lowerShuffle);
  addPattern<gpu::PrintfOp>(patterns, types, lowerPrintf);
  addPattern<cf::AssertOp>(patterns, types, lowerAssert);
}
