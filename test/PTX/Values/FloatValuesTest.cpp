//===- FloatValuesTest.cpp - arithmetic of floats -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products, quotients and roots of hostile operands against APFloat, fma
// against exact integers, and what the ISA adds: .ftz, .sat, .relu, NaNs.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include "InstructionValues.h"

#include "../../../tools/carousel-ptx-values/CaseInputs.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

/// Registers for a result and `count` operands of a type.
static std::string registers(const FloatType &type, unsigned count) {
  std::string text = " " + type.reg + "0";
  for (unsigned i = 1; i <= count; ++i)
    text += ", " + type.reg + std::to_string(i);
  return text;
}

/// NaNs of f64 are compared as such: their bits are another test's.
static void expectBits(uint64_t found, uint64_t expected, const FloatType &type,
                       const std::string &what) {
  if (type.bits == 64 && expected == type.nan && type.decode(found).isNaN())
    return;
  EXPECT_EQ(found, expected)
      << what << std::hex << ": found " << found << ", expected " << expected;
}

static uint64_t flushed(uint64_t value, const FloatType &type) {
  return (value & ~type.sign()) < type.least() ? value & type.sign() : value;
}

namespace {
enum class Operation { Add, Sub, Mul, Fma, Div };
} // namespace

/// Makes `a` the result, and says whether it is rounded.
static bool apply(Operation operation, APFloat &a, const APFloat &b,
                  const APFloat &c, llvm::RoundingMode mode) {
  switch (operation) {
  case Operation::Add:
    return a.add(b, mode) & APFloat::opInexact;
  case Operation::Sub:
    return a.subtract(b, mode) & APFloat::opInexact;
  case Operation::Mul:
    return a.multiply(b, mode) & APFloat::opInexact;
  case Operation::Fma:
    return a.fusedMultiplyAdd(b, c, mode) & APFloat::opInexact;
  case Operation::Div:
    return a.divide(b, mode) & APFloat::opInexact;
  }
}

static APFloat compute(Operation operation, const FloatType &type,
                       const std::vector<uint64_t> &operands,
                       llvm::RoundingMode mode) {
  APFloat result = type.decode(operands[0]);
  apply(operation, result, type.decode(operands[1]), type.decode(operands[2]),
        mode);
  return result;
}

/// Whether the result is below the least normal number when it is rounded as if
/// there were smaller exponents.
static bool isTiny(Operation operation, const FloatType &type,
                   const std::vector<uint64_t> &operands,
                   llvm::RoundingMode mode) {
  bool losesInfo;
  auto widen = [&](uint64_t bits) {
    APFloat value = type.decode(bits);
    value.convert(APFloat::IEEEquad(), mode, &losesInfo);
    return value;
  };
  APFloat result = widen(operands[0]);
  bool isRounded = apply(operation, result, widen(operands[1]),
                         widen(operands[2]), llvm::RoundingMode::TowardZero);
  if (!result.isFinite())
    return false;
  // Rounded to odd, so that rounding again gives what rounding once would.
  APInt bits = result.bitcastToAPInt();
  APFloat scaled = scalbn(
      APFloat(APFloat::IEEEquad(), isRounded ? bits | 1 : bits), 2, mode);
  scaled.convert(type.semantics, mode, &losesInfo);
  return abs(scaled) < scalbn(type.decode(type.least()), 2, mode);
}

static void compareWithAPFloat(Operation operation, const std::string &name,
                               const FloatType &type,
                               const Direction &direction, bool ftz, bool sat,
                               unsigned count) {
  unsigned operands = operation == Operation::Fma ? 3 : 2;
  std::string text = name + "." + direction.word + (ftz ? ".ftz" : "") +
                     (sat ? ".sat" : "") + "." + type.word +
                     registers(type, operands);
  InstructionValue value(text);
  Generator random(uint64_t(operation) * 100 + type.bits);
  Type drawn = *parseType(type.word);
  for (unsigned i = 0; i < count; ++i) {
    std::vector<uint64_t> given =
        drawOperands({drawn, drawn, drawn}, 1, random);
    uint64_t found = value({given[0], given[1], given[2]});
    if (ftz)
      for (uint64_t &each : given)
        each = flushed(each, type);
    APFloat result = compute(operation, type, given, direction.mode);
    uint64_t expected = bitsOf(result, type);
    if (ftz && isTiny(operation, type, given, direction.mode))
      expected &= type.sign();
    APFloat one(type.semantics, 1);
    if (sat)
      expected = result.isNaN() || result.isNegative() || result.isZero() ? 0
                 : one < result ? bitsOf(one, type)
                                : expected;
    expectBits(found, expected, type, text);
  }
}

