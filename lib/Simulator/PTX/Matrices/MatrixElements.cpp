//===- MatrixElements.cpp - elements of a warp's products -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MatrixElements.h.
//
//===----------------------------------------------------------------------===//

#include "MatrixElements.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

using namespace carousel::sim;
namespace sim = carousel::sim;
using carousel::ptx::Type;
using Factor = MatrixFactor;
using Sum = MatrixSum;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<Factor> sim::getMatrixFactor(Type type) {
  switch (type) {
  case Type::F16:
    return Factor::F16;
  case Type::BF16:
    return Factor::BF16;
  case Type::TF32:
    return Factor::TF32;
  case Type::E4M3:
    return Factor::E4M3;
  case Type::E5M2:
    return Factor::E5M2;
  case Type::F64:
    return Factor::F64;
  case Type::S8:
    return Factor::S8;
  case Type::U8:
    return Factor::U8;
  case Type::S4:
    return Factor::S4;
  case Type::U4:
    return Factor::U4;
  case Type::B1:
    return Factor::B1;
  default:
    return std::nullopt;
  }
}

std::optional<Sum> sim::getMatrixSum(Type type) {
  switch (type) {
  case Type::F32:
    return Sum::F32;
  case Type::F16:
    return Sum::F16;
  case Type::F64:
    return Sum::F64;
  case Type::S32:
    return Sum::S32;
  default:
    return std::nullopt;
  }
}

unsigned sim::getElementBits(Factor factor) {
  switch (factor) {
  case Factor::F64:
    return 64;
  case Factor::TF32:
    return 32;
  case Factor::F16:
  case Factor::BF16:
    return 16;
  case Factor::S4:
  case Factor::U4:
    return 4;
  case Factor::B1:
    return 1;
  default:
    return 8;
  }
}

unsigned sim::getElementBits(Sum sum) {
  return sum == Sum::F64 ? 64 : sum == Sum::F16 ? 16 : 32;
}

static bool isInteger(Factor factor) { return factor >= Factor::S8; }

bool sim::isProductOf(Factor a, Factor b, Sum sum) {
  return getElementBits(a) == getElementBits(b) &&
         isInteger(a) == (sum == Sum::S32) &&
         (a == Factor::F64) == (sum == Sum::F64) &&
         isInteger(a) == isInteger(b);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static float convert(const llvm::fltSemantics &semantics, unsigned bits,
                     uint64_t word) {
  llvm::APFloat value(semantics, llvm::APInt(bits, word));
  bool loses = false;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &loses);
  return value.convertToFloat();
}

static float getHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
           fraction = bits & 1023;
  if (exponent == 0)
    return llvm::bit_cast<float>(
        sign | llvm::bit_cast<uint32_t>(float(fraction) * 0x1p-24f));
  uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return llvm::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

static float getFloat(Factor factor, uint32_t bits) {
  // The instruction ignores the bits that tf32 lacks.
  constexpr uint32_t kIgnored = (1 << 13) - 1;
  switch (factor) {
  case Factor::TF32:
    return llvm::bit_cast<float>(bits & ~kIgnored);
  case Factor::BF16:
    return llvm::bit_cast<float>(bits << 16);
  case Factor::F16:
    return getHalf(uint16_t(bits));
  case Factor::E4M3:
    return convert(llvm::APFloat::Float8E4M3FN(), 8, bits);
  default:
    return convert(llvm::APFloat::Float8E5M2(), 8, bits);
  }
}

static uint16_t roundHalf(float value) {
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
                 &loses);
  return number.isNaN() ? 0x7fff
                        : uint16_t(number.bitcastToAPInt().getZExtValue());
}

/// The number that bits are, in the type in which products are added.
template <typename T> static T decode(Factor factor, uint64_t bits) {
  if (factor == Factor::F64)
    return T(llvm::bit_cast<double>(bits));
  if (!isInteger(factor))
    return T(getFloat(factor, uint32_t(bits)));
  bool isSigned = factor == Factor::S8 || factor == Factor::S4;
  return isSigned ? T(llvm::SignExtend64(bits, getElementBits(factor)))
                  : T(bits);
}

template <typename T> static T decode(Sum sum, uint64_t bits) {
  switch (sum) {
  case Sum::F32:
    return T(llvm::bit_cast<float>(uint32_t(bits)));
  case Sum::F16:
    return T(getHalf(uint16_t(bits)));
  case Sum::F64:
    return T(llvm::bit_cast<double>(bits));
  case Sum::S32:
    return T(int32_t(bits));
  }
  return T();
}

template <typename T>
static uint64_t encode(Sum sum, T value, [[maybe_unused]] bool saturate) {
  if constexpr (std::is_same_v<T, int64_t>)
    return uint32_t(saturate ? std::clamp<int64_t>(value, INT32_MIN, INT32_MAX)
                             : value);
  else if (sum == Sum::F64)
    return llvm::bit_cast<uint64_t>(double(value));
  else if (sum == Sum::F16)
    return roundHalf(float(value));
  else
    return std::isnan(value) ? 0x7fffffff
                             : llvm::bit_cast<uint32_t>(float(value));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

template <typename T, typename Add> void MatrixProduct::multiply(Add add) {
  std::vector<T> rowsOfA(left.size()), columnsOfB(right.size());
  for (size_t i = 0; i < left.size(); ++i)
    rowsOfA[i] = decode<T>(a, left[i]);
  for (size_t i = 0; i < right.size(); ++i)
    columnsOfB[i] = decode<T>(b, right[i]);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      uint64_t &bits = sums[row * columns + column];
      T value = decode<T>(sum, bits);
      const T *x = &rowsOfA[row * depth], *y = &columnsOfB[column * depth];
      for (unsigned k = 0; k < depth; ++k)
        value = add(x[k], y[k], value);
      bits = encode(result, value, saturate);
    }
}

void MatrixProduct::compute() {
  if (a == Factor::B1 && conjoins)
    multiply<int64_t>(
        [](int64_t x, int64_t y, int64_t z) { return z + (x & y); });
  else if (a == Factor::B1)
    multiply<int64_t>(
        [](int64_t x, int64_t y, int64_t z) { return z + (x ^ y); });
  else if (sum == Sum::S32)
    multiply<int64_t>(
        [](int64_t x, int64_t y, int64_t z) { return z + x * y; });
  else if (sum == Sum::F64)
    multiply<double>(
        [](double x, double y, double z) { return std::fma(x, y, z); });
  else
    multiply<float>(
        [](float x, float y, float z) { return std::fma(x, y, z); });
}
