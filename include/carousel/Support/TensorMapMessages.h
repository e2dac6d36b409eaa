//===- TensorMapMessages.h - what a tensor map breaks -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the rules of TensorMapChecks.h. Plain C++.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_TENSORMAPMESSAGES_H
#define CAROUSEL_SUPPORT_TENSORMAPMESSAGES_H

#include "carousel/Support/TensorMapChecks.h"

#include <string>
#include <string_view>

namespace carousel::rules {

/// The names of a format's enumerators, as its user knows them.
struct TensorMapNames {
  std::string_view element, mode, interleave, swizzle;
};

/// "expected global strides at multiples of 16 bytes, got 1000 in dimension 0".
inline std::string describe(const BrokenTensorMapRule &broken,
                            const TensorMapFormat &format,
                            const TensorMapNames &names) {
  using Rule = TensorMapRule;
  auto text = [](auto number) { return std::to_string(number); };
  auto expect = [](std::string what, std::string_view got) {
    return "expected " + what + ", got " + std::string(got);
  };
  auto hex = [](uint64_t number) {
    std::string digits;
    for (; number != 0 || digits.empty(); number /= 16)
      digits.insert(digits.begin(), "0123456789abcdef"[number % 16]);
    return "0x" + digits;
  };
  std::string element(names.element), mode(names.mode);
  std::string found = text(broken.found), wanted = text(broken.wanted);
  std::string at = found + " in dimension " + text(broken.dimension);
  std::string address = hex(uint64_t(broken.found));
  switch (broken.rule) {
  case Rule::Enumerator:
    return expect("the " + std::string(broken.what) + " of a tensor map",
                  found);
  case Rule::Rank:
    return expect("a tensor map of rank 1 to " + text(kMaxTensorRank), found);
  case Rule::Im2ColRank:
    return expect("an im2col tensor map of rank " + text(kMinIm2ColRank) +
                      " to " + text(kMaxTensorRank),
                  found);
  case Rule::InterleavedRank:
    return expect("an interleaved tensor of rank " + text(kMinInterleavedRank) +
                      " or more",
                  found);
  case Rule::SourceRank:
    return expect("the extents of " + wanted + " dimensions", found);
  case Rule::ListLength:
    return expect(wanted + " " + broken.what + " in a tensor map of rank " +
                      text(format.rank),
                  found);
  case Rule::NullAddress:
    return expect("a device address", "null");
  case Rule::Address:
    return expect("an address at a multiple of " + wanted + " bytes", address);
  case Rule::AddressRange:
    return expect("an address below 2^57", address);
  case Rule::Extent:
    return expect("extents of 1 to " + text(kMaxGlobalExtent), at);
  case Rule::PackedExtent:
    return expect("an innermost extent at a multiple of " + wanted + " for " +
                      element,
                  found);
  case Rule::StrideGranule:
    return expect("global strides at multiples of " + wanted + " bytes", at);
  case Rule::StrideRange:
    return expect("global strides of 0 to " +
                      text(kMaxGlobalStride + 1 - kGlobalStrideGranule) +
                      " bytes",
                  at);
  case Rule::CornerRange:
    return expect("im2col corners of " + text(-broken.wanted) + " to " +
                      text(broken.wanted - 1) + " at rank " + text(format.rank),
                  found);
  case Rule::EmptyBoundingBox:
    return expect("an im2col bounding box that isn't empty",
                  "the extent " + at);
  case Rule::Channels:
    return expect("1 to " + text(kMaxIm2ColChannels) +
                      " channels in an im2col box",
                  found);
  case Rule::Pixels:
    return expect("1 to " + text(kMaxIm2ColPixels) + " pixels in an im2col box",
                  found);
  case Rule::Box:
    return expect("box extents of 1 to " + text(kMaxBoxExtent), at);
  case Rule::PackedBox:
    return expect("an inner box extent of " + text(kPaddedBoxExtent) + " for " +
                      element,
                  found);
  case Rule::InnerBoxGranule:
    return expect("the inner box extent in bytes to be a multiple of " +
                      text(kInnerBoxGranule),
                  text(broken.found / 8) + (broken.found % 8 == 0 ? "" : ".5"));
  case Rule::ElementStride:
    return expect("element strides of 1 to " + text(kMaxElementStride), at);
  case Rule::BoxBytes:
    return expect("a box of at most " + text(kMaxBoxBytes) + " bytes", found);
  case Rule::PackedInterleave:
    return expect("no interleave for " + element, names.interleave);
  case Rule::SwizzleSpan:
    return expect("the inner box extent to be at most the swizzle span of " +
                      wanted + " bytes",
                  found);
  case Rule::InterleavedSwizzle:
    return expect("swizzle b32 with interleave b32", names.swizzle);
  case Rule::PackedSwizzle:
    return expect("a swizzle that the hardware has for " + element,
                  names.swizzle);
  case Rule::WideSwizzle:
    return expect("swizzle b64, b128 or b128_atom_32b in mode " + mode,
                  names.swizzle);
  case Rule::Fill:
    return expect("floating-point elements for NaN fill", element);
  }
  return "expected a valid tensor map";
}

} // namespace carousel::rules

#endif // CAROUSEL_SUPPORT_TENSORMAPMESSAGES_H
