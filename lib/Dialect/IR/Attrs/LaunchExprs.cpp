//===- LaunchExprs.cpp - launch expressions and guards --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, prints and verifies expressions and guards, C108 and C109 of
// docs/Spec.md. The parser rejects text that is nested too deep or has too many
// nodes. So recursion over an existing attribute is safe.
//
//===----------------------------------------------------------------------===//

#include "LaunchExprs.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// The largest number of nodes that a package's reader accepts.
static constexpr int64_t kMaxNodes = 256;
/// The largest compute capability that it accepts.
static constexpr int64_t kMaxCapability = INT32_MAX;
/// The largest nesting of parentheses, because the parser and the printer are
/// recursive.
static constexpr int64_t kMaxNesting = 64;

//===----------------------------------------------------------------------===//
// Structure of expressions
//===----------------------------------------------------------------------===//

static bool isBinary(ExprKind kind) { return kind >= ExprKind::Add; }

static StringRef getOperator(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
    return "+";
  case ExprKind::Sub:
    return "-";
  case ExprKind::Mul:
    return "*";
  default:
    return {};
  }
}

/// The precedence of an expression. Higher binds tighter.
static int getPrecedence(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
    return 1;
  case ExprKind::Mul:
    return 2;
  default:
    return 3;
  }
}

/// Operators associate to the left: equal precedence needs parentheses on the
/// right.
static bool needsParentheses(ExprKind outer, ExprKind operand, bool right) {
  int limit = getPrecedence(outer);
  if (limit == 3)
    return false;
  return getPrecedence(operand) < limit + (right ? 1 : 0);
}

namespace {
struct ExprSize {
  int64_t nodes = 1;
  int64_t nesting = 0; ///< of parentheses, as printed
};
} // namespace

static ExprSize getSize(ExprAttr expr);

static ExprSize getSize(ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
  ExprSize size;
  const ExprAttr operands[] = {lhs, rhs};
  for (auto [i, operand] : llvm::enumerate(operands)) {
    ExprSize inner = getSize(operand);
    bool nests = getOperator(kind).empty() ||
                 needsParentheses(kind, operand.getKind(), i == 1);
    size.nodes += inner.nodes;
    size.nesting = std::max(size.nesting, inner.nesting + (nests ? 1 : 0));
  }
  return size;
}

static ExprSize getSize(ExprAttr expr) {
  if (!isBinary(expr.getKind()))
    return {};
  return getSize(expr.getKind(), expr.getLhs(), expr.getRhs());
}

//===----------------------------------------------------------------------===//
// Text of expressions and guards
//===----------------------------------------------------------------------===//

namespace {

/// Recursive descent; `nesting` counts the open parentheses.
class ExprParser {
public:
  explicit ExprParser(AsmParser &parser) : parser(parser) {}

  FailureOr<ExprAttr> parse() { return parseSum(0); }

private:
  FailureOr<ExprAttr> parseSum(int64_t nesting) {
    FailureOr<ExprAttr> lhs = parseProduct(nesting);
    while (succeeded(lhs)) {
      SMLoc where = parser.getCurrentLocation();
      ExprKind kind;
      if (succeeded(parser.parseOptionalPlus()))
        kind = ExprKind::Add;
      else if (succeeded(parser.parseOptionalMinus()))
        kind = ExprKind::Sub;
      else
        break;
      lhs = makeBinary(where, kind, *lhs, parseProduct(nesting));
    }
    return lhs;
  }

  FailureOr<ExprAttr> parseProduct(int64_t nesting) {
    FailureOr<ExprAttr> lhs = parseOperand(nesting);
    while (succeeded(lhs)) {
      SMLoc where = parser.getCurrentLocation();
      if (failed(parser.parseOptionalStar()))
        break;
      lhs = makeBinary(where, ExprKind::Mul, *lhs, parseOperand(nesting));
    }
    return lhs;
  }

