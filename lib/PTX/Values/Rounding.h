//===- Rounding.h - rounds to a format of floats ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of up to 24 bits of significand are computed in `double`, whose 53
// bits hold sums and products exactly or, where they don't, rounded to odd: the
// last bit says that something was cut off. Rounding such a value once more, in
// any direction, to a format with at most 24 bits of significand gives what
// rounding the exact value gives.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_VALUES_ROUNDING_H
#define CAROUSEL_LIB_PTX_VALUES_ROUNDING_H

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace carousel::ptx {

/// The meaning of the largest exponent.
enum class Specials : uint8_t {
  IEEE,    ///< infinities and NaNs
  OnlyNaN, ///< numbers, and one NaN where all bits but the sign are set
  None     ///< numbers
};

template <typename Word, unsigned Exponent, unsigned Mantissa,
          Specials Has = Specials::IEEE>
struct Format {
  using Bits = Word;
  static constexpr unsigned exponentBits = Exponent, mantissaBits = Mantissa;
  static constexpr Specials specials = Has;
  static constexpr int bias = (1 << (Exponent - 1)) - 1;
  static constexpr Word signBit = Word(1) << (Exponent + Mantissa);
  static constexpr Word magnitude = signBit - 1;
  static constexpr Word infinity = ((Word(1) << Exponent) - 1) << Mantissa;
  static constexpr Word largest = Has == Specials::IEEE
                                      ? infinity - 1
                                      : magnitude - (Has == Specials::OnlyNaN);
  /// The NaN that operations give.
  static constexpr Word nan = magnitude;

  Word bits;

  bool isNegative() const { return bits & signBit; }
  bool isNaN() const {
    if constexpr (Has == Specials::IEEE)
      return (bits & magnitude) > infinity;
    return Has == Specials::OnlyNaN && (bits & magnitude) == nan;
  }
  bool isInfinite() const {
    return Has == Specials::IEEE && (bits & magnitude) == infinity;
  }
  bool isSubnormal() const {
    return (bits & infinity) == 0 && (bits & magnitude) != 0;
  }
  bool isZero() const { return (bits & magnitude) == 0; }
};

using F64 = Format<uint64_t, 11, 52>;
using F32 = Format<uint32_t, 8, 23>;
using F16 = Format<uint16_t, 5, 10>;
using BF16 = Format<uint16_t, 8, 7>;
using TF32 = Format<uint32_t, 8, 10>;
using E4M3 = Format<uint8_t, 4, 3, Specials::OnlyNaN>;
using E5M2 = Format<uint8_t, 5, 2>;
using E3M2 = Format<uint8_t, 3, 2, Specials::None>;
using E2M3 = Format<uint8_t, 2, 3, Specials::None>;
using E2M1 = Format<uint8_t, 2, 1, Specials::None>;

/// A subnormal value as a zero of its sign.
template <typename F> F flush(F value) {
  return value.isSubnormal() ? F{typename F::Bits(value.bits & F::signBit)}
                             : value;
}

/// The same value; a NaN for a NaN.
template <typename F> double toDouble(F value) {
  if constexpr (F::exponentBits == 11)
    return llvm::bit_cast<double>(value.bits);
  else if constexpr (F::exponentBits == 8 && F::mantissaBits == 23)
    return llvm::bit_cast<float>(value.bits);
  else if constexpr (F::exponentBits == 8)
    return llvm::bit_cast<float>(uint32_t(value.bits)
                                 << (23 - F::mantissaBits));
  else {
    uint64_t sign = uint64_t(value.isNegative()) << 63;
    uint64_t fraction = value.bits & ((1u << F::mantissaBits) - 1);
    int exponent = (value.bits & F::infinity) >> F::mantissaBits;
    if (value.isNaN())
      return std::numeric_limits<double>::quiet_NaN();
    if (value.isInfinite())
      return llvm::bit_cast<double>(sign | uint64_t(0x7ff) << 52);
    if (exponent == 0) {
      // The least subnormal is a power of two.
      constexpr uint64_t least =
          uint64_t(1 - F::bias - int(F::mantissaBits) + 1023) << 52;
      double tiny = double(fraction) * llvm::bit_cast<double>(least);
      return llvm::bit_cast<double>(llvm::bit_cast<uint64_t>(tiny) | sign);
    }
    return llvm::bit_cast<double>(sign |
                                  uint64_t(exponent - F::bias + 1023) << 52 |
                                  fraction << (52 - F::mantissaBits));
  }
}

/// With .ftz, operands that are subnormal count as zeros.
template <bool Ftz, typename F> double read(F value) {
  if constexpr (Ftz)
    value = flush(value);
  return toDouble(value);
}

/// Returns the exact value, rounded to odd, of which `value` differs by
/// `error`; only the sign of `error` matters.
inline double roundToOdd(double value, double error) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  if (error == 0 || (bits & 1))
    return value;
  bool isLarger = (error > 0) != (value < 0);
  return llvm::bit_cast<double>(isLarger ? bits + 1 : bits - 1);
}

/// a + b, rounded to odd.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - a;
  return roundToOdd(sum, (a - (sum - part)) + (b - part));
}

/// a / b, rounded to odd; of operands that are floats.
inline double divideToOdd(double a, double b) {
  double quotient = a / b;
  if (!std::isfinite(quotient) || std::isinf(b) || quotient == 0)
    return quotient;
  double rest = std::fma(-quotient, b, a);
  return roundToOdd(quotient, b < 0 ? -rest : rest);
}

/// The square root, rounded to odd; of an operand that is a float.
inline double sqrtToOdd(double a) {
  double root = std::sqrt(a);
  if (!std::isfinite(root) || root == 0)
    return root;
  return roundToOdd(root, std::fma(-root, root, a));
}

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

/// Returns a number too large for a format, or infinite: infinity, or the
/// largest number where the direction or the format has it so.
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
