//===- MmaForm.cpp - forms of mma and wmma --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product, whatever lane has an element, then the places of elements. A
// register of `mma` holds elements that are neighbours along k. The lane of
// group g and member t has rows g and g + 8 of A, column g of B, and of the
// sums the columns 2t and 2t + 1 of these rows.
//
//===----------------------------------------------------------------------===//

#include "MmaForm.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using carousel::ptx::Type;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Word;

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

static constexpr unsigned kGroup = 4;

std::optional<MmaForm> sim::getMmaForm(const ptx::Instruction &instruction) {
  // D, A, B and C; nothing sparse or scaled. m8n8k4 of f16 has other fragments.
  auto types = instruction.getTypes();
  if (types.size() != 4 || instruction.operands.size() != 4 ||
      types[0] != types[3])
    return std::nullopt;
  std::optional<MatrixFactor> a = getMatrixFactor(types[1]),
                              b = getMatrixFactor(types[2]);
  std::optional<MatrixSum> sum = getMatrixSum(types[0]);
  bool isOf8Rows =
      instruction.has(Word::M8n8k4) || instruction.has(Word::M8n8k16) ||
      instruction.has(Word::M8n8k32) || instruction.has(Word::M8n8k128);
  if (!a || !b || !sum || !isProductOf(*a, *b, *sum) ||
      (isOf8Rows && *a == MatrixFactor::F16) || instruction.has(Word::Rz) ||
      instruction.has(Word::Rm) || instruction.has(Word::Rp))
    return std::nullopt;
  MmaForm form;
  form.a = *a;
  form.b = *b;
  form.sum = *sum;
  form.halves = isOf8Rows ? 1 : 2;
  const ptx::Operand &factor = instruction.operands[2];
  form.registers = uint8_t(std::max<size_t>(factor.elements.size(), 1));
  form.saturate = instruction.has(Word::Satfinite);
  form.conjoins = instruction.has(Word::And);
  return form;
}

/// Passes the element `i` of each register of a factor to `take`, with its
/// place along k.
template <typename Take>
static void forEachElement(const MmaForm &form, const char *registers,
                           unsigned stride, unsigned member, Take take) {
  unsigned bits = getElementBits(form.a), bytes = form.getRegisterBytes(),
           count = bytes * 8 / bits;
  for (unsigned part = 0; part < form.registers; ++part) {
    uint64_t value = 0;
    std::memcpy(&value, registers + uint64_t(part) * stride * bytes, bytes);
    for (unsigned i = 0; i < count; ++i)
      take((part * kGroup + member) * count + i,
           bits == 64 ? value
                      : value >> (i * bits) & ((uint64_t(1) << bits) - 1));
  }
}

void sim::multiplyWarp(const MmaForm &form, llvm::ArrayRef<char *> lanes) {
  unsigned bytes = form.getRegisterBytes(),
           sumBytes = getElementBits(form.sum) / 8;
  unsigned depth = form.registers * kGroup * bytes * 8 / getElementBits(form.a);
  MatrixProduct product(8 * form.halves, 8, depth);
  product.a = form.a;
  product.b = form.b;
  product.sum = product.result = form.sum;
  product.saturate = form.saturate;
  product.conjoins = form.conjoins;
  auto forEachSum = [&](unsigned lane, auto visit) {
    char *at = lanes[lane] + form.getFactorBytes();
    for (unsigned half = 0; half < form.halves; ++half)
      for (unsigned i = 0; i < 2; ++i, at += sumBytes)
        visit(at, product.sums[(lane / kGroup + 8 * half) * 8 +
                               lane % kGroup * 2 + i]);
  };
  for (unsigned lane = 0; lane < lanes.size(); ++lane) {
    unsigned group = lane / kGroup, member = lane % kGroup;
    // B has a register for each part of k, and A one for each part and half.
    for (unsigned half = 0; half < form.halves; ++half)
      forEachElement(form, lanes[lane] + half * bytes, form.halves, member,
                     [&](unsigned k, uint64_t bits) {
                       product.left[(group + 8 * half) * depth + k] = bits;
                     });
    const char *right =
        lanes[lane] + uint64_t(form.halves) * form.registers * bytes;
    forEachElement(form, right, 1, member, [&](unsigned k, uint64_t bits) {
      product.right[group * depth + k] = bits;
    });
    forEachSum(lane, [&](const char *at, uint64_t &sum) {
      std::memcpy(&sum, at, sumBytes);
    });
  }
  product.compute();
  for (unsigned lane = 0; lane < lanes.size(); ++lane)
    forEachSum(
        lane, [&](char *at, uint64_t sum) { std::memcpy(at, &sum, sumBytes); });
}

static constexpr unsigned kLanes = 32;

namespace {
struct Shape {
  uint8_t m, n, k;
};

} // namespace

static std::optional<Shape> getShape(const Instruction &instruction) {
  for (auto [word, shape] : {std::pair(Word::M16n16k16, Shape{16, 16, 16}),
                             std::pair(Word::M8n32k16, Shape{8, 32, 16}),
                             std::pair(Word::M32n8k16, Shape{32, 8, 16}),
                             std::pair(Word::M16n16k8, Shape{16, 16, 8}),
                             std::pair(Word::M8n8k4, Shape{8, 8, 4}),
                             std::pair(Word::M8n8k32, Shape{8, 8, 32}),
                             std::pair(Word::M8n8k128, Shape{8, 8, 128})})
    if (instruction.has(word))
      return shape;
  return std::nullopt;
}

