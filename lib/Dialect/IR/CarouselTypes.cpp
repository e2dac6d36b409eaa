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
#include "carousel/Support/HardwareLimits.h"

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

static unsigned getBits(TensorElement element) {
  switch (element) {
  case TensorElement::B4x16:
    return 4;
  case TensorElement::U8:
  case TensorElement::B4x16P64: // 16 elements and 8 bytes of padding
  case TensorElement::B6x16P32: // 16 elements and 4 bytes of padding
    return 8;
  case TensorElement::U16:
  case TensorElement::F16:
  case TensorElement::BF16:
    return 16;
  case TensorElement::U32:
  case TensorElement::S32:
  case TensorElement::F32:
  case TensorElement::F32FTZ:
  case TensorElement::TF32:
  case TensorElement::TF32FTZ:
    return 32;
  case TensorElement::U64:
  case TensorElement::S64:
  case TensorElement::F64:
    return 64;
  }
  llvm_unreachable("covered switch");
}

static bool isFloatingPoint(TensorElement element) {
  switch (element) {
  case TensorElement::F16:
  case TensorElement::BF16:
  case TensorElement::F32:
  case TensorElement::F32FTZ:
  case TensorElement::TF32:
  case TensorElement::TF32FTZ:
  case TensorElement::F64:
    return true;
  default:
    return false;
  }
}

static bool isPadded(TensorElement element) {
  return element == TensorElement::B4x16P64 ||
         element == TensorElement::B6x16P32;
}

/// cuTensorMapEncodeTiled, swizzle: the swizzles of padded elements.
static bool hasPaddedSwizzle(TensorElement element, Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
  case Swizzle::B128:
  case Swizzle::B128Atom32:
    return true;
  case Swizzle::B128Atom64: // stores only, see C74
    return element == TensorElement::B6x16P32;
  default:
    return false;
  }
}

std::optional<int64_t> carousel::getSwizzleSpan(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return std::nullopt;
  case Swizzle::B32:
    return 32;
  case Swizzle::B64:
    return 64;
  case Swizzle::B128:
  case Swizzle::B128Atom32:
  case Swizzle::B128Atom32Flip8:
  case Swizzle::B128Atom64:
    return 128;
  }
  llvm_unreachable("covered switch");
}

unsigned TensorMapType::getElementBits() const { return getBits(getElement()); }

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
  switch (getSwizzle()) {
  case Swizzle::None:
    return rules::kSharedTileAlignment;
  case Swizzle::B32:
    return rules::kSwizzle32Alignment;
  case Swizzle::B64:
    return rules::kSwizzle64Alignment;
  default:
    return rules::kSwizzle128Alignment;
  }
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

static LogicalResult verifyIm2Col(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> box, TensorMapMode mode,
                                  int64_t rank, ArrayRef<int64_t> lower,
                                  ArrayRef<int64_t> upper, Swizzle swizzle) {
  // C18
  if (rank < rules::kMinIm2ColRank || rank > rules::kMaxTensorRank)
    return emitError() << "expected an im2col tensor of rank 3 to 5, got "
                       << rank;
  if (box.size() != 2)
    return emitError() << "expected an im2col box of pixels x channels, got "
                       << box.size() << " extents";
  // C11
  if (box[0] < 1 || box[0] > rules::kMaxIm2ColPixels)
    return emitError() << "expected 1 to " << rules::kMaxIm2ColPixels
                       << " pixels in an im2col box, got " << box[0];
  if (box[1] < 1 || box[1] > rules::kMaxIm2ColChannels)
    return emitError() << "expected 1 to " << rules::kMaxIm2ColChannels
                       << " channels in an im2col box, got " << box[1];
  // C19
  size_t corners = mode == TensorMapMode::Im2Col ? rank - 2 : 1;
  if (lower.size() != corners || upper.size() != corners)
    return emitError() << "expected im2col corners of length " << corners
                       << ", got " << lower.size() << " and " << upper.size();
  // C21: the driver packs the corners of all spatial dimensions into 32 bits,
  // so their width shrinks as the rank grows.
  bool wide = mode != TensorMapMode::Im2Col;
  int64_t bits = wide || rank == 3 ? 16 : rank == 4 ? 8 : 5;
  for (int64_t value : llvm::concat<const int64_t>(lower, upper))
    if (!llvm::isIntN(bits, value))
      return emitError() << "expected the im2col corners of a tensor of rank "
                         << rank << " to fit " << bits << " bits, got "
                         << value;
  // C22
  if (wide && swizzle != Swizzle::B64 && swizzle != Swizzle::B128 &&
      swizzle != Swizzle::B128Atom32)
    return emitError() << "expected swizzle b64, b128 or b128_atom_32b in mode "
                       << stringifyTensorMapMode(mode) << ", got "
                       << stringifySwizzle(swizzle);
  // C23
  if (mode == TensorMapMode::Im2ColW128 && box[0] != rules::kIm2ColW128Pixels)
    return emitError() << "expected a box of " << rules::kIm2ColW128Pixels
                       << " pixels in mode im2col_w_128, got " << box[0];
  return success();
}

