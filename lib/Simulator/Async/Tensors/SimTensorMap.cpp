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

#include "carousel/Support/TensorMapMessages.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

namespace carousel::sim {

using llvm::Twine;

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
  // An address of the host isn't for a message.
  if (globalAddress % rules::kGlobalStrideGranule != 0)
    return ("expected a tensor aligned to 16 bytes, got one at " +
            Twine(globalAddress % rules::kGlobalStrideGranule) +
            " bytes past that")
        .str();
  // The rules have the outermost dimension first.
  auto reverse = [](const auto &list, int64_t size) {
    llvm::SmallVector<int64_t, 5> reversed(size);
    for (int64_t i = 0; i < size && i < int64_t(std::size(list)); ++i)
      reversed[size - 1 - i] = int64_t(list[i]);
    return reversed;
  };
  bool isTiled = mode == TensorMapMode::Tiled;
  int64_t corners = isTiled ? 0 : std::max(rank - 2, 0);
  auto extents = reverse(globalExtents, rank),
       strides = reverse(globalStrides, std::max(rank - 1, 0)),
       boxes = reverse(box, isTiled ? rank : 2),
       steps = reverse(elementStrides, rank),
       lower = reverse(lowerCorner, corners),
       upper = reverse(upperCorner, corners);
  rules::TensorMapFormat format = {element, mode,  interleave, swizzle, fill,
                                   rank,    boxes, steps,      lower,   upper};
  rules::TensorMapSource source = {rank, globalAddress, extents.data(),
                                   strides.data()};
  if (auto broken = rules::findBrokenRule(format, &source))
    return rules::describe(*broken, format, {"others", "", "", ""});
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

} // namespace carousel::sim