  FailureOr<ExprAttr> parseOperand(int64_t nesting) {
    SMLoc where = parser.getCurrentLocation();
    int64_t value = 0;
    OptionalParseResult constant = parser.parseOptionalInteger(value);
    if (constant.has_value()) {
      if (failed(*constant))
        return failure();
      return make(where, ExprKind::Constant, value);
    }
    if (succeeded(parser.parseOptionalLParen())) {
      if (failed(verifyNesting(where, nesting)))
        return failure();
      FailureOr<ExprAttr> expr = parseSum(nesting + 1);
      if (failed(expr) || parser.parseRParen())
        return failure();
      return expr;
    }
    StringRef keyword;
    if (failed(parser.parseOptionalKeyword(&keyword)))
      return parser.emitError(where)
             << "expected an integer, a name of a launch expression, or '('";
    return parseNamed(where, keyword, nesting);
  }

  FailureOr<ExprAttr> parseNamed(SMLoc where, StringRef keyword,
                                 int64_t nesting) {
    std::optional<ExprKind> kind = symbolizeExprKind(keyword);
    if (!kind || *kind == ExprKind::Constant || !getOperator(*kind).empty())
      return parser.emitError(where)
             << "expected sms, resident, extent, stride, scalar, floordiv, "
                "ceildiv, mod, min or max, got '"
             << keyword << "'";
    if (*kind == ExprKind::SMs || *kind == ExprKind::Resident)
      return make(where, *kind);
    if (parser.parseLParen())
      return failure();
    FailureOr<ExprAttr> expr;
    if (isBinary(*kind)) {
      if (failed(verifyNesting(where, nesting)))
        return failure();
      FailureOr<ExprAttr> lhs = parseSum(nesting + 1);
      if (failed(lhs) || parser.parseComma())
        return failure();
      expr = makeBinary(where, *kind, *lhs, parseSum(nesting + 1));
    } else {
      int64_t argument = 0, dim = 0;
      if (parser.parseInteger(argument))
        return failure();
      if (*kind != ExprKind::Scalar &&
          (parser.parseComma() || parser.parseInteger(dim)))
        return failure();
      expr = make(where, *kind, dim, argument);
    }
    if (failed(expr) || parser.parseRParen())
      return failure();
    return expr;
  }

  LogicalResult verifyNesting(SMLoc where, int64_t nesting) {
    if (nesting < kMaxNesting)
      return success();
    return parser.emitError(where) << "expected an expression nested at most "
                                   << kMaxNesting << " deep, got more";
  }

  FailureOr<ExprAttr> makeBinary(SMLoc where, ExprKind kind, ExprAttr lhs,
                                 FailureOr<ExprAttr> rhs) {
    if (failed(rhs))
      return failure();
    return make(where, kind, 0, 0, lhs, *rhs);
  }

  FailureOr<ExprAttr> make(SMLoc where, ExprKind kind, int64_t value = 0,
                           int64_t argument = 0, ExprAttr lhs = {},
                           ExprAttr rhs = {}) {
    auto expr = parser.getChecked<ExprAttr>(where, parser.getContext(), kind,
                                            value, argument, lhs, rhs);
    if (!expr)
      return failure();
    return expr;
  }

  AsmParser &parser;
};

} // namespace

ParseResult carousel::parseBare(AsmParser &parser, ExprAttr &expr) {
  FailureOr<ExprAttr> parsed = ExprParser(parser).parse();
  if (failed(parsed))
    return failure();
  expr = *parsed;
  return success();
}

