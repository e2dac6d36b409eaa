//===- Double.h - arithmetic of f64 -----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounded by the host where it is to the nearest, and by APFloat elsewhere. A
// NaN operand is the result, made quiet; other NaNs are negative. If several
// operands are one, chips take b, then c, then a; quotients take a.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_VALUES_DOUBLE_H
#define CAROUSEL_LIB_PTX_VALUES_DOUBLE_H

#include "Rounding.h"

#include "llvm/ADT/APFloat.h"

namespace carousel::ptx {

/// The NaN of operations whose operands are none.
inline constexpr uint64_t kInvalidF64 = 0xfff8000000000000;

/// `result`, or if that is a NaN, the first operand that is one.
template <typename... Operands> F64 propagate(double result, Operands... all) {
  if (result == result)
    return F64{llvm::bit_cast<uint64_t>(result)};
  uint64_t nan = kInvalidF64;
  (void)((all.isNaN() ? (nan = all.bits | uint64_t(1) << 51, true) : false) ||
         ...);
  return F64{nan};
}

template <Rounding R> constexpr llvm::RoundingMode modeOf() {
  switch (R) {
  case Rounding::Nearest:
    return llvm::RoundingMode::NearestTiesToEven;
  case Rounding::Zero:
    return llvm::RoundingMode::TowardZero;
  case Rounding::Down:
    return llvm::RoundingMode::TowardNegative;
  case Rounding::Up:
    return llvm::RoundingMode::TowardPositive;
  }
}

template <Rounding R> F64 add64(F64 a, F64 b) {
  if constexpr (R == Rounding::Nearest)
    return propagate(toDouble(a) + toDouble(b), b, a);
  llvm::APFloat sum(toDouble(a));
  sum.add(llvm::APFloat(toDouble(b)), modeOf<R>());
  return propagate(sum.convertToDouble(), b, a);
}
/// A NaN that is subtracted keeps its sign.
template <Rounding R> F64 sub64(F64 a, F64 b) {
  return add64<R>(a, b.isNaN() ? b : F64{b.bits ^ F64::signBit});
}
template <Rounding R> F64 mul64(F64 a, F64 b) {
  if constexpr (R == Rounding::Nearest)
    return propagate(toDouble(a) * toDouble(b), b, a);
  llvm::APFloat product(toDouble(a));
  product.multiply(llvm::APFloat(toDouble(b)), modeOf<R>());
  return propagate(product.convertToDouble(), b, a);
}
template <Rounding R> F64 fma64(F64 a, F64 b, F64 c) {
  if constexpr (R == Rounding::Nearest)
    return propagate(std::fma(toDouble(a), toDouble(b), toDouble(c)), b, c, a);
  llvm::APFloat result(toDouble(a));
  result.fusedMultiplyAdd(llvm::APFloat(toDouble(b)),
                          llvm::APFloat(toDouble(c)), modeOf<R>());
  return propagate(result.convertToDouble(), b, c, a);
}
template <Rounding R> F64 div64(F64 a, F64 b) {
  if constexpr (R == Rounding::Nearest)
    return propagate(toDouble(a) / toDouble(b), a, b);
  llvm::APFloat quotient(toDouble(a));
  quotient.divide(llvm::APFloat(toDouble(b)), modeOf<R>());
  return propagate(quotient.convertToDouble(), a, b);
}

template <Rounding R> F64 sqrt64(F64 a) {
  double value = toDouble(a);
  if (R == Rounding::Nearest || !(value > 0) || std::isinf(value))
    return propagate(std::sqrt(value), a);
  // Scaled to where the rest is exact; roots are never subnormal.
  int exponent;
  double fraction = std::frexp(value, &exponent);
  if (exponent & 1) {
    fraction *= 2;
    --exponent;
  }
  double root = std::sqrt(fraction);
  double rest = std::fma(-root, root, fraction);
  if (rest > 0 && R == Rounding::Up)
    root = std::nextafter(root, 2.0);
  if (rest < 0 && R != Rounding::Up)
    root = std::nextafter(root, 0.0);
  return F64{llvm::bit_cast<uint64_t>(std::ldexp(root, exponent / 2))};
}

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_VALUES_DOUBLE_H
