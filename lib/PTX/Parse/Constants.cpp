//===- Constants.cpp - constant expressions -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Precedence climbing; integers are of 64 bits, signed unless an operand is
// unsigned. PTX ISA, Summary of Constant Expression Evaluation Rules.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <limits>

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

namespace {

constexpr unsigned kMostDepth = 200; ///< of parentheses

class Evaluator {
public:
  explicit Evaluator(TokenStream &tokens) : tokens(tokens) {}

  bool parseConditional(Immediate &value);

private:
  bool parseBinary(Immediate &value, unsigned least);
  bool parseUnary(Immediate &value);
  bool parsePrimary(Immediate &value);
  bool combine(const Token &op, Immediate &left, Immediate right);
  bool combineFloats(const Token &op, Immediate &left, Immediate right);

  TokenStream &tokens;
  unsigned depth = 0;
};

} // namespace

/// 0: no binary operator.
static unsigned getPrecedence(const Token &token) {
  if (token.kind != Token::Kind::Mark)
    return 0;
  return llvm::StringSwitch<unsigned>(token.text)
      .Cases({"*", "/", "%"}, 10)
      .Cases({"+", "-"}, 9)
      .Cases({"<<", ">>"}, 8)
      .Cases({"<", ">", "<=", ">="}, 7)
      .Cases({"==", "!="}, 6)
      .Case("&", 5)
      .Case("^", 4)
      .Case("|", 3)
      .Case("&&", 2)
      .Case("||", 1)
      .Default(0);
}

static double toDouble(const Immediate &value) {
  if (value.kind == Immediate::Kind::F32)
    return llvm::bit_cast<float>(uint32_t(value.bits));
  return llvm::bit_cast<double>(value.bits);
}

bool Evaluator::combineFloats(const Token &op, Immediate &left,
                              Immediate right) {
  double a = toDouble(left), b = toDouble(right);
  auto yield = [&](double result) {
    left = {Immediate::Kind::F64, llvm::bit_cast<uint64_t>(result)};
    return true;
  };
  auto decide = [&](bool result) {
    left = {Immediate::Kind::Signed, result};
    return true;
  };
  if (op.is("+"))
    return yield(a + b);
  if (op.is("-"))
    return yield(a - b);
  if (op.is("*"))
    return yield(a * b);
  if (op.is("/"))
    return yield(a / b);
  if (op.is("<"))
    return decide(a < b);
  if (op.is(">"))
    return decide(a > b);
  if (op.is("<="))
    return decide(a <= b);
  if (op.is(">="))
    return decide(a >= b);
  if (op.is("=="))
    return decide(a == b);
  if (op.is("!="))
    return decide(a != b);
  return tokens.fail(op.location, "expected integers on both sides of " +
                                      op.describe() + ", got floats");
}

bool Evaluator::combine(const Token &op, Immediate &left, Immediate right) {
  if (left.isFloat() != right.isFloat())
    return tokens.fail(op.location, "expected two integers or two floats on "
                                    "the sides of " +
                                        op.describe() + ", got one of each");
  if (left.isFloat())
    return combineFloats(op, left, right);
  bool isUnsigned = left.kind == Immediate::Kind::Unsigned ||
                    right.kind == Immediate::Kind::Unsigned;
  uint64_t a = left.bits, b = right.bits;
  auto yield = [&](uint64_t bits) {
    left = {isUnsigned ? Immediate::Kind::Unsigned : Immediate::Kind::Signed,
            bits};
    return true;
  };
  auto decide = [&](bool result) {
    left = {Immediate::Kind::Signed, result};
    return true;
  };
  int64_t sa = a, sb = b;
  if (op.is("/") || op.is("%")) {
    bool overflows =
        !isUnsigned && sa == std::numeric_limits<int64_t>::min() && sb == -1;
    if (b == 0 || overflows)
      return tokens.fail(op.location,
                         "expected a quotient that 64 bits hold, got a "
                         "division by " +
                             (b == 0 ? llvm::Twine("0") : llvm::Twine("-1")));
    if (op.is("/"))
      return yield(isUnsigned ? a / b : uint64_t(sa / sb));
    return yield(isUnsigned ? a % b : uint64_t(sa % sb));
  }
  if (op.is("*"))
    return yield(a * b);
  if (op.is("+"))
    return yield(a + b);
  if (op.is("-"))
    return yield(a - b);
  if (op.is("<<") || op.is(">>")) {
    isUnsigned = left.kind == Immediate::Kind::Unsigned;
    bool negative = op.is(">>") && !isUnsigned && sa < 0;
    if (b > 63)
      return yield(negative ? ~uint64_t(0) : 0);
    return yield(op.is("<<") ? a << b
                             : (isUnsigned ? a >> b : uint64_t(sa >> b)));
  }
  if (op.is("<"))
    return decide(isUnsigned ? a < b : sa < sb);
  if (op.is(">"))
    return decide(isUnsigned ? a > b : sa > sb);
  if (op.is("<="))
    return decide(isUnsigned ? a <= b : sa <= sb);
  if (op.is(">="))
    return decide(isUnsigned ? a >= b : sa >= sb);
  if (op.is("=="))
    return decide(a == b);
  if (op.is("!="))
    return decide(a != b);
  if (op.is("&"))
    return yield(a & b);
  if (op.is("^"))
    return yield(a ^ b);
  if (op.is("|"))
    return yield(a | b);
  return decide(op.is("&&") ? a && b : a || b);
}

