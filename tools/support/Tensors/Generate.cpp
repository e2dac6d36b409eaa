//===- Generate.cpp - generated tensors -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element depends on its index and the seed alone, so that a tensor for
// --expect has the same numbers as one for --arg.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <algorithm>
#include <thread>

using namespace carousel;
using namespace carousel::tools;

/// SplitMix64: the output function of Steele, Lea and Flood's generator,
/// applied to a counter.
static uint64_t mix(uint64_t counter) {
  uint64_t z = counter * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static uint64_t makeRandom(ElementType type, uint64_t seed, uint64_t index) {
  uint64_t word = mix(mix(seed + 1) + index);
  if (type == ElementType::I1)
    return word >> 63;
  if (type == ElementType::F8E8M0FNU)
    return 119 + (word >> 60); // 2^-8 ... 2^7
  if (isInteger(type))
    return word;
  // 53 bits, exactly, then one rounding.
  double unit = static_cast<double>(word >> 11) * 0x1p-53;
  uint64_t bits = fromDouble(type, 2 * unit - 1);
  // The interval is open above, also after rounding.
  return bits == fromDouble(type, 1) ? fromDouble(type, -1) : bits;
}

uint64_t tools::getIotaCount(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return 2;
  case ElementType::F64:
    return uint64_t(1) << 53;
  case ElementType::F32:
    return uint64_t(1) << 24;
  case ElementType::F8E8M0FNU:
    return 255;
  default:
    return isInteger(type) ? 0
                           : uint64_t(2) << getSmallFloat(type).mantissaBits;
  }
}

static uint64_t makeIota(ElementType type, uint64_t count, uint64_t index) {
  uint64_t value = count == 0 ? index : index % count;
  // E8M0 holds no integers but powers of two: its bits are counted.
  if (isInteger(type) || type == ElementType::F8E8M0FNU)
    return value;
  return fromDouble(type, static_cast<double>(value));
}

/// Writes elements `begin` to `end`.
template <typename Function>
static void fillRange(const Layout &layout, size_t size, std::byte *data,
                      uint64_t begin, uint64_t end, Progress &progress,
                      Function makeBits) {
  constexpr uint64_t kReport = 1 << 16;
  size_t rank = layout.extents.size();
  std::vector<int64_t> index(rank, 0);
  for (size_t d = rank, n = begin; d-- > 0 && n != 0;) {
    auto extent = static_cast<uint64_t>(layout.extents[d]);
    index[d] = static_cast<int64_t>(n % extent);
    n /= extent;
  }
  bool rowMajor = layout.isRowMajor();
  for (uint64_t n = begin; n < end; ++n) {
    uint64_t offset = n;
    if (!rowMajor) {
      offset = 0;
      for (size_t d = 0; d < rank; ++d)
        offset += static_cast<uint64_t>(index[d] * layout.strides[d]);
      for (size_t d = rank; d-- > 0 && ++index[d] == layout.extents[d];)
        index[d] = 0;
    }
    uint64_t bits = makeBits(n);
    std::memcpy(data + offset * size, &bits, size);
    if (n % kReport == kReport - 1)
      progress.advance(kReport * size);
  }
}

/// Whether a dimension's stride is at least the extent of those behind it, so
/// that no two elements share bytes.
static bool isNested(const Layout &layout) {
  int64_t least = 1;
  for (size_t d = layout.extents.size(); d-- > 0;) {
    if (layout.strides[d] < least)
      return false;
    least = layout.strides[d] * layout.extents[d];
  }
  return true;
}

/// By all processors, where that is worth their start.
template <typename Function>
static void fillElements(const Layout &layout, size_t size, std::byte *data,
                         Progress &progress, Function makeBits) {
  constexpr uint64_t kLeastPart = 1 << 20;
  uint64_t parts = 1;
  if (isNested(layout))
    parts =
        std::clamp<uint64_t>(layout.elements / kLeastPart, 1,
                             std::max(std::thread::hardware_concurrency(), 1u));
  uint64_t part = (layout.elements + parts - 1) / parts;
  auto fill = [&](uint64_t number) {
    fillRange(layout, size, data, number * part,
              std::min((number + 1) * part, layout.elements), progress,
              makeBits);
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i < parts; ++i)
    threads.emplace_back(fill, i);
  fill(0);
  for (std::thread &thread : threads)
    thread.join();
}

Result<HostBuffer> tools::makeContents(const TensorValue &value,
                                       ElementType type, Progress &progress) {
  if (value.kind == TensorValue::Kind::File)
    return value.file->read(progress);
  size_t size = runtime::getBytes(type);
  CAROUSEL_TRY_ASSIGN(auto buffer,
                      HostBuffer::allocate(value.layout.storage * size));
  std::byte *data = buffer.getData();
  bool gaps = !value.layout.isDense();
  if (value.kind == TensorValue::Kind::Empty ||
      (gaps && value.kind != TensorValue::Kind::Zeros))
    std::fill_n(data, buffer.getBytes(), std::byte(kUnwritten));
  if (value.kind == TensorValue::Kind::Random)
    fillElements(value.layout, size, data, progress,
                 [&](uint64_t n) { return makeRandom(type, value.seed, n); });
  if (value.kind == TensorValue::Kind::Iota) {
    uint64_t count = value.count != 0 ? value.count : getIotaCount(type);
    fillElements(value.layout, size, data, progress,
                 [&](uint64_t n) { return makeIota(type, count, n); });
  }
  return buffer;
}