LogicalResult TensorMapType::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> box,
    TensorElement element, TensorMapMode mode, int64_t rank,
    ArrayRef<int64_t> elementStrides, Swizzle swizzle, Interleave interleave,
    L2Promotion promotion, OutOfBoundsFill fill, ArrayRef<int64_t> lowerCorner,
    ArrayRef<int64_t> upperCorner) {
  if (mode == TensorMapMode::Tiled) {
    // C10
    if (rank < 1 || rank > rules::kMaxTensorRank)
      return emitError() << "expected a tensor map of rank 1 to 5, got "
                         << rank;
    if (static_cast<int64_t>(box.size()) != rank)
      return emitError() << "expected one box extent per dimension of rank "
                         << rank << ", got " << box.size();
    // C11
    for (int64_t extent : box)
      if (extent < 1 || extent > rules::kMaxBoxExtent)
        return emitError() << "expected box extents of 1 to "
                           << rules::kMaxBoxExtent << ", got " << extent;
    // C19
    if (!lowerCorner.empty() || !upperCorner.empty())
      return emitError()
             << "expected corners on an im2col tensor map only, got mode tiled";
  } else if (failed(verifyIm2Col(emitError, box, mode, rank, lowerCorner,
                                 upperCorner, swizzle))) {
    return failure();
  }
  // C13
  if (static_cast<int64_t>(elementStrides.size()) != rank)
    return emitError() << "expected one element stride per dimension of rank "
                       << rank << ", got " << elementStrides.size();
  // C12
  for (int64_t stride : elementStrides)
    if (stride < 1 || stride > rules::kMaxElementStride)
      return emitError() << "expected element strides of 1 to "
                         << rules::kMaxElementStride << ", got " << stride;
  if (interleave == Interleave::None && elementStrides.back() != 1)
    return emitError() << "expected an innermost element stride of 1 without "
                          "interleave, got "
                       << elementStrides.back();
  // C14
  int64_t innerBits = box.back() * getBits(element);
  if (interleave == Interleave::None &&
      innerBits % (8 * rules::kInnerBoxGranule) != 0)
    return emitError()
           << "expected the inner box extent in bytes to be a multiple of "
           << rules::kInnerBoxGranule << ", got " << innerBits / 8;
  // C20
  if (isPadded(element)) {
    if (element == TensorElement::B6x16P32 && interleave != Interleave::None)
      return emitError() << "expected no interleave for "
                         << stringifyTensorElement(element) << ", got "
                         << stringifyInterleave(interleave);
    if (box.back() != 128)
      return emitError() << "expected an inner box extent of 128 for "
                         << stringifyTensorElement(element) << ", got "
                         << box.back();
    if (!hasPaddedSwizzle(element, swizzle))
      return emitError() << "expected a swizzle that the hardware has for "
                         << stringifyTensorElement(element) << ", got "
                         << stringifySwizzle(swizzle);
  }
  // C15
  std::optional<int64_t> span = getSwizzleSpan(swizzle);
  if (span && interleave == Interleave::None && innerBits / 8 > *span)
    return emitError()
           << "expected the inner box extent to be at most the swizzle span of "
           << *span << " bytes, got " << innerBits / 8;
  // C16
  if (interleave != Interleave::None && rank < rules::kMinInterleavedRank)
    return emitError()
           << "expected an interleaved tensor of rank 3 or more, got " << rank;
  if (interleave == Interleave::B32 && swizzle != Swizzle::B32)
    return emitError() << "expected swizzle b32 with interleave b32, got "
                       << stringifySwizzle(swizzle);
  // C17
  if (fill == OutOfBoundsFill::NaN && !isFloatingPoint(element))
    return emitError() << "expected floating-point elements for NaN fill, got "
                       << stringifyTensorElement(element);
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
