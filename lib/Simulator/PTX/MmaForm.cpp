//===- MmaForm.cpp - products of a warp -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MmaForm.h. A word holds elements that are neighbours along k. The lane of
// group g and member t has rows g and g + 8 of A, column g of B, and of the
// sums the columns 2t and 2t + 1 of these rows.
//
//===----------------------------------------------------------------------===//

#include "MmaForm.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Type;
using ptx::Word;
using Factor = MmaForm::Factor;
using Sum = MmaForm::Sum;

static constexpr unsigned kGroup = 4;

//===----------------------------------------------------------------------===//
// The form
//===----------------------------------------------------------------------===//

static std::optional<Factor> getFactor(Type type) {
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
  case Type::S8:
    return Factor::S8;
  case Type::U8:
    return Factor::U8;
  default:
    return std::nullopt;
  }
}

std::optional<MmaForm> sim::getMmaForm(const ptx::Instruction &instruction) {
  // D, A, B and C, of m16n8; nothing sparse or scaled.
  auto types = instruction.getTypes();
  if (types.size() != 4 || instruction.operands.size() != 4 ||
      instruction.has(Word::M8n8k4) || instruction.has(Word::M8n8k16) ||
      instruction.has(Word::M8n8k32) || types[0] != types[3])
    return std::nullopt;
  std::optional<Factor> a = getFactor(types[1]), b = getFactor(types[2]);
  if (!a || !b)
    return std::nullopt;
  MmaForm form;
  form.a = *a;
  form.b = *b;
  if (types[0] != Type::F32 && types[0] != Type::F16 && types[0] != Type::S32)
    return std::nullopt;
  form.sum = types[0] == Type::F32   ? Sum::F32
             : types[0] == Type::F16 ? Sum::F16
                                     : Sum::S32;
  form.words = uint8_t(instruction.operands[1].elements.size());
  form.saturate = instruction.has(Word::Satfinite);
  if (form.words != 2 && form.words != 4)
    return std::nullopt;
  return form;
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

static unsigned getElementBits(Factor factor) {
  return factor == Factor::TF32                            ? 32
         : factor == Factor::F16 || factor == Factor::BF16 ? 16
                                                           : 8;
}

static bool isInteger(Factor factor) {
  return factor == Factor::S8 || factor == Factor::U8;
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

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

namespace {

/// One warp's product.
class WarpProduct {
public:
  WarpProduct(const MmaForm &form, llvm::ArrayRef<uint32_t *> lanes)
      : form(form), lanes(lanes), bits(getElementBits(form.a)),
        perWord(32 / bits) {}

  /// The sum of row g (or g + 8) and a column, k by k.
  template <typename T, typename Get>
  T multiply(unsigned group, bool isUpper, unsigned column, T sum,
             Get get) const {
    // B has a word for each part of k; A has one for each part and half.
    for (unsigned part = 0; part < unsigned(form.words / 2); ++part)
      for (unsigned member = 0; member < kGroup; ++member) {
        uint32_t a = lanes[group * kGroup + member][2 * part + isUpper];
        uint32_t b = lanes[column * kGroup + member][form.words + part];
        for (unsigned i = 0; i < perWord; ++i)
          sum = get(element(a, i), element(b, i), sum);
      }
    return sum;
  }

private:
  uint32_t element(uint32_t word, unsigned i) const {
    return bits == 32 ? word : word >> (i * bits) & ((1u << bits) - 1);
  }

  const MmaForm &form;
  llvm::ArrayRef<uint32_t *> lanes;
  unsigned bits, perWord;
};

} // namespace

static int64_t getInteger(Factor factor, uint32_t bits) {
  return factor == Factor::S8 ? int8_t(bits) : uint8_t(bits);
}

static uint32_t addProducts(const WarpProduct &product, const MmaForm &form,
                            unsigned group, bool isUpper, unsigned column,
                            uint32_t sum) {
  if (isInteger(form.a)) {
    int64_t wide = product.multiply(
        group, isUpper, column, int64_t(int32_t(sum)),
        [&](uint32_t a, uint32_t b, int64_t before) {
          return before + getInteger(form.a, a) * getInteger(form.b, b);
        });
    if (form.saturate)
      wide = std::min<int64_t>(std::max<int64_t>(wide, INT32_MIN), INT32_MAX);
    return uint32_t(wide);
  }
  float begin = form.sum == Sum::F16 ? getHalf(uint16_t(sum))
                                     : llvm::bit_cast<float>(sum);
  float end = product.multiply(
      group, isUpper, column, begin, [&](uint32_t a, uint32_t b, float before) {
        return std::fma(getFloat(form.a, a), getFloat(form.b, b), before);
      });
  if (form.sum == Sum::F16)
    return roundHalf(end);
  return std::isnan(end) ? 0x7fffffff : llvm::bit_cast<uint32_t>(end);
}

void sim::multiplyWarp(const MmaForm &form, llvm::ArrayRef<uint32_t *> lanes) {
  WarpProduct product(form, lanes);
  for (unsigned lane = 0; lane < lanes.size(); ++lane) {
    unsigned group = lane / kGroup, member = lane % kGroup;
    uint32_t *sums = lanes[lane] + form.getFactorWords();
    for (bool isUpper : {false, true}) {
      if (form.sum == Sum::F16) {
        uint32_t &word = sums[isUpper];
        uint32_t low = addProducts(product, form, group, isUpper, 2 * member,
                                   word & 0xffff),
                 high = addProducts(product, form, group, isUpper,
                                    2 * member + 1, word >> 16);
        word = low | high << 16;
        continue;
      }
      for (unsigned i = 0; i < 2; ++i) {
        uint32_t &word = sums[2 * isUpper + i];
        word = addProducts(product, form, group, isUpper, 2 * member + i, word);
      }
    }
  }
}
