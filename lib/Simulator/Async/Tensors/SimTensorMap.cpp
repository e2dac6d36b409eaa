//===- SimTensorMap.cpp - the machine's tensor map ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, swizzles, and the driver's rules for maps (docs/Spec.md, C10 to C22).
// A map that the device changed may violate them at any time.
//
//===----------------------------------------------------------------------===//

#include "SimTensorMap.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

namespace carousel::sim {

using llvm::Twine;

unsigned TensorMap::getElementBits() const {
  switch (element) {
  case TensorElement::B4x16:
    return 4;
  case TensorElement::U8:
  case TensorElement::B4x16P64:
  case TensorElement::B6x16P32:
    return 8;
  case TensorElement::U16:
  case TensorElement::F16:
  case TensorElement::BF16:
    return 16;
  case TensorElement::U64:
  case TensorElement::S64:
  case TensorElement::F64:
    return 64;
  default:
    return 32;
  }
}

uint64_t TensorMap::getBoxBytes(unsigned rows) const {
  uint64_t elements = rows;
  if (mode != TensorMapMode::Tiled)
    elements *= uint64_t(box[0]) * box[1];
  else
    for (unsigned dim = 0; dim < rank && dim < 5; ++dim)
      elements *=
          llvm::divideCeil(box[dim], std::max<uint8_t>(elementStrides[dim], 1));
  return elements * getElementBits() / 8;
}

static uint64_t getSpan(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return 0;
  case Swizzle::B32:
    return 32;
  case Swizzle::B64:
    return 64;
  default:
    return 128;
  }
}

std::string TensorMap::verify() const {
  if (magic != kMagic)
    return "expected a tensor map, got other bytes";
  if (interleave != Interleave::None)
    return "expected a tensor map without interleave, which the machine "
           "doesn't have";
  if (element == TensorElement::B4x16P64 || element == TensorElement::B6x16P32)
    return "expected elements without padding, the machine has no padded "
           "formats";
  if (mode == TensorMapMode::Im2ColW || mode == TensorMapMode::Im2ColW128)
    return "expected mode tiled or im2col, the machine doesn't have the wide "
           "im2col modes";
  bool isTiled = mode == TensorMapMode::Tiled;
  if (rank < (isTiled ? 1 : rules::kMinIm2ColRank) ||
      rank > rules::kMaxTensorRank)
    return (Twine("expected a rank of ") + Twine(isTiled ? 1 : 3) +
            " to 5, got " + Twine(rank))
        .str();
  if (globalAddress % 16 != 0)
    return ("expected a tensor aligned to 16 bytes, got one at " +
            Twine(globalAddress % 16) + " bytes past that")
        .str();
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (globalExtents[dim] < 1 ||
        globalExtents[dim] > uint64_t(rules::kMaxGlobalExtent))
      return ("expected extents of 1 to 4294967296, got " +
              Twine(globalExtents[dim]))
          .str();
    if (elementStrides[dim] < 1 ||
        elementStrides[dim] > rules::kMaxElementStride)
      return ("expected element strides of 1 to 8, got " +
              Twine(elementStrides[dim]))
          .str();
    // No address depends on a stride if there is only one element.
    if (dim + 1 < rank && globalExtents[dim + 1] != 1 &&
        (globalStrides[dim] % 16 != 0 ||
         globalStrides[dim] > uint64_t(rules::kMaxGlobalStride)))
      return ("expected strides at multiples of 16 bytes below 2^40, got " +
              Twine(globalStrides[dim]))
          .str();
  }
  for (unsigned dim = 0; dim < (isTiled ? rank : 2u); ++dim) {
    unsigned limit =
        isTiled || dim == 0 ? rules::kMaxBoxExtent : rules::kMaxIm2ColPixels;
    if (box[dim] < 1 || box[dim] > limit)
      return ("expected box extents of 1 to " + Twine(limit) + ", got " +
              Twine(box[dim]))
          .str();
  }
  uint64_t innerBytes = uint64_t(box[0]) * getElementBits() / 8;
  if (innerBytes % rules::kInnerBoxGranule != 0)
    return ("expected the inner box extent in bytes to be a multiple of 16, "
            "got " +
            Twine(innerBytes))
        .str();
  if (uint64_t span = getSpan(swizzle); span != 0 && innerBytes > span)
    return ("expected the inner box extent to be at most the swizzle span of " +
            Twine(span) + " bytes, got " + Twine(innerBytes))
        .str();
  return {};
}

uint64_t swizzleAddress(Swizzle swizzle, uint64_t address) {
  switch (swizzle) {
  case Swizzle::None:
    return address;
  case Swizzle::B32:
    return address ^ (address >> 3 & 0x10);
  case Swizzle::B64:
    return address ^ (address >> 3 & 0x30);
  case Swizzle::B128:
    return address ^ (address >> 3 & 0x70);
  case Swizzle::B128Atom32:
    return address ^ (address >> 2 & 0x60);
  case Swizzle::B128Atom32Flip8:
    // In every other line of 128 bytes, the two halves of each 16 bytes are
    // exchanged.
    return address ^ (address >> 2 & 0x60) ^ (address >> 4 & 0x8);
  case Swizzle::B128Atom64:
    return address ^ (address >> 1 & 0x40);
  }
  return address;
}

uint64_t getSharedAlignment(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return rules::kSharedTileAlignment;
  case Swizzle::B32:
    return rules::kSwizzle32Alignment;
  case Swizzle::B64:
    return rules::kSwizzle64Alignment;
  default:
    return rules::kSwizzle128Alignment;
  }
}

} // namespace carousel::sim