void carousel::printBare(AsmPrinter &printer, ExprAttr expr) {
  auto printOperand = [&](ExprAttr operand, bool right) {
    bool wrap = needsParentheses(expr.getKind(), operand.getKind(), right);
    printer << (wrap ? "(" : "");
    printBare(printer, operand);
    printer << (wrap ? ")" : "");
  };
  ExprKind kind = expr.getKind();
  switch (kind) {
  case ExprKind::Constant:
    printer << expr.getValue();
    return;
  case ExprKind::SMs:
  case ExprKind::Resident:
    printer << stringifyExprKind(kind);
    return;
  case ExprKind::Extent:
  case ExprKind::Stride:
    printer << stringifyExprKind(kind) << '(' << expr.getArgument() << ", "
            << expr.getValue() << ')';
    return;
  case ExprKind::Scalar:
    printer << stringifyExprKind(kind) << '(' << expr.getArgument() << ')';
    return;
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
    printOperand(expr.getLhs(), false);
    printer << ' ' << getOperator(kind) << ' ';
    printOperand(expr.getRhs(), true);
    return;
  default:
    printer << stringifyExprKind(kind) << '(';
    printOperand(expr.getLhs(), false);
    printer << ", ";
    printOperand(expr.getRhs(), true);
    printer << ')';
  }
}

ParseResult carousel::parseBare(AsmParser &parser, GuardAttr &guard) {
  SMLoc where = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return parser.emitError(where) << "expected a guard";
  std::optional<GuardKind> kind = symbolizeGuardKind(keyword);
  if (!kind)
    return parser.emitError(where) << "expected capability, aligned, "
                                      "divisible, range or equal, got '"
                                   << keyword << "'";
  int64_t argument = 0, least = 0, most = 0;
  ExprAttr value, other;
  if (parser.parseLParen())
    return failure();
  switch (*kind) {
  case GuardKind::Capability:
    if (parser.parseInteger(least))
      return failure();
    most = INT64_MAX;
    if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(most))
      return failure();
    break;
  case GuardKind::Aligned:
    if (parser.parseInteger(argument) || parser.parseComma() ||
        parser.parseInteger(least))
      return failure();
    break;
  case GuardKind::Divisible:
    if (parseBare(parser, value) || parser.parseComma() ||
        parser.parseInteger(least))
      return failure();
    break;
  case GuardKind::Range:
    if (parseBare(parser, value) || parser.parseComma() ||
        parser.parseInteger(least) || parser.parseComma() ||
        parser.parseInteger(most))
      return failure();
    break;
  case GuardKind::Equal:
    if (parseBare(parser, value) || parser.parseComma() ||
        parseBare(parser, other))
      return failure();
    break;
  }
  if (parser.parseRParen())
    return failure();
  guard = parser.getChecked<GuardAttr>(where, parser.getContext(), *kind,
                                       argument, value, other, least, most);
  return success(bool(guard));
}

void carousel::printBare(AsmPrinter &printer, GuardAttr guard) {
  printer << stringifyGuardKind(guard.getKind()) << '(';
  switch (guard.getKind()) {
  case GuardKind::Capability:
    printer << guard.getLeast();
    if (guard.getMost() != INT64_MAX)
      printer << ", " << guard.getMost();
    break;
  case GuardKind::Aligned:
    printer << guard.getArgument() << ", " << guard.getLeast();
    break;
  case GuardKind::Divisible:
    printBare(printer, guard.getValue());
    printer << ", " << guard.getLeast();
    break;
  case GuardKind::Range:
    printBare(printer, guard.getValue());
    printer << ", " << guard.getLeast() << ", " << guard.getMost();
    break;
  case GuardKind::Equal:
    printBare(printer, guard.getValue());
    printer << ", ";
    printBare(printer, guard.getOther());
    break;
  }
  printer << ')';
}

template <typename Attr> static Attr parseWhole(AsmParser &parser) {
  Attr attr;
  if (parser.parseLess() || parseBare(parser, attr) || parser.parseGreater())
    return {};
  return attr;
}

template <typename Attr>
static void printWhole(AsmPrinter &printer, Attr attr) {
  printer << '<';
  printBare(printer, attr);
  printer << '>';
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  return parseWhole<ExprAttr>(parser);
}
void ExprAttr::print(AsmPrinter &printer) const { printWhole(printer, *this); }

