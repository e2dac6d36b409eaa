//===- GPUShuffles.cpp - shuffles, rotations and broadcasts ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware shuffles 32-bit words. A value of another type is split into
// words, and each word is shuffled.
//
//===----------------------------------------------------------------------===//

#include "GPUCollectives.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

static constexpr unsigned kWordBits = 32;

static bool isWord(Type type) { return type.isInteger(32) || type.isF32(); }

/// A scalar, or a vector whose elements fill words; other vectors go element by
/// element.
static bool fillsWords(VectorType type) {
  unsigned bits = type.getElementTypeBitWidth();
  return (bits == 8 || bits % 16 == 0) &&
         type.getNumElements() * bits % kWordBits == 0;
}

static Type getBits(OpBuilder &builder, Type type) {
  return builder.getIntegerType(type.getIntOrFloatBitWidth());
}

/// `value` as i32 words.
static SmallVector<Value> takeApart(OpBuilder &builder, Location loc,
                                    Value value) {
  SmallVector<Value> words;
  Type i32 = builder.getI32Type();
  auto vector = dyn_cast<VectorType>(value.getType());
  if (vector && !fillsWords(vector)) {
    for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i)
      llvm::append_range(
          words, takeApart(builder, loc,
                           vector::ExtractOp::create(builder, loc, value, i)));
    return words;
  }
  unsigned bits = 0;
  if (vector) {
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  } else {
    Type type = getBits(builder, value.getType());
    if (value.getType() != type)
      value = arith::BitcastOp::create(builder, loc, type, value);
    bits = llvm::alignTo(type.getIntOrFloatBitWidth(), kWordBits);
    if (type.getIntOrFloatBitWidth() < bits)
      value = arith::ExtUIOp::create(builder, loc, builder.getIntegerType(bits),
                                     value);
    if (bits == kWordBits)
      return {value};
    value = vector::BroadcastOp::create(
        builder, loc, VectorType::get({1}, value.getType()), value);
  }
  int64_t count = bits / kWordBits;
  value = vector::BitCastOp::create(builder, loc, VectorType::get({count}, i32),
                                    value);
  for (int64_t i = 0; i < count; ++i)
    words.push_back(vector::ExtractOp::create(builder, loc, value, i));
  return words;
}

/// The inverse; takes the words that it needs from the front.
static Value putTogether(OpBuilder &builder, Location loc, Type type,
                         ArrayRef<Value> &words) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector && !fillsWords(vector)) {
    SmallVector<Value> elements;
    for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i)
      elements.push_back(
          putTogether(builder, loc, vector.getElementType(), words));
    return vector::FromElementsOp::create(builder, loc, vector, elements);
  }
  unsigned bits =
      vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
             : llvm::alignTo(type.getIntOrFloatBitWidth(), kWordBits);
  int64_t count = bits / kWordBits;
  Value value = words.front();
  if (vector || count > 1)
    value = vector::FromElementsOp::create(
        builder, loc, VectorType::get({count}, builder.getI32Type()),
        words.take_front(count));
  words = words.drop_front(count);
  if (vector)
    return vector::BitCastOp::create(builder, loc, vector, value);
  if (count > 1) {
    auto one = VectorType::get({1}, builder.getIntegerType(bits));
    value = vector::ExtractOp::create(
        builder, loc, vector::BitCastOp::create(builder, loc, one, value), 0);
  }
  Type integer = getBits(builder, type);
  if (integer != value.getType())
    value = arith::TruncIOp::create(builder, loc, integer, value);
  if (integer == type)
    return value;
  return arith::BitcastOp::create(builder, loc, type, value);
}

static Value createConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                      value);
}

static Value createLane(OpBuilder &builder, Location loc) {
  Value lane = gpu::LaneIdOp::create(builder, loc, /*upper_bound=*/nullptr);
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), lane);
}

namespace {

struct ShuffleByWords : public OpRewritePattern<gpu::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::ShuffleOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getValue().getType();
    if (isWord(type))
      return rewriter.notifyMatchFailure(op, "32 bits");
    Location loc = op.getLoc();
    SmallVector<Value> words = takeApart(rewriter, loc, op.getValue());
    Value valid;
    for (Value &word : words) {
      auto shuffle = gpu::ShuffleOp::create(rewriter, loc, word, op.getOffset(),
                                            op.getWidth(), op.getMode());
      word = shuffle.getShuffleResult();
      if (!valid)
        valid = shuffle.getValid();
    }
    ArrayRef<Value> rest = words;
    rewriter.replaceOp(op, {putTogether(rewriter, loc, type, rest), valid});
    return success();
  }
};

/// If the op is for a part of the warp, only the lanes of that part take part.
struct RotateByShuffle : public OpRewritePattern<gpu::RotateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::RotateOp op,
                                PatternRewriter &rewriter) const override {
    int64_t width = op.getWidth();
    if (width > rules::kWarpSize)
      return rewriter.notifyMatchFailure(op, "wider than a warp");
    Location loc = op.getLoc();
    Value lane = createLane(rewriter, loc);
    auto shuffle = [&]() -> Value {
      Value source = arith::AndIOp::create(
          rewriter, loc,
          arith::AddIOp::create(rewriter, loc, lane,
                                createConstant(rewriter, loc, op.getOffset())),
          createConstant(rewriter, loc, width - 1));
      return gpu::ShuffleOp::create(rewriter, loc, op.getValue(), source,
                                    createConstant(rewriter, loc, width),
                                    gpu::ShuffleMode::IDX)
          .getShuffleResult();
    };
    if (width == rules::kWarpSize) {
      Value all =
          arith::ConstantIntOp::create(rewriter, loc, rewriter.getI1Type(), 1);
      rewriter.replaceOp(op, {shuffle(), all});
      return success();
    }
    Value isPart =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, lane,
                              createConstant(rewriter, loc, width));
    auto branch = scf::IfOp::create(rewriter, loc, op.getValue().getType(),
                                    isPart, /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, shuffle());
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, op.getValue());
    rewriter.replaceOp(op, {branch.getResult(0), isPart});
    return success();
  }
};

/// All lanes of the warp take part: the first active one is the first.
struct BroadcastByShuffle : public OpRewritePattern<gpu::SubgroupBroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::SubgroupBroadcastOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!element.isIntOrFloat() ||
        (vector && (vector.getRank() != 1 || vector.isScalable())))
      return rewriter.notifyMatchFailure(op, "not of numbers");
    Location loc = op.getLoc();
    Value lane = op.getLane() ? op.getLane() : createConstant(rewriter, loc, 0);
    auto shuffle = gpu::ShuffleOp::create(
        rewriter, loc, op.getSrc(), lane,
        createConstant(rewriter, loc, rules::kWarpSize), gpu::ShuffleMode::IDX);
    rewriter.replaceOp(op, shuffle.getShuffleResult());
    return success();
  }
};

} // namespace

void carousel::populateShufflesOfWords(RewritePatternSet &patterns) {
  patterns.add<ShuffleByWords, RotateByShuffle, BroadcastByShuffle>(
      patterns.getContext());
}
