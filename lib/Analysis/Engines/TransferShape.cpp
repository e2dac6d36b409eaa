//===- TransferShape.cpp - a transfer's box in few dimensions -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions are collapsed if the inner ones are whole: the box covers them
// from their begin, so that only the outermost one has bounds. It also has C164
// of docs/Spec.md: the requirements of each engine on the shape.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TransferShape.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/FillValue.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

int64_t TransferShape::getRows() const {
  int64_t rows = 1;
  for (const BoxDim &dim : getTileDims().drop_back())
    rows *= dim.extent;
  return rows;
}

bool TransferShape::hasRowEnds() const {
  return getRowBytes() % rules::kBulkGranule != 0;
}

bool TransferShape::isInside() const {
  return llvm::none_of(dims, [](const BoxDim &dim) {
    return dim.mayBeginBefore || dim.mayEndBehind;
  });
}

bool TransferShape::hasGroupsOf(const TransferShape &other) const {
  auto isSame = [](const BoxDim &dim, const BoxDim &otherDim) {
    return dim.extent == otherDim.extent && dim.inner == otherDim.inner;
  };
  return globalGroups == other.globalGroups && tileGroups == other.tileGroups &&
         leading == other.leading && elementBytes == other.elementBytes &&
         globalIsContiguous == other.globalIsContiguous &&
         tileIsContiguous == other.tileIsContiguous &&
         std::equal(dims.begin(), dims.end(), other.dims.begin(),
                    other.dims.end(), isSame);
}

void TransferShape::join(const TransferShape &other) {
  assert(hasGroupsOf(other) && "boxes are seen in different dimensions");
  for (auto [dim, otherDim] : llvm::zip_equal(dims, other.dims)) {
    dim.mayBeginBefore |= otherDim.mayBeginBefore;
    dim.mayEndBehind |= otherDim.mayEndBehind;
  }
  innerDivisor = std::gcd(innerDivisor, other.innerDivisor);
}

/// Whether dimension `dim + 1` of the tile is consecutive with dimension `dim`
/// in both memrefs, and the box covers it.
static bool continues(TransferOpInterface op, ArrayRef<int64_t> tileStrides,
                      ArrayRef<int64_t> globalStrides, unsigned dim) {
  MemRefType tile = op.getTile().getType(), global = op.getGlobal().getType();
  unsigned inner = dim + 1, leading = op.getNumLeadingDims();
  // Rows of a table don't follow each other.
  if (leading + dim == 0 && getRows(op))
    return false;
  int64_t extent = tile.getDimSize(inner);
  if (global.getDimSize(leading + inner) != extent ||
      tileStrides[dim] != tileStrides[inner] * extent ||
      ShapedType::isDynamic(globalStrides[leading + inner]) ||
      globalStrides[leading + dim] != globalStrides[leading + inner] * extent)
    return false;
  // A box in bounds that is as wide as the memref starts at offset 0.
  return op.getInBounds() ||
         getConstantIntValue(op.getOffsets()[leading + inner]) == 0;
}

bool carousel::hasElementsOfTable(TransferOpInterface op) {
  return getRows(op) && op.getGlobal().getType().getRank() == 1;
}

