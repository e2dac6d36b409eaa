//===- ExpandAssertions.cpp - what a failed assertion prints --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system's __assertfail prints a text that the compiler knows. The values
// of the comparison are printed before it, in the branch that fails.
//
//===----------------------------------------------------------------------===//

#include "GPUCollectives.h"

#include "carousel/Dialect/Transforms/Assertions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace carousel;

/// "kernel.mlir:12: kernel 'k': ", with what the location says.
static std::string spellPlace(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  return file ? (file.getFilename().strref() + ":" + Twine(file.getLine()) +
                 ": ")
                    .str()
              : "";
}

static std::string escapePercents(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped.append(c == '%' ? 2 : 1, c);
  return escaped;
}

/// The number as an i64, as the comparison reads it.
static Value toLong(ImplicitLocOpBuilder &b, Value number, bool isUnsigned) {
  Type type = number.getType(), word = b.getI64Type();
  if (type.isIndex())
    return isUnsigned
               ? arith::IndexCastUIOp::create(b, word, number).getResult()
               : arith::IndexCastOp::create(b, word, number).getResult();
  if (type == word)
    return number;
  if (type.getIntOrFloatBitWidth() > 64)
    return arith::TruncIOp::create(b, word, number);
  return isUnsigned ? arith::ExtUIOp::create(b, word, number).getResult()
                    : arith::ExtSIOp::create(b, word, number).getResult();
}

/// "..., got 9 > 5".
static void printComparison(ImplicitLocOpBuilder &b, arith::CmpIOp comparison,
                            const Twine &text) {
  bool isBare = isUnsigned(comparison.getPredicate());
  StringRef number = isBare ? "%llu" : "%lld";
  std::string format =
      (escapePercents(text.str()) + ", got " + number + " " +
       spellOpposite(comparison.getPredicate()) + " " + number + "\n")
          .str();
  gpu::PrintfOp::create(b, format,
                        ValueRange{toLong(b, comparison.getLhs(), isBare),
                                   toLong(b, comparison.getRhs(), isBare)});
}

static Value negate(ImplicitLocOpBuilder &b, Value condition) {
  return arith::XOrIOp::create(
      b, condition,
      arith::ConstantOp::create(b, b.getBoolAttr(true)).getResult());
}

namespace {

struct ExpandAssertion : public OpRewritePattern<cf::AssertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(cf::AssertOp op,
                                PatternRewriter &rewriter) const override {
    if (matchPattern(op.getArg(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "an assertion in its branch");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto function = op->getParentOfType<FunctionOpInterface>();
    StringRef role = isa<gpu::GPUFuncOp>(function) ? "kernel" : "function";
    std::string text =
        (role + " '" + function.getName() + "': " + op.getMsg()).str();
    std::string place = spellPlace(op.getLoc());
    auto failed = scf::IfOp::create(b, negate(b, op.getArg()));
    b.setInsertionPointToStart(failed.thenBlock());
    SmallVector<Value> conjuncts = getConjuncts(op.getArg());
    for (Value conjunct : conjuncts) {
      auto comparison = conjunct.getDefiningOp<arith::CmpIOp>();
      if (!comparison)
        continue;
      OpBuilder::InsertionGuard guard(b);
      if (conjuncts.size() > 1) {
        auto own = scf::IfOp::create(b, negate(b, conjunct));
        b.setInsertionPointToStart(own.thenBlock());
      }
      printComparison(b, comparison, place + text);
    }
    b.setInsertionPoint(failed.thenBlock()->getTerminator());
    Value never = arith::ConstantOp::create(b, b.getBoolAttr(false));
    cf::AssertOp::create(b, never, text);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateAssertions(RewritePatternSet &patterns) {
  patterns.add<ExpandAssertion>(patterns.getContext());
}