TEST(PTXFloatValues, RoundLikeAPFloat) {
  const std::pair<Operation, std::string> operations[] = {
      {Operation::Add, "add"},
      {Operation::Sub, "sub"},
      {Operation::Mul, "mul"},
      {Operation::Fma, "fma"},
      {Operation::Div, "div"}};
  for (auto &[operation, name] : operations)
    for (const Direction &direction : kDirections) {
      compareWithAPFloat(operation, name, f64(), direction, false, false, 4000);
      for (bool ftz : {false, true})
        compareWithAPFloat(operation, name, f32(), direction, ftz, false, 4000);
      if (operation == Operation::Div)
        continue;
      for (bool ftz : {false, true})
        compareWithAPFloat(operation, name, f32(), direction, ftz, true, 2000);
      if (direction.word != "rn")
        continue;
      compareWithAPFloat(operation, name, bf16(), direction, false, false,
                         10000);
      for (bool ftz : {false, true})
        for (bool sat : {false, true})
          compareWithAPFloat(operation, name, f16(), direction, ftz, sat,
                             10000);
    }
}

/// A finite value as a multiple of 2^-300, for f32, or of 2^-2200, for f64.
static APInt toFixed(const FloatType &type, uint64_t bits, unsigned point,
                     unsigned width) {
  APFloat value = type.decode(bits);
  if (value.isZero())
    return APInt(width, 0);
  int exponent = ilogb(value);
  unsigned precision = APFloat::semanticsPrecision(type.semantics);
  APFloat scaled = scalbn(value, int(precision) - 1 - exponent,
                          llvm::RoundingMode::TowardZero);
  llvm::APSInt integer(width, false);
  bool isExact;
  scaled.convertToInteger(integer, llvm::RoundingMode::TowardZero, &isExact);
  int shift = int(point) + exponent - int(precision) + 1;
  // Subnormal values have fewer digits, and zeros below.
  return shift >= 0 ? integer << unsigned(shift)
                    : integer.ashr(unsigned(-shift));
}

/// A result is right if the exact one is between its neighbours: where it
/// should be.
TEST(PTXFloatValues, FmaIsOfTheExactValue) {
  struct Width {
    const FloatType &type;
    unsigned point, bits, count;
  };
  for (const Width &width :
       {Width{f32(), 320, 700, 4000}, Width{f64(), 2200, 4600, 400}})
    for (const Direction &direction : kDirections) {
      const FloatType &type = width.type;
      InstructionValue fma("fma." + direction.word + "." + type.word +
                           registers(type, 3));
      Generator random(7);
      Type drawn = *parseType(type.word);
      for (unsigned i = 0; i < width.count; ++i) {
        std::vector<uint64_t> given =
            drawOperands({drawn, drawn, drawn}, 1, random);
        APFloat result = type.decode(fma({given[0], given[1], given[2]}));
        bool isFinite = result.isFinite();
        for (uint64_t each : given)
          isFinite &= type.decode(each).isFinite();
        APFloat below = result, above = result;
        below.next(true);
        above.next(false);
        if (!isFinite || !below.isFinite() || !above.isFinite())
          continue;
        auto fixed = [&](uint64_t bits, unsigned point) {
          return toFixed(type, bits, point, width.bits);
        };
        // The product has twice the digits after the point.
        unsigned half = width.point / 2;
        APInt exact = fixed(given[0], half) * fixed(given[1], half) +
                      fixed(given[2], width.point);
        auto ofResult = [&](const APFloat &value) {
          return fixed(value.bitcastToAPInt().getZExtValue(), width.point);
        };
        APInt found = ofResult(result), low = ofResult(below),
              high = ofResult(above);
        bool isRight;
        if (direction.word == "rn")
          isRight = (exact - found).abs().ule((exact - low).abs()) &&
                    (exact - found).abs().ule((exact - high).abs());
        else if (direction.word == "rm")
          isRight = found.sle(exact) && exact.slt(high);
        else if (direction.word == "rp")
          isRight = exact.sle(found) && low.slt(exact);
        else
          isRight = exact.isNegative() ? exact.sle(found) && low.slt(exact)
                                       : found.sle(exact) && exact.slt(high);
        EXPECT_TRUE(isRight)
            << type.word << " " << direction.word << std::hex << " " << given[0]
            << " " << given[1] << " " << given[2];
      }
    }
}

