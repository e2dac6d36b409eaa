//===- EngineAttr.cpp - the engine attribute ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, prints and verifies #carousel.engine. C149 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// The name of the field after the kind, or an empty string.
static StringRef getFieldName(EngineKind kind) {
  switch (kind) {
  case EngineKind::Tensor:
    return "collapse";
  case EngineKind::Bulk:
    return "";
  case EngineKind::CpAsync:
  case EngineKind::Vector:
    return "width";
  }
  llvm_unreachable("an engine");
}

Attribute EngineAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  FailureOr<EngineKind> kind = FieldParser<EngineKind>::parse(parser);
  if (failed(kind))
    return {};
  int64_t width = 0;
  SmallVector<int64_t> collapse;
  StringRef name = getFieldName(*kind);
  if (!name.empty() && succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword(name) || parser.parseEqual())
      return {};
    auto parseGroup = [&] {
      return parser.parseInteger(collapse.emplace_back());
    };
    if (*kind == EngineKind::Tensor
            ? parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                             parseGroup)
            : parser.parseInteger(width))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<EngineAttr>(where, parser.getContext(), *kind, width,
                                       ArrayRef<int64_t>(collapse));
}

void EngineAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyEngineKind(getKind());
  if (getWidth() != 0)
    printer << ", width = " << getWidth();
  if (!getCollapse().empty()) {
    printer << ", collapse = [";
    llvm::interleaveComma(getCollapse(), printer.getStream());
    printer << ']';
  }
  printer << '>';
}

// C149
LogicalResult EngineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 EngineKind kind, int64_t width,
                                 ArrayRef<int64_t> collapse) {
  switch (kind) {
  case EngineKind::Tensor:
  case EngineKind::Bulk:
    if (width != 0)
      return emitError() << "expected no width with engine "
                         << stringifyEngineKind(kind) << ", got " << width;
    break;
  case EngineKind::CpAsync:
    if (width != 4 && width != 8 && width != 16)
      return emitError() << "expected a width of 4, 8 or 16 bytes, got "
                         << width;
    break;
  case EngineKind::Vector:
    if (width < 1 || width > 16 || !llvm::isPowerOf2_64(width))
      return emitError() << "expected a width that is a power of two up to 16 "
                            "bytes, got "
                         << width;
    break;
  }
  if (kind != EngineKind::Tensor && !collapse.empty())
    return emitError() << "expected collapse with engine tensor only, got it "
                          "with "
                       << stringifyEngineKind(kind);
  for (int64_t group : collapse)
    if (group < 1)
      return emitError() << "expected groups of 1 or more dimensions, got "
                         << group;
  return success();
}
