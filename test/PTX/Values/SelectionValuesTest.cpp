//===- SelectionValuesTest.cpp - comparisons, selections, moves -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of all kinds of pairs, and values of selections and moves that
// are worked out from the ISA.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include "InstructionValues.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

TEST(PTXSelectionValues, FloatComparisons) {
  const std::pair<std::string, bool (*)(float, float)> comparisons[] = {
      {"eq", [](float a, float b) { return a == b; }},
      {"ne", [](float a, float b) { return a < b || a > b; }},
      {"lt", [](float a, float b) { return a < b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"equ", [](float a, float b) { return !(a < b || a > b); }},
      {"neu", [](float a, float b) { return a != b; }},
      {"ltu", [](float a, float b) { return !(a >= b); }},
      {"leu", [](float a, float b) { return !(a > b); }},
      {"gtu", [](float a, float b) { return !(a <= b); }},
      {"geu", [](float a, float b) { return !(a < b); }},
      {"num", [](float a, float b) { return a == a && b == b; }},
      {"nan", [](float a, float b) { return a != a || b != b; }}};
  const uint64_t values[] = {0,          0x80000000, 1,          0x80000001,
                             0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                             0x7fc00000, 0xff800001};
  for (const auto &[word, holds] : comparisons) {
    InstructionValue pair("setp." + word + ".f32 %p0|%p1, %r1, %r2");
    InstructionValue ftz("setp." + word + ".xor.ftz.f32 %p0, %r1, %r2, %p2");
    InstructionValue set("set." + word + ".f32.f32 %r0, %r1, %r2");
    for (uint64_t a : values)
      for (uint64_t b : values) {
        bool expected = holds(toFloat(a), toFloat(b));
        auto both = pair.all({a, b});
        EXPECT_EQ(both[0], expected) << word;
        EXPECT_EQ(both[1], !expected) << word;
        EXPECT_EQ(set({a, b}), expected ? 0x3f800000u : 0u) << word;
        auto flush = [](uint64_t bits) {
          return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
        };
        EXPECT_EQ(ftz({a, b, 1}), !holds(toFloat(flush(a)), toFloat(flush(b))));
      }
  }
}

TEST(PTXSelectionValues, IntegerAndPackedComparisons) {
  EXPECT_EQ(eval("setp.lt.s32 %p0, %r1, %r2", {0xffffffff, 0}), 1u);
  EXPECT_EQ(eval("setp.lt.u32 %p0, %r1, %r2", {0xffffffff, 0}), 0u);
  EXPECT_EQ(eval("setp.hs.u16 %p0, %h1, %h2", {0x1ffff, 0xffff}), 1u);
  EXPECT_EQ(eval("setp.ne.b64 %p0, %rd1, %rd2", {1ull << 63, 0}), 1u);
  InstructionValue both("setp.ge.and.s32 %p0|%p1, %r1, %r2, %p2");
  EXPECT_EQ(both.all({5, 5, 0})[0], 0u);
  EXPECT_EQ(both.all({5, 5, 0})[1], 0u);
  EXPECT_EQ(both.all({4, 5, 1})[1], 1u);
  // The two predicates of a pair are of its halves, the lower first.
  InstructionValue halves("setp.gt.or.f16x2 %p0|%p1, %r1, %r2, %p2");
  EXPECT_EQ(halves.all({0x3c004000, 0x40003c00, 0})[0], 1u);
  EXPECT_EQ(halves.all({0x3c004000, 0x40003c00, 0})[1], 0u);
  EXPECT_EQ(halves.all({0x3c004000, 0x40003c00, 1})[1], 1u);
  EXPECT_EQ(eval("set.eq.u32.bf16x2 %r0, %r1, %r2", {0x3f804000, 0x3f803f80}),
            0xffff0000u);
  EXPECT_EQ(eval("set.lt.f16x2.f16x2 %r0, %r1, %r2", {0x3c003c00, 0x40003c00}),
            0x3c000000u);
  EXPECT_EQ(eval("set.ne.and.s32.u64 %r0, %rd1, %rd2, %p1", {1, 2, 1}),
            0xffffffffu);
  EXPECT_EQ(eval("set.nan.u16.f16 %h0, %h1, %h2", {0x7e00, 0}), 0xffffu);
  EXPECT_EQ(eval("set.eq.bf16.s32 %h0, %r1, %r2", {3, 3}), 0x3f80u);
}

TEST(PTXSelectionValues, Selections) {
  EXPECT_EQ(eval("selp.f64 %rd0, %rd1, %rd2, %p1", {7, 9, 0}), 9u);
  EXPECT_EQ(eval("slct.u16.s32 %h0, %h1, %h2, %r1", {7, 9, 0x80000000}), 9u);
  EXPECT_EQ(eval("slct.b32.f32 %r0, %r1, %r2, %r3", {7, 9, 0x80000000}), 7u);
  EXPECT_EQ(eval("slct.b32.f32 %r0, %r1, %r2, %r3", {7, 9, 0x80000001}), 9u);
  EXPECT_EQ(eval("slct.ftz.b32.f32 %r0, %r1, %r2, %r3", {7, 9, 0x80000001}),
            7u);
  EXPECT_EQ(eval("slct.b32.f32 %r0, %r1, %r2, %r3", {7, 9, 0x7fc00000}), 9u);
}

TEST(PTXSelectionValues, Moves) {
  EXPECT_EQ(eval("mov.f32 %r0, %r1", {0xffc00001}), 0xffc00001u);
  EXPECT_EQ(eval("mov.b64 %rd0, {%h1, %h2, %h3, %h4}", {1, 2, 3, 0x1ffff}),
            0xffff000300020001u);
  auto parts =
      InstructionValue("mov.b32 {%b1, %b2, %b3, %b4}, %r0").all({0x04030201});
  EXPECT_EQ(parts, (std::vector<uint64_t>{1, 2, 3, 4}));
  auto wide =
      InstructionValue("mov.b128 %q0, {%r1, %r2, %r3, %r4}").all({1, 2, 3, 4});
  EXPECT_EQ(wide[0], 0x0000000200000001u);
  EXPECT_EQ(wide[1], 0x0000000400000003u);
  auto words = InstructionValue("mov.b128 {%rd1, %rd2}, %q0").all({5, 6});
  EXPECT_EQ(words[1], 6u);
}
