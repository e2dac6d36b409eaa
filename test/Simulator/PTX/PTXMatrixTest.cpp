//===- PTXMatrixTest.cpp - products of a warp of PTX ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma and wmma of the types that Carousel doesn't emit. The layouts of mma are
// those of the ISA; those of wmma are the machine's own.
//
//===----------------------------------------------------------------------===//

#include "PTXTesting.h"

#include "llvm/ADT/bit.h"

using namespace carousel::sim;

namespace {

using Words = std::vector<uint32_t>;

class PTXMatrixTest : public PTXTest {
protected:
  Words warp(llvm::StringRef body, size_t results,
             llvm::StringRef before = "") {
    PTXLaunch launch;
    launch.threads = 32;
    return get(body, results, launch, before);
  }
};

double getDouble(const Words &words, size_t number) {
  return llvm::bit_cast<double>(uint64_t(words[2 * number + 1]) << 32 |
                                words[2 * number]);
}

TEST_F(PTXMatrixTest, MultipliesDoubles) {
  // A[i][k] = 4i + k and B[k][j] = j + 100k, from the lane's number: the group
  // is the row of A and the column of B, and the member is k.
  Words out = warp(R"(
    shr.u32 %r1, %r0, 2; and.b32 %r2, %r0, 3;
    cvt.rn.f64.u32 %fd0, %r0; mad.lo.u32 %r3, %r2, 100, %r1;
    cvt.rn.f64.u32 %fd1, %r3; mov.f64 %fd2, 0d3FF0000000000000;
    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd3, %fd4}, {%fd0},
      {%fd1}, {%fd2, %fd2};
    mad.wide.u32 %rd1, %r0, 16, %rd0; st.global.v2.f64 [%rd1], {%fd3, %fd4};)",
                   128);
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 8; ++j) {
      double want = 1;
      for (unsigned k = 0; k < 4; ++k)
        want += (4 * i + k) * (j + 100.0 * k);
      EXPECT_EQ(getDouble(out, 8 * i + j), want) << i << ", " << j;
    }
  // Rows 8 to 15 are in the second register of A, and of the sums in the third
  // and fourth.
  out = warp(R"(
    cvt.rn.f64.u32 %fd0, %r0; add.f64 %fd1, %fd0, 0d4059000000000000;
    mov.f64 %fd2, 0d0000000000000000; mov.f64 %fd7, 0d4000000000000000;
    mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd3, %fd4, %fd5, %fd6},
      {%fd0, %fd1}, {%fd7}, {%fd2, %fd2, %fd2, %fd2};
    mad.wide.u32 %rd1, %r0, 16, %rd0; st.global.v2.f64 [%rd1], {%fd4, %fd5};)",
             128);
  EXPECT_EQ(getDouble(out, 0), 2.0 * (0 + 1 + 2 + 3));
  EXPECT_EQ(getDouble(out, 1), 2.0 * (100 + 101 + 102 + 103));
  EXPECT_EQ(getDouble(out, 2 * 31), 2.0 * (28 + 29 + 30 + 31));
}