/// The square of a root of x is next to x.
TEST(PTXFloatValues, RootsAreNextToTheirSquares) {
  for (const FloatType *type : {&f32(), &f64()})
    for (const Direction &direction : kDirections) {
      InstructionValue root("sqrt." + direction.word + "." + type->word +
                            registers(*type, 1));
      InstructionValue reciprocal("rcp." + direction.word + "." + type->word +
                                  registers(*type, 1));
      Generator random(3);
      Type drawn = *parseType(type->word);
      const llvm::fltSemantics &wide = APFloat::IEEEquad();
      for (unsigned i = 0; i < 4000; ++i) {
        uint64_t bits = drawValue(drawn, random);
        APFloat operand = type->decode(bits);
        APFloat inverse(type->semantics, 1);
        inverse.divide(operand, direction.mode);
        expectBits(reciprocal({bits}), bitsOf(inverse, *type), *type, "rcp");
        uint64_t found = root({bits});
        if (!(operand > APFloat::getZero(type->semantics)) ||
            operand.isInfinity()) {
          expectBits(found,
                     operand.isZero() || operand.isPosInfinity() ? bits
                                                                 : type->nan,
                     *type, "sqrt of a special value");
          continue;
        }
        // Squares have at most 106 digits; a quadruple has 113.
        auto square = [&](APFloat value) {
          bool losesInfo;
          value.convert(wide, llvm::RoundingMode::NearestTiesToEven,
                        &losesInfo);
          value.multiply(value, llvm::RoundingMode::NearestTiesToEven);
          return value;
        };
        APFloat below = type->decode(found), above = below;
        below.next(true);
        above.next(false);
        bool losesInfo;
        operand.convert(wide, llvm::RoundingMode::NearestTiesToEven,
                        &losesInfo);
        APFloat squared = square(type->decode(found));
        bool isRight;
        if (direction.word == "rp")
          isRight = operand <= squared && square(below) < operand;
        else if (direction.word != "rn")
          isRight = squared <= operand && operand < square(above);
        else
          isRight = square(below) < operand && operand < square(above);
        EXPECT_TRUE(isRight)
            << direction.word << " " << std::hex << bits << " " << found;
      }
    }
}

