//===- SimProgramViews.cpp - views of a program's memory ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, reshapes and casts of buffers: where the elements are, and whether
// they are inside.
//
//===----------------------------------------------------------------------===//

#include "SimProgramPlan.h"

#include "../Compile/KernelModule.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel::sim;
using namespace carousel::sim::plan;
using llvm::formatv;

std::string carousel::sim::plan::failAt(Operation *op, const Twine &message) {
  std::string place = describeLocation(op->getLoc());
  return (place.empty() ? message : place + ": " + message).str();
}

uint64_t carousel::sim::plan::getBytes(MemRefType type) {
  return getElementBytes(type.getElementType()).value_or(1);
}

std::string carousel::sim::plan::nameBuffer(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "buffer at " + describeLocation(op->getLoc());
}

std::optional<SmallVector<int64_t>>
carousel::sim::plan::computeStrides(ArrayRef<int64_t> extents,
                                    uint64_t elementBytes) {
  SmallVector<int64_t> strides(extents.size());
  int64_t elements = 1, bytes;
  for (size_t dim = extents.size(); dim-- > 0;) {
    strides[dim] = elements;
    if (extents[dim] < 0 ||
        __builtin_mul_overflow(elements, std::max<int64_t>(extents[dim], 1),
                               &elements) ||
        __builtin_mul_overflow(elements, int64_t(elementBytes), &bytes) ||
        bytes >> 48)
      return std::nullopt;
  }
  return strides;
}

int64_t carousel::sim::plan::countElements(ArrayRef<int64_t> extents) {
  int64_t elements = 1;
  for (int64_t extent : extents)
    elements *= extent;
  return elements;
}

