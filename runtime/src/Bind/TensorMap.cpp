//===- TensorMap.cpp - tensor maps of a launch ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives formats and sources to the rules that all of Carousel has, and names to
// their messages. Encoding reverses lists, because the driver's dimensions are
// innermost first, and calls the driver's function for the mode.
//
//===----------------------------------------------------------------------===//

#include "TensorMapRules.h"

#include "Context/ContextImpl.h"
#include "Package/TensorMapSpelling.h"
#include "Support/Capability.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/TensorMapMessages.h"

#include <algorithm>
#include <atomic>
#include <fmt/ranges.h>

namespace carousel::runtime {

namespace {
using Format = TensorMapFormat;
using Element = Format::Element;
using Mode = Format::Mode;
using Interleave = Format::Interleave;
using Swizzle = Format::Swizzle;

/// The driver numbers some types otherwise than the dialect does.
rules::TensorElement convert(Element element) {
  switch (element) {
  case Element::F64:
    return rules::TensorElement::F64;
  case Element::BF16:
    return rules::TensorElement::BF16;
  case Element::F32FTZ:
    return rules::TensorElement::F32FTZ;
  default:
    return rules::TensorElement(element);
  }
}

rules::TensorMapFormat convert(const Format &format) {
  return {convert(format.element),
          rules::TensorMapMode(format.mode),
          rules::Interleave(format.interleave),
          rules::Swizzle(format.swizzle),
          rules::OutOfBoundsFill(format.fill),
          format.rank,
          format.box,
          format.elementStrides,
          format.lower,
          format.upper};
}

/// Numbers that no enumerator has: the driver can't be asked at all.
std::optional<TensorMapViolation> findIllFormed(const Format &format) {
  std::optional<TensorMapViolation> found;
  auto check = [&](auto value, auto last, const char *what) {
    if (!found && value > last)
      found = {rules::TensorMapRule::Enumerator, int64_t(value), 0, 0, what};
  };
  check(format.element, Element::B6x16P32, "element type");
  check(format.mode, Mode::Im2ColW128, "mode");
  check(format.interleave, Interleave::B32, "interleave");
  check(format.swizzle, Swizzle::B128Atom64, "swizzle");
  check(format.promotion, Format::Promotion::B256, "promotion");
  check(format.fill, Format::Fill::NaN, "fill");
  return found;
}

} // namespace

std::optional<TensorMapViolation> findViolation(const TensorMapFormat &format,
                                                const TensorMapSource &source) {
  if (std::optional<TensorMapViolation> found = findIllFormed(format))
    return found;
  rules::TensorMapSource tensor = {source.rank, source.address,
                                   source.extents.data(),
                                   source.strides.data()};
  return rules::findBrokenRule(convert(format), &tensor);
}

std::string describe(const TensorMapViolation &violation,
                     const TensorMapFormat &format) {
  return rules::describe(violation, convert(format),
                         {getText(kTensorMapElements, format.element),
                          getText(kTensorMapModes, format.mode),
                          getText(kTensorMapInterleaves, format.interleave),
                          getText(kTensorMapSwizzles, format.swizzle)});
}

TensorMapSource makeStridesLegal(const TensorMapFormat &format,
                                 const TensorMapSource &source) {
  TensorMapSource legal = source;
  int64_t granule = rules::getGlobalGranule(convert(format));
  for (unsigned dim = 0; dim + 1 < source.rank; ++dim) {
    int64_t &stride = legal.strides[dim];
    if (stride < 0 || stride > rules::kMaxGlobalStride || stride % granule != 0)
      stride = granule;
  }
  return legal;
}

int getLeastCapability(const TensorMapFormat &format) {
  bool late = rules::isWide(rules::TensorMapMode(format.mode)) ||
              format.element >= Element::B4x16 ||
              format.swizzle >= Swizzle::B128Atom32;
  return late ? 100 : 90;
}

Status TensorMap::check(const TensorMapFormat &format,
                        const TensorMapSource &source,
                        std::string_view name) noexcept {
  if (std::optional<TensorMapViolation> found = findViolation(format, source))
    return fail(ErrorCode::InvalidArgument, "{}: {}", name,
                describe(*found, format));
  return {};
}

TensorMapCache &TensorMapCache::get() {
  static thread_local TensorMapCache cache;
  return cache;
}

uint64_t TensorMapCache::makeFormatId() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool TensorMapCache::Key::operator==(const Key &other) const {
  const TensorMapSource &left = source, &right = other.source;
  // Entries beyond the rank are zero on both sides.
  return formatId == other.formatId && left.address == right.address &&
         left.rank == right.rank && left.extents == right.extents &&
         left.strides == right.strides;
}

uint64_t TensorMapCache::Key::getHash() const {
  uint64_t hash = mixHash(formatId, source.address);
  for (uint32_t dim = 0; dim < source.rank; ++dim)
    hash = mixHash(hash, uint64_t(source.extents[dim]));
  for (uint32_t dim = 0; dim + 1 < source.rank; ++dim)
    hash = mixHash(hash, uint64_t(source.strides[dim]));
  return hash;
}

const TensorMap *TensorMapCache::lookup(uint64_t formatId,
                                        const TensorMapSource &source) {
  return maps.lookup({formatId, source});
}

void TensorMapCache::store(uint64_t formatId, const TensorMapSource &source,
                           const TensorMap &map) {
  maps.store({formatId, source}, map);
}

namespace {
using Mode = TensorMapFormat::Mode;

/// The arguments as the driver takes them.
struct DriverArguments {
  std::array<cuuint64_t, kMaxTensorMapRank> extents = {};
  std::array<cuuint64_t, kMaxTensorMapRank - 1> strides = {};
  std::array<cuuint32_t, kMaxTensorMapRank> box = {}, elementStrides = {};
  std::array<int, kMaxTensorMapRank - 2> lower = {}, upper = {};