TEST(PTXFloatValues, NaNsAreCanonicalOrKept) {
  EXPECT_EQ(eval("add.f32 %r0, %r1, %r2", {0xffc00001, 0}), 0x7fffffffu);
  EXPECT_EQ(eval("mul.rz.f32 %r0, %r1, %r2", {0x7f800000, 0}), 0x7fffffffu);
  EXPECT_EQ(eval("add.f16x2 %r0, %r1, %r2", {0xfe003c00, 0x3c003c00}),
            0x7fff4000u);
  EXPECT_EQ(eval("fma.rn.bf16 %h0, %h1, %h2, %h3", {0x7f81, 0, 0}), 0x7fffu);
  // f64 keeps the payload of its operand, made quiet.
  EXPECT_EQ(eval("add.f64 %rd0, %rd1, %rd2", {0x7ff0000000000005, 0}),
            0x7ff8000000000005u);
  // A sign stays, and of several an H200 takes b, then c, then a.
  EXPECT_EQ(eval("sub.f64 %rd0, %rd1, %rd2", {0, 0x7ff8000000000005}),
            0x7ff8000000000005u);
  EXPECT_EQ(eval("add.f64 %rd0, %rd1, %rd2",
                 {0x7ff8000000000005, 0xfff0000000000007}),
            0xfff8000000000007u);
  EXPECT_EQ(eval("mul.rz.f64 %rd0, %rd1, %rd2",
                 {0x7ff8000000000005, 0xfff0000000000007}),
            0xfff8000000000007u);
  EXPECT_EQ(eval("fma.rn.f64 %rd0, %rd1, %rd2, %rd3",
                 {0x7ff8000000000005, 0, 0xfff0000000000007}),
            0xfff8000000000007u);
  EXPECT_EQ(eval("fma.rp.f64 %rd0, %rd1, %rd2, %rd3",
                 {0, 0x7ff8000000000005, 0xfff0000000000007}),
            0x7ff8000000000005u);
  EXPECT_EQ(eval("div.rn.f64 %rd0, %rd1, %rd2",
                 {0x7ff8000000000005, 0xfff0000000000007}),
            0x7ff8000000000005u);
  EXPECT_EQ(eval("min.f64 %rd0, %rd1, %rd2",
                 {0x7ff8000000000005, 0xfff0000000000007}),
            0xfff8000000000007u);
  EXPECT_EQ(eval("abs.f64 %rd0, %rd1", {0xfff0000000000007}),
            0xfff8000000000007u);
  EXPECT_EQ(eval("neg.f64 %rd0, %rd1", {0xfff0000000000007}),
            0xfff8000000000007u);
  EXPECT_EQ(eval("neg.f32 %r0, %r1", {0x7f800001}), 0x7fffffffu);
  EXPECT_EQ(eval("mul.rp.f64 %rd0, %rd1, %rd2",
                 {0x7ff0000000000000, 0x8000000000000000}),
            0xfff8000000000000u);
}

TEST(PTXFloatValues, TinyResultsAreFlushed) {
  // The product has all digits, is below the least normal number, and as a
  // subnormal number rounds to it.
  EXPECT_EQ(eval("mul.f32 %r0, %r1, %r2", {0x3f7fffff, 0x00800000}),
            0x00800000u);
  EXPECT_EQ(eval("mul.ftz.f32 %r0, %r1, %r2", {0x3f7fffff, 0x00800000}), 0u);
  EXPECT_EQ(eval("fma.rn.ftz.f32 %r0, %r1, %r2, %r3",
                 {0xbf7fffff, 0x00800000, 0x80000000}),
            0x80000000u);
  EXPECT_EQ(eval("add.ftz.f32 %r0, %r1, %r2", {0x807fffff, 0x80000000}),
            0x80000000u);
  // With more digits, -2^-14 + 2^-28 rounds to a normal number. This is a
  // result of an H200.
  EXPECT_EQ(eval("fma.rn.ftz.f16 %h0, %h1, %h2, %h3", {0x400, 0x400, 0x8400}),
            0x8400u);
  EXPECT_EQ(eval("fma.rz.ftz.f32 %r0, %r1, %r2, %r3",
                 {0x800000, 0x800000, 0x80800000}),
            0x80000000u);
  EXPECT_EQ(eval("mul.f32 %r0, %r1, %r2", {0x007fffff, 0x40000000}),
            0x00fffffeu);
}

TEST(PTXFloatValues, ZerosOfSums) {
  EXPECT_EQ(eval("add.rm.f32 %r0, %r1, %r2", {0x3f800000, 0xbf800000}),
            0x80000000u);
  EXPECT_EQ(eval("add.rp.f32 %r0, %r1, %r2", {0x3f800000, 0xbf800000}), 0u);
  EXPECT_EQ(eval("fma.rm.f32 %r0, %r1, %r2, %r3", {0, 0x80000000, 0}),
            0x80000000u);
  EXPECT_EQ(eval("add.sat.f32 %r0, %r1, %r2", {0x80000000, 0x80000000}), 0u);
  EXPECT_EQ(eval("add.sat.f32 %r0, %r1, %r2", {0x7fc00000, 0}), 0u);
}

