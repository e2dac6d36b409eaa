//===- GenericAtomics.cpp - atomics as compare-and-swap -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GenericAtomics.h. The loop compares bits instead of numbers, because a
// NaN never equals itself.
//
//===----------------------------------------------------------------------===//

#include "GenericAtomics.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

using memref::GenericAtomicRMWOp;

static constexpr StringLiteral kDeviceScope{"device"};

bool carousel::isSwapped(Type element) {
  return element.isIntOrFloat() &&
         llvm::is_contained({8u, 16u, 32u, 64u},
                            element.getIntOrFloatBitWidth());
}

//===----------------------------------------------------------------------===//
// The two forms
//===----------------------------------------------------------------------===//

static memref::AtomicYieldOp getYield(GenericAtomicRMWOp op) {
  if (!op.getRegion().hasOneBlock())
    return {};
  return dyn_cast<memref::AtomicYieldOp>(
      op.getRegion().front().getTerminator());
}

bool carousel::isAtomicLoad(GenericAtomicRMWOp op) {
  memref::AtomicYieldOp yield = getYield(op);
  return yield && yield.getResult() == op.getCurrentValue();
}

std::optional<CompareAndSwap>
carousel::matchCompareAndSwap(GenericAtomicRMWOp op) {
  memref::AtomicYieldOp yield = getYield(op);
  auto select =
      yield ? yield.getResult().getDefiningOp<arith::SelectOp>() : nullptr;
  if (!select || select.getFalseValue() != op.getCurrentValue())
    return std::nullopt;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  auto isNow = [&](Value value) {
    if (auto bits = value.getDefiningOp<arith::BitcastOp>())
      value = bits.getIn();
    return value == op.getCurrentValue();
  };
  Value seen = isNow(compare.getLhs())   ? compare.getRhs()
               : isNow(compare.getRhs()) ? compare.getLhs()
                                         : Value();
  // The block of a loop that is being converted may be in no region.
  auto isOutside = [&](Value value) {
    return value && value.getParentBlock() != op.getBody();
  };
  if (!isOutside(seen) || !isOutside(select.getTrueValue()))
    return std::nullopt;
  return CompareAndSwap{seen, select.getTrueValue()};
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

static Value getBits(OpBuilder &builder, Location loc, Value value) {
  auto floating = dyn_cast<FloatType>(value.getType());
  if (!floating)
    return value;
  return arith::BitcastOp::create(
      builder, loc, builder.getIntegerType(floating.getWidth()), value);
}

/// The op with a region that yields what `make` gives for the element.
static Value createAtomic(OpBuilder &builder, GenericAtomicRMWOp op,
                          function_ref<Value(OpBuilder &, Value)> make) {
  auto atomic = GenericAtomicRMWOp::create(builder, op.getLoc(), op.getMemref(),
                                           op.getIndices());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&atomic.getRegion().front());
  memref::AtomicYieldOp::create(builder, op.getLoc(),
                                make(builder, atomic.getCurrentValue()));
  return atomic.getResult();
}

namespace {

struct LoopOfSwaps : public OpRewritePattern<GenericAtomicRMWOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GenericAtomicRMWOp op,
                                PatternRewriter &rewriter) const override {
    memref::AtomicYieldOp yield = getYield(op);
    if (!yield || !isSwapped(op.getType()) || isAtomicLoad(op) ||
        matchCompareAndSwap(op))
      return rewriter.notifyMatchFailure(op, "one instruction, or none");
    Location loc = op.getLoc();
    Type type = op.getType();
    Value first =
        createAtomic(rewriter, op, [](OpBuilder &, Value now) { return now; });
    auto loop =
        scf::WhileOp::create(rewriter, loc, TypeRange(type), ValueRange(first));
    Block *attempt = rewriter.createBlock(&loop.getBefore(), {}, type, {loc});
    Value seen = attempt->getArgument(0);
    Value next = yield.getResult();
    bool isArgument = next == op.getCurrentValue();
    rewriter.inlineBlockBefore(op.getBody(), attempt, attempt->end(), seen);
    if (isArgument)
      next = seen;
    rewriter.eraseOp(yield);
    rewriter.setInsertionPointToEnd(attempt);
    Value seenBits = getBits(rewriter, loc, seen);
    Value was = createAtomic(rewriter, op, [&](OpBuilder &builder, Value now) {
      Value isSeen =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                getBits(builder, loc, now), seenBits);
      return arith::SelectOp::create(builder, loc, isSeen, next, now)
          .getResult();
    });
    Value again = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                                        getBits(rewriter, loc, was), seenBits);
    scf::ConditionOp::create(rewriter, loc, again, was);
    Block *repeat = rewriter.createBlock(&loop.getAfter(), {}, type, {loc});
    scf::YieldOp::create(rewriter, loc, repeat->getArguments());
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// To LLVM
//===----------------------------------------------------------------------===//

struct AtomicToLLVM : public ConvertOpToLLVMPattern<GenericAtomicRMWOp> {
  AtomicToLLVM(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(GenericAtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<CompareAndSwap> swap = matchCompareAndSwap(op);
    if (!swap && !isAtomicLoad(op))
      return rewriter.notifyMatchFailure(op, "several instructions");
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type || !type.isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "not a number of LLVM");
    unsigned bits = type.getIntOrFloatBitWidth();
    Type word = rewriter.getIntegerType(bits);
    Value address =
        getStridedElementPtr(rewriter, loc, op.getMemRefType(),
                             adaptor.getMemref(), adaptor.getIndices());
    Value result;
    if (!swap) {
      result = LLVM::LoadOp::create(
          rewriter, loc, word, address, /*alignment=*/bits / 8,
          /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
          /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
          kDeviceScope);
    } else {
      Value seen = rewriter.getRemappedValue(swap->seen);
      Value next = rewriter.getRemappedValue(swap->next);
      if (!seen || !next)
        return rewriter.notifyMatchFailure(op, "operands aren't LLVM's");
      if (next.getType() != word)
        next = LLVM::BitcastOp::create(rewriter, loc, word, next);
      Value pair = LLVM::AtomicCmpXchgOp::create(
          rewriter, loc, address, seen, next, LLVM::AtomicOrdering::monotonic,
          LLVM::AtomicOrdering::monotonic, kDeviceScope,
          /*alignment=*/bits / 8);
      result = LLVM::ExtractValueOp::create(rewriter, loc, pair, 0);
    }
    if (type != word)
      result = LLVM::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void carousel::populateGenericAtomics(RewritePatternSet &patterns) {
  patterns.add<LoopOfSwaps>(patterns.getContext());
}

void carousel::populateGenericAtomicsToLLVM(const LLVMTypeConverter &converter,
                                            RewritePatternSet &patterns) {
  patterns.add<AtomicToLLVM>(converter);
}