TEST_F(PTXMatrixTest, MultipliesSmallIntegers) {
  auto run = [&](const char *form, const char *a, const char *b) {
    return warp((llvm::Twine("mov.b32 %r1, ") + a + "; mov.b32 %r2, " + b +
                 "; mov.b32 %r3, 5; mma.sync.aligned." + form +
                 " {%r4, %r5}, {%r1}, {%r2}, {%r3, %r3};"
                 "mad.wide.u32 %rd1, %r0, 8, %rd0;"
                 "st.global.v2.u32 [%rd1], {%r4, %r5};")
                    .str(),
                64)[0];
  };
  // Four lanes of a group, with 4, 8 or 32 elements each.
  EXPECT_EQ(run("m8n8k16.row.col.s32.s8.u8.s32", "0xff02ff02", "0xff01ff01"),
            uint32_t(5 + 4 * 2 * (2 - 255)));
  EXPECT_EQ(run("m8n8k32.row.col.s32.s4.s4.s32", "0xf1f1f1f1", "0x77777777"),
            5u);
  EXPECT_EQ(run("m8n8k32.row.col.s32.u4.s4.s32", "0xf1f1f1f1", "0x88888888"),
            uint32_t(5 - 4 * 4 * (15 + 1) * 8));
  EXPECT_EQ(run("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "0xf0", "0x3c"),
            5u + 4 * 4);
  EXPECT_EQ(run("m8n8k128.row.col.s32.b1.b1.s32.and.popc", "0xf0", "0x3c"),
            5u + 4 * 2);
}

/// Fills `shared` with numbers that thread 0 computes from their place.
std::string fill(const char *name, unsigned count, const char *type,
                 const char *value) {
  return (llvm::Twine("mov.u32 %r10, 0; ") + name + "_fill: " + value +
          " mov.u32 %r12, " + name + "; mad.lo.u32 %r12, %r10, " +
          (llvm::StringRef(type) == "b16" ? "2" : "1") +
          ", %r12; @%p7 st.shared." + type +
          (llvm::StringRef(type) == "b16" ? " [%r12], %rs1;"
                                          : " [%r12], %r11;") +
          "add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, " +
          llvm::Twine(count) + "; @%p1 bra " + name + "_fill;")
      .str();
}

TEST_F(PTXMatrixTest, MultipliesFragments) {
  // A is 16 by 16, row by row with 24 in a row; B is column by column; both
  // hold small integers: A[i][k] = (24i + k) % 8, B[k][j] = (16j + k) % 4.
  std::string half = "and.b32 %r11, %r10, MASK; cvt.rn.f16.u32 %rs1, %r11;";
  auto masked = [&](const char *mask) {
    std::string text = half;
    return text.replace(text.find("MASK"), 4, mask);
  };
  std::string body = "setp.eq.u32 %p7, %r0, 0;" +
                     fill("left", 384, "b16", masked("7").c_str()) +
                     fill("right", 256, "b16", masked("3").c_str()) + R"(
    bar.warp.sync -1;
    wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
      {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [left], 24;
    wmma.load.b.sync.aligned.col.m16n16k16.shared.f16
      {%r13,%r14,%r15,%r16,%r17,%r18,%r19,%r20}, [right];
    mov.f32 %f0, 0f3F800000;
    wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32
      {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},
      {%r13,%r14,%r15,%r16,%r17,%r18,%r19,%r20},
      {%f0,%f0,%f0,%f0,%f0,%f0,%f0,%f0};
    wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd0],
      {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, 16;)";
  const char *shared = ".shared .align 32 .b8 left[768];\n"
                       ".shared .align 32 .b8 right[512];";
  Words out = warp(body, 256, shared);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      float want = 1;
      for (unsigned k = 0; k < 16; ++k)
        want += float((24 * i + k) % 8 * ((16 * j + k) % 4));
      EXPECT_EQ(llvm::bit_cast<float>(out[16 * j + i]), want) << i << ", " << j;
    }
  // A fragment past the end of its memory, and one that nothing has written.
  Words none(1);
  PTXLaunch launch;
  launch.threads = 32;
  auto load = [&](const char *stride) {
    return run((llvm::Twine("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                            "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [left], ") +
                stride + ";")
                   .str(),
               none, launch, shared);
  };
  EXPECT_GE(count(load("64"), FindingKind::OutOfBounds), 1u);
  EXPECT_GE(count(load("24"), FindingKind::UnwrittenRead), 1u);
}

TEST_F(PTXMatrixTest, RefusesForms) {
  Words out(1);
  for (const char *text :
       {"wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r1}, [%rd0];",
        "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%fd0, %fd1}, "
        "{%fd2}, {%fd3}, {%fd4, %fd5};",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1,%r2,%r3,%r4}, "
        "{%r5,%r6}, {%r7,%r8}, {%r9,%r10,%r11,%r12};"}) {
    messages.clear();
    run(text, out);
    EXPECT_NE(messages.find("the simulated machine doesn't know this"),
              std::string::npos)
        << text << messages;
  }
}

} // namespace