bool Evaluator::parsePrimary(Immediate &value) {
  const Token &token = tokens.peek();
  if (token.kind == Token::Kind::Number) {
    value = tokens.take().value;
    return true;
  }
  if (token.kind == Token::Kind::Name && token.text == "WARP_SZ") {
    tokens.take();
    value = {Immediate::Kind::Signed, 32};
    return true;
  }
  if (!tokens.consume("("))
    return tokens.failAtNext("a constant");
  if (++depth > kMostDepth)
    return tokens.fail(token.location, "expected at most " +
                                           llvm::Twine(kMostDepth) +
                                           " levels of parentheses, got more");
  // A cast, (.s64) or (.u64), of what follows.
  bool isSigned = tokens.consumeWord("s64");
  if (isSigned || tokens.consumeWord("u64")) {
    if (!tokens.expect(")", "after the type of a cast") || !parseUnary(value))
      return false;
    if (value.isFloat())
      return tokens.fail(token.location,
                         "expected an integer after a cast, got a float");
    value.kind = isSigned ? Immediate::Kind::Signed : Immediate::Kind::Unsigned;
  } else if (!parseConditional(value) ||
             !tokens.expect(")", "at the end of the expression")) {
    return false;
  }
  --depth;
  return true;
}

bool Evaluator::parseUnary(Immediate &value) {
  const Token &op = tokens.peek();
  bool isUnary = op.is("+") || op.is("-") || op.is("!") || op.is("~");
  if (!isUnary)
    return parsePrimary(value);
  tokens.take();
  if (++depth > kMostDepth)
    return tokens.fail(op.location, "expected at most " +
                                        llvm::Twine(kMostDepth) +
                                        " operators in a row, got more");
  if (!parseUnary(value))
    return false;
  --depth;
  if (value.isFloat()) {
    if (op.is("!") || op.is("~"))
      return tokens.fail(op.location, "expected an integer after " +
                                          op.describe() + ", got a float");
    if (op.is("-"))
      value.bits ^= value.kind == Immediate::Kind::F32 ? uint64_t(1) << 31
                                                       : uint64_t(1) << 63;
    return true;
  }
  if (op.is("-"))
    value.bits = -value.bits;
  else if (op.is("~"))
    value.bits = ~value.bits;
  else if (op.is("!"))
    value = {Immediate::Kind::Signed, value.bits == 0};
  return true;
}

bool Evaluator::parseBinary(Immediate &value, unsigned least) {
  if (!parseUnary(value))
    return false;
  while (unsigned precedence = getPrecedence(tokens.peek())) {
    if (precedence < least)
      break;
    const Token &op = tokens.take();
    Immediate right;
    if (!parseBinary(right, precedence + 1) || !combine(op, value, right))
      return false;
  }
  return true;
}

bool Evaluator::parseConditional(Immediate &value) {
  if (!parseBinary(value, 1))
    return false;
  const Token &mark = tokens.peek();
  if (!tokens.consume("?"))
    return true;
  if (++depth > kMostDepth)
    return tokens.fail(mark.location, "expected at most " +
                                          llvm::Twine(kMostDepth) +
                                          " conditionals, got more");
  Immediate yes, no;
  if (!parseConditional(yes) || !tokens.expect(":", "after '?'") ||
      !parseConditional(no))
    return false;
  --depth;
  value = value.bits != 0 ? yes : no;
  return true;
}

bool ptx::parseConstant(TokenStream &tokens, Immediate &value) {
  return Evaluator(tokens).parseConditional(value);
}

bool ptx::parseIntegerConstant(TokenStream &tokens, int64_t &value) {
  Immediate immediate;
  Location location = tokens.peek().location;
  if (!parseConstant(tokens, immediate))
    return false;
  if (immediate.isFloat())
    return tokens.fail(location, "expected an integer, got a float");
  value = int64_t(immediate.bits);
  return true;
}
