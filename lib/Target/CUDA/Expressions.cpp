//===- Expressions.cpp - types, constants and expressions -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints trees of ops as C++, with the parentheses that they need. Nothing is
// reassociated.
//
//===----------------------------------------------------------------------===//

#include "FunctionPrinter.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

std::string carousel::spellType(Type type) {
  if (auto opaque = dyn_cast<emitc::OpaqueType>(type))
    return opaque.getValue().str();
  if (auto pointer = dyn_cast<emitc::PointerType>(type)) {
    std::string pointee = spellType(pointer.getPointee());
    return pointee.empty() ? "" : pointee + " *";
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return "bool";
    if (width != 8 && width != 16 && width != 32 && width != 64)
      return {};
    return (integer.isSigned() ? "int" : "uint") + std::to_string(width) + "_t";
  }
  if (type.isF16())
    return "carousel::f16";
  if (type.isBF16())
    return "carousel::bf16";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  return {};
}

std::string carousel::declare(Type type, StringRef name) {
  std::string text = spellType(type);
  return text + (StringRef(text).ends_with("*") ? "" : " ") + name.str();
}

static std::string spellInteger(const APInt &value, IntegerType type,
                                bool typed) {
  if (type.getWidth() == 1)
    return value.isZero() ? "false" : "true";
  std::string text;
  if (type.isSigned()) {
    // The least value has no literal of its own.
    if (value.isMinSignedValue())
      text = "(" + llvm::toString(value + 1, 10, /*Signed=*/true) + " - 1)";
    else
      text = llvm::toString(value, 10, /*Signed=*/true);
  } else if (value.getActiveBits() >= 32) {
    text = "0x" + llvm::toString(value, 16, false, false, false) + "u";
    for (char &c : text)
      c = llvm::toLower(c);
  } else {
    text = llvm::toString(value, 10, /*Signed=*/false);
  }
  return typed ? spellType(type) + "(" + text + ")" : text;
}

/// The shortest decimal that reads as the same number.
static std::string spellFloat(const APFloat &value, Type type) {
  SmallString<40> bits;
  value.bitcastToAPInt().toString(bits, 16, false, /*formatAsCLiteral=*/true);
  for (char &c : bits)
    if (c != 'x')
      c = llvm::toLower(c);
  if (!type.isF32() && !type.isF64())
    return spellType(type) + "::from_bits(" + bits.str().str() + ")";
  if (!value.isFinite())
    return (type.isF32() ? "__uint_as_float("
                         : "__longlong_as_double((long long)") +
           bits.str().str() + ")";
  SmallString<40> digits;
  value.toString(digits, /*FormatPrecision=*/0, /*FormatMaxPadding=*/6);
  std::string text = digits.str().str();
  if (text.find_first_of(".eE") == std::string::npos)
    text += ".0";
  APFloat again(value.getSemantics());
  llvm::Expected<APFloat::opStatus> status =
      again.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return {};
  }
  if (!again.bitwiseIsEqual(value))
    return (type.isF32() ? "__uint_as_float("
                         : "__longlong_as_double((long long)") +
           bits.str().str() + ")";
  return type.isF32() ? text + "f" : text;
}

std::string carousel::spellConstant(Attribute attr, Type type, bool typed) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    if (auto integerType = dyn_cast<IntegerType>(type))
      return spellInteger(integer.getValue(), integerType, typed);
  if (auto number = dyn_cast<FloatAttr>(attr))
    return spellFloat(number.getValue(), type);
  if (auto opaque = dyn_cast<emitc::OpaqueAttr>(attr))
    return opaque.getValue().str();
  return {};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string FunctionPrinter::fail(Operation *op) {
  if (!failed)
    emitError(op->getLoc())
        << "expected an op that has a text in CUDA C++, got '" << op->getName()
        << "'";
  failed = true;
  return "?";
}

std::string FunctionPrinter::express(Value value, Precedence least,
                                     bool typed) {
  Operation *op = value.getDefiningOp();
  if (!op || !plan.isInlined(op))
    return getName(value);
  Expression built = build(op, typed);
  if (static_cast<int>(built.precedence) >= static_cast<int>(least))
    return built.text;
  return "(" + built.text + ")";
}

std::string FunctionPrinter::expressLValue(Value lvalue) {
  if (auto alias = aliases.lookup(lvalue))
    return expressLValue(alias);
  auto subscript = lvalue.getDefiningOp<emitc::SubscriptOp>();
  if (!subscript)
    return getName(lvalue);
  std::string text = express(subscript.getValue(), Precedence::Primary);
  for (Value index : subscript.getIndices())
    text += "[" + express(index) + "]";
  return text;
}

static bool isConstant(Value value) {
  return value.getDefiningOp<emitc::ConstantOp>() != nullptr;
}

