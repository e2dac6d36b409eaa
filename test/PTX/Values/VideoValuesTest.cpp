//===- VideoValuesTest.cpp - what video instructions give -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts, saturation and second operations of scalar instructions, and lanes of
// packed ones.
//
//===----------------------------------------------------------------------===//

#include "InstructionValues.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

TEST(PTXVideoValues, Scalar) {
  EXPECT_EQ(eval("vadd.s32.u32.s32.sat %r0, %r1, %r2", {0xffffffff, 1}),
            0x7fffffffu);
  EXPECT_EQ(eval("vsub.s32.s32.u32 %r0, %r1.b3, %r2.h1", {0x80000000, 0x10000}),
            uint32_t(-129));
  // The result is merged into the last operand.
  EXPECT_EQ(eval("vadd.u32.u32.u32.sat %r0.b1, %r1, %r2, %r3",
                 {200, 100, 0x44332211}),
            0x4433ff11u);
  EXPECT_EQ(
      eval("vabsdiff.u32.s32.s32.add %r0, %r1, %r2, %r3", {0xfffffffe, 3, 10}),
      15u);
  EXPECT_EQ(eval("vmin.s32.s32.s32.max %r0, %r1, %r2, %r3",
                 {5, 0xffffffff, 0xfffffffe}),
            0xffffffffu);
  EXPECT_EQ(eval("vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2", {1, 40}),
            0xffffffffu);
  // Bits above 34 are lost, and the 34th is a sign.
  EXPECT_EQ(eval("vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2", {2, 32}), 0u);
  EXPECT_EQ(eval("vshr.s32.s32.u32.wrap %r0, %r1, %r2", {0x80000000, 33}),
            0xc0000000u);
  EXPECT_EQ(eval("vmad.s32.s32.u32.po.sat.shr7 %r0, %r1.h0, %r2.b0, %r3",
                 {0xffff, 128, 0}),
            0xffffffffu);
  EXPECT_EQ(eval("vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3",
                 {0x80000000, 0x80000000, 0}),
            0x7fffffffu);
  EXPECT_EQ(eval("vset.s32.u32.lt.add %r0, %r1.b0, %r2, %r3", {0xff, 0, 41}),
            42u);
}

// The following are results of an H200. ptxas computes them otherwise than the
// ISA says.

TEST(PTXVideoValues, MergesTheSameHalf) {
  EXPECT_EQ(eval("vadd.u32.u32.u32 %r0.h1, %r1, %r2, %r3",
                 {0x00010000, 0x00020003, 0x44332211}),
            0x00032211u);
  EXPECT_EQ(eval("vadd.u32.u32.u32 %r0.h0, %r1, %r2, %r3",
                 {0x00010000, 0x00020003, 0x44332211}),
            0x44330003u);
  EXPECT_EQ(eval("vadd.u32.u32.u32 %r0.b3, %r1, %r2, %r3",
                 {0x00010000, 0x00020003, 0x44332211}),
            0x03332211u);
  EXPECT_EQ(eval("vset.u32.u32.ne %r0.h1, %r1, %r2, %r3",
                 {0x00010000, 0x00020003, 0x44332211}),
            0x2211u);
}

TEST(PTXVideoValues, Saturates) {
  // Sums that aren't signed have no upper bound.
  EXPECT_EQ(eval("vadd.u32.u32.u32.sat %r0, %r1, %r2", {0xffffffff, 2}), 1u);
  EXPECT_EQ(eval("vsub.u32.u32.u32.sat %r0, %r1, %r2", {1, 2}), 0u);
  EXPECT_EQ(eval("vsub.s32.s32.s32.sat %r0, %r1, %r2", {0x80000000, 1}),
            0x80000000u);
  // A negative result becomes the largest number of a part.
  EXPECT_EQ(eval("vsub.u32.u32.u32.sat %r0.b0, %r1, %r2, %r3", {1, 2, 0}),
            0xffu);
  EXPECT_EQ(eval("vmin.s32.s32.s32.sat %r0.h0, %r1, %r2, %r3",
                 {0xffffffff, 0, 0x12340000}),
            0x12347fffu);
  // Shifted values saturate to 32 bits, of which a part is taken.
  EXPECT_EQ(
      eval("vshl.u32.u32.u32.sat.clamp %r0.b0, %r1, %r2, %r3", {0x80, 1, 0x77}),
      0u);
  EXPECT_EQ(eval("vshr.s32.u32.u32.sat.wrap %r0.h1, %r1, %r2, %r3",
                 {0xffff0000, 32, 0}),
            0x7fff0000u);
}

