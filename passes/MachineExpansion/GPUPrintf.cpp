//===- GPUPrintf.cpp - promote the arguments of printf --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A printf reads words of 32 or 64 bits. C promotes narrower arguments, but
// gpu.printf doesn't. Its integers have no sign either, so the conversion
// specifier of an argument decides whether to sign-extend it.
//
//===----------------------------------------------------------------------===//

#include "GPUCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace carousel;

static constexpr unsigned kWordBits = 32, kLongBits = 64;

/// The conversions of a format in the order of the arguments that they take; a
/// `*` for a width or a precision takes one, too.
static SmallVector<char> findConversions(StringRef format) {
  SmallVector<char> found;
  while (true) {
    format = format.drop_until([](char c) { return c == '%'; });
    if (!format.consume_front("%"))
      return found;
    if (format.consume_front("%"))
      continue;
    while (!format.empty() && !llvm::isAlpha(format.front())) {
      if (format.front() == '*')
        found.push_back('*');
      format = format.drop_front();
    }
    format = format.drop_while(
        [](char c) { return StringRef("hlLqjzt").contains(c); });
    if (format.empty())
      return found;
    found.push_back(format.front());
    format = format.drop_front();
  }
}

/// The type that C would pass, or null where the argument's own is as good.
static Type getPromoted(OpBuilder &builder, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer.getWidth() <= kWordBits ? kWordBits : kLongBits;
    return integer.getWidth() < bits ? builder.getIntegerType(bits) : Type();
  }
  auto floating = dyn_cast<FloatType>(type);
  if (floating && floating.getWidth() < kWordBits)
    return builder.getF32Type();
  return Type();
}

namespace {

struct PromoteArguments : public OpRewritePattern<gpu::PrintfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::PrintfOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<char> conversions = findConversions(op.getFormat());
    SmallVector<Value> arguments(op.getArgs());
    bool isPromoted = false;
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      Type type = getPromoted(rewriter, argument.getType());
      if (!type)
        continue;
      isPromoted = true;
      char conversion = i < conversions.size() ? conversions[i] : 0;
      bool isSigned = conversion == 'd' || conversion == 'i';
      if (isa<FloatType>(type))
        argument = arith::ExtFOp::create(rewriter, op.getLoc(), type, argument);
      else if (isSigned && !argument.getType().isInteger(1))
        argument =
            arith::ExtSIOp::create(rewriter, op.getLoc(), type, argument);
      else
        argument =
            arith::ExtUIOp::create(rewriter, op.getLoc(), type, argument);
    }
    if (!isPromoted)
      return rewriter.notifyMatchFailure(op, "words as they are");
    rewriter.modifyOpInPlace(op,
                             [&] { op.getArgsMutable().assign(arguments); });
    return success();
  }
};

} // namespace

void carousel::populatePrintfArguments(RewritePatternSet &patterns) {
  patterns.add<PromoteArguments>(patterns.getContext());
}
