//===- Rounding.h - rounds to a format of floats ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a double that is exact or rounded to odd (Formats.h) to a format with at
// most 24 bits of significand.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_VALUES_ROUNDING_H
#define CAROUSEL_LIB_PTX_VALUES_ROUNDING_H

#include "Formats.h"

namespace carousel::ptx {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// Whether a magnitude is rounded up: `kept` is what remains of it, `rest` what
/// is cut off, in units of which `half` are half of the last bit.
template <Rounding R>
bool roundsUp(bool isNegative, uint64_t kept, uint64_t rest, uint64_t half) {
  switch (R) {
  case Rounding::Nearest:
    return rest > half || (rest == half && (kept & 1));
  case Rounding::Zero:
    return false;
  case Rounding::Down:
    return isNegative && rest != 0;
  case Rounding::Up:
    return !isNegative && rest != 0;
  }
}

/// What is too large for a format, or infinite: infinity, or the largest number
/// where the direction or the format has it so.
template <typename F, Rounding R, bool SatFinite>
typename F::Bits overflow(bool isNegative, bool isExact) {
  if (F::specials != Specials::IEEE || SatFinite)
    return F::largest;
  bool staysFinite = R == Rounding::Zero ||
                     (R == Rounding::Down && !isNegative) ||
                     (R == Rounding::Up && isNegative);
  return staysFinite && !isExact ? F::largest : F::infinity;
}

template <typename F, Rounding R, bool SatFinite = false>
F roundTo(double value) {
  using Bits = typename F::Bits;
  if (value != value)
    return F{F::nan};
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  bool isNegative = bits >> 63;
  Bits sign = isNegative ? F::signBit : 0;
  int exponent = int(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0x7ff)
    return F{Bits(sign | overflow<F, R, SatFinite>(isNegative, true))};
  if (exponent == 0 && fraction == 0)
    return F{sign};
  if (exponent == 0)
    exponent = 1;
  else
    fraction |= uint64_t(1) << 52;
  // The exponent above that of subnormal values, which they have in common.
  int above = exponent - 1023 - (1 - F::bias);
  int shift = 52 - int(F::mantissaBits) + (above < 0 ? -above : 0);
  if (above < 0)
    above = 0;
  uint64_t kept = 0, rest = 1, half = 2;
  if (shift < 62) {
    kept = fraction >> shift;
    rest = fraction & ((uint64_t(1) << shift) - 1);
    half = uint64_t(1) << (shift - 1);
  }
  kept += roundsUp<R>(isNegative, kept, rest, half);
  // A carry goes from the fraction into the exponent.
  uint64_t result = (uint64_t(above) << F::mantissaBits) + kept;
  if (result > F::largest)
    result = overflow<F, R, SatFinite>(isNegative, false);
  return F{Bits(sign | Bits(result))};
}

/// Whether a value is below the least normal number when it has been rounded to
/// the digits of normal numbers, as if there were smaller exponents.
template <typename F, Rounding R> bool isTiny(double value) {
  constexpr uint64_t least = uint64_t(1 - F::bias + 1023) << 52;
  constexpr uint64_t twice = least + (uint64_t(1) << 52);
  return std::fabs(value) < llvm::bit_cast<double>(least) &&
         std::fabs(toDouble(roundTo<F, R>(2 * value))) <
             llvm::bit_cast<double>(twice);
}

/// The result of arithmetic: to [0, 1] with .sat, which makes zero of NaN, and
/// flushed to zero with .ftz.
template <typename F, Rounding R, bool Ftz, bool Sat> F finish(double value) {
  if constexpr (Sat)
    value = !(value > 0) ? 0 : value > 1 ? 1 : value;
  F result = roundTo<F, R>(value);
  if (Ftz && isTiny<F, R>(value))
    return F{typename F::Bits(result.bits & F::signBit)};
  return result;
}

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_VALUES_ROUNDING_H
