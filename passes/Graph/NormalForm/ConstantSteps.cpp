//===- ConstantSteps.cpp - bodies of ops on bits --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConstantSteps.h.
//
//===----------------------------------------------------------------------===//

#include "ConstantSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;
using llvm::APSInt;

static constexpr auto kNearest = llvm::RoundingMode::NearestTiesToEven;

static const llvm::fltSemantics &getSemantics(Type type) {
  return cast<FloatType>(type).getFloatSemantics();
}

static unsigned getBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static bool isKnown(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IndexType>(
             type) ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

static std::optional<APInt> finish(const APFloat &value) {
  if (value.isNaN())
    return std::nullopt;
  return value.bitcastToAPInt();
}

/// Computes a function of the op's operands as floats.
template <typename Function>
static auto onFloats(Operation *op, Function function) {
  return [&semantics = getSemantics(op->getOperand(0).getType()),
          function](ArrayRef<APInt> values) -> std::optional<APInt> {
    APFloat lhs(semantics, values[0]), rhs(semantics, values.back());
    return finish(function(lhs, rhs));
  };
}

template <typename Function> static auto onIntegers(Function function) {
  return [function](ArrayRef<APInt> values) -> std::optional<APInt> {
    return function(values[0], values[1]);
  };
}

static auto convertFloat(Operation *op) {
  return [&from = getSemantics(op->getOperand(0).getType()),
          &to = getSemantics(op->getResult(0).getType())](
             ArrayRef<APInt> values) -> std::optional<APInt> {
    APFloat value(from, values[0]);
    bool isLossy;
    value.convert(to, kNearest, &isLossy);
    return finish(value);
  };
}

static auto convertInteger(Operation *op, bool isSigned) {
  return [&to = getSemantics(op->getResult(0).getType()),
          isSigned](ArrayRef<APInt> values) -> std::optional<APInt> {
    APFloat value(to);
    value.convertFromAPInt(values[0], isSigned, kNearest);
    return finish(value);
  };
}

/// Numbers that the integer hasn't have no meaning.
static auto convertToInteger(Operation *op, bool isSigned) {
  return [&from = getSemantics(op->getOperand(0).getType()),
          bits = getBits(op->getResult(0).getType()),
          isSigned](ArrayRef<APInt> values) -> std::optional<APInt> {
    APSInt result(bits, /*isUnsigned=*/!isSigned);
    bool isExact;
    if (APFloat(from, values[0])
            .convertToInteger(result, llvm::RoundingMode::TowardZero,
                              &isExact) == APFloat::opInvalidOp)
      return std::nullopt;
    return result;
  };
}

static auto resize(Operation *op, bool isSigned) {
  return [bits = getBits(op->getResult(0).getType()),
          isSigned](ArrayRef<APInt> values) -> std::optional<APInt> {
    return isSigned ? values[0].sextOrTrunc(bits) : values[0].zextOrTrunc(bits);
  };
}

ConstantSteps::Evaluate ConstantSteps::find(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isKnown) ||
      !llvm::all_of(op->getResultTypes(), isKnown))
    return {};
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
      fast && fast.getFastMathFlagsAttr() &&
      fast.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
    return {};
  if (auto round = dyn_cast<arith::ArithRoundingModeInterface>(op);
      round && round.getRoundingModeAttr())
    return {};
  return llvm::TypeSwitch<Operation *, Evaluate>(op)
      .Case([&](arith::AddFOp) {
        return onFloats(op, [](APFloat a, const APFloat &b) { return a + b; });
      })
      .Case([&](arith::SubFOp) {
        return onFloats(op, [](APFloat a, const APFloat &b) { return a - b; });
      })
      .Case([&](arith::MulFOp) {
        return onFloats(op, [](APFloat a, const APFloat &b) { return a * b; });
      })
      .Case([&](arith::DivFOp) {
        return onFloats(op, [](APFloat a, const APFloat &b) { return a / b; });
      })
      .Case([&](arith::NegFOp) {
        return onFloats(op, [](APFloat a, const APFloat &) { return neg(a); });
      })
      .Case([&](arith::MaximumFOp) {
        return onFloats(op, [](const APFloat &a, const APFloat &b) {
          return llvm::maximum(a, b);
        });
      })
      .Case([&](arith::MinimumFOp) {
        return onFloats(op, [](const APFloat &a, const APFloat &b) {
          return llvm::minimum(a, b);
        });
      })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return convertFloat(op); })
      .Case([&](arith::SIToFPOp) { return convertInteger(op, true); })
      .Case([&](arith::UIToFPOp) { return convertInteger(op, false); })
      .Case([&](arith::FPToSIOp) { return convertToInteger(op, true); })
      .Case([&](arith::FPToUIOp) { return convertToInteger(op, false); })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](Operation *) { return resize(op, true); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](Operation *) { return resize(op, false); })
      .Case([&](arith::AddIOp) {
        return onIntegers([](const APInt &a, const APInt &b) { return a + b; });
      })
      .Case([&](arith::SubIOp) {
        return onIntegers([](const APInt &a, const APInt &b) { return a - b; });
      })
      .Case([&](arith::MulIOp) {
        return onIntegers([](const APInt &a, const APInt &b) { return a * b; });
      })
      .Case([&](arith::AndIOp) {
        return onIntegers([](const APInt &a, const APInt &b) { return a & b; });
      })
      .Case([&](arith::OrIOp) {
        return onIntegers([](const APInt &a, const APInt &b) { return a | b; });
      })
      .Case([&](arith::XOrIOp) {
        return onIntegers([](const APInt &a, const APInt &b) { return a ^ b; });
      })
      .Case([&](arith::CmpIOp compare) -> Evaluate {
        return [predicate = compare.getPredicate()](
                   ArrayRef<APInt> values) -> std::optional<APInt> {
          return APInt(
              1, arith::applyCmpPredicate(predicate, values[0], values[1]));
        };
      })
      .Case([&](arith::CmpFOp compare) -> Evaluate {
        return [predicate = compare.getPredicate(),
                &semantics = getSemantics(compare.getLhs().getType())](
                   ArrayRef<APInt> values) -> std::optional<APInt> {
          return APInt(1, arith::applyCmpPredicate(
                              predicate, APFloat(semantics, values[0]),
                              APFloat(semantics, values[1])));
        };
      })
      .Case([&](arith::SelectOp) -> Evaluate {
        return [](ArrayRef<APInt> values) -> std::optional<APInt> {
          return values[0].isZero() ? values[2] : values[1];
        };
      })
      .Default([](Operation *) { return Evaluate(); });
}

