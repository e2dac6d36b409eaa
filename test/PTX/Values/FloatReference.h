//===- FloatReference.h - floats by other means -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference for the tests of floats: APFloat for a type and a direction.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_PTX_VALUES_FLOATREFERENCE_H
#define CAROUSEL_TEST_PTX_VALUES_FLOATREFERENCE_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <string>

namespace carousel::ptx {

using llvm::APFloat;
using llvm::APInt;

/// A type that registers hold.
struct FloatType {
  std::string word;
  unsigned bits;
  const llvm::fltSemantics &semantics;
  uint64_t nan;
  std::string reg; ///< the prefix of its registers

  APFloat decode(uint64_t value) const {
    return APFloat(semantics, APInt(bits, value, false, true));
  }
  uint64_t least() const {
    return APFloat::getSmallestNormalized(semantics)
        .bitcastToAPInt()
        .getZExtValue();
  }
  uint64_t sign() const { return uint64_t(1) << (bits - 1); }
};

inline const FloatType &f16() {
  static const FloatType type{"f16", 16, APFloat::IEEEhalf(), 0x7fff, "%h"};
  return type;
}
inline const FloatType &bf16() {
  static const FloatType type{"bf16", 16, APFloat::BFloat(), 0x7fff, "%h"};
  return type;
}
inline const FloatType &f32() {
  static const FloatType type{"f32", 32, APFloat::IEEEsingle(), 0x7fffffff,
                              "%r"};
  return type;
}
inline const FloatType &f64() {
  static const FloatType type{"f64", 64, APFloat::IEEEdouble(), 0, "%rd"};
  return type;
}

struct Direction {
  std::string word;
  llvm::RoundingMode mode;
};
inline const Direction kDirections[] = {
    {"rn", llvm::RoundingMode::NearestTiesToEven},
    {"rz", llvm::RoundingMode::TowardZero},
    {"rm", llvm::RoundingMode::TowardNegative},
    {"rp", llvm::RoundingMode::TowardPositive}};

inline float toFloat(uint64_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits));
}

/// The bits of a result; a NaN is the type's.
inline uint64_t bitsOf(const APFloat &value, const FloatType &type) {
  return value.isNaN() ? type.nan : value.bitcastToAPInt().getZExtValue();
}

} // namespace carousel::ptx

#endif // CAROUSEL_TEST_PTX_VALUES_FLOATREFERENCE_H
