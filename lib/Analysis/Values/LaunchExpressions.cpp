//===- LaunchExpressions.cpp - values that a launch can compute -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LaunchExpressions.h. Only indices are followed: signed index arithmetic
// doesn't overflow, and unsigned operations count if their operands aren't
// negative.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/LaunchExpressions.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

static ExprAttr makeNode(MLIRContext *context, ExprKind kind, int64_t value,
                         int64_t argument) {
  return ExprAttr::get(context, kind, value, argument, ExprAttr(), ExprAttr());
}

static ExprAttr makeConstant(MLIRContext *context, int64_t value) {
  return makeNode(context, ExprKind::Constant, value, /*argument=*/0);
}

static ExprAttr makeNode(ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
  return ExprAttr::get(lhs.getContext(), kind, /*value=*/0, /*argument=*/0, lhs,
                       rhs);
}

ExprAttr carousel::makeMax(ExprAttr lhs, ExprAttr rhs) {
  return makeNode(ExprKind::Max, lhs, rhs);
}

static bool countNodes(ExprAttr expr, unsigned depth, unsigned &count) {
  constexpr unsigned kMaxDepth = 64, kMaxNodes = 256;
  if (!expr)
    return true;
  return depth < kMaxDepth && ++count <= kMaxNodes &&
         countNodes(expr.getLhs(), depth + 1, count) &&
         countNodes(expr.getRhs(), depth + 1, count);
}

bool carousel::isSmallEnough(ExprAttr expr) {
  unsigned count = 0;
  return countNodes(expr, 0, count);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

LaunchSum LaunchSum::of(ExprAttr expr) {
  if (!expr)
    return unknown();
  if (expr.getKind() == ExprKind::Constant)
    return constant(expr.getValue());
  LaunchSum sum = constant(0);
  sum.terms.push_back({expr, 1});
  return sum;
}

LaunchSum LaunchSum::add(const LaunchSum &other, int64_t factor) const {
  LaunchSum sum = *this;
  int64_t product;
  if (!valid || !other.valid ||
      llvm::MulOverflow(other.rest, factor, product) ||
      llvm::AddOverflow(rest, product, sum.rest))
    return unknown();
  for (auto [expr, times] : other.terms) {
    if (llvm::MulOverflow(times, factor, product))
      return unknown();
    auto *found = llvm::find_if(sum.terms, [expr = expr](const auto &term) {
      return term.first == expr;
    });
    if (found == sum.terms.end())
      sum.terms.push_back({expr, product});
    else if (llvm::AddOverflow(found->second, product, found->second))
      return unknown();
  }
  llvm::erase_if(sum.terms, [](const auto &term) { return term.second == 0; });
  return sum;
}

LaunchSum LaunchSum::times(int64_t factor) const {
  return constant(0).add(*this, factor);
}

LaunchSum LaunchSum::ceilDivide(MLIRContext *context, int64_t divisor) const {
  if (!valid || divisor == 1)
    return *this;
  if (terms.empty())
    return constant(llvm::divideCeilSigned(rest, divisor));
  return of(makeNode(ExprKind::CeilDiv, get(context),
                     makeConstant(context, divisor)));
}

ExprAttr LaunchSum::get(MLIRContext *context) const {
  if (!valid)
    return {};
  // Summands come first, and the constant last.
  ExprAttr sum;
  auto append = [&](ExprAttr expr, int64_t factor) {
    // The negative of the lowest number has no place.
    bool isLess = factor < 0 && factor != INT64_MIN && sum;
    int64_t size = isLess ? -factor : factor;
    if (size != 1)
      expr = makeNode(ExprKind::Mul, expr, makeConstant(context, size));
    sum = !sum ? expr
               : makeNode(isLess ? ExprKind::Sub : ExprKind::Add, sum, expr);
  };
  for (bool isAdded : {true, false})
    for (auto [expr, factor] : terms)
      if ((factor > 0) == isAdded)
        append(expr, factor);
  if (!sum)
    return makeConstant(context, rest);
  if (rest == 0)
    return sum;
  bool isLess = rest < 0 && rest != INT64_MIN;
  return makeNode(isLess ? ExprKind::Sub : ExprKind::Add, sum,
                  makeConstant(context, isLess ? -rest : rest));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LaunchExpressions::LaunchExpressions(gpu::GPUFuncOp kernel)
    : entry(&kernel.getBody().front()), context(kernel.getContext()),
      positions(getArgumentPositions(kernel)) {}

LaunchExpressions::LaunchExpressions(func::FuncOp program)
    : entry(&program.getBody().front()), context(program.getContext()) {
  llvm::append_range(positions, llvm::seq(program.getNumArguments()));
}

/// The number of an argument of the kernel.
std::optional<int64_t> LaunchExpressions::getArgumentNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != entry)
    return std::nullopt;
  const auto *found = llvm::find(positions, argument.getArgNumber());
  if (found == positions.end())
    return std::nullopt;
  return found - positions.begin();
}

