//===- ConversionValuesTest.cpp - conversions of numbers ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt between integers and floats: all values of 16 bits, and hostile wider
// ones, against APFloat.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include "InstructionValues.h"

#include "../../../tools/carousel-ptx-values/CaseInputs.h"

#include "llvm/ADT/APSInt.h"

#include <gtest/gtest.h>
#include <map>

using namespace carousel;
using namespace carousel::ptx;

/// All values of 16 bits, or a draw of wider ones.
static llvm::ArrayRef<uint64_t> valuesOf(const std::string &word,
                                         unsigned bits) {
  static std::map<std::string, std::vector<uint64_t>> known;
  std::vector<uint64_t> &values = known[word];
  if (!values.empty())
    return values;
  if (bits <= 16)
    for (uint64_t value = 0; value < uint64_t(1) << bits; ++value)
      values.push_back(value);
  Generator random(bits);
  while (values.size() < 8000)
    values.push_back(drawValue(*parseType(word), random));
  return values;
}

static void expectAll(const std::string &text, const std::string &word,
                      unsigned bits,
                      llvm::function_ref<uint64_t(uint64_t)> reference,
                      uint64_t mask) {
  InstructionValue value(text);
  unsigned wrong = 0;
  for (uint64_t operand : valuesOf(word, bits)) {
    uint64_t found = value({operand}) & mask,
             expected = reference(operand) & mask;
    if (found != expected && wrong++ < 3)
      ADD_FAILURE() << text << std::hex << " of " << operand << ": found "
                    << found << ", expected " << expected;
  }
  EXPECT_EQ(wrong, 0u) << text;
}

static uint64_t maskOf(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

TEST(PTXConversionValues, BetweenFloats) {
  const FloatType *types[] = {&f16(), &bf16(), &f32(), &f64()};
  for (const FloatType *to : types)
    for (const FloatType *from : types) {
      bool widens = APFloat::isRepresentableBy(from->semantics, to->semantics);
      if (to == from)
        continue;
      for (const Direction &direction : kDirections) {
        if (widens && direction.word != "rn")
          continue;
        std::string text = "cvt." + (widens ? "" : direction.word + ".") +
                           to->word + "." + from->word + " " + to->reg + "0, " +
                           from->reg + "1";
        expectAll(
            text, from->word, from->bits,
            [&](uint64_t operand) {
              APFloat value = from->decode(operand);
              bool losesInfo, isNaN = value.isNaN();
              value.convert(to->semantics, direction.mode, &losesInfo);
              // Payloads are another test's.
              bool keepsNaN = widens || from->bits == 64;
              return isNaN && keepsNaN ? InstructionValue(text)({operand})
                                       : bitsOf(value, *to);
            },
            maskOf(to->bits));
      }
    }
}

TEST(PTXConversionValues, ToIntegralFloats) {
  for (const FloatType *type : {&f16(), &f32(), &f64()})
    for (const Direction &direction : kDirections) {
      std::string text = "cvt." + direction.word + "i." + type->word + "." +
                         type->word + " " + type->reg + "0, " + type->reg + "1";
      expectAll(
          text, type->word, type->bits,
          [&](uint64_t operand) {
            APFloat value = type->decode(operand);
            if (value.isNaN())
              return type->bits == 64 ? operand | uint64_t(1) << 51 : type->nan;
            value.roundToIntegral(direction.mode);
            return bitsOf(value, *type);
          },
          maskOf(type->bits));
    }
}

static std::string registerOf(unsigned bits) {
  return bits == 64 ? "%rd" : bits == 32 ? "%r" : "%h";
}

TEST(PTXConversionValues, FloatsToIntegers) {
  for (const FloatType *from : {&f16(), &bf16(), &f32(), &f64()})
    for (unsigned bits : {8u, 16u, 32u, 64u})
      for (bool isSigned : {false, true})
        for (const Direction &direction : kDirections) {
          std::string text = "cvt." + direction.word + "i." +
                             (isSigned ? "s" : "u") + std::to_string(bits) +
                             "." + from->word + " " + registerOf(bits) + "0, " +
                             from->reg + "1";
          expectAll(
              text, from->word, from->bits,
              [&](uint64_t operand) -> uint64_t {
                APFloat value = from->decode(operand);
                if (value.isNaN())
                  return bits == 64 || from->bits == 64
                             ? uint64_t(1) << (bits - 1)
                             : 0;
                // Saturates.
                llvm::APSInt result(bits, !isSigned);
                bool isExact;
                value.convertToInteger(result, direction.mode, &isExact);
                return result.getZExtValue();
              },
              maskOf(bits));
        }
}

TEST(PTXConversionValues, IntegersToFloats) {
  for (const FloatType *to : {&f16(), &bf16(), &f32(), &f64()})
    for (unsigned bits : {8u, 16u, 32u, 64u})
      for (bool isSigned : {false, true})
        for (const Direction &direction : kDirections) {
          std::string word = (isSigned ? "s" : "u") + std::to_string(bits);
          std::string text = "cvt." + direction.word + "." + to->word + "." +
                             word + " " + to->reg + "0, " + registerOf(bits) +
                             "1";
          expectAll(
              text, word, bits,
              [&](uint64_t operand) {
                APFloat value(to->semantics);
                value.convertFromAPInt(APInt(bits, operand, false, true),
                                       isSigned, direction.mode);
                return bitsOf(value, *to);
              },
              maskOf(to->bits));
        }
}

TEST(PTXConversionValues, BetweenIntegers) {
  EXPECT_EQ(eval("cvt.s32.s8 %r0, %h1", {0x1ff}), ~uint64_t(0));
  EXPECT_EQ(eval("cvt.u32.s8 %r0, %h1", {0x80}), 0xffffff80u);
  // The destination may be larger, and gets the sign.
  EXPECT_EQ(eval("cvt.s8.s32 %r0, %r1", {0x180}), uint64_t(-128));
  EXPECT_EQ(eval("cvt.u8.s32 %r0, %r1", {0x180}), 0x80u);
  EXPECT_EQ(eval("cvt.sat.s8.s32 %r0, %r1", {0x180}), 127u);
  EXPECT_EQ(eval("cvt.sat.u16.s64 %h0, %rd1", {~uint64_t(0)}), 0u);
  EXPECT_EQ(eval("cvt.sat.s64.u64 %rd0, %rd1", {~uint64_t(0)}),
            0x7fffffffffffffffu);
}

/// A value that both formats have comes back.
TEST(PTXConversionValues, RoundTrips) {
  const std::pair<std::string, std::string> trips[] = {
      {"cvt.f32.f16 %r0, %h1", "cvt.rz.f16.f32 %h0, %r1"},
      {"cvt.f64.f16 %rd0, %h1", "cvt.rp.f16.f64 %h0, %rd1"},
      {"cvt.f32.bf16 %r0, %h1", "cvt.rn.bf16.f32 %h0, %r1"}};
  for (const auto &[there, back] : trips) {
    InstructionValue widen(there), narrow(back);
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      uint64_t found = narrow({widen({bits})});
      // A NaN becomes quiet.
      if (found != 0x7fff && found != (bits | 0x200))
        EXPECT_EQ(found, bits) << there;
    }
  }
}

