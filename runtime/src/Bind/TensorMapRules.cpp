//===- TensorMapRules.cpp - the driver's rules for tensor maps ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives formats and sources to the rules that all of Carousel has, and names to
// their messages.
//
//===----------------------------------------------------------------------===//

#include "TensorMapRules.h"

#include "Package/TensorMapSpelling.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/TensorMapMessages.h"

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

} // namespace carousel::runtime