std::string carousel::sim::plan::printExtents(ArrayRef<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "no dimensions" : text;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Elements from the first to behind the last one; saturates.
static uint64_t getSpan(ArrayRef<int64_t> extents, ArrayRef<int64_t> strides) {
  if (llvm::is_contained(extents, 0))
    return 0;
  uint64_t span = 1;
  for (auto [extent, stride] : llvm::zip_equal(extents, strides))
    span = llvm::SaturatingMultiplyAdd(uint64_t(extent - 1), uint64_t(stride),
                                       span);
  return span;
}

void ProgramPlan::View::setBase() {
  base = static_cast<char *>(memory.data);
  elements = getSpan(memory.extents, memory.strides);
}

std::string ProgramPlan::slice(memref::SubViewOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  if (!source)
    return error;
  SmallVector<int64_t> offsets = getIndices(op.getMixedOffsets());
  SmallVector<int64_t> sizes = getIndices(op.getMixedSizes());
  SmallVector<int64_t> steps = getIndices(op.getMixedStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  View view = *source;
  view.memory.extents.clear();
  view.memory.strides.clear();
  int64_t first = 0;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    int64_t extent = source->memory.extents[dim];
    int64_t reach;
    if (offsets[dim] < 0 || sizes[dim] < 0 || steps[dim] < 0 ||
        __builtin_mul_overflow(std::max<int64_t>(sizes[dim] - 1, 0), steps[dim],
                               &reach) ||
        __builtin_add_overflow(reach, offsets[dim], &reach) ||
        (sizes[dim] == 0 ? offsets[dim] > extent : reach >= extent))
      return failAt(op,
                    formatv("expected a slice inside of extent {0} in "
                            "dimension {1}, got {2} elements from {3} on in "
                            "steps of {4}",
                            extent, dim, sizes[dim], offsets[dim], steps[dim]));
    first += offsets[dim] * source->memory.strides[dim];
    if (dropped.test(dim))
      continue;
    view.memory.extents.push_back(sizes[dim]);
    view.memory.strides.push_back(steps[dim] * source->memory.strides[dim]);
  }
  view.memory.data = static_cast<char *>(view.memory.data) +
                     first * int64_t(getBytes(op.getType()));
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::expand(memref::ExpandShapeOp op) {
  std::string error;
  const View *source = getView(op, op.getSrc(), error);
  if (!source)
    return error;
  View view = *source;
  view.memory.extents = getIndices(op.getMixedOutputShape());
  view.memory.strides.assign(view.memory.extents.size(), 1);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = source->memory.strides[dim], elements = 1;
    for (int64_t inner : llvm::reverse(group)) {
      view.memory.strides[inner] = stride * elements;
      elements *= view.memory.extents[inner];
    }
    if (elements != source->memory.extents[dim])
      return failAt(op, formatv("expected extents whose product is {0} for "
                                "dimension {1}, got {2}",
                                source->memory.extents[dim], dim, elements));
  }
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::collapse(memref::CollapseShapeOp op) {
  std::string error;
  const View *source = getView(op, op.getSrc(), error);
  if (!source)
    return error;
  View view = *source;
  view.memory.extents.clear();
  view.memory.strides.clear();
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    int64_t elements = 1;
    std::optional<int64_t> stride;
    for (int64_t inner : llvm::reverse(group)) {
      int64_t extent = source->memory.extents[inner];
      // A dimension of one element has no stride that matters.
      if (extent != 1 && !stride)
        stride = source->memory.strides[inner];
      else if (extent > 1 && elements != 0 &&
               source->memory.strides[inner] != *stride * elements)
        return failAt(op, formatv("expected stride {0} in dimension {1}, so "
                                  "that it can be collapsed, got {2}",
                                  *stride * elements, inner,
                                  source->memory.strides[inner]));
      elements *= extent;
    }
    view.memory.extents.push_back(elements);
    view.memory.strides.push_back(stride.value_or(1));
  }
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::cast(memref::CastOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  auto type = dyn_cast<MemRefType>(op.getType());
  if (!source)
    return error;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return failAt(op, "expected a cast to a strided memref");
  for (unsigned dim = 0; dim < strides.size(); ++dim) {
    int64_t extent = source->memory.extents[dim];
    int64_t stride = source->memory.strides[dim];
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != extent)
      return failAt(op, formatv("expected extent {0} in dimension {1} of the "
                                "memref that is cast, got {2}",
                                type.getDimSize(dim), dim, extent));
    if (!ShapedType::isDynamic(strides[dim]) && strides[dim] != stride &&
        extent > 1)
      return failAt(op, formatv("expected stride {0} in dimension {1} of the "
                                "memref that is cast, got {2}",
                                strides[dim], dim, stride));
  }
  View view = *source;
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::viewBytes(memref::ViewOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  if (!source)
    return error;
  View view = *source;
  view.memory.extents.clear();
  auto sizes = op.getSizes().begin();
  for (int64_t extent : op.getType().getShape())
    view.memory.extents.push_back(
        ShapedType::isDynamic(extent) ? getIndex(*sizes++) : extent);
  auto strides = computeStrides(view.memory.extents, getBytes(op.getType()));
  int64_t shift = getIndex(op.getByteShift());
  int64_t bytes = source->memory.extents.front();
  if (!strides || shift < 0 || shift > bytes ||
      countElements(view.memory.extents) * int64_t(getBytes(op.getType())) >
          bytes - shift)
    return failAt(op, formatv("expected a view inside of {0} bytes, got {1} "
                              "elements of {2} bytes from {3} on",
                              bytes, printExtents(view.memory.extents),
                              getBytes(op.getType()), shift));
  view.memory.strides = *strides;
  view.memory.data = static_cast<char *>(view.memory.data) + shift;
  view.memory.name = nameBuffer(op);
  view.setBase();
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::reinterpret(memref::ReinterpretCastOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  if (!source)
    return error;
  View view = *source;
  view.memory.extents = getIndices(op.getMixedSizes());
  view.memory.strides = getIndices(op.getMixedStrides());
  for (int64_t number :
       llvm::concat<const int64_t>(view.memory.extents, view.memory.strides))
    if (number < 0)
      return failAt(
          op,
          formatv("expected extents and strides from 0 on, got {0}", number));
  int64_t first = getIndices(op.getMixedOffsets()).front();
  uint64_t elements = source->elements;
  uint64_t taken = getSpan(view.memory.extents, view.memory.strides);
  if (first < 0 || uint64_t(first) > elements ||
      taken > elements - uint64_t(first))
    return failAt(op, formatv("expected a view inside of {0} elements, got "
                              "{1} from {2} on",
                              elements, taken, first));
  view.memory.data = view.base + first * int64_t(getBytes(op.getType()));
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::readLayout(memref::ExtractStridedMetadataOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  if (!source)
    return error;
  auto set = [&](Value result, int64_t number) {
    numbers[result] = IntegerAttr::get(result.getType(), number);
  };
  set(op.getOffset(),
      (static_cast<char *>(source->memory.data) - source->base) /
          int64_t(getBytes(op.getSource().getType())));
  for (auto [result, extent] :
       llvm::zip_equal(op.getSizes(), source->memory.extents))
    set(result, extent);
  for (auto [result, stride] :
       llvm::zip_equal(op.getStrides(), source->memory.strides))
    set(result, stride);
  View base = *source;
  base.memory.data = base.base;
  base.memory.extents.clear();
  base.memory.strides.clear();
  views[op.getBaseBuffer()] = std::move(base);
  return "";
}
