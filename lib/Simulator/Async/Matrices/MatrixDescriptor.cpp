//===- MatrixDescriptor.cpp - a matrix in shared memory -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of a descriptor, and the addresses of a matrix's pieces.
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptor.h"

namespace carousel::sim {

/// Fields count units of 16 bytes.
static constexpr uint32_t kUnit = 16;
/// The rows that one repetition of a swizzle permutes.
static constexpr uint32_t kGroup = 8;

static constexpr uint64_t kNotShared = uint64_t(1) << 60,
                          kMisaligned = uint64_t(1) << 61;

uint64_t MatrixDescriptor::getAddressBits(uint64_t offset, bool isShared) {
  constexpr uint64_t kLimit = kUnit << 14;
  if (!isShared || offset >= kLimit)
    return kNotShared;
  return offset / kUnit | (offset % kUnit ? kMisaligned : 0);
}

MatrixDescriptor::MatrixDescriptor(uint64_t bits)
    : isShared(!(bits & kNotShared)), isAligned(!(bits & kMisaligned)) {
  auto getField = [bits](unsigned shift) {
    return uint32_t(bits >> shift & 0x3fff) * kUnit;
  };
  address = getField(0);
  leading = getField(16);
  stride = getField(32);
  base = bits >> 49 & 7;
  mode = uint32_t(bits >> 62);
  // 0: none, 1: 128 bytes, 2: 64 bytes, 3: 32 bytes.
  span = mode == 0 ? kUnit : 256u >> mode;
}

std::string MatrixDescriptor::explain() const {
  if (!isShared)
    return "expected a matrix in the first 256 KiB of the CTA's shared memory, "
           "got one elsewhere";
  if (!isAligned)
    return "expected a matrix at a multiple of 16 bytes, got one that isn't";
  if (base != 0)
    return "expected a matrix with base offset 0, got " + std::to_string(base);
  uint32_t past = address % (kGroup * span) / span * span;
  if (mode == 0 || past == 0)
    return "";
  return "expected the first row of a matrix at a multiple of " +
         std::to_string(kGroup * span) + " bytes of shared memory, got one " +
         std::to_string(past) + " bytes past that";
}

uint64_t MatrixDescriptor::getOffset(bool isTransposed, uint32_t line,
                                     uint32_t piece) const {
  uint32_t group = line / kGroup, inGroup = line % kGroup;
  uint64_t at = address + inGroup * span;
  if (mode == 0)
    return at + (isTransposed ? uint64_t(group) * leading + piece * stride
                              : uint64_t(group) * stride + piece * leading);
  uint32_t pieces = span / kUnit;
  at += uint64_t(group) * stride + piece / pieces * leading +
        piece % pieces * kUnit;
  // Bits of the row's number, from bit 7 on, change the piece's number.
  return at ^ (at >> 3 & (span - kUnit));
}

} // namespace carousel::sim
