//===- IntegerValuesTest.cpp - integers and bits --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of integers and fields of bits: values worked out from the ISA,
// and wide sums and products put together from words.
//
//===----------------------------------------------------------------------===//

#include "InstructionValues.h"

#include "llvm/ADT/APInt.h"

#include <gtest/gtest.h>
#include <random>

using namespace carousel;
using namespace carousel::ptx;
using llvm::APInt;

TEST(PTXIntegerValues, WrapAndSaturate) {
  EXPECT_EQ(eval("add.u16 %h0, %h1, %h2", {0xffff, 2}), 1u);
  EXPECT_EQ(eval("add.s32 %r0, %r1, %r2", {0x7fffffff, 1}), 0x80000000u);
  EXPECT_EQ(eval("add.sat.s32 %r0, %r1, %r2", {0x7fffffff, 1}), 0x7fffffffu);
  EXPECT_EQ(eval("sub.sat.s32 %r0, %r1, %r2", {0x80000000, 1}), 0x80000000u);
  EXPECT_EQ(eval("add.s16x2 %r0, %r1, %r2", {0x7fff0001, 0x0001ffff}),
            0x80000000u);
  EXPECT_EQ(eval("min.relu.s16x2 %r0, %r1, %r2", {0xffff0005, 0x00030002}),
            0x00000002u);
  EXPECT_EQ(eval("mul.hi.s64 %rd0, %rd1, %rd2", {~0ull, ~0ull}), 0u);
  EXPECT_EQ(eval("mul.hi.u64 %rd0, %rd1, %rd2", {~0ull, ~0ull}), ~0ull - 1);
  EXPECT_EQ(eval("mul.wide.s16 %r0, %h1, %h2", {0xffff, 3}), 0xfffffffdu);
  EXPECT_EQ(eval("mad.hi.sat.s32 %r0, %r1, %r2, %r3",
                 {0x7fffffff, 0x7fffffff, 0x7fffffff}),
            0x7fffffffu);
  EXPECT_EQ(eval("mul24.hi.s32 %r0, %r1, %r2", {0xff800000, 0x007fffff}),
            0xc0000080u);
  EXPECT_EQ(eval("sad.s32 %r0, %r1, %r2, %r3", {0x80000000, 0x7fffffff, 1}),
            0u);
  EXPECT_EQ(eval("div.s32 %r0, %r1, %r2", {0x80000000, ~0u}), 0x80000000u);
  EXPECT_EQ(eval("div.u16 %h0, %h1, %h2", {7, 0}), 0xffffu);
  EXPECT_EQ(eval("rem.s64 %rd0, %rd1, %rd2", {7, 0}), ~uint64_t(0));
  EXPECT_EQ(eval("rem.s32 %r0, %r1, %r2", {0xfffffff9, 4}), 0xfffffffdu);
  EXPECT_EQ(
      eval("dp4a.s32.u32 %r0, %r1, %r2, %r3", {0xff01ff01, 0xff020304, 9}),
      uint32_t(-255 + 2 - 3 + 4 + 9));
  EXPECT_EQ(
      eval("dp2a.hi.u32.s32 %r0, %r1, %r2, %r3", {0xffff0002, 0xff030000, 1}),
      uint32_t(-65535 + 6 + 1));
}

TEST(PTXIntegerValues, IgnoreBitsAboveTheType) {
  EXPECT_EQ(eval("add.u16 %h0, %h1, %h2", {0x10001, 0xabc0002}), 3u);
  EXPECT_EQ(eval("shr.s32 %r0, %r1, %r2", {0x180000000, 0x100000004}),
            0xf8000000u);
  EXPECT_EQ(eval("and.pred %p0, %p1, %p2", {3, 2}), 0u);
}

/// Sums and products of 128 bits, from 64-bit words and the carry flag.
TEST(PTXIntegerValues, CarryMakesWideArithmetic) {
  InstructionValue addCc("add.cc.u64 %rd0, %rd1, %rd2");
  InstructionValue addc("addc.u64 %rd0, %rd1, %rd2");
  InstructionValue subCc("sub.cc.s64 %rd0, %rd1, %rd2");
  InstructionValue subcCc("subc.cc.s64 %rd0, %rd1, %rd2");
  InstructionValue low("mul.lo.u64 %rd0, %rd1, %rd2");
  InstructionValue madCc("mad.hi.cc.u64 %rd0, %rd1, %rd2, %rd3");
  InstructionValue madc("madc.lo.u64 %rd0, %rd1, %rd2, %rd3");
  std::mt19937_64 random(1);
  auto draw = [&]() -> uint64_t {
    uint64_t value = random();
    return value % 4 == 0 ? 0 : value % 4 == 1 ? ~0ull : value;
  };
  auto join = [](uint64_t low, uint64_t high) {
    return APInt(128, {low, high});
  };
  for (int i = 0; i < 2000; ++i) {
    uint64_t a0 = draw(), a1 = draw(), b0 = draw(), b1 = draw();
    APInt a = join(a0, a1), b = join(b0, b1);
    auto sum = addCc.all({a0, b0});
    EXPECT_EQ(join(sum[0], addc({a1, b1, sum[1]})), a + b);
    auto lower = subCc.all({a0, b0}), upper = subcCc.all({a1, b1, lower[1]});
    EXPECT_EQ(join(lower[0], upper[0]), a - b);
    EXPECT_EQ(upper[1], a.ult(b));
    // The high word of a0 * b0 + (x << 64), its carry into the next word.
    auto high = madCc.all({a0, b0, b1});
    APInt product = APInt(128, a0) * APInt(128, b0);
    EXPECT_EQ(join(low({a0, b0}), high[0]), product + join(0, b1));
    EXPECT_EQ(high[1], (product + join(0, b1)).ult(product));
    EXPECT_EQ(madc({a0, b0, a1, high[1]}), a0 * b0 + a1 + high[1]);
  }
}