TransferShape carousel::computeTransferShape(TransferOpInterface op,
                                             const Divisibility &facts) {
  MemRefType tile = op.getTile().getType(), global = op.getGlobal().getType();
  SmallVector<int64_t> tileStrides, globalStrides;
  int64_t offset;
  // C125
  (void)tile.getStridesAndOffset(tileStrides, offset);
  (void)global.getStridesAndOffset(globalStrides, offset);
  TransferShape shape;
  shape.leading = op.getNumLeadingDims();
  shape.tileRank = tile.getRank();
  shape.elementBytes = getElementBytes(tile.getElementType());
  for (unsigned dim = 0, e = global.getRank(); dim < e; ++dim) {
    bool isLeading = dim < shape.leading;
    int64_t extent = isLeading ? 1 : tile.getDimSize(dim - shape.leading);
    if (dim > shape.leading &&
        continues(op, tileStrides, globalStrides, dim - shape.leading - 1)) {
      shape.globalGroups.back().push_back(dim);
      shape.tileGroups.back().push_back(dim - shape.leading);
      shape.dims.back().extent *= extent;
      shape.dims.back().inner *= extent;
      shape.innerDivisor *= extent;
      continue;
    }
    shape.globalGroups.push_back({static_cast<int64_t>(dim)});
    if (!isLeading)
      shape.tileGroups.push_back({static_cast<int64_t>(dim - shape.leading)});
    BoxDim box;
    box.extent = extent;
    Value begin = op.getOffsets()[dim];
    std::optional<int64_t> constant = getConstantIntValue(begin);
    // A store doesn't start before its memref.
    box.mayBeginBefore =
        !op.getInBounds() && op.isLoad() && !facts.isNonNegative(begin);
    box.mayEndBehind =
        !op.getInBounds() &&
        (!constant || ShapedType::isDynamic(global.getDimSize(dim)) ||
         *constant > global.getDimSize(dim) - extent);
    // The table may name any row.
    if (dim == 0 && getRows(op) && !op.getInBounds())
      box.mayBeginBefore = box.mayEndBehind = true;
    shape.dims.push_back(box);
    shape.innerDivisor = facts.getMultiple(begin);
  }
  shape.globalIsContiguous =
      (globalStrides.back() == 1 && !hasElementsOfTable(op)) ||
      shape.getRowElements() == 1;
  shape.tileIsContiguous =
      tileStrides.back() == 1 || shape.getRowElements() == 1;
  return shape;
}

bool carousel::mayStoreByThreads(RingLoadOp load, const TransferShape &shape) {
  if (load.getEngineAttr().getKind() != EngineKind::CpAsync)
    return false;
  bool isZero =
      load.getFill() == OutOfBoundsFill::Zero && !load.getFillValueAttr();
  if (!isZero && !shape.isInside())
    return true;
  int64_t elements = load.getEngineAttr().getWidth() / shape.elementBytes;
  return shape.dims.back().mayBeginBefore && elements > 0 &&
         !isMultiple(shape.innerDivisor, elements);
}

//===----------------------------------------------------------------------===//
// Requirements of engines
//===----------------------------------------------------------------------===//

static std::string explainPieces(EngineAttr engine,
                                 const TransferShape &shape) {
  int64_t width = engine.getWidth();
  if (width % shape.elementBytes != 0)
    return "pieces of whole elements, got " + llvm::utostr(width) +
           " bytes of elements of " + llvm::utostr(shape.elementBytes);
  if (width == shape.elementBytes)
    return "";
  if (!shape.globalIsContiguous || !shape.tileIsContiguous)
    return "rows that are contiguous in global memory and in the tile with "
           "pieces of several elements, got strides between elements";
  if (shape.getRowBytes() % width != 0)
    return "rows in multiples of the " + llvm::utostr(width) +
           " bytes of a piece, got " + llvm::utostr(shape.getRowBytes());
  return "";
}

std::string carousel::explainBulk(TransferOpInterface op,
                                  const TransferShape &shape) {
  if (!shape.globalIsContiguous || !shape.tileIsContiguous)
    return "rows that are contiguous in global memory and in the tile with "
           "engine bulk, got strides between elements";
  MemRefType tile = op.getTile().getType();
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)tile.getStridesAndOffset(strides, offset);
  // The offsets of the rows in the tile: all groups but the innermost one.
  for (auto [dim, group] :
       llvm::zip(shape.getTileDims(), ArrayRef(shape.tileGroups).drop_back())) {
    int64_t step = strides[group.back()] * shape.elementBytes;
    if (dim.extent > 1 && step % rules::kBulkGranule != 0)
      return "rows of the tile at multiples of " +
             llvm::utostr(rules::kBulkGranule) +
             " bytes with engine bulk, got every " + llvm::utostr(step);
  }
  return "";
}

/// Whether the tile begins at a multiple of a granule.
static bool isGranuleAligned(Value tile) {
  while (auto view = tile.getDefiningOp<memref::SubViewOp>()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    MemRefType source = view.getSourceType();
    if (failed(source.getStridesAndOffset(strides, offset)))
      return false;
    int64_t bytes = getElementBytes(source.getElementType());
    for (auto [begin, stride] : llvm::zip(view.getMixedOffsets(), strides)) {
      int64_t factor = getConstantIntValue(begin).value_or(1);
      if (ShapedType::isDynamic(stride) ||
          factor * stride * bytes % rules::kBulkGranule != 0)
        return false;
    }
    tile = view.getSource();
  }
  // The ring aligns its slots, which are views later.
  if (tile.getDefiningOp<RingTileOp>() || tile.getDefiningOp<memref::ViewOp>())
    return true;
  auto alloc = tile.getDefiningOp<memref::AllocOp>();
  return alloc && alloc.getAlignment().value_or(1) % rules::kBulkGranule == 0;
}