std::optional<unsigned> ConstantSteps::place(Value value) {
  auto known = places.find(value);
  if (known != places.end())
    return known->second;
  Attribute constant;
  if (!isKnown(value.getType()) || !matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  auto number = dyn_cast<FloatAttr>(constant);
  auto integer = dyn_cast<IntegerAttr>(constant);
  if (!number && !integer)
    return std::nullopt;
  values.push_back(number ? number.getValue().bitcastToAPInt()
                          : integer.getValue());
  return places[value] = values.size() - 1;
}

std::optional<ConstantSteps> ConstantSteps::read(Block *body) {
  ConstantSteps read;
  auto add = [&](Value value) {
    read.places[value] = read.values.size();
    read.values.emplace_back(getBits(value.getType()), 0);
    return unsigned(read.values.size() - 1);
  };
  for (BlockArgument argument : body->getArguments())
    add(argument);
  for (Operation &op : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      read.loopValues.push_back({index.getDim(), add(index.getResult())});
      continue;
    }
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue; // placed by its users
    Step step;
    step.evaluate = find(&op);
    if (!step.evaluate)
      return std::nullopt;
    for (Value operand : op.getOperands()) {
      std::optional<unsigned> known = read.place(operand);
      if (!known)
        return std::nullopt;
      step.operands.push_back(*known);
    }
    step.result = add(op.getResult(0));
    read.steps.push_back(std::move(step));
  }
  std::optional<unsigned> result =
      read.place(body->getTerminator()->getOperand(0));
  if (!result)
    return std::nullopt;
  read.yielded = *result;
  return read;
}

std::optional<APInt> ConstantSteps::run(ArrayRef<APInt> elements,
                                        ArrayRef<int64_t> loops) {
  // The first values are those of the arguments.
  llvm::copy(elements, values.begin());
  for (auto [loop, value] : loopValues)
    values[value] = APInt(64, loops[loop]);
  SmallVector<APInt, 3> operands;
  for (const Step &step : steps) {
    operands.clear();
    for (unsigned operand : step.operands)
      operands.push_back(values[operand]);
    std::optional<APInt> result = step.evaluate(operands);
    if (!result)
      return std::nullopt;
    values[step.result] = *result;
  }
  return values[yielded];
}
