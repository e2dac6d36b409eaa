//===- LaunchAttrs.cpp - grids, variants, arguments, encodings ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, prints and verifies the attributes of a kernel's launch, each on its
// own. LaunchVerifiers.cpp compares them with the kernel. Expressions and
// guards inside them have no `#carousel...<>` around them. C110 to C115 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "AttrFields.h"
#include "LaunchExprs.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// A list of expressions or guards.
template <typename Attr>
static ParseResult parseList(AsmParser &parser, SmallVectorImpl<Attr> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseBare(parser, list.emplace_back());
  });
}

static ParseResult parseList(AsmParser &parser,
                             SmallVectorImpl<int64_t> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(list.emplace_back());
  });
}

template <typename Attr>
static void printList(AsmPrinter &printer, StringRef name,
                      ArrayRef<Attr> list) {
  printer << name << " = [";
  llvm::interleaveComma(list, printer,
                        [&](Attr attr) { printBare(printer, attr); });
  printer << ']';
}

static void printList(AsmPrinter &printer, StringRef name,
                      ArrayRef<int64_t> list) {
  printer << name << " = [";
  llvm::interleaveComma(list, printer);
  printer << ']';
}

Attribute LaunchAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<ExprAttr> grid;
  SmallVector<int64_t> block, cluster;
  int64_t shared = 0;
  auto parseGrid = [&] { return parseList(parser, grid); };
  auto parseBlock = [&] { return parseList(parser, block); };
  auto parseCluster = [&] { return parseList(parser, cluster); };
  auto parseShared = [&] { return parser.parseInteger(shared); };
  if (parseFields(parser, "a launch",
                  {{"grid", true, parseGrid},
                   {"block", false, parseBlock},
                   {"cluster", false, parseCluster},
                   {"shared", false, parseShared}}))
    return {};
  return parser.getChecked<LaunchAttr>(where, parser.getContext(),
                                       ArrayRef(grid), ArrayRef(block),
                                       ArrayRef(cluster), shared);
}

void LaunchAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printList(printer, "grid", getGrid());
  if (!getBlock().empty()) {
    printer << ", ";
    printList(printer, "block", getBlock());
  }
  if (!getCluster().empty()) {
    printer << ", ";
    printList(printer, "cluster", getCluster());
  }
  if (getShared() != 0)
    printer << ", shared = " << getShared();
  printer << '>';
}

Attribute VariantAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  std::string kernel;
  SmallVector<GuardAttr> guards;
  ExprAttr cost;
  auto parseKernel = [&] { return parser.parseString(&kernel); };
  auto parseGuards = [&] { return parseList(parser, guards); };
  auto parseCost = [&] { return parseBare(parser, cost); };
  if (parseFields(parser, "a variant",
                  {{"kernel", true, parseKernel},
                   {"guards", false, parseGuards},
                   {"cost", false, parseCost}}))
    return {};
  return parser.getChecked<VariantAttr>(
      where, parser.getContext(), StringRef(kernel), ArrayRef(guards), cost);
}

void VariantAttr::print(AsmPrinter &printer) const {
  printer << "<kernel = ";
  printer.printString(getKernel());
  if (!getGuards().empty()) {
    printer << ", ";
    printList(printer, "guards", getGuards());
  }
  if (getCost()) {
    printer << ", cost = ";
    printBare(printer, getCost());
  }
  printer << '>';
}

static constexpr StringLiteral kMayAlias = "may_alias";

Attribute ArgumentAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  std::string name;
  auto access = ArgumentAccess::InOut;
  std::optional<int64_t> mayAlias;
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  // An access, a field, or both in this order.
  bool isFirst = true;
  while (!mayAlias && succeeded(parser.parseOptionalComma())) {
    SMLoc keywordLoc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == kMayAlias) {
      if (parser.parseEqual() || parser.parseInteger(mayAlias.emplace()))
        return {};
      continue;
    }
    std::optional<ArgumentAccess> parsed = symbolizeArgumentAccess(keyword);
    if (!parsed || !isFirst) {
      parser.emitError(keywordLoc)
          << "expected " << (isFirst ? "in, out, inout or " : "") << kMayAlias
          << ", got '" << keyword << "'";
      return {};
    }
    access = *parsed;
    isFirst = false;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ArgumentAttr>(where, parser.getContext(),
                                         StringRef(name), access, mayAlias);
}

void ArgumentAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  if (getAccess() != ArgumentAccess::InOut)
    printer << ", " << stringifyArgumentAccess(getAccess());
  if (getMayAlias())
    printer << ", " << kMayAlias << " = " << *getMayAlias();
  printer << '>';
}

Attribute EncodeAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  int64_t argument = 0;
  SmallVector<ExprAttr> extents, strides;
  ExprAttr offset;
  auto parseArgument = [&] { return parser.parseInteger(argument); };
  auto parseExtents = [&] { return parseList(parser, extents); };
  auto parseStrides = [&] { return parseList(parser, strides); };
  auto parseOffset = [&] { return parseBare(parser, offset); };
  if (parseFields(parser, "an encoding",
                  {{"argument", true, parseArgument},
                   {"extents", false, parseExtents},
                   {"strides", false, parseStrides},
                   {"offset", false, parseOffset}}))
    return {};
  return parser.getChecked<EncodeAttr>(where, parser.getContext(), argument,
                                       ArrayRef(extents), ArrayRef(strides),
                                       offset);
}

void EncodeAttr::print(AsmPrinter &printer) const {
  printer << "<argument = " << getArgument();
  if (!getExtents().empty()) {
    printer << ", ";
    printList(printer, "extents", getExtents());
  }
  if (!getStrides().empty()) {
    printer << ", ";
    printList(printer, "strides", getStrides());
  }
  if (getOffset()) {
    printer << ", offset = ";
    printBare(printer, getOffset());
  }
  printer << '>';
}

Attribute WorkspaceAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<ExprAttr> extents;
  if (parser.parseLess() || parseList(parser, extents) || parser.parseGreater())
    return {};
  return parser.getChecked<WorkspaceAttr>(where, parser.getContext(),
                                          ArrayRef(extents));
}

void WorkspaceAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getExtents(), printer,
                        [&](ExprAttr attr) { printBare(printer, attr); });
  printer << "]>";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The product of the extents, or nullopt if one isn't positive or the product
/// is more than `limit`.
static std::optional<int64_t> getProduct(ArrayRef<int64_t> extents,
                                         int64_t limit) {
  int64_t product = 1;
  for (int64_t extent : extents) {
    if (extent < 1 || extent > limit)
      return std::nullopt;
    product *= extent;
    if (product > limit)
      return std::nullopt;
  }
  return product;
}

static LogicalResult verifyDims(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> extents, StringRef what,
                                StringRef members, int64_t limit) {
  if (extents.empty() || extents.size() > 3)
    return emitError() << "expected one to three " << what
                       << " dimensions, got " << extents.size();
  if (getProduct(extents, limit))
    return success();
  auto error = emitError() << "expected 1 to " << limit << ' ' << members
                           << " in all, got ";
  llvm::interleave(extents, error, " * ");
  return error;
}

// C110
static LogicalResult verifyGrid(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<ExprAttr> grid,
                                ArrayRef<int64_t> cluster) {
  if (grid.empty() || grid.size() > 3)
    return emitError() << "expected one to three grid dimensions, got "
                       << grid.size();
  for (auto [dim, expr] : llvm::enumerate(grid)) {
    if (expr.getKind() != ExprKind::Constant)
      continue;
    int64_t extent = expr.getValue();
    int64_t limit = dim == 0 ? rules::kMaxGridX : rules::kMaxGridYZ;
    if (extent < 0 || extent > limit)
      return emitError() << "expected grid dimension " << dim << " of 0 to "
                         << limit << ", got " << extent;
    if (dim < cluster.size() && extent % cluster[dim] != 0)
      return emitError() << "expected grid dimension " << dim
                         << " to be a multiple of the cluster's "
                         << cluster[dim] << ", got " << extent;
  }
  // Absent dimensions are 1.
  for (size_t dim = grid.size(); dim < cluster.size(); ++dim)
    if (cluster[dim] != 1)
      return emitError() << "expected grid dimension " << dim
                         << " to be a multiple of the cluster's "
                         << cluster[dim] << ", got 1";
  return success();
}

