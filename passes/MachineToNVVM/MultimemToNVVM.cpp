//===- MultimemToNVVM.cpp - stores and reductions of vectors to NVVM ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// multimem.* and vector.reduce. NVVM has no such ops, so they become inline
// PTX. multimem.st has no vectors of bits: 16 bytes are stored as four f32,
// whose bits it keeps.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

static int64_t getBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  int64_t lanes = vector ? vector.getNumElements() : 1;
  return lanes * getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

static Value bitcast(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(builder, loc, type, value);
}

/// The value in registers of a type.
static SmallVector<Value> getRegisters(OpBuilder &builder, Location loc,
                                       Value value, Type type) {
  int64_t count = getBytes(value.getType()) / getBytes(type);
  if (count == 1)
    return {bitcast(builder, loc, value, type)};
  Value lanes = bitcast(builder, loc, value, VectorType::get({count}, type));
  SmallVector<Value> registers;
  for (int64_t lane = 0; lane < count; ++lane) {
    Value index =
        LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(lane));
    registers.push_back(
        LLVM::ExtractElementOp::create(builder, loc, lanes, index));
  }
  return registers;
}

/// ".v4.f32 [$0], {$1, $2, $3, $4};"
static std::string spellOperands(size_t count, StringRef type) {
  std::string vector = count > 1 ? ".v" + std::to_string(count) : "", value;
  for (size_t i = 1; i <= count; ++i)
    value += (i > 1 ? ", $" : "$") + std::to_string(i);
  if (count > 1)
    value = "{" + value + "}";
  return vector + "." + type.str() + " [$0], " + value + ";";
}

namespace {

struct StoreLowering : public NVVMLowering<MultimemStoreOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(MultimemStoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t bytes = getBytes(adaptor.getValue().getType());
    Type type = bytes == 4   ? Type(rewriter.getI32Type())
                : bytes == 8 ? Type(rewriter.getI64Type())
                             : Type(rewriter.getF32Type());
    StringRef spelled = bytes == 4 ? "b32" : bytes == 8 ? "b64" : "f32";
    SmallVector<Value> operands = {getDestination(rewriter, op, adaptor)};
    llvm::append_range(operands,
                       getRegisters(rewriter, loc, adaptor.getValue(), type));
    createPTX(rewriter, loc, Type(), operands,
              "multimem.st.weak.global" +
                  spellOperands(operands.size() - 1, spelled));
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename OpTy> struct ReduceLowering : public NVVMLowering<OpTy> {
  using NVVMLowering<OpTy>::NVVMLowering;
  using Adaptor = typename NVVMLowering<OpTy>::Adaptor;
  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr bool isMultimem = std::is_same_v<OpTy, MultimemReduceOp>;
    Location loc = op.getLoc();
    bool isPacked =
        op.getType() == ReduceType::F16 || op.getType() == ReduceType::BF16;
    Type type = isPacked ? Type(rewriter.getI32Type())
                         : getElementTypeOrSelf(adaptor.getValue().getType());
    std::string spelled = stringifyReduceType(op.getType()).str();
    if (isPacked)
      spelled += "x2";
    SmallVector<Value> operands = {this->getDestination(rewriter, op, adaptor)};
    llvm::append_range(operands,
                       getRegisters(rewriter, loc, adaptor.getValue(), type));
    std::string text = isMultimem ? "multimem.red.relaxed.sys.global."
                                  : "red.relaxed.gpu.global.";
    text += stringifyReduceKind(op.getKind());
    if (!isMultimem && isPacked)
      text += ".noftz";
    createPTX(rewriter, loc, Type(), operands,
              text + spellOperands(operands.size() - 1, spelled));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateMultimemToNVVM(const LLVMTypeConverter &converter,
                                      const TargetSpec &target,
                                      RewritePatternSet &patterns) {
  patterns.add<StoreLowering, ReduceLowering<MultimemReduceOp>,
               ReduceLowering<VectorReduceOp>>(converter, target);
}
