//===- CarouselTypes.cpp - assembly and rules of the types ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, prints and verifies the tensor map, and computes sizes from it.
// Constraint numbers (C10...) are those of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Support/TensorMapMessages.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

#define GET_TYPEDEF_CLASSES
#include "carousel/Dialect/IR/CarouselTypes.cpp.inc"

void CarouselDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "carousel/Dialect/IR/CarouselTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

// Enumerations have the numbers of those in carousel/Support/TensorMapChecks.h.
template <typename Of, typename Enum> static constexpr Of convert(Enum value) {
  return static_cast<Of>(value);
}
static_assert(convert<rules::TensorElement>(TensorElement::B6x16P32) ==
                  rules::TensorElement::B6x16P32 &&
              convert<rules::TensorElement>(TensorElement::F64) ==
                  rules::TensorElement::F64 &&
              convert<rules::TensorMapMode>(TensorMapMode::Im2ColW128) ==
                  rules::TensorMapMode::Im2ColW128 &&
              convert<rules::Interleave>(Interleave::B32) ==
                  rules::Interleave::B32 &&
              convert<rules::Swizzle>(Swizzle::B128Atom64) ==
                  rules::Swizzle::B128Atom64);

std::optional<int64_t> carousel::getSwizzleSpan(Swizzle swizzle) {
  if (swizzle == Swizzle::None)
    return std::nullopt;
  return rules::getSpan(convert<rules::Swizzle>(swizzle));
}

unsigned TensorMapType::getElementBits() const {
  return rules::getBits(convert<rules::TensorElement>(getElement()));
}

int64_t TensorMapType::getBoxBytes(unsigned rows) const {
  int64_t elements = rows;
  ArrayRef<int64_t> box = getBox();
  for (auto [dim, extent] : llvm::enumerate(box)) {
    // A traversal stride skips elements of a tiled box. im2col boxes count the
    // elements that are loaded.
    int64_t stride =
        getMode() == TensorMapMode::Tiled ? getElementStrides()[dim] : 1;
    elements *= llvm::divideCeil(extent, stride);
  }
  return elements * getElementBits() / 8;
}

int64_t TensorMapType::getSharedAlignment() const {
  return rules::getSharedAlignment(convert<rules::Swizzle>(getSwizzle()));
}

//===----------------------------------------------------------------------===//
// Construction and verification
//===----------------------------------------------------------------------===//

TensorMapType TensorMapType::get(MLIRContext *context, ArrayRef<int64_t> box,
                                 TensorElement element, Swizzle swizzle) {
  SmallVector<int64_t> strides(box.size(), 1);
  return get(context, box, element, TensorMapMode::Tiled, box.size(), strides,
             swizzle, Interleave::None, L2Promotion::None,
             OutOfBoundsFill::Zero, {}, {});
}