ExprAttr LaunchExpressions::combine(ExprKind kind, Operation *op) {
  ExprAttr lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
  if (!lhs || !rhs)
    return {};
  LaunchSum left = LaunchSum::of(lhs), right = LaunchSum::of(rhs);
  MLIRContext *context = op->getContext();
  if (kind == ExprKind::Add)
    return left.plus(right).get(context);
  if (kind == ExprKind::Sub)
    return left.plus(right.times(-1)).get(context);
  if (kind == ExprKind::Mul && rhs.getKind() == ExprKind::Constant)
    return left.times(rhs.getValue()).get(context);
  return makeNode(kind, lhs, rhs);
}

ExprAttr LaunchExpressions::divide(ExprKind kind, Operation *op,
                                   bool roundsToZero) {
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  if (!divisor || *divisor <= 0 ||
      (roundsToZero && !facts.isNonNegative(op->getOperand(0))))
    return {};
  return combine(kind, op);
}

ExprAttr LaunchExpressions::compute(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return makeConstant(context, *constant);
  if (!value.getType().isIndex())
    return {};
  if (std::optional<int64_t> number = getArgumentNumber(value))
    return makeNode(context, ExprKind::Scalar, 0, *number);
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, ExprAttr>(op)
      .Case([&](memref::DimOp dim) -> ExprAttr {
        std::optional<int64_t> number = getArgumentNumber(dim.getSource());
        std::optional<int64_t> index = dim.getConstantIndex();
        auto type = dyn_cast<MemRefType>(dim.getSource().getType());
        if (!number || !index || !type || *index < 0 ||
            *index >= type.getRank())
          return {};
        return makeNode(context, ExprKind::Extent, *index, *number);
      })
      .Case([&](arith::IndexCastOp cast) -> ExprAttr {
        // A launch knows the value of an integer with its sign.
        std::optional<int64_t> number = getArgumentNumber(cast.getIn());
        if (!number || cast.getIn().getType().isInteger(1))
          return {};
        return makeNode(context, ExprKind::Scalar, 0, *number);
      })
      .Case([&](arith::AddIOp sum) { return combine(ExprKind::Add, sum); })
      .Case([&](arith::SubIOp sum) { return combine(ExprKind::Sub, sum); })
      .Case([&](arith::MulIOp sum) { return combine(ExprKind::Mul, sum); })
      .Case([&](arith::MinSIOp min) { return combine(ExprKind::Min, min); })
      .Case([&](arith::MaxSIOp max) { return combine(ExprKind::Max, max); })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](Operation *op) {
        bool isSigned = !llvm::all_of(op->getOperands(), [&](Value operand) {
          return facts.isNonNegative(operand);
        });
        ExprKind kind = isa<arith::MinUIOp>(op) ? ExprKind::Min : ExprKind::Max;
        return isSigned ? ExprAttr() : combine(kind, op);
      })
      .Case([&](arith::FloorDivSIOp division) {
        return divide(ExprKind::FloorDiv, division, /*roundsToZero=*/false);
      })
      .Case([&](arith::CeilDivSIOp division) {
        return divide(ExprKind::CeilDiv, division, /*roundsToZero=*/false);
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *division) {
        return divide(ExprKind::FloorDiv, division, /*roundsToZero=*/true);
      })
      .Case([&](arith::CeilDivUIOp division) {
        return divide(ExprKind::CeilDiv, division, /*roundsToZero=*/true);
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *remainder) {
        return divide(ExprKind::Mod, remainder, /*roundsToZero=*/true);
      })
      .Default([](Operation *) { return ExprAttr(); });
}

ExprAttr LaunchExpressions::get(Value value) {
  auto isNumber = [](Value inner) {
    return inner.getType().isIndex() &&
           isa<arith::ArithDialect>(inner.getDefiningOp()->getDialect());
  };
  return known.get(value, isNumber, [&](Value inner) {
    ExprAttr expr = compute(inner);
    return expr && isSmallEnough(expr) ? expr : ExprAttr();
  });
}