/// The bytes of an operand's registers in one lane, if the matrix fits them.
static std::optional<WmmaFragment> makeFragment(const Instruction &instruction,
                                                unsigned operand, uint8_t rows,
                                                uint8_t columns,
                                                unsigned bits) {
  size_t registers =
      std::max<size_t>(instruction.operands[operand].elements.size(), 1);
  WmmaFragment fragment;
  fragment.rows = rows;
  fragment.columns = columns;
  fragment.elementBits = uint8_t(bits);
  size_t bytes = registers * (bits == 64 ? 8 : 4);
  size_t elements = kLanes * bytes * 8 / bits;
  if (bytes > 64 || elements % (size_t(rows) * columns) != 0)
    return std::nullopt;
  fragment.bytes = uint8_t(bytes);
  return fragment;
}

/// The word that is first among the modifiers: `row` or `col` of A.
static bool isRow(const Instruction &instruction) {
  return instruction.has(Word::Row);
}

std::optional<WmmaFragment> sim::getWmmaFragment(const Instruction &instruction,
                                                 unsigned operand) {
  std::optional<Shape> shape = getShape(instruction);
  auto types = instruction.getTypes();
  if (!shape || types.size() != 1)
    return std::nullopt;
  bool isA = instruction.opcode == Opcode::WmmaLoadA;
  bool isFactor = isA || instruction.opcode == Opcode::WmmaLoadB;
  unsigned bits = 0;
  if (auto factor = getMatrixFactor(types[0]); isFactor && factor)
    bits = getElementBits(*factor);
  else if (auto sum = getMatrixSum(types[0]); !isFactor && sum)
    bits = getElementBits(*sum);
  // Addresses of elements below a byte would need a count of bits.
  if (bits < 8)
    return std::nullopt;
  auto fragment =
      makeFragment(instruction, operand, isA || !isFactor ? shape->m : shape->k,
                   isA ? shape->k : shape->n, bits);
  if (fragment)
    fragment->isRowMajor = isRow(instruction);
  return fragment;
}

std::optional<WmmaForm> sim::getWmmaForm(const Instruction &instruction) {
  std::optional<Shape> shape = getShape(instruction);
  auto types = instruction.getTypes();
  // D, A, B and C, or D and C with factors of f16.
  if (!shape || (types.size() != 4 && types.size() != 2) ||
      instruction.operands.size() != 4 || instruction.has(Word::Rz) ||
      instruction.has(Word::Rm) || instruction.has(Word::Rp))
    return std::nullopt;
  bool isShort = types.size() == 2;
  auto a = getMatrixFactor(isShort ? ptx::Type::F16 : types[1]),
       b = getMatrixFactor(isShort ? ptx::Type::F16 : types[2]);
  auto d = getMatrixSum(types[0]), c = getMatrixSum(types.back());
  if (!a || !b || !c || !d || !isProductOf(*a, *b, *c) ||
      !isProductOf(*a, *b, *d) || getElementBits(*a) < 8)
    return std::nullopt;
  auto left =
           makeFragment(instruction, 1, shape->m, shape->k, getElementBits(*a)),
       right =
           makeFragment(instruction, 2, shape->k, shape->n, getElementBits(*b)),
       sums =
           makeFragment(instruction, 3, shape->m, shape->n, getElementBits(*c)),
       result =
           makeFragment(instruction, 0, shape->m, shape->n, getElementBits(*d));
  if (!left || !right || !sums || !result)
    return std::nullopt;
  WmmaForm form;
  form.a = *a;
  form.b = *b;
  form.c = *c;
  form.d = *d;
  form.left = *left;
  form.right = *right;
  form.sums = *sums;
  form.result = *result;
  form.saturate = instruction.has(Word::Satfinite);
  return form;
}

/// Visits each element of each lane, `offset` bytes into its fragments: its
/// number in the matrix, and its address.
template <typename Visit>
static void forEachElement(const WmmaFragment &fragment, unsigned offset,
                           llvm::ArrayRef<char *> lanes, Visit visit) {
  unsigned bytes = fragment.elementBits / 8u;
  for (unsigned lane = 0; lane < lanes.size(); ++lane)
    for (unsigned i = 0; i < fragment.getElements(); ++i)
      visit(fragment.getNumber(lane, i), lanes[lane] + offset + i * bytes,
            bytes);
}

void sim::multiplyWarp(const WmmaForm &form, llvm::ArrayRef<char *> lanes) {
  const unsigned depth = form.left.columns;
  MatrixProduct product(form.left.rows, form.right.columns, depth);
  product.a = form.a;
  product.b = form.b;
  product.sum = form.c;
  product.result = form.d;
  product.saturate = form.saturate;
  unsigned offset = 0;
  forEachElement(form.left, offset, lanes,
                 [&](unsigned number, const char *at, unsigned bytes) {
                   std::memcpy(&product.left[number], at, bytes);
                 });
  offset += form.left.bytes;
  forEachElement(form.right, offset, lanes,
                 [&](unsigned number, const char *at, unsigned bytes) {
                   unsigned k = number / product.columns,
                            column = number % product.columns;
                   std::memcpy(&product.right[column * depth + k], at, bytes);
                 });
  offset += form.right.bytes;
  forEachElement(form.sums, offset, lanes,
                 [&](unsigned number, const char *at, unsigned bytes) {
                   std::memcpy(&product.sums[number], at, bytes);
                 });
  offset += form.sums.bytes;
  product.compute();
  forEachElement(form.result, offset, lanes,
                 [&](unsigned number, char *at, unsigned bytes) {
                   std::memcpy(at, &product.sums[number], bytes);
                 });
}
