//===- TileVerifiers.cpp - rules and effects of tile transfers ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C123 to C128, C150 and C182 of docs/Spec.md, which the transfers
// of the tile phase and the ring phase share, and the effects of transfers.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "carousel/Dialect/IR/FillValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

/// C123
static LogicalResult verifyElements(TransferOpInterface op, MemRefType global,
                                    MemRefType tile) {
  Type element = tile.getElementType();
  if (global.getElementType() != element)
    return op->emitOpError("expected a tile with the global memref's elements ")
           << global.getElementType() << ", got " << element;
  unsigned bits = getElementBits(element);
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return op->emitOpError("expected integers or floating-point numbers of 8, "
                           "16, 32 or 64 bits, got elements of ")
           << element;
  if (element.isSignedInteger() || element.isUnsignedInteger())
    return op->emitOpError("expected signless integers, got elements of ")
           << element;
  return success();
}

/// C124
static LogicalResult verifyShape(TransferOpInterface op, MemRefType global,
                                 MemRefType tile) {
  if (tile.getRank() < 1 || tile.getRank() > global.getRank())
    return op->emitOpError("expected a tile of rank 1 to the global memref's ")
           << global.getRank() << ", got " << tile.getRank();
  // Also keeps later computations with extents and strides in range.
  int64_t bytes = getElementBits(tile.getElementType()) / 8;
  for (int64_t extent : tile.getShape())
    if (ShapedType::isDynamic(extent) || extent < 1 ||
        llvm::MulOverflow(bytes, extent, bytes) || bytes > INT32_MAX)
      return op->emitOpError("expected a tile of static extents above 0 and of "
                             "at most ")
             << INT32_MAX << " bytes, got " << tile;
  return success();
}

/// Whether no two elements of a shape with these static strides overlap.
/// Returns false for strides that interleave.
static bool areDistinct(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride, extent
  for (auto [stride, extent] : llvm::zip_equal(strides, shape))
    if (extent > 1)
      dims.emplace_back(stride, extent);
  llvm::sort(dims);
  int64_t last = 0; // the end of the elements so far
  for (auto [stride, extent] : dims) {
    int64_t length;
    if (stride <= last || llvm::MulOverflow(stride, extent - 1, length) ||
        llvm::AddOverflow(last, length, last))
      return false;
  }
  return true;
}

/// C125
static LogicalResult verifyLayouts(TransferOpInterface op, MemRefType global,
                                   MemRefType tile) {
  SmallVector<int64_t> strides;
  int64_t offset;
  for (MemRefType type : {global, tile}) {
    strides.clear();
    if (failed(type.getStridesAndOffset(strides, offset)))
      return op->emitOpError("expected a strided layout, got ") << type;
  }
  if (llvm::any_of(strides, ShapedType::isDynamic))
    return op->emitOpError("expected static strides of the tile, got ") << tile;
  if (!areDistinct(tile.getShape(), strides))
    return op->emitOpError("expected a tile whose elements don't overlap, got ")
           << tile;
  return success();
}

/// C127: known extents have room for the box.
static LogicalResult verifyInBounds(TransferOpInterface op, MemRefType global,
                                    MemRefType tile) {
  if (!op.getInBounds())
    return success();
  unsigned leading = op.getNumLeadingDims();
  for (auto [dim, extent] : llvm::enumerate(global.getShape())) {
    int64_t box = dim < leading ? 1 : tile.getDimSize(dim - leading);
    if (!ShapedType::isDynamic(extent) && box > extent)
      return op->emitOpError("expected a box in bounds to have at most extent ")
             << extent << " in dimension " << dim << ", got " << box;
  }
  return success();
}