FunctionPrinter::Expression
FunctionPrinter::buildBinary(Operation *op, StringRef token,
                             Precedence precedence) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto next = static_cast<Precedence>(static_cast<int>(precedence) + 1);
  // A plain number is an int. It needs a type if the other operand doesn't
  // determine it.
  bool isShift = precedence == Precedence::Shift;
  bool typed = isConstant(lhs) && (isConstant(rhs) || isShift);
  // x - 4 for x + (2^64 - 4).
  if (isa<emitc::AddOp>(op) && isConstant(rhs)) {
    auto constant = rhs.getDefiningOp<emitc::ConstantOp>();
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    if (integer && integer.getValue().getBitWidth() >= 32 &&
        integer.getValue().isNegative() &&
        !integer.getValue().isMinSignedValue())
      return {express(lhs, precedence, typed) + " - " +
                  spellInteger(-integer.getValue(),
                               cast<IntegerType>(rhs.getType()), false),
              precedence};
  }
  return {express(lhs, precedence, typed) + " " + token.str() + " " +
              express(rhs, next),
          precedence};
}

FunctionPrinter::Expression FunctionPrinter::buildCast(emitc::CastOp op) {
  Value source = op.getSource();
  Type type = op.getType();
  if (isa<emitc::ArrayType>(source.getType()))
    return {express(source, Precedence::Primary), Precedence::Primary};
  // A constant is printed with the other type.
  if (auto constant = source.getDefiningOp<emitc::ConstantOp>()) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    auto to = dyn_cast<IntegerType>(type);
    if (integer && to && integer.getValue().getBitWidth() == to.getWidth())
      return {spellInteger(integer.getValue(), to, false), Precedence::Unary};
  }
  std::string name = spellType(type);
  if (name.empty())
    return {fail(op), Precedence::Primary};
  if (isa<emitc::PointerType>(type))
    return {"(" + name + ")" + express(source, Precedence::Unary),
            Precedence::Unary};
  return {name + "(" + express(source) + ")", Precedence::Primary};
}

FunctionPrinter::Expression FunctionPrinter::buildCall(Operation *op) {
  if (auto call = dyn_cast<emitc::CallOp>(op)) {
    SmallVector<std::string> arguments;
    for (Value operand : call.getOperands())
      arguments.push_back(express(operand));
    return {call.getCallee().str() + "(" + llvm::join(arguments, ", ") + ")",
            Precedence::Primary};
  }
  auto call = cast<emitc::CallOpaqueOp>(op);
  StringRef callee = call.getCallee();
  SmallVector<std::string> arguments;
  // Templates that deduce types from arguments, and variadic functions.
  bool typed = (call->hasAttr(TextAttrs::kPure) && !call.getTemplateArgs()) ||
               call.getArgs() || callee == "carousel::broadcast" ||
               callee == "carousel::insert_slice" ||
               callee == "carousel::st_async" ||
               callee == "carousel::st_async_global";
  if (callee == "&" || callee == "-" || callee == "!")
    return {callee.str() + express(call.getOperand(0), Precedence::Unary),
            Precedence::Unary};
  if (callee == TextAttrs::kList) {
    std::string type = spellType(call.getResult(0).getType());
    for (Value operand : call.getOperands())
      arguments.push_back(express(operand));
    std::string list = "{" + llvm::join(arguments, ", ") + "}";
    if (type == "auto")
      return {list, Precedence::Primary};
    if (!arguments.empty() && StringRef(type).starts_with("carousel::vec<"))
      list = "{" + list + "}";
    return {type + list, Precedence::Primary};
  }
  auto addOperand = [&](Value operand) {
    arguments.push_back(express(operand, Precedence::Lowest, typed));
  };
  if (!call.getArgs())
    llvm::for_each(call.getOperands(), addOperand);
  else
    for (Attribute argument : call.getArgsAttr())
      if (auto text = dyn_cast<StringAttr>(argument))
        arguments.push_back(quote(text.getValue()));
      else if (auto number = dyn_cast<IntegerAttr>(argument);
               number && number.getType().isIndex())
        addOperand(call.getOperand(number.getInt()));
      else if (number)
        arguments.push_back(std::to_string(number.getInt()));
      else
        return {fail(op), Precedence::Primary};
  std::string text = callee.str();
  if (ArrayAttr parameters = call.getTemplateArgsAttr()) {
    SmallVector<std::string> spelled;
    for (Attribute parameter : parameters) {
      auto opaque = dyn_cast<emitc::OpaqueAttr>(parameter);
      if (!opaque)
        return {fail(op), Precedence::Primary};
      spelled.push_back(opaque.getValue().str());
    }
    text += "<" + llvm::join(spelled, ", ") + ">";
  }
  return {text + "(" + llvm::join(arguments, ", ") + ")", Precedence::Primary};
}

