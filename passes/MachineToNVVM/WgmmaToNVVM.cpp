//===- WgmmaToNVVM.cpp - products of a warpgroup to NVVM ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts carousel.wgmma.* to inline PTX: NVVM's ops have no first factor in
// registers, and no group that stays in flight. Registers of products are
// vectors between the ops, and operands that each statement changes in place.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace carousel;

VectorType carousel::getRegisterStorage(WgmmaRegistersType type) {
  VectorType vector = type.getVector();
  int64_t bits = vector.getElementTypeBitWidth();
  bool isFloat = vector.getElementType().isF32();
  MLIRContext *context = type.getContext();
  return VectorType::get({vector.getNumElements() * bits / 32},
                         isFloat ? Type(Float32Type::get(context))
                                 : Type(IntegerType::get(context, 32)));
}

static Value createNumber(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getI32IntegerAttr(value));
}

static SmallVector<Value> unpack(OpBuilder &builder, Location loc,
                                 Value vector) {
  SmallVector<Value> lanes;
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t i = 0; i < count; ++i)
    lanes.push_back(LLVM::ExtractElementOp::create(
        builder, loc, vector, createNumber(builder, loc, i)));
  return lanes;
}

static Value pack(OpBuilder &builder, Location loc, ValueRange lanes) {
  auto type = VectorType::get({static_cast<int64_t>(lanes.size())},
                              lanes.front().getType());
  Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, lane] : llvm::enumerate(lanes))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, lane,
                                           createNumber(builder, loc, i));
  return vector;
}

/// Registers that hold the rows of an operand, which is LLVM's form of a vector
/// of several dimensions: arrays of vectors.
static void flatten(OpBuilder &builder, Location loc, Value value, Type word,
                    SmallVectorImpl<Value> &registers) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(value.getType())) {
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      flatten(builder, loc,
              LLVM::ExtractValueOp::create(builder, loc, value, i), word,
              registers);
    return;
  }
  auto row = cast<VectorType>(value.getType());
  int64_t bits = row.getNumElements() * row.getElementTypeBitWidth();
  auto words = VectorType::get({bits / 32}, word);
  if (row != words)
    value = LLVM::BitcastOp::create(builder, loc, words, value);
  llvm::append_range(registers, unpack(builder, loc, value));
}

/// The reverse: a value of `type` of the next registers.
static Value unflatten(OpBuilder &builder, Location loc, Type type,
                       ArrayRef<Value> &registers) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    Value value = LLVM::PoisonOp::create(builder, loc, type);
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      value = LLVM::InsertValueOp::create(
          builder, loc, value,
          unflatten(builder, loc, array.getElementType(), registers), i);
    return value;
  }
  auto row = cast<VectorType>(type);
  size_t count = row.getNumElements() * row.getElementTypeBitWidth() / 32;
  Value value = pack(builder, loc, registers.take_front(count));
  registers = registers.drop_front(count);
  if (value.getType() != type)
    value = LLVM::BitcastOp::create(builder, loc, type, value);
  return value;
}

namespace {

/// PTX ISA, Matrix Descriptor Format. All arithmetic is in units of 16 bytes,
/// so that constant indices are added to the address or to each other.
struct DescriptorLowering : public NVVMLowering<WgmmaDescriptorOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(WgmmaDescriptorOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kUnit = 16, kUnitShift = 4, kAddressUnits = 0x3fff;
    Location loc = op.getLoc();
    MemRefType type = op.getSource().getType();
    std::string why;
    std::optional<MatrixLayout> layout = getMatrixLayout(
        type, op.getSwizzle(), op.getResult().getType().getMajor(), why);
    if (!layout)
      return rewriter.notifyMatchFailure(op, why);
    int64_t bytes = type.getElementTypeBitWidth() / 8, offset;
    SmallVector<int64_t> strides;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return rewriter.notifyMatchFailure(op, "no strides");

    Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
    auto toI32 = [&](Value index) -> Value {
      return index.getType() == i32
                 ? index
                 : LLVM::TruncOp::create(rewriter, loc, i32, index);
    };
    Value shift = createNumber(rewriter, loc, kUnitShift);
    Value units;
    SmallVector<Value> others(adaptor.getIndices());
    Type indexType = getTypeConverter()->getIndexType();
    Value zero = LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(indexType, 0));
    auto add = [&](Value value) {
      units = units ? LLVM::AddOp::create(rewriter, loc, units, value) : value;
    };
    for (auto [dim, index] : llvm::enumerate(adaptor.getIndices())) {
      bool isInner = dim + 1 == strides.size();
      bool isKnown = !ShapedType::isDynamic(strides[dim]);
      int64_t stride = isKnown ? strides[dim] * bytes : 0;
      if (!isInner && (!isKnown || stride % kUnit != 0))
        continue; // part of the address
      others[dim] = zero;
      Value factor =
          createNumber(rewriter, loc, isInner ? bytes : stride / kUnit);
      Value value = LLVM::MulOp::create(rewriter, loc, toI32(index), factor);
      if (isInner)
        value = LLVM::LShrOp::create(rewriter, loc, value, shift);
      add(value);
    }
    Value pointer =
        getPointer(rewriter, loc, op.getSource(), adaptor.getSource(), others);
    Value address = LLVM::PtrToIntOp::create(rewriter, loc, i32, pointer);
    // In a cluster, the upper bits of an address are the CTA's rank.
    Value unit = LLVM::LShrOp::create(rewriter, loc, address, shift);
    add(LLVM::AndOp::create(rewriter, loc, unit,
                            createNumber(rewriter, loc, kAddressUnits)));
    Value bits = LLVM::ConstantOp::create(
        rewriter, loc, i64, rewriter.getI64IntegerAttr(layout->getBits()));
    rewriter.replaceOpWithNewOp<LLVM::OrOp>(
        op, LLVM::ZExtOp::create(rewriter, loc, i64, units), bits);
    return success();
  }
};