/// C128. Stricter than the hardware, which also has narrower rows.
static LogicalResult verifySwizzle(TransferOpInterface op, MemRefType tile) {
  std::optional<int64_t> span = getSwizzleSpan(op.getSwizzle());
  if (!span)
    return success();
  SmallVector<int64_t> strides;
  int64_t offset, run = 1;
  if (failed(tile.getStridesAndOffset(strides, offset)))
    return failure();
  for (int64_t dim = tile.getRank() - 1; dim >= 0; --dim) {
    if (strides[dim] != run && tile.getDimSize(dim) != 1)
      return op->emitOpError("expected a contiguous tile with a swizzle, got ")
             << tile;
    run *= tile.getDimSize(dim);
  }
  int64_t row =
      tile.getShape().back() * getElementBits(tile.getElementType()) / 8;
  if (row % *span != 0)
    return op->emitOpError("expected rows of the tile in multiples of the "
                           "swizzle's ")
           << *span << " bytes, got " << row;
  return success();
}

/// C150
static LogicalResult verifyMap(TransferOpInterface op, MemRefType global,
                               MemRefType tile) {
  EngineAttr engine = op.getEngineAttr();
  bool isTensor = engine && engine.getKind() == EngineKind::Tensor;
  if (!op.getMap())
    return isTensor ? op->emitOpError("expected a map with engine tensor, got "
                                      "none")
                    : success();
  if (!isTensor)
    return op->emitOpError("expected a map with engine tensor only, got one");
  TensorMapType map = op.getMap().getType();
  SmallVector<int64_t> groups(engine.getCollapse());
  if (groups.empty())
    groups.assign(global.getRank(), 1);
  if (std::accumulate(groups.begin(), groups.end(), int64_t(0)) !=
          global.getRank() ||
      static_cast<int64_t>(groups.size()) != map.getRank() ||
      map.getMode() != TensorMapMode::Tiled)
    return op->emitOpError("expected a tiled map of the global memref's ")
           << global.getRank() << " dimensions, collapsed as the engine says, "
           << "got " << map;
  unsigned bits = getElementBits(tile.getElementType());
  if (map.getElementBits() % bits != 0)
    return op->emitOpError("expected a map with elements of a multiple of the "
                           "tile's ")
           << bits << " bits, got " << map.getElementBits();
  int64_t factor = map.getElementBits() / bits;
  // The tile's extents in the map's dimensions.
  int64_t dim = -static_cast<int64_t>(op.getNumLeadingDims());
  for (auto [index, size] : llvm::enumerate(groups)) {
    int64_t extent = 1;
    for (int64_t i = 0; i < size; ++i, ++dim)
      extent *= dim < 0 ? 1 : tile.getDimSize(dim);
    int64_t box = map.getBox()[index];
    if (index + 1 == groups.size())
      box *= factor;
    if (extent % box != 0)
      return op->emitOpError("expected a box that divides the tile's extent ")
             << extent << " in dimension " << index << " of the map, got "
             << box;
  }
  return success();
}

static LogicalResult verifyTransfer(TransferOpInterface op) {
  MemRefType global = op.getGlobal().getType();
  MemRefType tile = op.getTile().getType();
  if (failed(verifyElements(op, global, tile)) ||
      failed(verifyShape(op, global, tile)) ||
      failed(verifyLayouts(op, global, tile)) ||
      failed(verifyIndices(op, global, op.getOffsets(), "global memref")) ||
      failed(verifyInBounds(op, global, tile)))
    return failure();
  if (failed(verifySwizzle(op, tile)))
    return failure();
  return verifyMap(op, global, tile);
}

/// C126
static LogicalResult verifyFill(TransferOpInterface op, OutOfBoundsFill fill,
                                Attribute value) {
  Type element = op.getTile().getType().getElementType();
  if (value) {
    if (fill != OutOfBoundsFill::Zero)
      return op->emitOpError("expected one fill, got ")
             << stringifyOutOfBoundsFill(fill) << " and " << toText(value);
    if (!convertFillValue(value, element))
      return op->emitOpError("expected a fill that elements of ")
             << element << " can hold, got " << toText(value);
    if (op.getInBounds())
      return op->emitOpError("expected no fill in bounds, got ")
             << toText(value);
  }
  if (fill == OutOfBoundsFill::Zero)
    return success();
  if (!isa<FloatType>(element))
    return op->emitOpError(
               "expected floating-point elements for NaN fill, got ")
           << element;
  if (op.getInBounds())
    return op->emitOpError("expected no fill in bounds, got ")
           << stringifyOutOfBoundsFill(fill);
  return success();
}

