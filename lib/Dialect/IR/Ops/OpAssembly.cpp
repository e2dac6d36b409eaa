//===- OpAssembly.cpp - shared assembly of counts -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembly directives that print a count or size as an integer literal or
// as an i32 value, and the code that TableGen generates for the ops.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"

#include "carousel/Dialect/IR/FillValue.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

/// `%value` or an integer literal that fits 32 bits, signed or unsigned.
static ParseResult
parseI32(OpAsmParser &parser,
         std::optional<OpAsmParser::UnresolvedOperand> &value,
         IntegerAttr &literal) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult parsed = parser.parseOptionalOperand(operand);
  if (parsed.has_value()) {
    value = operand;
    return *parsed;
  }
  SMLoc where = parser.getCurrentLocation();
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  if (!llvm::isInt<32>(number) && !llvm::isUInt<32>(number))
    return parser.emitError(where)
           << "expected an integer of 32 bits, got " << number;
  literal = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(number));
  return success();
}

static void printI32(OpAsmPrinter &printer, Operation *, Value value,
                     IntegerAttr literal) {
  if (value)
    printer << value;
  else if (literal)
    printer << literal.getValue().getSExtValue();
}

/// Parses nothing, or a comma and the operand of parseI32.
static ParseResult
parseOptionalI32(OpAsmParser &parser,
                 std::optional<OpAsmParser::UnresolvedOperand> &value,
                 IntegerAttr &literal) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return parseI32(parser, value, literal);
}

static void printOptionalI32(OpAsmPrinter &printer, Operation *op, Value value,
                             IntegerAttr literal) {
  if (!value && !literal)
    return;
  printer << ", ";
  printI32(printer, op, value, literal);
}

/// The keyword of an enumeration's case, without the attribute around it.
template <typename Attr>
static ParseResult parseKeyword(OpAsmParser &parser, Attr &attr) {
  using Enum = decltype(attr.getValue());
  // For text that isn't a keyword, such as -inf, the keyword parser doesn't
  // list the keywords.
  SMLoc where = parser.getCurrentLocation();
  char first = *where.getPointer();
  if (!llvm::isAlpha(first) && first != '_' && first != '"') {
    constexpr unsigned kMaxCases = 64;
    SmallVector<StringRef> names;
    for (unsigned i = 0; i < kMaxCases; ++i)
      if (StringRef name = stringifyEnum(static_cast<Enum>(i)); !name.empty())
        names.push_back(name);
    StringRef rest(where.getPointer());
    return parser.emitError(where)
           << "expected one of [" << llvm::join(names, ", ")
           << "], got: " << rest.take_until([](char c) {
                return llvm::isSpace(c) || c == ')' || c == ',' || c == '>';
              });
  }
  auto value = FieldParser<Enum>::parse(parser);
  if (failed(value))
    return failure();
  attr = Attr::get(parser.getContext(), *value);
  return success();
}

template <typename Attr>
static void printKeyword(OpAsmPrinter &printer, Operation *, Attr attr) {
  printer << stringifyEnum(attr.getValue());
}

/// `zero`, `nan`, `inf`, `-inf` or a number.
static ParseResult parseFill(OpAsmParser &parser, OutOfBoundsFillAttr &fill,
                             Attribute &value) {
  Builder &builder = parser.getBuilder();
  SMLoc where = parser.getCurrentLocation();
  bool isNegative = succeeded(parser.parseOptionalMinus());
  if (succeeded(parser.parseOptionalKeyword("inf"))) {
    value = builder.getFloatAttr(
        builder.getF64Type(),
        APFloat::getInf(APFloat::IEEEdouble(), isNegative));
    return success();
  }
  for (OutOfBoundsFill known : {OutOfBoundsFill::Zero, OutOfBoundsFill::NaN})
    if (!isNegative && succeeded(parser.parseOptionalKeyword(
                           stringifyOutOfBoundsFill(known)))) {
      fill = OutOfBoundsFillAttr::get(parser.getContext(), known);
      return success();
    }
  if (!llvm::isDigit(*parser.getCurrentLocation().getPointer()))
    return parser.emitError(where, "expected zero, nan, inf, -inf or a number");
  APInt integer;
  OptionalParseResult parsed = parser.parseOptionalDecimalInteger(integer);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    APInt bits = integer.zext(std::max(integer.getBitWidth(), 64u) + 1);
    if (isNegative)
      bits = -bits;
    if (!bits.isSignedIntN(64))
      return parser.emitError(
          where, "expected an integer of 64 bits, or a number with a point");
    value = builder.getIntegerAttr(builder.getI64Type(), bits.trunc(64));
    return success();
  }
  double number;
  if (parser.parseFloat(number))
    return failure();
  value = builder.getF64FloatAttr(isNegative ? -number : number);
  return success();
}

static void printFill(OpAsmPrinter &printer, Operation *,
                      OutOfBoundsFillAttr fill, Attribute value) {
  if (value)
    printer << toText(value);
  else
    printer << stringifyEnum(fill.getValue());
}

/// `(%first, %last) { ... }`: a region with the names of its arguments, i1s.
static ParseResult parseTurnRegion(OpAsmParser &parser, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = parser.getBuilder().getI1Type();
  if (parser.parseRegion(region, arguments))
    return failure();
  SerializeOp::ensureTerminator(
      region, parser.getBuilder(),
      parser.getEncodedSourceLoc(parser.getNameLoc()));
  return success();
}

static void printTurnRegion(OpAsmPrinter &printer, SerializeOp op,
                            Region &region) {
  printer << '(';
  llvm::interleaveComma(region.getArguments(), printer);
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/op.getNumResults() > 0);
}

/// Parses the types of a scan's sources, of which those of its initial values
/// follow.
static ParseResult parseScanTypes(OpAsmParser &parser,
                                  SmallVectorImpl<Type> &sources,
                                  SmallVectorImpl<Type> &inits,
                                  IntegerAttr dim) {
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseTypeList(sources))
    return failure();
  for (Type source : sources) {
    auto vector = dyn_cast<VectorType>(source);
    if (!vector || dim.getInt() < 0 || dim.getInt() >= vector.getRank())
      return parser.emitError(place) << "expected vectors with a dimension "
                                     << dim.getInt() << ", got " << source;
    inits.push_back(ScanOp::getTotalType(vector, dim.getInt()));
  }
  return success();
}

static void printScanTypes(OpAsmPrinter &printer, ScanOp, TypeRange sources,
                           TypeRange, IntegerAttr) {
  printer << sources;
}

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselOps.cpp.inc"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselSignalOps.cpp.inc"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselMultimemOps.cpp.inc"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselReduceOps.cpp.inc"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselViewOps.cpp.inc"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselWgmmaOps.cpp.inc"