TEST(PTXFloatValues, ReluAndOutOfBounds) {
  EXPECT_EQ(
      eval("fma.rn.relu.f16x2 %r0, %r1, %r2, %r3", {0xbc007e00, 0x3c003c00, 0}),
      0x00007fffu);
  EXPECT_EQ(
      eval("fma.rn.relu.bf16 %h0, %h1, %h2, %h3", {0x8000, 0x3f80, 0x8000}),
      0u);
  // Other NaNs aren't those of tensor copies.
  EXPECT_EQ(eval("fma.rn.oob.f16 %h0, %h1, %h2, %h3", {0x7ff7, 0x3c00, 0x3c00}),
            0u);
  EXPECT_EQ(
      eval("fma.rn.oob.bf16 %h0, %h1, %h2, %h3", {0x3f80, 0xfff7, 0x3f80}), 0u);
  EXPECT_EQ(eval("fma.rn.oob.f16 %h0, %h1, %h2, %h3", {0xffff, 0x3c00, 0x3c00}),
            0x7fffu);
}

TEST(PTXFloatValues, MixedOperands) {
  // 1 + 2^-24 isn't a float, and lies half way.
  EXPECT_EQ(eval("add.rp.f32.f16 %r0, %h1, %r2", {0x0001, 0x3f800000}),
            0x3f800001u);
  EXPECT_EQ(eval("sub.rz.sat.f32.bf16 %r0, %h1, %r2", {0x4080, 0x3f800000}),
            0x3f800000u);
  EXPECT_EQ(
      eval("fma.rn.f32.bf16 %r0, %h1, %h2, %r3", {0x3f81, 0x3f81, 0x00000000}),
      0x3f820200u);
  EXPECT_EQ(eval("fma.rm.ftz.f32x2 %rd0, %rd1, %rd2, %rd3",
                 {0x3f8000003f800000, 0x4000000000000001, 0xc000000000000000}),
            0x8000000000000000u);
}

TEST(PTXFloatValues, MinimaMaximaAndSigns) {
  EXPECT_EQ(eval("min.f32 %r0, %r1, %r2", {0, 0x80000000}), 0x80000000u);
  EXPECT_EQ(eval("max.f32 %r0, %r1, %r2", {0x80000000, 0}), 0u);
  EXPECT_EQ(eval("min.f32 %r0, %r1, %r2", {0x7fc00000, 0xff800000}),
            0xff800000u);
  EXPECT_EQ(eval("min.NaN.f32 %r0, %r1, %r2", {0xffc00000, 0}), 0x7fffffffu);
  EXPECT_EQ(eval("max.f32 %r0, %r1, %r2", {0x7f800001, 0x7fc00000}),
            0x7fffffffu);
  EXPECT_EQ(eval("max.ftz.f32 %r0, %r1, %r2", {0x007fffff, 0x80000001}), 0u);
  EXPECT_EQ(eval("min.xorsign.abs.f16 %h0, %h1, %h2", {0xbc00, 0x4000}),
            0xbc00u);
  EXPECT_EQ(eval("max.NaN.xorsign.abs.bf16x2 %r0, %r1, %r2",
                 {0xbf807fc0, 0xc0003f80}),
            0x40007fffu);
  EXPECT_EQ(eval("min.abs.f32 %r0, %r1, %r2, %r3",
                 {0xc0000000, 0xbf800000, 0x40400000}),
            0x3f800000u);
  EXPECT_EQ(eval("copysign.f32 %r0, %r1, %r2", {0x80000000, 0x3f800000}),
            0xbf800000u);
  EXPECT_EQ(eval("abs.bf16x2 %r0, %r1", {0xbf808000}), 0x3f800000u);
  EXPECT_EQ(eval("neg.ftz.f16 %h0, %h1", {0x0001}), 0x8000u);
  EXPECT_EQ(eval("testp.normal.f32 %p0, %r1", {0x80000000}), 1u);
  EXPECT_EQ(eval("testp.subnormal.f64 %p0, %rd1", {1}), 1u);
  EXPECT_EQ(eval("testp.number.f32 %p0, %r1", {0xffffffff}), 0u);
}
