//===- TensorMapShape.cpp - dimensions and boxes of tensor maps -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorMapShape.h.
//
//===----------------------------------------------------------------------===//

#include "TensorMapShape.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Whether dimension `dim` and the next one can belong to one group, apart from
/// conditions on the box.
static bool areContiguous(const TransferFacts &facts, int64_t dim) {
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

std::optional<SmallVector<MapGroup>>
carousel::makeGroups(const TransferFacts &facts, ArrayRef<int64_t> sizes) {
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
SmallVector<SmallVector<int64_t>>
carousel::listGroupings(const TransferFacts &facts) {
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

int64_t carousel::getElementsOf(ArrayRef<int64_t> box) {
  return std::accumulate(box.begin(), box.end(), int64_t(1),
                         std::multiplies<>());
}

int64_t carousel::getTileAlignment(Swizzle swizzle) {
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

/// The box of a panel: one span of each row of the tile. Empty if the tile has
/// too many rows.
static SmallVector<int64_t> findPanel(const MapShape &shape, int64_t inner) {
  SmallVector<int64_t> box;
  for (size_t dim = 0; dim < shape.groups.size(); ++dim)
    box.push_back(shape.getTile(dim));
  box.back() = inner;
  if (llvm::any_of(
          box, [](int64_t extent) { return extent > rules::kMaxBoxExtent; }))
    return {};
  return box;
}

SmallVector<int64_t> carousel::findBox(const MapShape &shape,
                                       int64_t elementBytes) {
  size_t rank = shape.groups.size();
  if (std::optional<int64_t> span = getSwizzleSpan(shape.swizzle))
    if (shape.getTile(rank - 1) * elementBytes > *span)
      return findPanel(shape, *span / elementBytes);
  SmallVector<int64_t> box(rank, 1);
  int64_t bytes = elementBytes;
  for (size_t dim = rank; dim-- > 0;) {
    int64_t extent = shape.getTile(dim);
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

bool carousel::arePanels(const MapShape &shape) {
  for (size_t dim = 0; dim + 1 < shape.groups.size(); ++dim)
    if (shape.box[dim] != shape.getTile(dim))
      return false;
  return true;
}

bool carousel::isRowMajor(const MapShape &shape) {
  bool isSplit = false;
  for (size_t dim = shape.groups.size(); dim-- > 0;) {
    if (isSplit && shape.box[dim] != 1)
      return false;
    isSplit |= shape.box[dim] != shape.getTile(dim);
  }
  return true;
}

int64_t carousel::countBoxes(const MapShape &shape) {
  int64_t tile = 1;
  for (size_t dim = 0; dim < shape.groups.size(); ++dim)
    tile *= shape.getTile(dim);
  return tile / getElementsOf(shape.box);
}
