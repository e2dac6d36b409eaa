//===- PackedConversionTest.cpp - narrow and packed formats ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions to and from 8, 6 and 4 bits against a search among all values of
// the format, for all operands of 16 bits; random bits; packed integers.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include "InstructionValues.h"

#include "../../../tools/carousel-ptx-values/CaseInputs.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

namespace {

/// A format of few values: `finite` of them with a positive sign.
struct Narrow {
  Narrow(std::string word, const llvm::fltSemantics &semantics, unsigned bits,
         unsigned width, unsigned finite, std::string reg)
      : word(std::move(word)), bits(bits), width(width), finite(finite),
        reg(std::move(reg)) {
    for (uint64_t code = 0; code < 1u << bits; ++code) {
      APFloat value(semantics, APInt(bits, code, false, true));
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(),
                    llvm::RoundingMode::NearestTiesToEven, &losesInfo);
      values.push_back(value.convertToDouble());
    }
  }

  std::string word; ///< of one element
  unsigned bits, width, finite;
  std::string reg;
  std::vector<double> values; ///< by code

  double decode(uint64_t code) const { return values[code]; }
  /// The code of the nearest value, even where two are as near; the largest
  /// one for larger operands, and for NaN its code or the largest one.
  uint64_t nearest(double operand) const {
    if (std::isnan(operand))
      return finite == 1u << (bits - 1) ? finite - 1 : (1u << (bits - 1)) - 1;
    uint64_t best = 0;
    for (uint64_t code = 1; code < finite; ++code) {
      double distance = std::fabs(std::fabs(operand) - decode(code)),
             least = std::fabs(std::fabs(operand) - decode(best));
      if (distance < least || (distance == least && code % 2 == 0))
        best = code;
    }
    if (std::fabs(operand) > decode(finite - 1))
      best = finite - 1;
    return best | (std::signbit(operand) ? 1u << (bits - 1) : 0);
  }
};

} // namespace

static const Narrow kNarrow[] = {
    {"e4m3", APFloat::Float8E4M3FN(), 8, 8, 0x7f, "%h"},
    {"e5m2", APFloat::Float8E5M2(), 8, 8, 0x7c, "%h"},
    {"e3m2", APFloat::Float6E3M2FN(), 6, 8, 0x20, "%h"},
    {"e2m3", APFloat::Float6E2M3FN(), 6, 8, 0x20, "%h"},
    {"e2m1", APFloat::Float4E2M1FN(), 4, 4, 0x08, "%b"}};

static uint64_t fromDouble(double value, const FloatType &type) {
  APFloat result(value);
  bool losesInfo;
  result.convert(type.semantics, llvm::RoundingMode::NearestTiesToEven,
                 &losesInfo);
  return bitsOf(result, type);
}
static double toDouble(uint64_t bits, const FloatType &type) {
  APFloat value = type.decode(bits);
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

TEST(PTXPackedConversion, AllOperandsOf16BitsToNarrow) {
  for (const Narrow &narrow : kNarrow)
    for (const FloatType *wide : {&f16(), &bf16()}) {
      std::string types =
          narrow.word + "x2." + wide->word + "x2 " + narrow.reg + "0, %r1";
      InstructionValue value("cvt.rn.satfinite." + types);
      InstructionValue relu("cvt.rn.satfinite.relu." + types);
      for (uint64_t bits = 0; bits < 0x10000; ++bits) {
        double operand = toDouble(bits, *wide);
        uint64_t code = narrow.nearest(operand);
        // The lower half is 1, whose code is known by its value.
        uint64_t pair = bits << 16 | fromDouble(1, *wide);
        uint64_t found = value({pair});
        EXPECT_EQ(found >> narrow.width, code)
            << types << " of " << std::hex << bits;
        EXPECT_EQ(narrow.decode(found & ((1u << narrow.width) - 1)), 1.0);
        uint64_t clamped =
            std::signbit(operand) && !std::isnan(operand) ? 0 : code;
        EXPECT_EQ(relu({pair}) >> narrow.width, clamped) << types;
      }
    }
}

TEST(PTXPackedConversion, FloatsToNarrow) {
  Generator random(5);
  for (const Narrow &narrow : kNarrow) {
    InstructionValue value("cvt.rn.satfinite." + narrow.word + "x2.f32 " +
                           narrow.reg + "0, %r1, %r2");
    for (unsigned i = 0; i < 20000; ++i) {
      uint64_t a = drawValue(Type::F32, random),
               b = drawValue(Type::F32, random);
      EXPECT_EQ(value({a, b}), narrow.nearest(toDouble(a, f32()))
                                       << narrow.width |
                                   narrow.nearest(toDouble(b, f32())))
          << narrow.word << std::hex << " of " << a << " and " << b;
    }
  }
}

TEST(PTXPackedConversion, AllNarrowValuesToWide) {
  for (const Narrow &narrow : kNarrow)
    for (const FloatType *wide : {&f16(), &bf16()}) {
      std::string types =
          wide->word + "x2." + narrow.word + "x2 %r0, " + narrow.reg + "1";
      InstructionValue value("cvt.rn." + types);
      InstructionValue relu("cvt.rn.relu." + types);
      for (uint64_t code = 0; code < 1u << narrow.bits; ++code) {
        double held = narrow.decode(code);
        uint64_t expected = fromDouble(held, *wide);
        uint64_t pair = code << narrow.width | (code ^ 1);
        EXPECT_EQ(value({pair}),
                  expected << 16 | fromDouble(narrow.decode(code ^ 1), *wide))
            << types << " of " << code;
        EXPECT_EQ(relu({pair}) >> 16,
                  std::signbit(held) && !std::isnan(held) ? 0 : expected);
      }
    }
}

TEST(PTXPackedConversion, Exponents) {
  const llvm::fltSemantics &semantics = APFloat::Float8E8M0FNU();
  InstructionValue up("cvt.rp.ue8m0x2.f32 %h0, %r1, %r2");
  InstructionValue down("cvt.rz.satfinite.ue8m0x2.bf16x2 %h0, %r1");
  InstructionValue wide("cvt.rn.bf16x2.ue8m0x2 %r0, %h1");
  auto decode = [&](uint64_t code) {
    APFloat value(semantics, APInt(8, code));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), llvm::RoundingMode::TowardZero,
                  &losesInfo);
    return value.convertToDouble();
  };
  EXPECT_EQ(wide({0xff7f}), 0x7fff3f80u);
  for (uint64_t code = 0; code < 255; ++code)
    EXPECT_EQ(wide({code << 8 | 127}),
              fromDouble(decode(code), bf16()) << 16 | 0x3f80);
  for (uint64_t bits = 1; bits < 0x7f80; ++bits) {
    double operand = toDouble(bits, bf16());
    uint64_t upper = up({bits << 16, 0x3f800000}) >> 8;
    if (upper != 0xff)
      EXPECT_GE(decode(upper), operand);
    if (upper != 0 && upper != 0xff)
      EXPECT_LT(decode(upper - 1), operand) << std::hex << bits;
    uint64_t lower = down({bits << 16 | 0x3f80});
    EXPECT_EQ(lower & 0xff, 127u);
    if (lower >> 8 != 0)
      EXPECT_LE(decode(lower >> 8), operand) << std::hex << bits;
    EXPECT_GT(decode((lower >> 8) + 1), operand) << std::hex << bits;
  }
  EXPECT_EQ(up({0x7f800000, 0x7fc00000}), 0xffffu);
  EXPECT_EQ(down({0x7f80ff80}), 0xfefeu);
}

