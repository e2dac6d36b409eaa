//===- EngineTensor.cpp - tensor copies of a transfer ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries every map that the hardware supports for a transfer, and takes the
// cheapest one: its dimensions, elements and boxes, and its requirements on the
// memory. The same conditions check a map that a transfer already has.
// Dimensions of a global memref may be collapsed into one of the map, and a
// tile may take several boxes, whose repetition in row-major order is the tile.
//
//===----------------------------------------------------------------------===//

#include "EngineCandidates.h"
#include "TransferFacts.h"

#include "carousel/Analysis/Engines/ReaderFill.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/FillValue.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

namespace {

/// Adjacent dimensions of the global memref that are one dimension of the map.
struct MapGroup {
  int64_t first, last;
  /// The number of elements in all dimensions but the first.
  int64_t inner = 1;
  /// The extent of the tile, in elements.
  int64_t tile = 1;
};

/// A map to consider.
struct MapShape {
  llvm::SmallVector<MapGroup> groups;
  int64_t factor = 1; ///< tile elements in one element of the map
  llvm::SmallVector<int64_t> box;
  Swizzle swizzle = Swizzle::None;
  bool arePages = false; ///< a box is of one row of a table

  int64_t getTile(size_t group) const {
    return groups[group].tile / (group + 1 == groups.size() ? factor : 1);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Whether dimension `dim` and the next one can belong to one group, apart from
/// conditions on the box.
static bool areContiguous(const TransferFacts &facts, int64_t dim) {
  if (dim == 0 && facts.arePages)
    return false;
  int64_t outer = facts.strides[dim], inner = facts.strides[dim + 1];
  int64_t extent = facts.extents[dim + 1], run;
  return !ShapedType::isDynamic(outer) && !ShapedType::isDynamic(inner) &&
         !ShapedType::isDynamic(extent) &&
         !llvm::MulOverflow(inner, extent, run) && outer == run;
}

static std::optional<MapGroup> makeGroup(const TransferFacts &facts,
                                         int64_t first, int64_t last) {
  MapGroup group = {first, last};
  bool isPart = false; // whole dimensions, then perhaps a part of one
  for (int64_t dim = last; dim >= first; --dim) {
    if (facts.box[dim] > 1 && isPart)
      return std::nullopt;
    group.tile *= facts.box[dim];
    if (dim == first)
      break;
    // Elements outside an inner dimension would be in the next row.
    if (!areContiguous(facts, dim - 1) || !facts.isInside(dim))
      return std::nullopt;
    group.inner *= facts.extents[dim];
    isPart |= facts.box[dim] != facts.extents[dim];
  }
  return group;
}

/// Groups the memref's dimensions by these sizes. nullopt if the groups aren't
/// contiguous, or the box isn't one piece of them.
static std::optional<SmallVector<MapGroup>>
makeGroups(const TransferFacts &facts, ArrayRef<int64_t> sizes) {
  SmallVector<MapGroup> groups;
  int64_t first = 0;
  for (int64_t size : sizes) {
    std::optional<MapGroup> group = makeGroup(facts, first, first + size - 1);
    if (!group)
      return std::nullopt;
    groups.push_back(*group);
    first += size;
  }
  return groups;
}

/// All ways to group the dimensions, the one without groups first.
static SmallVector<SmallVector<int64_t>>
listGroupings(const TransferFacts &facts) {
  SmallVector<int64_t> joints; // between dim and the next
  for (int64_t dim = 0; dim + 1 < facts.rank; ++dim)
    if (areContiguous(facts, dim))
      joints.push_back(dim);
  // More joints aren't worth the search, and the innermost ones matter most.
  constexpr size_t kMaxJoints = 6;
  if (joints.size() > kMaxJoints)
    joints.erase(joints.begin(), joints.end() - kMaxJoints);
  SmallVector<SmallVector<int64_t>> groupings;
  for (uint64_t mask = 0; mask < (uint64_t(1) << joints.size()); ++mask) {
    SmallVector<int64_t> sizes = {1};
    for (int64_t dim = 0; dim + 1 < facts.rank; ++dim) {
      const auto *joint = llvm::find(joints, dim);
      if (joint != joints.end() && (mask >> (joint - joints.begin())) & 1)
        ++sizes.back();
      else
        sizes.push_back(1);
    }
    groupings.push_back(std::move(sizes));
  }
  return groupings;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static int64_t getElementsOf(ArrayRef<int64_t> box) {
  return std::accumulate(box.begin(), box.end(), int64_t(1),
                         std::multiplies<>());
}

/// The alignment in bytes of a tile with this swizzle.
static int64_t getTileAlignment(Swizzle swizzle) {
  switch (getSwizzleSpan(swizzle).value_or(0)) {
  case 0:
    return rules::kSharedTileAlignment;
  case 32:
    return rules::kSwizzle32Alignment;
  case 64:
    return rules::kSwizzle64Alignment;
  default:
    return rules::kSwizzle128Alignment;
  }
}

/// The box of a panel: one span of each row of the tile, or of its part in a
/// page. Empty if the tile has too many rows.
static SmallVector<int64_t> findPanel(const MapShape &shape, int64_t inner) {
  SmallVector<int64_t> box;
  for (size_t dim = 0; dim < shape.groups.size(); ++dim)
    box.push_back(shape.getTile(dim));
  box.back() = inner;
  if (shape.arePages)
    box.front() = 1;
  if (llvm::any_of(
          box, [](int64_t extent) { return extent > rules::kMaxBoxExtent; }))
    return {};
  return box;
}

/// The largest legal box whose repetition in row-major order is the tile: whole
/// inner dimensions, a part of one, and 1 in the outer ones. With a swizzle
/// whose span is less than a row, the box of a panel. Empty if there is none.
static SmallVector<int64_t> findBox(const MapShape &shape,
                                    int64_t elementBytes) {
  size_t rank = shape.groups.size();
  if (std::optional<int64_t> span = getSwizzleSpan(shape.swizzle))
    if (shape.getTile(rank - 1) * elementBytes > *span)
      return findPanel(shape, *span / elementBytes);
  SmallVector<int64_t> box(rank, 1);
  int64_t bytes = elementBytes;
  for (size_t dim = rank; dim-- > 0;) {
    int64_t extent = shape.getTile(dim);
    if (dim == 0 && shape.arePages)
      break;
    if (extent <= rules::kMaxBoxExtent) {
      box[dim] = extent;
      bytes *= extent;
      continue;
    }
    int64_t granule =
        std::max(getTileAlignment(shape.swizzle), rules::kInnerBoxGranule);
    for (int64_t part = rules::kMaxBoxExtent; part > 0; --part)
      if (extent % part == 0 && bytes * part % granule == 0) {
        box[dim] = part;
        return box;
      }
    return {};
  }
  return box;
}

/// Whether boxes are panels, or parts of them by page: other dimensions than
/// the innermost one aren't split.
static bool arePanels(const MapShape &shape) {
  for (size_t dim = shape.arePages; dim + 1 < shape.groups.size(); ++dim)
    if (shape.box[dim] != shape.getTile(dim))
      return false;
  return true;
}

/// Whether consecutive boxes are the tile in row-major order.
static bool isRowMajor(const MapShape &shape) {
  bool isSplit = false;
  for (size_t dim = shape.groups.size(); dim-- > 0;) {
    if (isSplit && shape.box[dim] != 1)
      return false;
    isSplit |= shape.box[dim] != shape.getTile(dim);
  }
  return true;
}

static int64_t countBoxes(const MapShape &shape) {
  int64_t tile = 1;
  for (size_t dim = 0; dim < shape.groups.size(); ++dim)
    tile *= shape.getTile(dim);
  return tile / getElementsOf(shape.box);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static TensorElement getUnsigned(int64_t bytes) {
  switch (bytes) {
  case 1:
    return TensorElement::U8;
  case 2:
    return TensorElement::U16;
  case 4:
    return TensorElement::U32;
  default:
    return TensorElement::U64;
  }
}

static TensorElement getReduced(ReduceType type) {
  switch (type) {
  case ReduceType::U32:
  case ReduceType::B32:
    return TensorElement::U32;
  case ReduceType::S32:
    return TensorElement::S32;
  case ReduceType::U64:
  case ReduceType::B64:
    return TensorElement::U64;
  case ReduceType::S64:
    return TensorElement::S64;
  case ReduceType::F16:
    return TensorElement::F16;
  case ReduceType::BF16:
    return TensorElement::BF16;
  case ReduceType::F32:
    return TensorElement::F32;
  case ReduceType::F64:
    return TensorElement::F64;
  }
  llvm_unreachable("a type of a reduction");
}

static TensorElement getElement(const TransferFacts &facts, int64_t factor) {
  if (facts.reduce)
    return getReduced(facts.reduce.getType());
  if (facts.rounds)
    return TensorElement::TF32;
  TransferOpInterface op = facts.op;
  Type element = op.getTile().getType().getElementType();
  if (factor == 1) {
    if (element.isF16())
      return TensorElement::F16;
    if (element.isBF16())
      return TensorElement::BF16;
    if (element.isF32())
      return TensorElement::F32;
    if (element.isF64())
      return TensorElement::F64;
  }
  return getUnsigned(facts.elementBytes * factor);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static bool isBoxLegal(const TransferFacts &facts, Needs &needs,
                       const MapShape &shape) {
  int64_t elementBytes = facts.elementBytes * shape.factor;
  if (shape.box.empty())
    return needs.refuse("a tile that isn't made of equal boxes of at most " +
                        Twine(rules::kMaxBoxExtent) +
                        " elements a dimension at multiples of " +
                        Twine(getTileAlignment(shape.swizzle)) + " bytes");
  int64_t inner = shape.box.back() * elementBytes;
  if (inner % rules::kInnerBoxGranule != 0)
    return needs.refuse("rows of " + Twine(inner) +
                        " bytes, not a multiple of " +
                        Twine(rules::kInnerBoxGranule));
  std::optional<int64_t> span = getSwizzleSpan(shape.swizzle);
  if (!isRowMajor(shape) && !(span && arePanels(shape)))
    return needs.refuse(
        "boxes that don't follow each other in row-major order in the tile");
  int64_t bytes = getElementsOf(shape.box) * elementBytes;
  if (countBoxes(shape) > 1 && bytes % getTileAlignment(shape.swizzle) != 0)
    return needs.refuse("boxes of " + Twine(bytes) +
                        " bytes, not a multiple of " +
                        Twine(getTileAlignment(shape.swizzle)));
  if (!span)
    return true;
  // Rows of the tile are rows of the map, and a box has a span of them.
  TransferOpInterface op = facts.op;
  int64_t row = op.getTile().getType().getShape().back();
  if (row * facts.elementBytes % *span != 0 || inner != *span)
    return needs.refuse("rows of " + Twine(row * facts.elementBytes) +
                        " bytes with a swizzle of " + Twine(*span));
  if (shape.groups.back().tile != row)
    return needs.refuse("rows that follow each other without a gap, as one "
                        "dimension of the map");
  return true;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// The conditions that depend only on the global memref.
static bool hasLegalMemory(const TransferFacts &facts, Needs &needs,
                           const MapShape &shape) {
  const MapGroup &inner = shape.groups.back();
  // The driver's rules.
  if (!needs.isGlobalAligned(rules::kGlobalStrideGranule))
    return false;
  for (const MapGroup &group : ArrayRef(shape.groups).drop_back()) {
    // Only coordinate 0 is inside, so the stride doesn't matter.
    auto extents = ArrayRef(facts.extents)
                       .slice(group.first, group.last - group.first + 1);
    if (llvm::all_of(extents, [](int64_t extent) { return extent == 1; }))
      continue;
    if (!needs.isStrideMultiple(group.last, rules::kGlobalStrideGranule))
      return false;
    int64_t stride = facts.strides[group.last];
    if (!ShapedType::isDynamic(stride) &&
        (stride < 0 || stride > rules::kMaxGlobalStride / facts.elementBytes))
      return needs.refuse("stride " + Twine(group.last) + " of " + facts.name +
                          " of " + Twine(stride) + " elements");
  }
  // C75: at other offsets the hardware traps.
  for (int64_t dim = inner.first; dim <= inner.last; ++dim)
    if (!needs.isOffsetMultiple(dim, rules::kInnerBoxGranule))
      return false;
  // A store writes whole granules past the end. The map can't describe an
  // element that is partly inside.
  int64_t innerBytes = inner.inner * facts.elementBytes;
  if (!facts.inBounds) {
    int64_t granule = facts.isLoad
                          ? shape.factor * facts.elementBytes
                          : std::max(rules::kInnerBoxGranule,
                                     shape.factor * facts.elementBytes);
    if (!needs.isExtentMultiple(inner.first, innerBytes, granule))
      return false;
  }
  // Coordinates have 32 bits.
  for (const MapGroup &group : shape.groups)
    if (!needs.isExtentInRange(
            group.first, std::numeric_limits<int32_t>::max() / group.inner))
      return false;
  return true;
}

/// Null if the map has the argument's own extents and strides.
static EncodeAttr makeEncode(const TransferFacts &facts,
                             const MapShape &shape) {
  MLIRContext *context = facts.op->getContext();
  const KernelArgument &argument = facts.kernel.arguments[*facts.argument];
  auto type = cast<MemRefType>(argument.type);
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isOwn = shape.groups.size() == static_cast<size_t>(facts.rank) &&
               shape.factor == 1 &&
               succeeded(type.getStridesAndOffset(strides, offset)) &&
               strides.back() == 1;
  if (isOwn)
    return EncodeAttr::get(context, *facts.argument, {}, {}, ExprAttr());
  SmallVector<ExprAttr> extentExprs, strideExprs;
  for (auto [index, group] : llvm::enumerate(shape.groups)) {
    bool isLast = index + 1 == shape.groups.size();
    int64_t factor = isLast ? shape.factor : 1;
    ExprAttr extent = facts.getExtentExpr(group.first);
    int64_t common = std::gcd(group.inner, factor);
    extentExprs.push_back(
        floorDivide(multiply(extent, group.inner / common), factor / common));
    if (!isLast)
      strideExprs.push_back(
          multiply(facts.getStrideExpr(group.last), facts.elementBytes));
  }
  return EncodeAttr::get(context, *facts.argument, extentExprs, strideExprs,
                         ExprAttr());
}

static std::optional<EngineChoice>
makeTensor(const TransferFacts &facts, Needs &needs, const MapShape &shape) {
  MLIRContext *context = facts.op->getContext();
  TensorElement element = getElement(facts, shape.factor);
  bool hasNaN = llvm::is_contained({TensorElement::F16, TensorElement::BF16,
                                    TensorElement::F32, TensorElement::F64},
                                   element);
  if (facts.fill == OutOfBoundsFill::NaN && !hasNaN) {
    needs.refuse("a fill of NaN with elements of " +
                 stringifyTensorElement(element));
    return std::nullopt;
  }
  if (!isBoxLegal(facts, needs, shape) ||
      !needs.isTileAligned(getTileAlignment(shape.swizzle)) ||
      !hasLegalMemory(facts, needs, shape))
    return std::nullopt;

  EngineChoice choice;
  SmallVector<int64_t> sizes;
  for (const MapGroup &group : shape.groups)
    sizes.push_back(group.last - group.first + 1);
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; }))
    sizes.clear();
  choice.engine =
      EngineAttr::get(context, EngineKind::Tensor, /*width=*/0, sizes);
  SmallVector<int64_t> ones(shape.box.size(), 1);
  choice.map = TensorMapType::get(
      context, shape.box, element, TensorMapMode::Tiled, shape.box.size(), ones,
      shape.swizzle, Interleave::None, L2Promotion::None, facts.fill, {}, {});
  choice.encode = makeEncode(facts, shape);
  choice.instructions = countBoxes(shape);
  const EngineCosts &costs = facts.kernel.chip;
  int64_t rowBytes = shape.box.back() * facts.elementBytes * shape.factor;
  int64_t rows = getElementsOf(shape.box) / shape.box.back();
  int64_t requests = choice.instructions * rows *
                     llvm::divideCeil(rowBytes, costs.requestBytes);
  choice.cost = costs.tensorUse + costs.tensorCopy * choice.instructions +
                llvm::divideCeil(requests, costs.requestsPerSlot);
  choice.guards = needs.guards;
  return choice;
}

/// Whether the tile's bytes can be copied as wider elements. This needs a
/// buffer of its own, which may later be a ring's.
static bool hasWiderElements(const TransferFacts &facts) {
  TransferOpInterface op = facts.op;
  return op.getTile().getDefiningOp<memref::AllocOp>() &&
         op.getTile().getType().getLayout().isIdentity();
}

/// Maps fill with zero or NaN. Other fills are those of the tile's readers.
static bool hasReadersThatFill(const TransferFacts &facts, Needs &needs) {
  TransferOpInterface op = facts.op;
  auto load = dyn_cast<LoadOp>(op.getOperation());
  if (!load || load.getInBounds() ||
      !isOwnFill(load.getFillValueAttr(),
                 load.getTile().getType().getElementType()))
    return true;
  std::string why = planReaderFill(load).refusal;
  return why.empty() ||
         needs.refuse("a fill of " + toText(load.getFillValueAttr()) +
                      ", which no map has, and " + why);
}

/// The conditions that all maps share.
static bool canHaveMap(const TransferFacts &facts, Needs &needs) {
  if (!needs.hasTarget(rules::kBulkSM, rules::kBulkPTX))
    return false;
  if (!facts.isArgument && !facts.arePages)
    return needs.refuse("a global memref that isn't an argument of the kernel"
                        " but " +
                        facts.origin);
  return needs.hasUnitStride() && needs.hasContiguousTile() &&
         hasReadersThatFill(facts, needs);
}

EngineAttempt carousel::tryTensor(const TransferFacts &facts, GuardUse use,
                                  Swizzle swizzle) {
  if (facts.isMulticast)
    return EngineAttempt::refused(kNoMulticastCopies);
  if (getRows(facts.op) && !facts.arePages)
    return EngineAttempt::refused(kNoRows);
  Needs general(facts, use);
  if (!canHaveMap(facts, general))
    return EngineAttempt::refused(general.reason);
  EngineAttempt best;
  auto isBetter = [&](const EngineChoice &choice) {
    // Among maps of equal cost, the first one changes the least.
    return !best.choice || choice.cost < best.choice->cost ||
           (choice.cost == best.choice->cost &&
            choice.guards.size() < best.choice->guards.size());
  };
  for (ArrayRef<int64_t> sizes : listGroupings(facts)) {
    if (sizes.size() > static_cast<size_t>(rules::kMaxTensorRank))
      continue;
    std::optional<SmallVector<MapGroup>> groups = makeGroups(facts, sizes);
    if (!groups)
      continue;
    for (int64_t factor = 1; factor * facts.elementBytes <= 8; factor *= 2) {
      MapShape shape = {*groups, factor, {}, swizzle, facts.arePages};
      bool isPromoted = factor > 1;
      if (groups->back().tile % factor != 0 ||
          (isPromoted &&
           (facts.reduce || facts.rounds ||
            facts.fill == OutOfBoundsFill::NaN || !hasWiderElements(facts))))
        break;
      shape.box = findBox(shape, facts.elementBytes * factor);
      Needs needs(facts, use);
      std::optional<EngineChoice> choice = makeTensor(facts, needs, shape);
      if (choice && isBetter(*choice))
        best.choice = std::move(choice);
      if (best.reason.empty())
        best.reason = needs.reason;
    }
  }
  if (!best.choice && best.reason.empty())
    best.reason = std::to_string(facts.rank) +
                  " dimensions, which can't be collapsed to " +
                  std::to_string(rules::kMaxTensorRank);
  return best;
}

//===----------------------------------------------------------------------===//
// Given engines
//===----------------------------------------------------------------------===//

static std::optional<EngineChoice> tryGivenMap(const TransferFacts &facts,
                                               Needs &needs) {
  TransferOpInterface op = facts.op;
  if (!canHaveMap(facts, needs))
    return std::nullopt;
  TensorMapType type = op.getMap().getType();
  SmallVector<int64_t> sizes(op.getEngineAttr().getCollapse());
  if (sizes.empty())
    sizes.assign(facts.rank, 1);
  std::optional<SmallVector<MapGroup>> groups = makeGroups(facts, sizes);
  if (!groups) {
    needs.refuse("dimensions that can't be collapsed so");
    return std::nullopt;
  }
  // C150 has compared box and tile.
  MapShape shape = {*groups, type.getElementBits() / (8 * facts.elementBytes),
                    SmallVector<int64_t>(type.getBox()), type.getSwizzle(),
                    facts.arePages};
  if (shape.factor > 1 && !hasWiderElements(facts)) {
    needs.refuse("map elements of " + Twine(type.getElementBits()) +
                 " bits, wider than the tile's, for a part of a buffer");
    return std::nullopt;
  }
  std::optional<EngineChoice> choice = makeTensor(facts, needs, shape);
  if (!choice)
    return std::nullopt;
  if (type.getElement() != choice->map.getElement() &&
      (facts.reduce || facts.rounds || facts.fill == OutOfBoundsFill::NaN)) {
    needs.refuse("a map of " + stringifyTensorElement(type.getElement()) +
                 ", not of " +
                 stringifyTensorElement(choice->map.getElement()));
    return std::nullopt;
  }
  if (facts.isLoad && type.getFill() != facts.fill && !facts.inBounds) {
    needs.refuse("a map that fills with " +
                 stringifyOutOfBoundsFill(type.getFill()));
    return std::nullopt;
  }
  if (llvm::any_of(type.getElementStrides(),
                   [](int64_t stride) { return stride != 1; }) ||
      type.getInterleave() != Interleave::None) {
    needs.refuse("a map with element strides or interleave");
    return std::nullopt;
  }
  auto argument = dyn_cast<BlockArgument>(op.getMap());
  gpu::GPUFuncOp kernel = facts.kernel.kernel;
  auto encode = argument && argument.getOwner()->getParentOp() == kernel
                    ? kernel.getArgAttrOfType<EncodeAttr>(
                          argument.getArgNumber(), CarouselDialect::kEncode)
                    : EncodeAttr();
  if (encode && encode.getArgument() != static_cast<int64_t>(*facts.argument)) {
    needs.refuse("a map of argument " + Twine(encode.getArgument()) +
                 ", not of " + Twine(*facts.argument));
    return std::nullopt;
  }
  choice->engine = op.getEngineAttr();
  choice->map = {};
  choice->encode = {};
  return choice;
}

EngineAttempt carousel::tryGiven(const TransferFacts &facts) {
  TransferOpInterface op = facts.op;
  EngineAttr engine = op.getEngineAttr();
  switch (engine.getKind()) {
  case EngineKind::Tensor: {
    Needs needs(facts, GuardUse::All);
    std::optional<EngineChoice> choice = tryGivenMap(facts, needs);
    return {choice, needs.reason};
  }
  case EngineKind::Bulk:
    return tryBulk(facts, GuardUse::All);
  case EngineKind::CpAsync:
    return tryCpAsync(facts, GuardUse::All, engine.getWidth());
  case EngineKind::Vector:
    return tryVector(facts, GuardUse::All, engine.getWidth());
  }
  llvm_unreachable("an engine");
}