LogicalResult LaunchAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<ExprAttr> grid,
                                 ArrayRef<int64_t> block,
                                 ArrayRef<int64_t> cluster, int64_t shared) {
  // C111
  if (!block.empty() &&
      failed(verifyDims(emitError, block, "block", "threads of a block",
                        rules::kMaxThreadsPerBlock)))
    return failure();
  if (block.size() == 3 && block[2] > rules::kMaxBlockZ)
    return emitError() << "expected block dimension 2 of 1 to "
                       << rules::kMaxBlockZ << ", got " << block[2];
  // C112
  if (!cluster.empty() &&
      failed(verifyDims(emitError, cluster, "cluster", "CTAs of a cluster",
                        rules::kMaxClusterSize)))
    return failure();
  if (failed(verifyGrid(emitError, grid, cluster)))
    return failure();
  // C113
  if (shared < 0 || shared > INT32_MAX)
    return emitError() << "expected 0 to " << INT32_MAX
                       << " bytes of dynamic shared memory, got " << shared;
  return success();
}

/// C114: letters, digits and _.
static bool isName(StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef kernel, ArrayRef<GuardAttr>,
                                  ExprAttr cost) {
  // C114
  if (!isName(kernel))
    return emitError() << "expected a kernel's name of letters, digits and _, "
                          "got '"
                       << kernel << "'";
  return cost ? verifyNoResident(emitError, cost, "a cost") : success();
}

LogicalResult ArgumentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, ArgumentAccess,
                                   std::optional<int64_t>) {
  // C114
  if (!isName(name) || llvm::isDigit(name[0]))
    return emitError() << "expected an argument's name of letters, digits and "
                          "_ that begins with no digit, got '"
                       << name << "'";
  if (name == stringifyExprKind(ExprKind::SMs))
    return emitError() << "expected an argument's name other than " << name
                       << ", the number of multiprocessors";
  if (name == stringifyExprKind(ExprKind::Resident))
    return emitError() << "expected an argument's name other than " << name
                       << ", the number of CTAs on the device at once";
  return success();
}

// C115
LogicalResult EncodeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t argument, ArrayRef<ExprAttr> extents,
                                 ArrayRef<ExprAttr> strides, ExprAttr offset) {
  if (argument < 0)
    return emitError() << "expected the number of an argument to encode, got "
                       << argument;
  for (ExprAttr expr :
       llvm::concat<const ExprAttr>(extents, strides, ArrayRef(offset)))
    if (failed(verifyNoResident(emitError, expr, "an encoding")))
      return failure();
  for (ExprAttr extent : extents)
    if (extent.getKind() == ExprKind::Constant &&
        (extent.getValue() < 1 || extent.getValue() > rules::kMaxGlobalExtent))
      return emitError() << "expected extents of 1 to "
                         << rules::kMaxGlobalExtent << " of a tensor map, got "
                         << extent.getValue();
  for (ExprAttr stride : strides)
    if (stride.getKind() == ExprKind::Constant &&
        (stride.getValue() < 0 || stride.getValue() > rules::kMaxGlobalStride ||
         stride.getValue() % rules::kGlobalStrideGranule != 0))
      return emitError() << "expected strides of a tensor map in multiples of "
                         << rules::kGlobalStrideGranule << " bytes up to "
                         << rules::kMaxGlobalStride << ", got "
                         << stride.getValue();
  if (offset && offset.getKind() == ExprKind::Constant && offset.getValue() < 0)
    return emitError() << "expected a tensor map's offset of 0 or more bytes, "
                          "got "
                       << offset.getValue();
  return success();
}

// C186
LogicalResult
WorkspaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<ExprAttr> extents) {
  for (ExprAttr extent : extents)
    if (failed(verifyNoResident(emitError, extent, "a workspace's extents")))
      return failure();
  for (ExprAttr extent : extents)
    if (extent.getKind() == ExprKind::Constant && extent.getValue() < 0)
      return emitError() << "expected extents of a workspace of 0 or more, got "
                         << extent.getValue();
  return success();
}