/// As many values of the random bits round up as are cut off.
TEST(PTXPackedConversion, RandomBitsAreAThreshold) {
  InstructionValue half("cvt.rs.f16x2.f32 %r0, %r1, %r2, %r3");
  InstructionValue truncated("cvt.rz.f16x2.f32 %r0, %r1, %r2");
  Generator random(9);
  for (unsigned i = 0; i < 20; ++i) {
    uint64_t a = 0x3f000000 + random() % 0x1000000;
    uint64_t down = truncated({a, a});
    unsigned upper = 0, lower = 0;
    for (uint64_t bits = 0; bits < 1 << 13; ++bits) {
      uint64_t found = half({a, a, bits << 16 | (8191 - bits)});
      upper += unsigned((found >> 16) - (down >> 16));
      lower += unsigned((found & 0xffff) - (down & 0xffff));
    }
    EXPECT_EQ(upper, a & 0x1fff);
    EXPECT_EQ(lower, a & 0x1fff);
  }
  // Four elements: two share a half, which the first reads reversed.
  InstructionValue four(
      "cvt.rs.satfinite.e4m3x4.f32 %r0, {%r1, %r2, %r3, %r4}, %r5");
  uint64_t a = 0x3f880000; // half way between two values
  EXPECT_EQ(four({a, a, a, a, 0x00018000}), 0x39383839u);
  InstructionValue nibbles(
      "cvt.rs.satfinite.e2m1x4.f32 %h0, {%r1, %r2, %r3, %r4}, %r5");
  uint64_t b = 0x3fa00000;
  EXPECT_EQ(nibbles({b, b, b, b, 0x80000001}), 0x2332u);
}

TEST(PTXPackedConversion, WideFormatsFromFloats) {
  EXPECT_EQ(eval("cvt.rn.f16x2.f32 %r0, %r1, %r2", {0x3f800000, 0xc0000000}),
            0x3c00c000u);
  EXPECT_EQ(
      eval("cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2", {0xffc00000, 0x80000000}),
      0x7fff0000u);
  EXPECT_EQ(eval("cvt.rn.satfinite.f16.f32 %h0, %r1", {0xff800000}), 0xfbffu);
  EXPECT_EQ(eval("cvt.rna.tf32.f32 %r0, %r1", {0x3f801000}), 0x3f802000u);
  EXPECT_EQ(eval("cvt.rn.tf32.f32 %r0, %r1", {0x3f801000}), 0x3f800000u);
  EXPECT_EQ(eval("cvt.rz.relu.tf32.f32 %r0, %r1", {0xbf801000}), 0u);
  EXPECT_EQ(eval("cvt.rn.tf32.f32 %r0, %r1", {0xffc00000}), 0x7fffe000u);
  EXPECT_EQ(eval("cvt.rna.tf32.f32 %r0, %r1", {0xffc01234}), 0xffc00000u);
  EXPECT_EQ(eval("cvt.rna.tf32.f32 %r0, %r1", {0x7f7fffff}), 0x7f800000u);
  EXPECT_EQ(eval("cvt.rna.satfinite.tf32.f32 %r0, %r1", {0x7f7fffff}),
            0x7f7fe000u);
}

TEST(PTXPackedConversion, PackedIntegers) {
  EXPECT_EQ(
      eval("cvt.pack.sat.s16.s32 %r0, %r1, %r2", {0x12345678, 0xfffffffe}),
      0x7ffffffeu);
  EXPECT_EQ(eval("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3",
                 {300, 0xffffffff, 0xabcd}),
            0xabcdff00u);
  EXPECT_EQ(
      eval("cvt.pack.sat.s2.s32.b32 %r0, %r1, %r2, %r3", {5, 0xfffffffb, 1}),
      0x16u);
}