TEST(PTXConversionValues, FlushAndSaturate) {
  EXPECT_EQ(eval("cvt.rpi.s32.f32 %r0, %r1", {1}), 1u);
  EXPECT_EQ(eval("cvt.rpi.ftz.s32.f32 %r0, %r1", {1}), 0u);
  EXPECT_EQ(eval("cvt.rn.ftz.f32.f64 %r0, %rd1", {0xb7e0000000000000}),
            0x80000000u);
  EXPECT_EQ(eval("cvt.ftz.f64.f32 %rd0, %r1", {0x80000001}),
            0x8000000000000000u);
  EXPECT_EQ(eval("cvt.sat.f32.f32 %r0, %r1", {0xc0000000}), 0u);
  EXPECT_EQ(eval("cvt.rn.sat.f16.s32 %h0, %r1", {7}), 0x3c00u);
  EXPECT_EQ(eval("cvt.f32.f32 %r0, %r1", {0xff800001}), 0xff800001u);
  EXPECT_EQ(eval("cvt.f32.bf16 %r0, %h1", {0xff81}), 0xff810000u);
  EXPECT_EQ(eval("cvt.rni.f32.f32 %r0, %r1", {0xff800001}), 0x7fffffffu);
  // 2^-126 less half of a digit, and what is just below.
  EXPECT_EQ(eval("cvt.rn.ftz.f32.f64 %r0, %rd1", {0xb80ffffff0000000}),
            0x80800000u);
  EXPECT_EQ(eval("cvt.rn.ftz.f32.f64 %r0, %rd1", {0xb80fffffefffffff}),
            0x80000000u);
  EXPECT_EQ(eval("cvt.rz.ftz.f32.f64 %r0, %rd1", {0x380fffffffffffff}), 0u);
  EXPECT_EQ(eval("cvt.sat.f64.f32 %rd0, %r1", {0x7fc00000}), 0u);
  EXPECT_EQ(eval("cvt.rn.ftz.sat.f32.f64 %r0, %rd1", {0x8000000000000000}), 0u);
  EXPECT_EQ(eval("cvt.rm.ftz.sat.f32.f64 %r0, %rd1", {0xb7e0000000000000}), 0u);
  // An H200 doesn't flush the operand here.
  EXPECT_EQ(eval("cvt.rp.ftz.f16.f32 %h0, %r1", {1}), 1u);
  EXPECT_EQ(eval("cvt.rm.ftz.f16.f32 %h0, %r1", {0x80000002}), 0x8001u);
  EXPECT_EQ(eval("cvt.rp.ftz.bf16.f32 %h0, %r1", {1}), 0u);
}

TEST(PTXConversionValues, NaNsOfF64KeepWhatFits) {
  EXPECT_EQ(eval("cvt.f64.f16 %rd0, %h1", {0xfc01}), 0xfff8040000000000u);
  EXPECT_EQ(eval("cvt.f64.f32 %rd0, %r1", {0x7f800001}), 0x7ff8000020000000u);
  EXPECT_EQ(eval("cvt.ftz.f64.f32 %rd0, %r1", {0xff800001}),
            0x7fffffffe0000000u);
  EXPECT_EQ(eval("cvt.rn.f32.f64 %r0, %rd1", {0xfff0000020000001}),
            0xffc00001u);
  EXPECT_EQ(eval("cvt.rz.f16.f64 %h0, %rd1", {0x7ff8000000000005}), 0x7e00u);
  EXPECT_EQ(eval("cvt.rz.bf16.f64 %h0, %rd1", {~0ull}), 0xffffu);
}