TEST(PTXIntegerValues, FieldsOfBits) {
  EXPECT_EQ(eval("bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 8, 12}), 0x456u);
  EXPECT_EQ(eval("bfe.s32 %r0, %r1, %r2, %r3", {0x00000800, 8, 4}),
            0xfffffff8u);
  // Beyond the register, a field has the register's sign.
  EXPECT_EQ(eval("bfe.s32 %r0, %r1, %r2, %r3", {0x80000000, 28, 8}),
            0xfffffff8u);
  EXPECT_EQ(eval("bfe.s32 %r0, %r1, %r2, %r3", {0x80000000, 40, 8}), ~0u);
  EXPECT_EQ(eval("bfe.s64 %rd0, %rd1, %r2, %r3", {1ull << 63, 255, 1}), ~0ull);
  EXPECT_EQ(eval("bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xff, 0, 28, 8}),
            0xf0000000u);
  // Fields of 32 bits take the lowest byte of positions and lengths. Those of
  // 64 take all bits, as on an H200.
  EXPECT_EQ(eval("bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 0x108, 0x10c}),
            0x456u);
  EXPECT_EQ(eval("bfe.u64 %rd0, %rd1, %r2, %r3", {~0ull, 0x100, 4}), 0u);
  EXPECT_EQ(eval("bfe.u64 %rd0, %rd1, %r2, %r3", {~0ull, 4, 0x100}),
            ~0ull >> 4);
  EXPECT_EQ(eval("bfe.s64 %rd0, %rd1, %r2, %r3", {1ull << 63, 60, 0x80000000}),
            ~7ull);
  EXPECT_EQ(eval("bfe.s64 %rd0, %rd1, %r2, %r3", {1ull << 63, ~0u, 1}), ~0ull);
  EXPECT_EQ(eval("bfi.b32 %r0, %r1, %r2, %r3, %r4", {5, 0, 0x104, 0x108}),
            0x50u);
  EXPECT_EQ(eval("bfi.b64 %rd0, %rd1, %rd2, %r3, %r4", {5, 9, 0x100, 8}), 9u);
  EXPECT_EQ(eval("bfi.b64 %rd0, %rd1, %rd2, %r3, %r4", {5, 9, 4, 0x100}),
            0x59u);
  EXPECT_EQ(eval("bfi.b64 %rd0, %rd1, %rd2, %r3, %r4", {5, ~0ull, 0, 255}), 5u);
  EXPECT_EQ(eval("bfind.s32 %r0, %r1", {0xfffffff0}), 3u);
  EXPECT_EQ(eval("bfind.shiftamt.u64 %r0, %rd1", {1}), 63u);
  EXPECT_EQ(eval("bfind.s64 %r0, %rd1", {~0ull}), 0xffffffffu);
  EXPECT_EQ(eval("szext.clamp.s32 %r0, %r1, %r2", {0x80, 8}), 0xffffff80u);
  EXPECT_EQ(eval("szext.wrap.u32 %r0, %r1, %r2", {0x80, 32}), 0u);
  EXPECT_EQ(eval("szext.clamp.u32 %r0, %r1, %r2", {0x80, 32}), 0x80u);
  EXPECT_EQ(eval("bmsk.clamp.b32 %r0, %r1, %r2", {4, 8}), 0xff0u);
  EXPECT_EQ(eval("bmsk.clamp.b32 %r0, %r1, %r2", {4, 40}), 0xfffffff0u);
  EXPECT_EQ(eval("bmsk.clamp.b32 %r0, %r1, %r2", {32, 1}), 0u);
  EXPECT_EQ(eval("bmsk.wrap.b32 %r0, %r1, %r2", {36, 40}), 0xff0u);
  EXPECT_EQ(eval("fns.b32 %r0, %r1, %r2, %r3", {0xa5, 0, 0}), 0u);
  EXPECT_EQ(eval("fns.b32 %r0, %r1, %r2, %r3", {0xa5, 1, 2}), 5u);
  EXPECT_EQ(eval("fns.b32 %r0, %r1, %r2, %r3", {0xa5, 6, uint32_t(-2)}), 2u);
  EXPECT_EQ(eval("fns.b32 %r0, %r1, %r2, %r3", {0xa5, 6, 3}), ~0u);
  // An H200 finds the lowest bit, whatever the mask.
  EXPECT_EQ(eval("fns.b32 %r0, %r1, %r2, %r3", {0x80000000, 31, 0x80000000}),
            0u);
  EXPECT_EQ(
      eval("prmt.b32 %r0, %r1, %r2, %r3", {0x83828180, 0x07060504, 0x4b70}),
      0x04ff0780u);
  EXPECT_EQ(
      eval("prmt.b32.b4e %r0, %r1, %r2, %r3", {0x03020100, 0x07060504, 1}),
      0x06070001u);
  EXPECT_EQ(eval("lop3.b32 %r0, %r1, %r2, %r3, 0x96", {0xf0, 0xcc, 0xaa, 0x96}),
            0xf0u ^ 0xccu ^ 0xaau);
  EXPECT_EQ(eval("shf.l.wrap.b32 %r0, %r1, %r2, %r3", {0x80000000, 1, 33}), 3u);
  EXPECT_EQ(eval("shf.r.clamp.b32 %r0, %r1, %r2, %r3", {7, 9, 99}), 9u);
  EXPECT_EQ(eval("shl.b16 %h0, %h1, %r2", {1, 16}), 0u);
}