/// The registers of a thread's part of the first factor.
constexpr size_t kFactorRegisters = 4;

/// The same words, after instructions that write them. There are far fewer than
/// 2^20 SMs, which ptxas doesn't know.
SmallVector<Value> renew(ConversionPatternRewriter &rewriter, Location loc,
                         ArrayRef<Value> words) {
  std::string text =
      "{ .reg .b32 none; mov.u32 none, %smid; shr.u32 none, none, 20; ";
  for (size_t i = 0; i < words.size(); ++i)
    text += llvm::formatv("xor.b32 ${0}, ${0}, none; ", i).str();
  return createPTXInPlace(rewriter, loc, words, {}, text + "}");
}

struct FenceLowering : public NVVMLowering<WgmmaFenceOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(WgmmaFenceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> registers;
    SmallVector<VectorType> types;
    for (auto [vector, result] :
         llvm::zip(adaptor.getVectors(), op.getResults())) {
      types.push_back(
          getRegisterStorage(cast<WgmmaRegistersType>(result.getType())));
      size_t first = registers.size();
      flatten(rewriter, loc, vector, types.back().getElementType(), registers);
      if (op.getRenews() && types.back().getElementType().isInteger(32) &&
          registers.size() == first + kFactorRegisters)
        registers[first] = renew(rewriter, loc, registers[first]).front();
      if (op.getRenewsSums() && types.back().getElementType().isF32())
        llvm::copy(renew(rewriter, loc, ArrayRef(registers).drop_front(first)),
                   registers.begin() + first);
    }
    registers = createPTXInPlace(rewriter, loc, registers, {},
                                 "wgmma.fence.sync.aligned;");
    ArrayRef<Value> rest = registers;
    SmallVector<Value> results;
    for (VectorType type : types)
      results.push_back(unflatten(rewriter, loc, type, rest));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct MmaLowering : public NVVMLowering<WgmmaMmaOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(WgmmaMmaOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    WgmmaForm form = op.getForm();
    SmallVector<Value> operands;
    if (form.aInRegisters) {
      operands = unpack(rewriter, loc, adaptor.getA());
      for (Value &value : operands)
        if (value.getType().isF32())
          value = LLVM::BitcastOp::create(rewriter, loc, rewriter.getI32Type(),
                                          value);
    } else {
      operands.push_back(adaptor.getA());
    }
    operands.push_back(adaptor.getB());
    operands.push_back(adaptor.getScale()
                           ? LLVM::ZExtOp::create(rewriter, loc,
                                                  rewriter.getI32Type(),
                                                  adaptor.getScale())
                                 .getResult()
                           : createNumber(rewriter, loc, 1));
    SmallVector<Value> sums = createPTXInPlace(
        rewriter, loc, unpack(rewriter, loc, adaptor.getSums()), operands,
        form.getText("$"));
    rewriter.replaceOp(op, pack(rewriter, loc, sums));
    return success();
  }
};

struct CommitLowering : public NVVMLowering<WgmmaCommitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(WgmmaCommitOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createPTXInPlace(rewriter, op.getLoc(), {}, {},
                     "wgmma.commit_group.sync.aligned;");
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitLowering : public NVVMLowering<WgmmaWaitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(WgmmaWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> registers;
    for (Value vector : adaptor.getRegisters())
      llvm::append_range(registers, unpack(rewriter, loc, vector));
    registers = createPTXInPlace(rewriter, loc, registers, {},
                                 "wgmma.wait_group.sync.aligned " +
                                     Twine(op.getPending()) + ";");
    if (op.getRenewsSums() && !registers.empty() &&
        registers.front().getType().isF32())
      registers.front() = renew(rewriter, loc, registers.front()).front();
    ArrayRef<Value> rest = registers;
    SmallVector<Value> results;
    for (Type type : op.getResultTypes())
      results.push_back(unflatten(rewriter, loc,
                                  getTypeConverter()->convertType(type), rest));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void carousel::populateWgmmaToNVVM(const LLVMTypeConverter &converter,
                                   const TargetSpec &target,
                                   RewritePatternSet &patterns) {
  patterns.add<DescriptorLowering, FenceLowering, MmaLowering, CommitLowering,
               WaitLowering>(converter, target);
}