Attribute GuardAttr::parse(AsmParser &parser, Type) {
  return parseWhole<GuardAttr>(parser);
}
void GuardAttr::print(AsmPrinter &printer) const { printWhole(printer, *this); }

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

// C108
LogicalResult ExprAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ExprKind kind, int64_t value, int64_t argument,
                               ExprAttr lhs, ExprAttr rhs) {
  StringRef name = stringifyExprKind(kind);
  if (isBinary(kind) != bool(lhs) || isBinary(kind) != bool(rhs))
    return emitError() << "expected " << (isBinary(kind) ? "two" : "no")
                       << " operands of " << name << ", got "
                       << int(bool(lhs)) + int(bool(rhs));
  bool hasDim = kind == ExprKind::Extent || kind == ExprKind::Stride;
  bool hasArgument = hasDim || kind == ExprKind::Scalar;
  if (argument < 0 || (argument != 0 && !hasArgument))
    return emitError() << "expected the number of an argument in " << name
                       << ", got " << argument;
  if (kind != ExprKind::Constant && (value < 0 || (value != 0 && !hasDim)))
    return emitError() << "expected the number of a dimension in " << name
                       << ", got " << value;
  if (!isBinary(kind))
    return success();
  ExprSize size = getSize(kind, lhs, rhs);
  if (size.nodes > kMaxNodes)
    return emitError() << "expected an expression of at most " << kMaxNodes
                       << " operators and operands, got " << size.nodes;
  if (size.nesting > kMaxNesting)
    return emitError() << "expected an expression nested at most "
                       << kMaxNesting << " deep, got " << size.nesting;
  return success();
}

static bool namesResident(ExprAttr expr) {
  if (!expr.getLhs())
    return expr.getKind() == ExprKind::Resident;
  return namesResident(expr.getLhs()) || namesResident(expr.getRhs());
}

LogicalResult
carousel::verifyNoResident(function_ref<InFlightDiagnostic()> emitError,
                           ExprAttr expr, StringRef place) {
  if (!expr || !namesResident(expr))
    return success();
  return emitError() << "expected resident in a grid only, got it in " << place;
}

// C109
LogicalResult GuardAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                GuardKind kind, int64_t argument,
                                ExprAttr value, ExprAttr other, int64_t least,
                                int64_t most) {
  int values = kind == GuardKind::Equal                                   ? 2
               : kind == GuardKind::Divisible || kind == GuardKind::Range ? 1
                                                                          : 0;
  if (bool(value) != (values > 0) || bool(other) != (values > 1))
    return emitError() << "expected " << values << " expressions in "
                       << stringifyGuardKind(kind) << ", got "
                       << int(bool(value)) + int(bool(other));
  for (ExprAttr expr : {value, other})
    if (failed(verifyNoResident(emitError, expr, "a guard")))
      return failure();
  switch (kind) {
  case GuardKind::Capability:
    for (int64_t bound : {least, most == INT64_MAX ? least : most})
      if (bound < 1 || bound > kMaxCapability)
        return emitError() << "expected a compute capability of 1 to "
                           << kMaxCapability << ", got " << bound;
    break;
  case GuardKind::Aligned:
    if (argument < 0)
      return emitError()
             << "expected the number of an argument in aligned, got "
             << argument;
    if (!llvm::isPowerOf2_64(least) || least < 0)
      return emitError() << "expected an alignment that is a power of two, got "
                         << least;
    break;
  case GuardKind::Divisible:
    if (least < 1)
      return emitError() << "expected a divisor above 0, got " << least;
    break;
  case GuardKind::Range:
  case GuardKind::Equal:
    break;
  }
  bool bounded = kind == GuardKind::Capability || kind == GuardKind::Range;
  if (bounded && most < least)
    return emitError() << "expected an upper bound of " << least
                       << " or more in " << stringifyGuardKind(kind) << ", got "
                       << most;
  return success();
}
