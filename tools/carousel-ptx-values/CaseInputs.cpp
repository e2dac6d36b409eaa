//===- CaseInputs.cpp - operands that are hard ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CaseInputs.h. The standard's generators give the same numbers anywhere;
// its distributions don't, and aren't used.
//
//===----------------------------------------------------------------------===//

#include "CaseInputs.h"

using namespace carousel;
using namespace carousel::ptx;

static uint64_t maskOf(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

static uint64_t drawInteger(unsigned bits, Generator &random) {
  static constexpr uint64_t small[] = {
      0,  1,  2,  3,  4,  7,  8,   15,  16,  23,  24,     31,    32,
      33, 40, 63, 64, 65, 99, 127, 128, 255, 256, 0x3210, 0x8080};
  uint64_t drawn = random();
  uint64_t value = 0;
  switch (drawn % 8) {
  case 0:
  case 1:
  case 2:
    value = small[random() % std::size(small)];
    break;
  case 3: // The extremes, and numbers next to them.
    value = maskOf(bits) >> (random() % 2);
    value += random() % 3 - 1;
    break;
  case 4: // A power of two, and numbers next to it.
    value = (uint64_t(1) << (random() % bits)) + random() % 3 - 1;
    break;
  default:
    value = random() >> (random() % 64);
  }
  if (drawn >> 32 & 1)
    value = 0 - value;
  return value & maskOf(bits);
}

/// A float with so many bits of exponent and fraction.
static uint64_t drawFloat(unsigned exponentBits, unsigned fractionBits,
                          Generator &random) {
  uint64_t infinity = maskOf(exponentBits) << fractionBits;
  uint64_t one = maskOf(exponentBits - 1) << fractionBits;
  uint64_t least = uint64_t(1) << fractionBits;
  uint64_t sign = (random() & 1) << (exponentBits + fractionBits);
  const uint64_t special[] = {
      0,
      1,
      2,
      least - 1,
      least,
      least + 1,
      2 * least - 1,
      infinity,
      infinity - 1,
      infinity - 2,
      infinity + 1,             // a signaling NaN
      infinity + least / 2,     // the plainest quiet NaN
      infinity + least / 2 + 5, // one with a payload
      infinity + least - 1,     // the canonical NaN, and with a sign 0xff...
      infinity + least - 9,     // 0x7ff7 of 16 bits: what tensor copies fill
      one,
      one - 1,
      one + 1,
      one + least / 2,
      one - least,
      one + least,
      one + 2 * least,
  };
  switch (random() % 8) {
  case 0:
  case 1:
  case 2:
    return sign | special[random() % std::size(special)];
  case 3:
    return random() & maskOf(exponentBits + fractionBits + 1);
  default:
    break;
  }
  // An exponent near that of 1, or in some cases any.
  uint64_t exponent = maskOf(exponentBits - 1);
  unsigned spread = random() % 3 == 0 ? 128 : random() % 2 == 0 ? 32 : 4;
  exponent =
      (exponent + random() % (2 * spread) - spread) & maskOf(exponentBits);
  uint64_t fraction = random() & maskOf(fractionBits);
  if (random() % 2) {
    // Few bits and then a half, or what is next to it.
    unsigned cut = unsigned(random() % fractionBits);
    fraction &= ~maskOf(cut);
    if (cut != 0)
      fraction |= uint64_t(1) << (cut - 1);
    fraction = (fraction + random() % 3 - 1) & maskOf(fractionBits);
  }
  return sign | exponent << fractionBits | fraction;
}

static uint64_t drawLanes(Type element, unsigned count, Generator &random) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= drawValue(element, random) << (i * getBits(element));
  return value;
}

uint64_t ptx::drawValue(Type type, Generator &random) {
  switch (type) {
  case Type::Pred:
    return random() >> 40 & 1;
  case Type::F16:
    return drawFloat(5, 10, random);
  case Type::BF16:
    return drawFloat(8, 7, random);
  case Type::F32:
    return drawFloat(8, 23, random);
  case Type::F64:
    return drawFloat(11, 52, random);
  case Type::F16x2:
    return drawLanes(Type::F16, 2, random);
  case Type::BF16x2:
    return drawLanes(Type::BF16, 2, random);
  case Type::F32x2:
    return drawLanes(Type::F32, 2, random);
  case Type::U16x2:
  case Type::S16x2:
    return drawLanes(Type::U16, 2, random);
  case Type::U8x4:
  case Type::S8x4:
    return drawLanes(Type::U8, 4, random);
  default:
    return drawInteger(getBits(type) > 64 ? 64 : getBits(type), random);
  }
}

std::vector<uint64_t> ptx::drawOperands(llvm::ArrayRef<Type> types,
                                        unsigned count, Generator &random) {
  std::vector<uint64_t> words;
  for (unsigned i = 0; i < count; ++i) {
    // Some threads have operands that are all alike: sums and products of the
    // least normal number are next to those that are flushed.
    bool areAlike = random() % 16 == 0;
    for (size_t j = 0; j < types.size(); ++j) {
      uint64_t drawn = random();
      size_t other = j == 0 ? 0 : (drawn >> 8 & 0xff) % j;
      if (j > 0 && (areAlike || drawn % 8 == 0) && types[other] == types[j]) {
        uint64_t value = words[words.size() - j + other];
        // The value has the other sign, if it is a float.
        if (drawn >> 32 & 1)
          value ^= uint64_t(1) << (getBits(types[j]) - 1);
        words.push_back(value);
        continue;
      }
      words.push_back(drawValue(types[j], random));
    }
  }
  return words;
}
