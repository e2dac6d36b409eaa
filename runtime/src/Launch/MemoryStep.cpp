//===- MemoryStep.cpp - fills and copies of device memory -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MemoryStep.h.
//
//===----------------------------------------------------------------------===//

#include "MemoryStep.h"

#include <algorithm>

namespace carousel::runtime {

bool MemoryStep::set(uint64_t bytes, const std::vector<int64_t> &extents,
                     const std::vector<int64_t> &target,
                     const std::vector<int64_t> *source) {
  auto width = static_cast<int64_t>(bytes);
  elementBytes = bytes;
  dims.clear();
  // Innermost first; a row's elements are the first dimension.
  std::vector<Dim> merged = {{1, width, width}};
  int64_t row = width;
  bool isEmpty = false;
  for (size_t i = extents.size(); i-- > 0;) {
    isEmpty |= extents[i] == 0;
    if (extents[i] == 1)
      continue;
    Dim dim = {extents[i], 0, 0};
    if (__builtin_mul_overflow(target[i], width, &dim.target) ||
        __builtin_mul_overflow(source ? (*source)[i] : target[i], width,
                               &dim.source))
      return false;
    Dim &inner = merged.back();
    int64_t targetEnd, sourceEnd;
    bool continues =
        !__builtin_mul_overflow(inner.extent, inner.target, &targetEnd) &&
        !__builtin_mul_overflow(inner.extent, inner.source, &sourceEnd) &&
        dim.target == targetEnd && dim.source == sourceEnd;
    if (!continues)
      merged.push_back(dim);
    else if (__builtin_mul_overflow(inner.extent, dim.extent, &inner.extent))
      return false;
  }
  if (__builtin_mul_overflow(merged.front().extent, width, &row))
    return false;
  rowBytes = isEmpty ? 0 : static_cast<uint64_t>(row);
  dims.assign(merged.rbegin(), merged.rend() - 1);
  return true;
}

template <typename Run>
Status MemoryStep::forEach(size_t count, Run run) const {
  std::vector<int64_t> index(count, 0);
  while (true) {
    int64_t target = 0, source = 0;
    for (size_t i = 0; i < count; ++i) {
      target += index[i] * dims[i].target;
      source += index[i] * dims[i].source;
    }
    CAROUSEL_TRY(run(target, source));
    size_t dim = count;
    while (dim > 0 && ++index[dim - 1] == dims[dim - 1].extent)
      index[--dim] = 0;
    if (dim == 0)
      return {};
  }
}

/// Counts the elements of the first `count` dimensions.
uint64_t MemoryStep::countElements(size_t count) const {
  uint64_t elements = isEmpty() ? 0 : 1;
  for (size_t i = 0; i < count; ++i)
    if (__builtin_mul_overflow(elements, static_cast<uint64_t>(dims[i].extent),
                               &elements))
      return UINT64_MAX;
  return elements;
}

size_t MemoryStep::countCopied() const {
  if (dims.empty() || isEmpty())
    return 0;
  // A pitch holds a row, and a plane whole rows.
  const Dim &rows = dims.back();
  auto row = static_cast<int64_t>(rowBytes);
  if (rows.source < row || rows.target < row)
    return 0;
  auto isPlane = [&](int64_t plane, int64_t pitch) {
    return plane % pitch == 0 && plane / pitch >= rows.extent;
  };
  if (dims.size() == 1)
    return 1;
  const Dim &planes = dims[dims.size() - 2];
  return isPlane(planes.source, rows.source) &&
                 isPlane(planes.target, rows.target)
             ? 2
             : 1;
}

size_t MemoryStep::countFilled(bool isSplit) const {
  return !isSplit && !dims.empty() &&
                 dims.back().target >= static_cast<int64_t>(rowBytes)
             ? 1
             : 0;
}

/// Whether a value of 8 bytes is two different words.
static bool hasTwoWords(uint64_t value) {
  return value >> 32 != (value & UINT32_MAX);
}

uint64_t MemoryStep::countCopyCalls() const {
  return countElements(dims.size() - countCopied());
}

uint64_t MemoryStep::countFillCalls(std::optional<uint64_t> value) const {
  bool isSplit = elementBytes == 8 && (!value || hasTwoWords(*value));
  uint64_t calls = countElements(dims.size() - countFilled(isSplit));
  if (isSplit && __builtin_mul_overflow(calls, 2, &calls))
    return UINT64_MAX;
  return calls;
}

/// Rows, or planes of rows: the innermost `planes` + 1 dimensions around rows.
Status MemoryStep::copyBlock(Context::Impl &context, uint64_t target,
                             uint64_t source, size_t planes,
                             Stream stream) const {
  CUDA_MEMCPY3D copy = {};
  const Dim &rows = dims.back();
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = source;
  copy.dstDevice = target;
  copy.srcPitch = static_cast<size_t>(rows.source);
  copy.dstPitch = static_cast<size_t>(rows.target);
  copy.WidthInBytes = rowBytes;
  copy.Height = static_cast<size_t>(rows.extent);
  copy.Depth = 1;
  if (planes != 0) {
    const Dim &plane = dims[dims.size() - 2];
    copy.srcHeight = static_cast<size_t>(plane.source / rows.source);
    copy.dstHeight = static_cast<size_t>(plane.target / rows.target);
    copy.Depth = static_cast<size_t>(plane.extent);
  }
  return context.check(context.driver->cuMemcpy3DAsync(&copy, stream),
                       "cuMemcpy3DAsync");
}

Status MemoryStep::copy(Context::Impl &context, uint64_t target,
                        uint64_t source, Stream stream) const {
  bool isSame = target == source &&
                std::all_of(dims.begin(), dims.end(),
                            [](Dim dim) { return dim.target == dim.source; });
  if (isEmpty() || isSame)
    return {};
  if (dims.empty())
    return context.check(
        context.driver->cuMemcpyDtoDAsync(target, source, rowBytes, stream),
        "cuMemcpyDtoDAsync");
  size_t covered = countCopied();
  return forEach(dims.size() - covered, [&](int64_t to, int64_t from) {
    if (covered == 0)
      return context.check(context.driver->cuMemcpyDtoDAsync(
                               target + to, source + from, rowBytes, stream),
                           "cuMemcpyDtoDAsync");
    return copyBlock(context, target + to, source + from, covered - 1, stream);
  });
}

/// Fills `height` rows that begin `pitch` bytes apart.
Status MemoryStep::fillRows(Context::Impl &context, uint64_t target,
                            uint64_t pitch, uint64_t height, uint64_t value,
                            Stream stream) const {
  const DriverTable &driver = *context.driver;
  auto word = static_cast<uint32_t>(value);
  switch (elementBytes) {
  case 1:
    return context.check(driver.cuMemsetD2D8Async(target, pitch,
                                                  static_cast<uint8_t>(value),
                                                  rowBytes, height, stream),
                         "cuMemsetD2D8Async");
  case 2:
    return context.check(
        driver.cuMemsetD2D16Async(target, pitch, static_cast<uint16_t>(value),
                                  rowBytes / 2, height, stream),
        "cuMemsetD2D16Async");
  default:
    return context.check(driver.cuMemsetD2D32Async(
                             target, pitch, word, rowBytes / 4, height, stream),
                         "cuMemsetD2D32Async");
  }
}

Status MemoryStep::fill(Context::Impl &context, uint64_t target, uint64_t value,
                        Stream stream) const {
  if (isEmpty())
    return {};
  uint64_t high = value >> 32, low = value & UINT32_MAX;
  // Elements of 8 bytes, each of two words: columns of words.
  if (elementBytes == 8 && hasTwoWords(value))
    return forEach(dims.size(), [&](int64_t to, int64_t) -> Status {
      for (uint64_t word : {low, high}) {
        uint64_t at = target + static_cast<uint64_t>(to) + (word == high) * 4;
        CAROUSEL_TRY(context.check(
            context.driver->cuMemsetD2D32Async(
                at, 8, static_cast<uint32_t>(word), 1, rowBytes / 8, stream),
            "cuMemsetD2D32Async"));
      }
      return {};
    });
  bool hasPitch = countFilled(/*isSplit=*/false) == 1;
  uint64_t pitch =
      hasPitch ? static_cast<uint64_t>(dims.back().target) : rowBytes;
  uint64_t height = hasPitch ? static_cast<uint64_t>(dims.back().extent) : 1;
  return forEach(dims.size() - hasPitch, [&](int64_t to, int64_t) {
    return fillRows(context, target + static_cast<uint64_t>(to), pitch, height,
                    value, stream);
  });
}

} // namespace carousel::runtime