bool carousel::copiesGranules(TransferOpInterface op,
                              const TransferShape &shape) {
  EngineAttr engine = op.getEngineAttr();
  Type element = op.getTile().getType().getElementType();
  if (engine.getKind() != EngineKind::Vector ||
      engine.getWidth() != shape.elementBytes || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() != shape.elementBytes * 8 ||
      shape.getRowBytes() % rules::kBulkGranule != 0 || getRows(op) ||
      !explainBulk(op, shape).empty() || !isGranuleAligned(op.getTile()))
    return false;
  if (auto load = dyn_cast<RingLoadOp>(op.getOperation()))
    return !load.getReduceAttr();
  auto store = dyn_cast<RingStoreOp>(op.getOperation());
  return store && !store.getReduceAttr() && !shape.dims.back().mayBeginBefore &&
         !isMulticast(store.getGlobal());
}

static std::string explainTensor(TransferOpInterface op) {
  MemRefType tile = op.getTile().getType();
  TensorMapType map = op.getMap().getType();
  SmallVector<int64_t> strides;
  int64_t offset, run = 1;
  (void)tile.getStridesAndOffset(strides, offset);
  for (int64_t dim = tile.getRank() - 1; dim >= 0; --dim) {
    if (strides[dim] != run && tile.getDimSize(dim) != 1)
      return "a contiguous tile with engine tensor, got strides between its "
             "rows";
    run *= tile.getDimSize(dim);
  }
  if (map.getBoxBytes() % map.getSharedAlignment() != 0 &&
      map.getBoxBytes() != op.getTileBytes())
    return "boxes in multiples of " + llvm::utostr(map.getSharedAlignment()) +
           " bytes, since they are adjacent, got " +
           llvm::utostr(map.getBoxBytes());
  // Only these have bytes that can be copied as wider elements.
  if (map.getElementBits() != 8 * getElementBytes(tile.getElementType()) &&
      !isa_and_nonnull<RingTileOp, memref::ViewOp>(
          op.getTile().getDefiningOp()))
    return "a ring's tile with map elements of " +
           llvm::utostr(map.getElementBits()) +
           " bits, wider than the tile's, got another buffer";
  auto load = dyn_cast<RingLoadOp>(op.getOperation());
  if (load && load.getFillValueAttr())
    return "a fill that tensor maps have, got " +
           toText(load.getFillValueAttr());
  if (load && !load.getInBounds() && load.getFill() != map.getFill())
    return "a map that fills with " +
           stringifyOutOfBoundsFill(load.getFill()).str() + ", got one with " +
           stringifyOutOfBoundsFill(map.getFill()).str();
  return "";
}

std::string carousel::explainEngine(TransferOpInterface op,
                                    const TransferShape &shape) {
  EngineAttr engine = op.getEngineAttr();
  if (isMulticast(op.getGlobal()) && (engine.getKind() != EngineKind::Vector ||
                                      engine.getWidth() < kMulticastUnit))
    return "engine vector with pieces of at least " +
           llvm::utostr(kMulticastUnit) +
           " bytes for a multicast address, got " +
           stringifyEngineKind(engine.getKind()).str() + " of width " +
           llvm::utostr(engine.getWidth());
  bool isByThreads = engine.getKind() == EngineKind::CpAsync ||
                     engine.getKind() == EngineKind::Vector;
  // Rows that are boxes themselves, as pages, are copied one by one.
  bool arePages = engine.getKind() == EngineKind::Tensor && op.isLoad() &&
                  op.getGlobal().getType().getRank() > 2;
  if (getRows(op) && !isByThreads && !arePages)
    return "engine cp_async or vector for rows of a table, got " +
           stringifyEngineKind(engine.getKind()).str();
  switch (engine.getKind()) {
  case EngineKind::Tensor:
    return explainTensor(op);
  case EngineKind::Bulk:
    return explainBulk(op, shape);
  case EngineKind::CpAsync:
  case EngineKind::Vector:
    return explainPieces(engine, shape);
  }
  llvm_unreachable("all engines are handled");
}