  DriverArguments(const TensorMapFormat &format,
                  const TensorMapSource &source) {
    auto reverse = [](const auto &from, size_t count, auto &to) {
      for (size_t i = 0; i < count; ++i)
        to[i] = static_cast<std::decay_t<decltype(to[i])>>(from[count - 1 - i]);
    };
    reverse(source.extents, source.rank, extents);
    reverse(source.strides, source.rank - 1, strides);
    reverse(format.box, format.box.size(), box);
    reverse(format.elementStrides, source.rank, elementStrides);
    reverse(format.lower, format.lower.size(), lower);
    reverse(format.upper, format.upper.size(), upper);
  }
};

/// Pixels that a copy loads along W; the driver ignores the number, but may
/// look at it, where the mode says it.
uint32_t getPixels(const TensorMapFormat &format) {
  return format.mode == Mode::Im2ColW128 ? 128 : uint32_t(format.box[0]);
}

const char *getEntryPoint(Mode mode) {
  switch (mode) {
  case Mode::Tile:
    return "cuTensorMapEncodeTiled";
  case Mode::Im2Col:
    return "cuTensorMapEncodeIm2col";
  default:
    return "cuTensorMapEncodeIm2colWide";
  }
}

bool hasEntryPoint(const DriverTable &driver, Mode mode) {
  switch (mode) {
  case Mode::Tile:
    return driver.cuTensorMapEncodeTiled;
  case Mode::Im2Col:
    return driver.cuTensorMapEncodeIm2col;
  default:
    return driver.cuTensorMapEncodeIm2colWide;
  }
}

CUresult callDriver(const DriverTable &driver, const TensorMapFormat &format,
                    const TensorMapSource &source, CUtensorMap *map) {
  DriverArguments arguments(format, makeStridesLegal(format, source));
  auto type = static_cast<CUtensorMapDataType>(format.element);
  auto interleave = static_cast<CUtensorMapInterleave>(format.interleave);
  auto swizzle = static_cast<CUtensorMapSwizzle>(format.swizzle);
  auto promotion = static_cast<CUtensorMapL2promotion>(format.promotion);
  auto fill = static_cast<CUtensorMapFloatOOBfill>(format.fill);
  auto *address = reinterpret_cast<void *>(source.address);
  const cuuint64_t *extents = arguments.extents.data();
  const cuuint64_t *strides = arguments.strides.data();
  const cuuint32_t *elementStrides = arguments.elementStrides.data();
  switch (format.mode) {
  case Mode::Tile:
    return driver.cuTensorMapEncodeTiled(
        map, type, source.rank, address, extents, strides, arguments.box.data(),
        elementStrides, interleave, swizzle, promotion, fill);
  case Mode::Im2Col:
    return driver.cuTensorMapEncodeIm2col(
        map, type, source.rank, address, extents, strides,
        arguments.lower.data(), arguments.upper.data(), uint32_t(format.box[1]),
        getPixels(format), elementStrides, interleave, swizzle, promotion,
        fill);
  case Mode::Im2ColW:
  case Mode::Im2ColW128:
    return driver.cuTensorMapEncodeIm2colWide(
        map, type, source.rank, address, extents, strides, arguments.lower[0],
        arguments.upper[0], uint32_t(format.box[1]), getPixels(format),
        elementStrides, interleave,
        format.mode == Mode::Im2ColW ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W
                                     : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128,
        swizzle, promotion, fill);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// All fields, for an error that the rules didn't foresee.
std::string listFields(const TensorMapFormat &format,
                       const TensorMapSource &source) {
  auto first = [](const auto &list, size_t count) {
    return fmt::join(list.begin(), list.begin() + count, ", ");
  };
  return fmt::format(
      "element {}, mode {}, interleave {}, swizzle {}, promotion {}, fill {}, "
      "address {:#x}, extents [{}], strides [{}], box [{}], element strides "
      "[{}], lower [{}], upper [{}]",
      int(format.element), int(format.mode), int(format.interleave),
      int(format.swizzle), int(format.promotion), int(format.fill),
      source.address, first(source.extents, source.rank),
      first(source.strides, source.rank - 1), fmt::join(format.box, ", "),
      fmt::join(format.elementStrides, ", "), fmt::join(format.lower, ", "),
      fmt::join(format.upper, ", "));
}

} // namespace

Result<TensorMap> TensorMap::encode(const Context &context,
                                    const TensorMapFormat &format,
                                    const TensorMapSource &source,
                                    std::string_view name) noexcept {
  CAROUSEL_TRY(check(format, source, name));
  Context::Impl &impl = context.getImpl();
  int capability = impl.info.computeCapability;
  if (int least = getLeastCapability(format); capability < least)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected compute capability {} or later for this "
                "tensor map, got {}",
                name, describeCapability(least),
                describeCapability(capability));
  if (!hasEntryPoint(*impl.driver, format.mode))
    return fail(ErrorCode::NoLibrary,
                "{}: expected a driver that has {}, got one for CUDA {}.{}",
                name, getEntryPoint(format.mode),
                impl.info.driverVersion / 1000,
                impl.info.driverVersion % 1000 / 10);

  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  TensorMap map;
  static_assert(sizeof(map.words) == sizeof(CUtensorMap) &&
                alignof(TensorMap) >= alignof(CUtensorMap));
  CUresult result =
      callDriver(*impl.driver, format, source,
                 reinterpret_cast<CUtensorMap *>(map.words.data()));
  if (Status status = impl.check(result, getEntryPoint(format.mode)); !status)
    return fail(status.error().code, "{}: {} ({})", name,
                status.error().message, listFields(format, source));
  return map;
}

} // namespace carousel::runtime
