//===- TileElements.cpp - elements of buffers by thread -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileElements.h. Layouts come from the views' types where these are
// static, otherwise from the operands of the views.
//
//===----------------------------------------------------------------------===//

#include "TileElements.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

int64_t TileLayout::getNumElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

void TileLayout::forEachRun(function_ref<void(int64_t, int64_t)> visit) const {
  int64_t count = getNumElements();
  bool hasRows = !shape.empty() && strides.back() == 1;
  int64_t row = hasRows ? shape.back() : 1;
  for (int64_t number = 0; number < count; number += row) {
    int64_t rest = number, place = offset;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      place += rest % shape[dim] * strides[dim];
      rest /= shape[dim];
    }
    visit(place, row);
  }
}

/// The layout that the type states, for a buffer of the identity layout. Views
/// that only reshape keep the buffer's first element.
static std::optional<TileLayout> getStaticLayout(MemRefType type) {
  TileLayout layout;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(layout.strides, layout.offset)) ||
      ShapedType::isDynamic(layout.offset) ||
      ShapedType::isDynamicShape(layout.strides))
    return std::nullopt;
  layout.shape = llvm::to_vector(type.getShape());
  return layout;
}

static std::optional<TileLayout> locateSubview(memref::SubViewOp view,
                                               const TileLayout &source,
                                               IndexFunction &function) {
  if (!view.getType().hasStaticShape())
    return std::nullopt;
  TileLayout layout;
  layout.offset = source.offset;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [dim, offset] : llvm::enumerate(view.getMixedOffsets())) {
    std::optional<IndexForm> first = function.evaluate(offset);
    std::optional<int64_t> step =
        getConstantIntValue(view.getMixedStrides()[dim]);
    if (!first || !first->isConstant() || !step)
      return std::nullopt;
    layout.offset += first->constant * source.strides[dim];
    if (!dropped.test(dim))
      layout.strides.push_back(*step * source.strides[dim]);
  }
  layout.shape = llvm::to_vector(view.getType().getShape());
  return layout;
}

/// The layout of a reshaped tile, whose offset stays.
static std::optional<TileLayout> locateReshaped(MemRefType type,
                                                TileLayout layout) {
  int64_t offset;
  SmallVector<int64_t> strides;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamicShape(strides))
    return std::nullopt;
  layout.strides = strides;
  layout.shape = llvm::to_vector(type.getShape());
  return layout;
}

std::optional<TileLayout> carousel::locateTile(Value memref,
                                               IndexFunction &function) {
  SmallVector<Operation *> views;
  while (Operation *view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    // Views of other kinds may have other elements.
    if (!isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::CastOp, memref::AssumeAlignmentOp>(view) ||
        !isa<MemRefType>(memref.getType()))
      return std::nullopt;
    views.push_back(view);
    memref = view->getOperand(0);
  }
  auto type = dyn_cast<MemRefType>(memref.getType());
  std::optional<TileLayout> layout =
      type ? getStaticLayout(type) : std::nullopt;
  for (Operation *view : llvm::reverse(views)) {
    if (!layout)
      return std::nullopt;
    if (auto part = dyn_cast<memref::SubViewOp>(view))
      layout = locateSubview(part, *layout, function);
    else if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(view))
      layout = locateReshaped(cast<MemRefType>(view->getResult(0).getType()),
                              std::move(*layout));
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value carousel::getEnclosingView(Value view) {
  // It may have elements that its source doesn't have.
  if (view.getDefiningOp<memref::ReinterpretCastOp>())
    return getRootBuffer(view);
  return view.getDefiningOp<ViewLikeOpInterface>().getViewSource();
}

static bool isInside(int64_t first, int64_t length,
                     const llvm::BitVector &elements) {
  return first >= 0 && first + length <= int64_t(elements.size());
}

bool carousel::addElements(const TileLayout &tile, llvm::BitVector &elements) {
  bool fits = true;
  tile.forEachRun([&](int64_t first, int64_t length) {
    fits &= isInside(first, length, elements);
    if (fits)
      elements.set(first, first + length);
  });
  return fits;
}

bool carousel::hasElements(const TileLayout &tile,
                           const llvm::BitVector &elements) {
  bool hasAll = true;
  tile.forEachRun([&](int64_t first, int64_t length) {
    hasAll = hasAll && isInside(first, length, elements) &&
             elements.find_first_unset_in(first, first + length) == -1;
  });
  return hasAll;
}

bool carousel::hasAnyElement(const TileLayout &tile,
                             const llvm::BitVector &elements) {
  bool hasAny = false;
  tile.forEachRun([&](int64_t first, int64_t length) {
    hasAny = hasAny || !isInside(first, length, elements) ||
             elements.find_first_in(first, first + length) != -1;
  });
  return hasAny;
}

static llvm::BitVector makeElements(Value memref) {
  auto type = cast<MemRefType>(getRootBuffer(memref).getType());
  return llvm::BitVector(type.hasStaticShape() ? type.getNumElements() : 0);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Whether `visit` holds for all threads; false if they aren't known.
bool TileElements::forEachThread(function_ref<bool()> visit) {
  std::optional<int64_t> threads = function.getBlockThreads();
  for (int64_t thread = 0; threads && thread < *threads; ++thread) {
    function.setThread(thread);
    if (!visit())
      return false;
  }
  return threads.has_value();
}

bool TileElements::areApart(Value lhs, Value rhs) {
  TileLayout checked, checkedOther;
  bool isFirst = true;
  llvm::BitVector elements = makeElements(lhs);
  return forEachThread([&] {
    std::optional<TileLayout> tile = locateTile(lhs, function),
                              other = locateTile(rhs, function);
    if (!tile || !other)
      return false;
    // Usually the same as of the thread before.
    if (!isFirst && *tile == checked && *other == checkedOther)
      return true;
    isFirst = false;
    checked = *tile;
    checkedOther = *other;
    elements.reset();
    return addElements(*tile, elements) && !hasAnyElement(*other, elements);
  });
}

bool TileElements::hasAllElements(Value memref, ArrayRef<Value> tiles) {
  TileLayout checked;
  SmallVector<TileLayout> checkedTiles;
  llvm::BitVector elements = makeElements(memref);
  return forEachThread([&] {
    std::optional<TileLayout> layout = locateTile(memref, function);
    if (!layout)
      return false;
    SmallVector<TileLayout> parts;
    for (Value tile : tiles)
      if (std::optional<TileLayout> part = locateTile(tile, function))
        parts.push_back(*part);
    if (!checkedTiles.empty() && *layout == checked && parts == checkedTiles)
      return true;
    checked = *layout;
    checkedTiles = parts;
    elements.reset();
    return llvm::all_of(parts,
                        [&](const TileLayout &part) {
                          return addElements(part, elements);
                        }) &&
           hasElements(*layout, elements);
  });
}

bool TileElements::isCovered(Value memref, ArrayRef<Value> tiles) {
  while (true) {
    if (llvm::is_contained(tiles, memref) || hasAllElements(memref, tiles))
      return true;
    if (!memref.getDefiningOp<ViewLikeOpInterface>())
      return false;
    memref = getEnclosingView(memref);
  }
}