/// C182
static LogicalResult verifyThreads(TransferOpInterface op, ReductionAttr load) {
  if (load && !op.getByThreads())
    return op->emitOpError("expected by_threads with a load's reduction, got "
                           "none");
  EngineAttr engine = op.getEngineAttr();
  if (op.getByThreads() && engine && engine.getKind() != EngineKind::Vector)
    return op->emitOpError("expected engine vector for a transfer by threads, "
                           "got ")
           << stringifyEngineKind(engine.getKind());
  return success();
}

/// C333
static LogicalResult verifyRounding(TransferOpInterface op, bool rounds,
                                    OutOfBoundsFill fill, Attribute value,
                                    ReductionAttr reduce) {
  bool hasMap =
      op.getMap() &&
      llvm::is_contained({TensorElement::TF32, TensorElement::TF32FTZ},
                         op.getMap().getType().getElement());
  if (!rounds)
    return hasMap ? op->emitOpError("expected round_tf32 with a map of tf32, "
                                    "got none")
                  : success();
  Type element = op.getTile().getType().getElementType();
  if (!element.isF32())
    return op->emitOpError("expected elements of f32 with round_tf32, got ")
           << element;
  if (reduce)
    return op->emitOpError("expected no reduction with round_tf32, got ")
           << reduce;
  if (value || fill != OutOfBoundsFill::Zero)
    return op->emitOpError("expected a fill of zero with round_tf32, got ")
           << (value ? toText(value) : stringifyOutOfBoundsFill(fill).str());
  EngineAttr engine = op.getEngineAttr();
  if (!engine || engine.getKind() == EngineKind::Vector || hasMap)
    return success();
  if (op.getMap())
    return op->emitOpError("expected a map of tf32 with round_tf32, got ")
           << op.getMap().getType();
  return op->emitOpError("expected an engine that rounds, tensor or vector, "
                         "with round_tf32, got ")
         << stringifyEngineKind(engine.getKind());
}

LogicalResult carousel::verifyTileLoad(TransferOpInterface op,
                                       OutOfBoundsFill fill, Attribute value,
                                       ReductionAttr reduce, bool rounds) {
  if (failed(verifyTransfer(op)) || failed(verifyFill(op, fill, value)) ||
      failed(verifyThreads(op, reduce)) ||
      failed(verifyRounding(op, rounds, fill, value, reduce)))
    return failure();
  if (reduce)
    return verifyGlobalReduction(op, reduce.getKind(), reduce.getType(),
                                 op.getTile().getType().getElementType());
  return success();
}

LogicalResult carousel::verifyTileStore(TransferOpInterface op,
                                        ReductionAttr reduce) {
  if (failed(verifyTransfer(op)) || failed(verifyThreads(op, {})))
    return failure();
  if (reduce)
    return verifyGlobalReduction(op, reduce.getKind(), reduce.getType(),
                                 op.getTile().getType().getElementType());
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyTileLoad(*this, getFill(), getFillValueAttr(), getReduceAttr(),
                        getRoundTf32());
}

LogicalResult StoreOp::verify() {
  return verifyTileStore(*this, getReduceAttr());
}

/// A load reads its box and writes its tile, a reduction reads both.
template <typename Op>
static void
addLoadEffects(Op op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &op.getGlobalMutable(),
                       GlobalMemoryResource::get());
  if (op.getReduceAttr())
    effects.emplace_back(MemoryEffects::Read::get(), &op.getTileMutable(),
                         SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getTileMutable(),
                       SharedMemoryResource::get());
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addLoadEffects(*this, effects);
}

void RingLoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addLoadEffects(*this, effects);
}

/// A store reads its tile and writes its box, a reduction reads both.
template <typename Op>
static void
addStoreEffects(Op op,
                SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &op.getTileMutable(),
                       SharedMemoryResource::get());
  if (op.getReduceAttr())
    effects.emplace_back(MemoryEffects::Read::get(), &op.getGlobalMutable(),
                         GlobalMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getGlobalMutable(),
                       GlobalMemoryResource::get());
}

void StoreOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addStoreEffects(*this, effects);
}

void RingStoreOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addStoreEffects(*this, effects);
}
