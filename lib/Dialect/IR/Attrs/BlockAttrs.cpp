//===- BlockAttrs.cpp - layouts and block programs ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, prints and verifies #carousel.layout and #carousel.block_program.
// C206 and C208 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "AttrFields.h"
#include "LaunchExprs.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// LinearLayout has the same limit: 2^15 places of a kind are more than a CTA
/// has.
static constexpr size_t kMostBits = 15;

static constexpr std::array<StringLiteral, 4> kPlaceNames = {"register", "lane",
                                                             "warp", "cta"};

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  std::optional<size_t> rank;
  std::array<SmallVector<int64_t>, 4> bases;
  auto parseBases = [&](SmallVectorImpl<int64_t> &numbers) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&]() -> ParseResult {
          SMLoc at = parser.getCurrentLocation();
          size_t before = numbers.size();
          if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
                return parser.parseInteger(numbers.emplace_back());
              }))
            return failure();
          size_t coordinates = numbers.size() - before;
          if (coordinates == 0 || coordinates != rank.value_or(coordinates))
            return parser.emitError(at)
                   << "expected bases of one number of coordinates, one or "
                      "more, got "
                   << coordinates;
          rank = coordinates;
          return success();
        });
  };
  auto parseRegisters = [&] { return parseBases(bases[0]); };
  auto parseLanes = [&] { return parseBases(bases[1]); };
  auto parseWarps = [&] { return parseBases(bases[2]); };
  auto parseCTAs = [&] { return parseBases(bases[3]); };
  if (parseFields(parser, "a layout",
                  {{kPlaceNames[0], false, parseRegisters},
                   {kPlaceNames[1], false, parseLanes},
                   {kPlaceNames[2], false, parseWarps},
                   {kPlaceNames[3], false, parseCTAs}}))
    return {};
  return parser.getChecked<LayoutAttr>(
      where, parser.getContext(), unsigned(rank.value_or(0)),
      ArrayRef<int64_t>(bases[0]), ArrayRef<int64_t>(bases[1]),
      ArrayRef<int64_t>(bases[2]), ArrayRef<int64_t>(bases[3]));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::ListSeparator fields;
  std::array<ArrayRef<int64_t>, 4> bases = {getRegisters(), getLanes(),
                                            getWarps(), getCtas()};
  for (auto [name, numbers] : llvm::zip_equal(kPlaceNames, bases)) {
    if (numbers.empty())
      continue;
    printer << StringRef(fields) << name << " = [";
    llvm::ListSeparator separator;
    for (size_t at = 0; at < numbers.size(); at += getRank()) {
      printer << StringRef(separator) << '[';
      llvm::interleaveComma(numbers.slice(at, getRank()), printer);
      printer << ']';
    }
    printer << ']';
  }
  printer << '>';
}

// C206
LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 unsigned rank, ArrayRef<int64_t> registers,
                                 ArrayRef<int64_t> lanes,
                                 ArrayRef<int64_t> warps,
                                 ArrayRef<int64_t> ctas) {
  std::array<ArrayRef<int64_t>, 4> bases = {registers, lanes, warps, ctas};
  for (auto [name, numbers] : llvm::zip_equal(kPlaceNames, bases)) {
    if (numbers.size() % std::max(rank, 1u) != 0 ||
        (rank == 0 && !numbers.empty()))
      return emitError() << "expected " << rank
                         << " coordinates in each basis of a " << name
                         << ", got " << numbers.size() << " in all";
    if (rank != 0 && numbers.size() / rank > kMostBits)
      return emitError() << "expected at most " << kMostBits << " bases of a "
                         << name << ", got " << numbers.size() / rank;
    for (int64_t number : numbers)
      if (number < 0)
        return emitError() << "expected coordinates that are not negative, got "
                           << number;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Block programs
//===----------------------------------------------------------------------===//

Attribute BlockProgramAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  int64_t width = 0, keeps = 0;
  ExprAttr covers;
  std::optional<int64_t> programs;
  auto parseKeeps = [&] { return parser.parseInteger(keeps); };
  auto parseWidth = [&] { return parser.parseInteger(width); };
  auto parseCovers = [&] { return parseBare(parser, covers); };
  auto parsePrograms = [&] { return parser.parseInteger(programs.emplace()); };
  if (parseFields(parser, "a block program",
                  {{"width", false, parseWidth},
                   {"covers", false, parseCovers},
                   {"programs", false, parsePrograms},
                   {"keeps", false, parseKeeps}}))
    return {};
  return parser.getChecked<BlockProgramAttr>(where, parser.getContext(), width,
                                             covers, programs, keeps);
}

void BlockProgramAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::ListSeparator separator;
  if (getWidth() != 0)
    printer << StringRef(separator) << "width = " << getWidth();
  if (getCovers()) {
    printer << StringRef(separator) << "covers = ";
    printBare(printer, getCovers());
  }
  if (getPrograms())
    printer << StringRef(separator) << "programs = " << *getPrograms();
  if (getKeeps() != 0)
    printer << StringRef(separator) << "keeps = " << getKeeps();
  printer << '>';
}

// C208
LogicalResult
BlockProgramAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t width, ExprAttr covers,
                         std::optional<int64_t> programs, int64_t keeps) {
  if ((width != 0) != bool(covers))
    return emitError() << "expected width and covers together, got "
                       << (covers ? "covers" : "width") << " alone";
  // More elements than the tiles of any chip, so that planners may count bytes.
  constexpr int64_t kMaxWidth = int64_t(1) << 30;
  if (width != 0 &&
      (width < 2 || width > kMaxWidth || !llvm::isPowerOf2_64(width)))
    return emitError() << "expected a width that is a power of two above 1 and "
                          "up to 2^30, got "
                       << width;
  if (programs && (*programs < 1 || *programs > rules::kMaxThreadsPerBlock ||
                   !llvm::isPowerOf2_64(*programs)))
    return emitError() << "expected a number of programs that is a power of "
                          "two up to "
                       << rules::kMaxThreadsPerBlock << ", got " << *programs;
  if (keeps == 0)
    return success();
  if (width == 0)
    return emitError() << "expected a width beside keeps, got none";
  if (keeps < 0 || keeps % width != 0)
    return emitError() << "expected to keep a multiple of the width " << width
                       << ", got " << keeps;
  if (programs.value_or(1) != 1)
    return emitError() << "expected one program of a CTA that keeps rows, got "
                       << *programs;
  return success();
}