LogicalResult TensorMapType::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> box,
    TensorElement element, TensorMapMode mode, int64_t rank,
    ArrayRef<int64_t> elementStrides, Swizzle swizzle, Interleave interleave,
    L2Promotion promotion, OutOfBoundsFill fill, ArrayRef<int64_t> lowerCorner,
    ArrayRef<int64_t> upperCorner) {
  rules::TensorMapFormat format = {convert<rules::TensorElement>(element),
                                   convert<rules::TensorMapMode>(mode),
                                   convert<rules::Interleave>(interleave),
                                   convert<rules::Swizzle>(swizzle),
                                   convert<rules::OutOfBoundsFill>(fill),
                                   rank,
                                   box,
                                   elementStrides,
                                   lowerCorner,
                                   upperCorner};
  if (auto broken = rules::findBrokenRule(format, /*source=*/nullptr)) {
    StringRef names[] = {
        stringifyTensorElement(element), stringifyTensorMapMode(mode),
        stringifyInterleave(interleave), stringifySwizzle(swizzle)};
    return emitError() << rules::describe(
               *broken, format, {names[0], names[1], names[2], names[3]});
  }
  // C12: the driver ignores it.
  if (interleave == Interleave::None && elementStrides.back() != 1)
    return emitError() << "expected an innermost element stride of 1 without "
                          "interleave, got "
                       << elementStrides.back();
  // C23: and that.
  if (mode == TensorMapMode::Im2ColW128 && box[0] != rules::kIm2ColW128Pixels)
    return emitError() << "expected a box of " << rules::kIm2ColW128Pixels
                       << " pixels in mode im2col_w_128, got " << box[0];
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

template <typename Enum>
static ParseResult parseEnum(AsmParser &parser, Enum &value,
                             std::optional<Enum> (*symbolize)(StringRef),
                             StringRef what) {
  StringRef keyword;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> parsed = symbolize(keyword);
  if (!parsed)
    return parser.emitError(where)
           << "expected a tensor map's " << what << ", got '" << keyword << "'";
  value = *parsed;
  return success();
}

static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

Type TensorMapType::parse(AsmParser &parser) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<int64_t> box, strides, lower, upper;
  TensorElement element;
  TensorMapMode mode = TensorMapMode::Tiled;
  Swizzle swizzle = Swizzle::None;
  Interleave interleave = Interleave::None;
  L2Promotion promotion = L2Promotion::None;
  OutOfBoundsFill fill = OutOfBoundsFill::Zero;
  std::optional<int64_t> rank;

  if (parser.parseLess() ||
      parser.parseDimensionList(box, /*allowDynamic=*/false) ||
      parseEnum(parser, element, symbolizeTensorElement, "element type"))
    return {};
  llvm::SmallSet<StringRef, 8> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef option;
    SMLoc optionLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&option) || parser.parseEqual())
      return {};
    if (!seen.insert(option).second) {
      parser.emitError(optionLoc)
          << "expected each option of a tensor map once, got '" << option
          << "' again";
      return {};
    }
    ParseResult parsed = success();
    if (option == "mode") {
      parsed = parseEnum(parser, mode, symbolizeTensorMapMode, "mode");
    } else if (option == "swizzle") {
      parsed = parseEnum(parser, swizzle, symbolizeSwizzle, "swizzle");
    } else if (option == "interleave") {
      parsed = parseEnum(parser, interleave, symbolizeInterleave, "interleave");
    } else if (option == "promotion") {
      parsed =
          parseEnum(parser, promotion, symbolizeL2Promotion, "L2 promotion");
    } else if (option == "fill") {
      parsed = parseEnum(parser, fill, symbolizeOutOfBoundsFill,
                         "out-of-bounds fill");
    } else if (option == "rank") {
      parsed = parser.parseInteger(rank.emplace());
    } else if (option == "strides") {
      parsed = parseIntegers(parser, strides);
    } else if (option == "lower") {
      parsed = parseIntegers(parser, lower);
    } else if (option == "upper") {
      parsed = parseIntegers(parser, upper);
    } else {
      parser.emitError(optionLoc)
          << "expected an option of a tensor map, got '" << option << "'";
      return {};
    }
    if (failed(parsed))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (!rank)
    rank = box.size();
  if (!seen.contains("strides"))
    strides.assign(std::clamp<int64_t>(*rank, 0, rules::kMaxTensorRank), 1);
  return parser.getChecked<TensorMapType>(
      where, parser.getContext(), box, element, mode, *rank, strides, swizzle,
      interleave, promotion, fill, lower, upper);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getBox());
  printer << 'x' << stringifyTensorElement(getElement());
  if (getMode() != TensorMapMode::Tiled)
    printer << ", mode = " << stringifyTensorMapMode(getMode())
            << ", rank = " << getRank();
  if (getSwizzle() != Swizzle::None)
    printer << ", swizzle = " << stringifySwizzle(getSwizzle());
  if (getInterleave() != Interleave::None)
    printer << ", interleave = " << stringifyInterleave(getInterleave());
  if (getPromotion() != L2Promotion::None)
    printer << ", promotion = " << stringifyL2Promotion(getPromotion());
  if (getFill() != OutOfBoundsFill::Zero)
    printer << ", fill = " << stringifyOutOfBoundsFill(getFill());
  auto printList = [&](StringRef name, ArrayRef<int64_t> values) {
    printer << ", " << name << " = [";
    llvm::interleaveComma(values, printer);
    printer << ']';
  };
  if (llvm::any_of(getElementStrides(),
                   [](int64_t stride) { return stride != 1; }))
    printList("strides", getElementStrides());
  if (!getLowerCorner().empty())
    printList("lower", getLowerCorner());
  if (!getUpperCorner().empty())
    printList("upper", getUpperCorner());
  printer << '>';
}
