//===- Elements.h - single elements: bits, numbers, text --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets the bits of an element of every type, on any host compiler:
// without _Float16 and __bf16. A uint64_t holds the bits, zero-extended.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_ELEMENTS_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_ELEMENTS_H

#include "carousel/Runtime/Error.h"
#include "carousel/Runtime/Types.h"

#include <cstring>
#include <string>

namespace carousel::tools {

using runtime::ElementType;
using runtime::Result;
using runtime::Status;

/// A float type with up to 16 bits. E8M0 has no sign and no mantissa; E4M3FN
/// has no infinity and one NaN.
struct SmallFloat {
  unsigned exponentBits, mantissaBits;
  int bias;
  bool isSigned, hasInfinity;
};
const SmallFloat &getSmallFloat(ElementType type);

/// The number that an element is. Booleans are the byte itself, so that a byte
/// that is neither 0 nor 1 shows.
double toDouble(ElementType type, uint64_t bits);
/// The integer that an element of an integer type is.
int64_t toInteger(ElementType type, uint64_t bits);

/// The nearest element of a float type, ties to even. Beyond the largest one:
/// infinity, or NaN where the type has no infinity.
uint64_t fromDouble(ElementType type, double value);

/// How many elements of the type lie between two, counting the last: adjacent
/// ones are 1 apart, 0 and -0 are 0 apart. Neither may be NaN.
uint64_t getDistance(ElementType type, uint64_t left, uint64_t right);

/// Text that reads back as the same element: "1.5", "-inf", "17". The 16-bit
/// and 8-bit floats print as the f32 that they are: "0.100097656" for a bf16.
std::string formatElement(ElementType type, uint64_t bits);

/// The bits of an element in memory.
inline uint64_t loadBits(const void *address, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, address, bytes); // little-endian hosts only
  return bits;
}

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_ELEMENTS_H