static std::pair<StringRef, Precedence>
getComparison(emitc::CmpPredicate kind) {
  switch (kind) {
  case emitc::CmpPredicate::eq:
    return {"==", Precedence::Equality};
  case emitc::CmpPredicate::ne:
    return {"!=", Precedence::Equality};
  case emitc::CmpPredicate::lt:
    return {"<", Precedence::Relational};
  case emitc::CmpPredicate::le:
    return {"<=", Precedence::Relational};
  case emitc::CmpPredicate::gt:
    return {">", Precedence::Relational};
  case emitc::CmpPredicate::ge:
    return {">=", Precedence::Relational};
  case emitc::CmpPredicate::three_way:
    return {"<=>", Precedence::Relational};
  }
  llvm_unreachable("covered switch");
}

FunctionPrinter::Expression FunctionPrinter::build(Operation *op, bool typed) {
  auto binary = [&](StringRef token, Precedence precedence) {
    return buildBinary(op, token, precedence);
  };
  auto unary = [&](StringRef token) -> Expression {
    std::string operand = express(op->getOperand(0), Precedence::Unary);
    // Avoid a decrement.
    if (StringRef(operand).starts_with(token))
      operand = "(" + operand + ")";
    return {token.str() + operand, Precedence::Unary};
  };
  return TypeSwitch<Operation *, Expression>(op)
      .Case([&](emitc::ConstantOp op) -> Expression {
        std::string text = spellConstant(op.getValue(), op.getType(), typed);
        if (text.empty())
          text = fail(op);
        return {text,
                text.front() == '-' ? Precedence::Unary : Precedence::Primary};
      })
      .Case([&](emitc::LiteralOp op) -> Expression {
        usesDynamicShared |= op.getValue() == TextAttrs::kDynamicShared;
        return {op.getValue().str(), Precedence::Primary};
      })
      .Case([&](emitc::GetGlobalOp op) -> Expression {
        return {op.getName().str(), Precedence::Primary};
      })
      .Case([&](emitc::LoadOp op) -> Expression {
        return {expressLValue(op.getOperand()), Precedence::Primary};
      })
      .Case([&](emitc::AddOp op) -> Expression {
        if (isa<emitc::PointerType>(op.getType()))
          return {"&" + express(op.getLhs(), Precedence::Primary) + "[" +
                      express(op.getRhs()) + "]",
                  Precedence::Unary};
        return binary("+", Precedence::Additive);
      })
      .Case([&](emitc::SubOp) { return binary("-", Precedence::Additive); })
      .Case(
          [&](emitc::MulOp) { return binary("*", Precedence::Multiplicative); })
      .Case(
          [&](emitc::DivOp) { return binary("/", Precedence::Multiplicative); })
      .Case(
          [&](emitc::RemOp) { return binary("%", Precedence::Multiplicative); })
      .Case(
          [&](emitc::BitwiseAndOp) { return binary("&", Precedence::BitAnd); })
      .Case([&](emitc::BitwiseOrOp) { return binary("|", Precedence::BitOr); })
      .Case(
          [&](emitc::BitwiseXorOp) { return binary("^", Precedence::BitXor); })
      .Case([&](emitc::BitwiseLeftShiftOp) {
        return binary("<<", Precedence::Shift);
      })
      .Case([&](emitc::BitwiseRightShiftOp) {
        return binary(">>", Precedence::Shift);
      })
      .Case([&](emitc::LogicalAndOp) {
        return binary("&&", Precedence::LogicalAnd);
      })
      .Case([&](emitc::LogicalOrOp) {
        return binary("||", Precedence::LogicalOr);
      })
      .Case([&](emitc::CmpOp op) {
        auto [token, precedence] = getComparison(op.getPredicate());
        return binary(token, precedence);
      })
      .Case([&](emitc::LogicalNotOp) { return unary("!"); })
      .Case([&](emitc::BitwiseNotOp) { return unary("~"); })
      .Case([&](emitc::UnaryMinusOp) { return unary("-"); })
      .Case([&](emitc::UnaryPlusOp) { return unary("+"); })
      .Case([&](emitc::ConditionalOp op) -> Expression {
        bool both =
            isConstant(op.getTrueValue()) && isConstant(op.getFalseValue());
        return {express(op.getCondition(), Precedence::LogicalOr) + " ? " +
                    express(op.getTrueValue(), Precedence::LogicalOr, both) +
                    " : " +
                    express(op.getFalseValue(), Precedence::Conditional),
                Precedence::Conditional};
      })
      .Case([&](emitc::CastOp op) { return buildCast(op); })
      .Case<emitc::CallOp, emitc::CallOpaqueOp>(
          [&](Operation *op) { return buildCall(op); })
      .Default([&](Operation *op) -> Expression {
        return {fail(op), Precedence::Primary};
      });
}