TEST(PTXVideoValues, ComparesTheLastOperandWith64Bits) {
  // A sum of the upper half counts as larger than what is unsigned.
  EXPECT_EQ(eval("vadd.u32.u32.u32.min %r0, %r1, %r2, %r3",
                 {0x80000000, 0, 0xffffffff}),
            0xffffffffu);
  EXPECT_EQ(eval("vadd.u32.u32.u32.min %r0, %r1, %r2, %r3",
                 {0x40000000, 0, 0xffffffff}),
            0x40000000u);
  // A difference of 2^32 - 1 isn't negative.
  EXPECT_EQ(eval("vabsdiff.s32.s32.s32.min %r0, %r1, %r2, %r3",
                 {0x7fffffff, 0x80000000, 5}),
            5u);
  // 2^32, of which 32 bits are zero.
  EXPECT_EQ(eval("vshl.u32.u32.u32.clamp.max %r0, %r1, %r2, %r3", {1, 32, 7}),
            0u);
  EXPECT_EQ(eval("vmax.u32.s32.s32.sat.max %r0, %r1, %r2, %r3",
                 {0xffffffff, 0xfffffffe, 3}),
            3u);
  // The last operand has the sign of what is compared.
  EXPECT_EQ(eval("vset.s32.s32.eq.max %r0, %r1, %r2, %r3", {1, 1, 0xffffffff}),
            1u);
  EXPECT_EQ(eval("vset.u32.s32.eq.max %r0, %r1, %r2, %r3", {1, 1, 0xffffffff}),
            0xffffffffu);
}

TEST(PTXVideoValues, MultipliesSignedWords) {
  EXPECT_EQ(
      eval("vmad.u32.u32.u32.shr7 %r0, %r1, %r2, %r3", {0xffffffff, 0x80, 0}),
      0xffffffffu);
  EXPECT_EQ(eval("vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3", {1, 1, 0xfffffffe}),
            0u);
  // A part of 16 bits keeps its sign.
  EXPECT_EQ(eval("vmad.u32.u32.u32.shr15 %r0, %r1.h0, %r2.h0, %r3",
                 {0xffff, 0xffff, 0}),
            0x1fffcu);
}

TEST(PTXVideoValues, Packed) {
  EXPECT_EQ(eval("vadd2.u32.u32.u32.sat %r0, %r1, %r2, %r3",
                 {0xffff0001, 0x00010002, 0}),
            0xffff0003u);
  EXPECT_EQ(eval("vsub4.s32.u32.u32 %r0.b20, %r1.b3210, %r2.b4567, %r3",
                 {0x04030201, 0x10203040, 0xaabbccdd}),
            0xaad3ccf1u);
  EXPECT_EQ(eval("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3",
                 {0x00ff10ff, 0xff000fff, 1000}),
            1000u + 255 + 255 + 1);
  EXPECT_EQ(eval("vavrg2.s32.s32.s32 %r0, %r1, %r2, %r3",
                 {0xfffd0003, 0x00000004, 0}),
            0xfffe0004u);
  EXPECT_EQ(eval("vset4.u32.u32.ge %r0.b310, %r1, %r2, %r3",
                 {0x01020304, 0x02020202, 0x99999999}),
            0x00990101u);
}
