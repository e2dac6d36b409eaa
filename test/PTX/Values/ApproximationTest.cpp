//===- ApproximationTest.cpp - .approx and .full --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Approximations are within the ISA's bounds of functions of long double, and
// exact where the ISA lists a result.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include "InstructionValues.h"

#include "../../../tools/carousel-ptx-values/CaseInputs.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

TEST(PTXApproximations, AreWithinTheirBounds) {
  struct Function {
    std::string text;
    long double (*exact)(long double);
    long double relative, absolute;
  };
  const Function functions[] = {
      {"rcp.approx.f32 %r0, %r1", [](long double x) { return 1 / x; }, 0x1p-23,
       0},
      {"sqrt.approx.f32 %r0, %r1", [](long double x) { return std::sqrt(x); },
       0x1p-23, 0},
      {"rsqrt.approx.f32 %r0, %r1",
       [](long double x) { return 1 / std::sqrt(x); }, 0x1p-23, 0},
      {"lg2.approx.f32 %r0, %r1", [](long double x) { return std::log2(x); },
       0x1p-22, 0x1p-22},
      {"ex2.approx.f32 %r0, %r1", [](long double x) { return std::exp2(x); },
       0x1p-22, 0x1p-149},
      {"sin.approx.f32 %r0, %r1", [](long double x) { return std::sin(x); }, 0,
       0x1p-20},
      {"cos.approx.f32 %r0, %r1", [](long double x) { return std::cos(x); }, 0,
       0x1p-20},
      {"tanh.approx.f32 %r0, %r1", [](long double x) { return std::tanh(x); },
       0x1p-11, 0}};
  for (const Function &function : functions) {
    InstructionValue value(function.text);
    Generator random(2);
    bool isPeriodic = function.relative == 0;
    for (unsigned i = 0; i < 20000; ++i) {
      uint64_t bits = drawValue(Type::F32, random);
      float operand = toFloat(bits), found = toFloat(value({bits}));
      if (isPeriodic && !(std::fabs(operand) < 6.28f))
        continue;
      long double exact = function.exact(operand);
      if (std::isnan(exact)) {
        EXPECT_EQ(value({bits}), 0x7fffffffu) << function.text;
        continue;
      }
      if (std::fabs(exact) > std::numeric_limits<float>::max()) {
        EXPECT_TRUE(std::isinf(found)) << function.text << operand;
        continue;
      }
      EXPECT_LE(std::fabs(exact - found),
                std::max(function.relative * std::fabs(exact),
                         std::max(function.absolute, 0x1p-149L)))
          << function.text << " of " << operand;
    }
  }
}

TEST(PTXApproximations, ListedResults) {
  EXPECT_EQ(eval("rcp.approx.f32 %r0, %r1", {0x80000000}), 0xff800000u);
  EXPECT_EQ(eval("rcp.approx.ftz.f32 %r0, %r1", {0x807fffff}), 0xff800000u);
  EXPECT_EQ(eval("rcp.approx.f32 %r0, %r1", {0xff800000}), 0x80000000u);
  EXPECT_EQ(eval("sqrt.approx.f32 %r0, %r1", {0x80000000}), 0x80000000u);
  EXPECT_EQ(eval("sqrt.approx.f32 %r0, %r1", {0xbf800000}), 0x7fffffffu);
  EXPECT_EQ(eval("rsqrt.approx.f32 %r0, %r1", {0x80000000}), 0xff800000u);
  EXPECT_EQ(eval("rsqrt.approx.ftz.f32 %r0, %r1", {0x80000001}), 0xff800000u);
  EXPECT_EQ(eval("lg2.approx.f32 %r0, %r1", {0x80000000}), 0xff800000u);
  EXPECT_EQ(eval("lg2.approx.f32 %r0, %r1", {0x3f800000}), 0u);
  EXPECT_EQ(eval("lg2.approx.f32 %r0, %r1", {0x00000001}), 0xc3150000u);
  EXPECT_EQ(eval("ex2.approx.f32 %r0, %r1", {0xff800000}), 0u);
  EXPECT_EQ(eval("ex2.approx.ftz.f32 %r0, %r1", {0xc2fe0000}), 0u);
  EXPECT_EQ(eval("ex2.approx.f16x2 %r0, %r1", {0x3c00c000}), 0x40003400u);
  EXPECT_EQ(eval("ex2.approx.ftz.bf16 %h0, %h1", {0x0001}), 0x3f80u);
  EXPECT_EQ(eval("sin.approx.f32 %r0, %r1", {0x80000000}), 0x80000000u);
  EXPECT_EQ(eval("cos.approx.f32 %r0, %r1", {0x80000000}), 0x3f800000u);
  EXPECT_EQ(eval("cos.approx.f32 %r0, %r1", {0x7f800000}), 0x7fffffffu);
  EXPECT_EQ(eval("tanh.approx.f16 %h0, %h1", {0xfc00}), 0xbc00u);
  EXPECT_EQ(eval("div.full.f32 %r0, %r1, %r2", {0x3f800000, 0x40000000}),
            0x3f000000u);
  // Beyond 2^126, the reciprocal of a divisor is 0.
  EXPECT_EQ(eval("div.approx.f32 %r0, %r1, %r2", {0x7f000000, 0xfe800001}),
            0x80000000u);
  EXPECT_EQ(eval("div.approx.f32 %r0, %r1, %r2", {0x7f800000, 0x7e800001}),
            0x7fffffffu);
  EXPECT_EQ(eval("rcp.approx.ftz.f64 %rd0, %rd1", {0x4008000012345678}),
            0x3fd5555500000000u);
  EXPECT_EQ(eval("rcp.approx.ftz.f64 %rd0, %rd1", {0x800fffffffffffff}),
            0xfff0000000000000u);
  // A NaN of which the upper half is infinite.
  EXPECT_EQ(eval("rcp.approx.ftz.f64 %rd0, %rd1", {0xfff0000000000001}),
            0x8000000000000000u);
  EXPECT_EQ(eval("rsqrt.approx.ftz.f64 %rd0, %rd1", {0x7ff0000000000001}), 0u);
  EXPECT_EQ(eval("rcp.approx.ftz.f64 %rd0, %rd1", {0xfff0000100000000}),
            0x7fffffff00000000u);
  EXPECT_EQ(eval("rsqrt.approx.f64 %rd0, %rd1", {0x4010000000000000}),
            0x3fe0000000000000u);
}
