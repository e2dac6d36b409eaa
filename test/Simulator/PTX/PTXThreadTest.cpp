//===- PTXThreadTest.cpp - one thread of PTX ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, control flow, calls, local memory, and what is refused.
//
//===----------------------------------------------------------------------===//

#include "PTXTesting.h"

using namespace carousel::sim;
using ::testing::Test;

namespace {

using Words = std::vector<uint32_t>;

class PTXThreadTest : public PTXTest {
protected:
  /// The word that the instructions leave in %r1.
  uint32_t value(llvm::StringRef instructions) {
    return get((instructions + "\nst.global.u32 [%rd0], %r1;").str())[0];
  }
  std::string refuse(llvm::StringRef body, llvm::StringRef before = "") {
    messages.clear();
    Words out(1);
    RunResult result = run(body, out, {}, before);
    EXPECT_FALSE(result.error.empty()) << body.str();
    return result.error;
  }
};

TEST_F(PTXThreadTest, ComputesInline) {
  EXPECT_EQ(value("mov.u32 %r2, 7; mad.lo.s32 %r1, %r2, -3, 1;"),
            uint32_t(-20));
  EXPECT_EQ(value("mov.u32 %r2, 0x80000000; mul.hi.u32 %r1, %r2, 6;"), 3u);
  EXPECT_EQ(value("mov.u32 %r2, 0x80000000; mul.hi.s32 %r1, %r2, 6;"),
            uint32_t(-3));
  EXPECT_EQ(value("mov.u32 %r2, -8; shr.s32 %r1, %r2, 40;"), ~0u);
  EXPECT_EQ(value("mov.u32 %r2, -8; shr.u32 %r1, %r2, 40;"), 0u);
  EXPECT_EQ(value("mov.u32 %r2, -8; shl.b32 %r1, %r2, 32;"), 0u);
  EXPECT_EQ(value("mov.u32 %r2, 0x1ff; cvt.s32.s8 %r1, %r2;"), ~0u);
  EXPECT_EQ(
      value("mov.b16 %rs1, 5; mov.b16 %rs2, 9; mov.b32 %r1, {%rs1, %rs2};"),
      0x90005u);
  EXPECT_EQ(value("mov.b32 %r2, 0x90005; mov.b32 {%rs1, %rs2}, %r2; "
                  "cvt.u32.u16 %r1, %rs2;"),
            9u);
  // -0 is below +0, and a NaN loses.
  EXPECT_EQ(value("min.f32 %f1, 0f80000000, 0f00000000; mov.b32 %r1, %f1;"),
            0x80000000u);
  EXPECT_EQ(value("max.f32 %f1, 0f80000000, 0f00000000; mov.b32 %r1, %f1;"),
            0u);
  EXPECT_EQ(value("max.f32 %f1, 0f7fc00001, 0fbf800000; mov.b32 %r1, %f1;"),
            0xbf800000u);
  EXPECT_EQ(value("sub.f32 %f1, 0f7f800000, 0f7f800000; mov.b32 %r1, %f1;"),
            0x7fffffffu);
  EXPECT_EQ(value("cvt.rn.bf16x2.f32 %r1, 0f3f808000, 0f3f818000;"),
            0x3f803f82u);
  // The product is exact.
  EXPECT_EQ(value("mov.f32 %f1, 0f3f800001; fma.rn.f32 %f2, %f1, %f1, "
                  "0fbf800002; mov.b32 %r1, %f2;"),
            0x28800000u);
}

TEST_F(PTXThreadTest, ComputesByCalls) {
  EXPECT_EQ(value("mov.u32 %r2, 0xf0; popc.b32 %r1, %r2;"), 4u);
  EXPECT_EQ(value("add.cc.u32 %r2, 0xffffffff, 1; addc.u32 %r1, 5, 0;"), 6u);
  EXPECT_EQ(value("ex2.approx.f32 %f1, 0f40400000; mov.b32 %r1, %f1;"),
            0x41000000u);
  EXPECT_EQ(value("div.rn.f32 %f1, 0f3f800000, 0f40400000; mov.b32 %r1, %f1;"),
            0x3eaaaaabu);
  EXPECT_EQ(value("setp.lt.and.s32 %p1|%p2, 1, 2, 1; selp.b32 %r1, 3, 4, %p2;"),
            4u);
  EXPECT_EQ(value("prmt.b32 %r1, 0x33221100, 0x77665544, 0x7531;"),
            0x77553311u);
}

TEST_F(PTXThreadTest, Branches) {
  EXPECT_EQ(value(R"(
    mov.u32 %r1, 0; mov.u32 %r2, 0;
  loop: add.s32 %r1, %r1, %r2; add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 10; @%p1 bra loop;)"),
            45u);
  // Two entries into one loop.
  EXPECT_EQ(value(R"(
    mov.u32 %r1, 0; setp.eq.u32 %p1, %r0, 0; @%p1 bra second;
  first: add.s32 %r1, %r1, 100;
  second: add.s32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 150; @%p1 bra first;)"),
            203u);
  EXPECT_EQ(value(R"(
    mov.u32 %r2, 2;
    table: .branchtargets zero, one, two;
    brx.idx %r2, table;
  zero: mov.u32 %r1, 10; bra end;
  one: mov.u32 %r1, 11; bra end;
  two: mov.u32 %r1, 12;
  end: mov.u32 %r3, 0;)"),
            12u);
  Words out(1);
  RunResult result = run(R"(mov.u32 %r2, 3; table: .branchtargets zero;
    brx.idx %r2, table; zero: mov.u32 %r1, 1;)",
                         out);
  EXPECT_EQ(count(result, FindingKind::InvalidOperand), 1u) << describe(result);
}

TEST_F(PTXThreadTest, EndsAtTheStepLimit) {
  Words out(1);
  PTXLaunch launch;
  launch.options.stepLimit = 1000;
  RunResult result = run("loop: add.s32 %r1, %r1, 1; bra loop;", out, launch);
  EXPECT_EQ(result.status, RunStatus::StepLimit) << result.error;
}

constexpr const char *kFunctions = R"(
.func (.param .b32 result) twice(.param .b32 a) {
  .reg .b32 %r<4>; .local .b32 kept;
  ld.param.b32 %r1, [a]; st.local.b32 [kept], %r1;
  ld.local.b32 %r2, [kept]; add.s32 %r3, %r1, %r2;
  st.param.b32 [result], %r3; ret;
}
.func (.param .b32 result) plus(.param .b32 a) {
  .reg .b32 %r<2>; ld.param.b32 %r1, [a]; add.s32 %r1, %r1, 1;
  st.param.b32 [result], %r1; ret;
}
.func leave() { exit; }
)";

TEST_F(PTXThreadTest, Calls) {
  EXPECT_EQ(get(R"({ .param .b32 p; .param .b32 q; mov.b32 %r1, 21;
    st.param.b32 [p], %r1; call (q), twice, (p); ld.param.b32 %r1, [q]; }
    st.global.u32 [%rd0], %r1;)",
                1, {}, kFunctions),
            Words({42}));
  const char *indirect = R"({ .param .b32 p; .param .b32 q; mov.b32 %r1, 7;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    mov.u64 %rd1, plus; mov.u64 %rd2, twice; setp.eq.u32 %p1, %r0, 0;
    selp.b64 %rd1, %rd1, %rd2, %p1;
    st.param.b32 [p], %r1; call (q), %rd1, (p), proto; ld.param.b32 %r1, [q]; }
    mad.wide.u32 %rd3, %r0, 4, %rd0; st.global.u32 [%rd3], %r1;)";
  PTXLaunch two;
  two.threads = 2;
  EXPECT_EQ(get(indirect, 2, two, kFunctions), Words({8, 14}));
  // An exit in a function ends the thread.
  EXPECT_EQ(get("call leave; st.global.u32 [%rd0], 1;", 1, {}, kFunctions),
            Words({0xdead}));
}

TEST_F(PTXThreadTest, ChecksIndirectCalls) {
  Words out(1);
  RunResult result = run(R"({ .param .b32 p; .param .b32 q;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    mov.u64 %rd1, leave; st.param.b32 [p], 1; call (q), %rd1, (p), proto; })",
                         out, {}, kFunctions);
  EXPECT_EQ(count(result, FindingKind::InvalidOperand), 1u) << describe(result);
}

TEST_F(PTXThreadTest, ChecksLocalMemory) {
  const char *body = R"(.local .align 4 .b8 own[16]; mov.u32 %r2, OFFSET;
    mov.u64 %rd1, own; cvta.local.u64 %rd2, %rd1; cvt.u64.u32 %rd3, %r2;
    add.s64 %rd2, %rd2, %rd3; st.u32 [%rd2], 5; ld.u32 %r1, [%rd2];
    st.global.u32 [%rd0], %r1;)";
  auto at = [&](const char *offset) {
    std::string text = body;
    return text.replace(text.find("OFFSET"), 6, offset);
  };
  EXPECT_EQ(get(at("12")), Words({5}));
  Words out(1);
  for (const char *offset : {"16", "4096", "-4"}) {
    RunResult result = run(at(offset), out);
    EXPECT_GE(count(result, FindingKind::OutOfBounds), 1u) << offset;
  }
}

TEST_F(PTXThreadTest, ChecksGlobalMemory) {
  Words out(4);
  for (const char *address :
       {"[%rd0+16]", "[%rd0-4]", "[0]", "[%rd15+0x7fffffff]"}) {
    std::string body = "mov.u64 %rd15, 0; st.global.u32 ";
    RunResult result = run(body + address + ", 1;", out);
    EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << address;
    ASSERT_FALSE(result.findings.empty());
  }
  RunResult result = run("st.global.u32 [%rd0+2], 1;", out);
  EXPECT_EQ(count(result, FindingKind::InvalidOperand), 1u) << describe(result);
  // The stack of the host is nobody's.
  result = run("mov.u64 %rd1, out; ld.u32 %r1, [%rd1];", out);
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << describe(result);
}

TEST_F(PTXThreadTest, ChecksAddressesOfEngines) {
  // An address that no memory has, in each register of an instruction.
  const char *kInstructions[] = {
      "cp.async.ca.shared.global [%r1], [%rd1], 16;",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r1], [%rd1], 16, [%r1];",
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;",
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
      "complete_tx::bytes [%r1], [%rd1, {%r2, %r2}], [%r1];",
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
      "[%rd1, {%r2, %r2}], [%r1];",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], "
      "[%r1], 16;",
      "mbarrier.init.shared.b64 [%r1], 1;",
      "mbarrier.arrive.shared.b64 %rd2, [%r1];",
      "mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r1], 16;",
      "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;",
      "mbarrier.inval.b64 [%rd1];",
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], "
      "%r2, [%r1];",
      "atom.global.add.u32 %r2, [%rd1], 1;",
      "red.shared::cluster.add.u32 [%r1], 1;",
      "ld.acquire.gpu.u64 %rd2, [%rd1];",
      "st.release.sys.u64 [%rd1], %rd1;",
      "multimem.st.global.u32 [%rd1], %r2;",
      "tensormap.replace.tile.rank.global.b1024.b32 [%rd1], %r2;",
      "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;",
      "cvta.to.shared.u64 %rd2, %rd1; ld.shared.u32 %r2, [%rd2];",
      "mapa.u64 %rd2, %rd1, 9; ld.u32 %r2, [%rd2];"};
  for (const char *instruction : kInstructions)
    for (const char *address : {"16", "0xfffffffffffffff0", "0x7ffdeadbe000"}) {
      Words out(1);
      std::string body = "mov.u64 %rd1, " + std::string(address) +
                         "; cvt.u32.u64 %r1, %rd1; or.b32 %r1, %r1, "
                         "0x7fff0000; mov.u32 %r2, 0; ";
      RunResult result = run(body + instruction, out);
      EXPECT_TRUE(result.error.empty()) << result.error;
      // A fence of a map that the device hasn't changed has nothing to do.
      if (std::string(instruction).find("fence") == std::string::npos)
        EXPECT_FALSE(result.findings.empty()) << instruction << address;
    }
}

TEST_F(PTXThreadTest, ChecksRegisters) {
  Words out(1);
  for (const char *body :
       {"st.global.u32 [%rd0], %r9;", "st.global.u32 [%rd9], 1;",
        "@%p5 st.global.u32 [%rd0], 1;", "@!%p5 bra end; end: ret;"}) {
    RunResult result = run(body, out);
    EXPECT_EQ(count(result, FindingKind::UnwrittenRead), 1u)
        << body << describe(result);
  }
  // A value that is passed on.
  EXPECT_TRUE(run("mov.b32 %r1, {%rs1, %rs2};", out).isClean());
}

TEST_F(PTXThreadTest, ChecksRegistersOnEachPath) {
  Words out(2);
  auto countFindings = [&](llvm::StringRef body, uint32_t threads = 1) {
    PTXLaunch launch;
    launch.threads = threads;
    RunResult result = run(body, out, launch);
    EXPECT_TRUE(result.error.empty()) << result.error;
    return count(result, FindingKind::UnwrittenRead);
  };
  // Only one of two threads writes the register, by a branch and by a guard.
  EXPECT_EQ(countFindings(R"(setp.eq.u32 %p1, %r0, 0; @%p1 bra skip;
    mov.u32 %r9, 1; skip: mad.wide.u32 %rd1, %r0, 4, %rd0;
    st.global.u32 [%rd1], %r9;)",
                          2),
            1u);
  EXPECT_EQ(countFindings(R"(setp.eq.u32 %p1, %r0, 7; @%p1 mov.u32 %r9, 1;
    @%p1 st.global.u32 [%rd0], %r9;)"),
            0u);
  // The first round of a loop.
  const char *loop = R"(mov.u32 %r1, 0; FIRST
  again: add.u32 %r9, %r9, 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3;
    @%p1 bra again; st.global.u32 [%rd0], %r9;)";
  auto with = [&](const char *first) {
    std::string text = loop;
    return text.replace(text.find("FIRST"), 5, first);
  };
  EXPECT_EQ(countFindings(with("")), 1u);
  EXPECT_EQ(countFindings(with("mov.u32 %r9, 0;")), 0u);
  // An operand of a barrier, a predicate of a branch, a target of a table.
  EXPECT_EQ(countFindings("and.b32 %r9, %r9, 1; bar.sync %r9;"), 1u);
  EXPECT_EQ(countFindings("setp.eq.u32 %p1, %r9, 5; @%p1 bra end; end:"), 1u);
  EXPECT_EQ(countFindings("table: .branchtargets a, b; shl.b32 %r1, %r9, 31; "
                          "brx.idx %r1, table; a: b:"),
            1u);
}

TEST_F(PTXThreadTest, FollowsBitsWithoutValue) {
  Words out(1);
  auto isFound = [&](const char *body) {
    RunResult result =
        run(std::string(body) + " st.global.u32 [%rd0], %r1;", out);
    EXPECT_TRUE(result.error.empty()) << body << result.error;
    return count(result, FindingKind::UnwrittenRead) != 0;
  };
  for (const char *body :
       {"add.u32 %r1, %r9, 1;", "and.b32 %r1, %r9, 0x10;", "not.b32 %r1, %r9;",
        "or.b32 %r1, %r9, 0xffff;", "xor.b32 %r1, %r9, %r8;",
        "shl.b32 %r1, %r9, 31;", "shr.u32 %r1, %r9, 31;",
        "mov.b32 %r1, {%rs1, %rs2};",
        "mul.f32 %f1, %f0, 0f00000000; mov.b32 %r1, %f1;",
        "mov.u16 %rs1, 1; mov.b32 %r1, {%rs1, %rs2};",
        "setp.eq.u32 %p1, %r0, 0; selp.b32 %r1, %r9, 1, %p1;",
        "cvt.s32.s16 %r1, %rs1;", "lop3.b32 %r1, %r0, %r9, %r0, 0x96;",
        "setp.eq.u32 %p1, %r9, 0; selp.b32 %r1, 1, 2, %p1;",
        "mov.b64 %rd1, {%r0, %r9}; shr.u64 %rd1, %rd1, 20; cvt.u32.u64 %r1, "
        "%rd1;",
        // A byte that nothing gives, or chosen by one; a sign.
        "bfi.b32 %r1, %r0, %r9, 0, 24;", "bfi.b32 %r1, %r9, %r0, 8, 8;",
        "bfi.b32 %r1, %r0, %r9, 8, 24; add.u32 %r1, %r1, 1;",
        "bfi.b32 %r1, %r0, %r0, %r9, 8;", "prmt.b32 %r1, %r0, %r9, 0x3214;",
        "prmt.b32 %r1, %r9, %r0, 0x7650;", "prmt.b32 %r1, %r0, %r0, %r9;",
        "mov.u32 %r2, 0x3214; prmt.b32 %r1, %r0, %r9, %r2;",
        "bfi.b32 %r2, %r0, %r9, 0, 24; bfe.u32 %r1, %r2, 20, 8;",
        "bfi.b32 %r2, %r0, %r9, 0, 24; bfe.s32 %r1, %r2, 16, 16;",
        "bfi.b32 %r2, %r0, %r9, 0, 24; bfe.s32 %r1, %r2, 40, 1;",
        "bfe.u32 %r1, %r0, %r9, 8;", "prmt.b32 %r1, %r0, %r9, 0x321c;",
        "prmt.b32.b4e %r1, %r0, %r9, 1;",
        "mov.u32 %r2, 16; lop3.b32 %r1, %r2, %r9, 0xf, 0xea;",
        // Wider than the result.
        "mov.b64 %rd1, {%r0, %r9}; popc.b64 %r1, %rd1;",
        "mov.b64 %rd1, {%r0, %r9}; cvt.rn.f32.s64 %f1, %rd1; "
        "mov.b32 %r1, %f1;",
        "mov.b64 %rd1, {%r0, %r9}; cvt.sat.u32.s64 %r1, %rd1;",
        "and.b32 %r2, %r9, -2; setp.eq.s32 %p1, %r2, 0; "
        "selp.b32 %r1, 1, 2, %p1;",
        "mov.u16 %rs1, 1; mov.b32 %r2, {%rs1, %rs2}; mov.b32 %f1, %r2; "
        "cvt.rn.f16.f32 %rs3, %f1; cvt.u32.u16 %r1, %rs3;",
        "mov.u16 %rs1, 1; mov.b32 %r2, {%rs1, %rs2}; "
        "add.f16x2 %r2, %r2, %r2; shr.u32 %r1, %r2, 16;",
        "mov.b64 %rd1, {%r0, %r9}; add.f32x2 %rd1, %rd1, %rd1; "
        "shr.u64 %rd1, %rd1, 32; cvt.u32.u64 %r1, %rd1;"})
    EXPECT_TRUE(isFound(body)) << body;
  for (const char *body :
       {"mov.u32 %r1, 1;",
        "and.b32 %r1, %r9, 0;",
        "or.b32 %r1, %r9, -1;",
        "shl.b32 %r1, %r9, 32;",
        "shr.u32 %r1, %r9, 40;",
        "setp.eq.u32 %p1, %r0, 0; selp.b32 %r1, 1, %r9, %p1;",
        "mov.u16 %rs1, 1; mov.b32 %r2, {%rs1, %rs2}; and.b32 %r1, %r2, 0xffff;",
        "mov.u16 %rs1, 1; mov.b32 %r2, {%rs1, %rs2}; "
        "mov.b32 {%rs3, %rs4}, %r2; cvt.u32.u16 %r1, %rs3;",
        "mov.u16 %rs1, 1; mov.b32 %r2, {%rs1, %rs2}; add.f16x2 %r2, %r2, %r2; "
        "and.b32 %r1, %r2, 0xffff;",
        "mov.b64 %rd1, {%r0, %r9}; cvt.u32.u64 %r1, %rd1;",
        "mov.b64 %rd1, {%r0, %r9}; fma.rn.f32x2 %rd1, %rd1, %rd1, %rd1; "
        "cvt.u32.u64 %r1, %rd1;",
        "mov.u16 %rs1, 1; mov.b32 %r2, {%rs1, %rs2}; cvt.rn.f32.u8 %f1, %r2; "
        "mov.b32 %r1, %f1;",
        "bfi.b32 %r1, %r0, %r9, 0, 8; bfi.b32 %r1, %r0, %r1, 8, 8; "
        "bfi.b32 %r1, %r0, %r1, 16, 16;",
        "bfi.b64 %rd1, %rd0, %rd9, 0, 64; cvt.u32.u64 %r1, %rd1;",
        "bfi.b32 %r1, %r9, %r0, 32, 8;",
        "bfi.b32 %r1, %r9, %r0, 8, 0;",
        "bfi.b32 %r2, %r0, %r9, 0, 24; bfe.u32 %r1, %r2, 8, 16;",
        "bfi.b32 %r2, %r0, %r9, 0, 24; bfe.s32 %r1, %r2, 16, 8;",
        "bfe.u32 %r1, %r9, 32, 8;",
        "bfe.s32 %r1, %r9, 4, 0;",
        "mov.u32 %r2, 0x3210; prmt.b32 %r1, %r0, %r9, %r2;",
        "prmt.b32 %r1, %r0, %r9, 0x3210;",
        "prmt.b32 %r1, %r9, %r0, 0x7654;",
        "prmt.b32 %r2, %r0, %r9, 0x7650; prmt.b32 %r1, %r2, %r0, 0x4440;",
        "xor.b32 %r1, %r9, %r9;",
        "lop3.b32 %r1, %r0, %r9, %r9, 0xf0;",
        "lop3.b32 %r1, %r9, 0, %r0, 0xea;",
        "mov.u16 %rs1, 1; mov.b32 %r1, {%rs1, %rs2}; "
        "st.global.u16 [%rd0], %r1; mov.u32 %r1, 0;",
        "mov.u32 %r1, %r9; mov.u32 %r1, 4;",
        "ld.global.u32 %r1, [%rd0];"})
    EXPECT_FALSE(isFound(body)) << body;
}

TEST_F(PTXThreadTest, CopiesRegistersWithoutValue) {
  // To local memory, and to lanes that don't use them.
  Words out(1);
  EXPECT_EQ(count(run(R"(.local .b32 copy[2]; st.local.u32 [copy], %r9;
    mov.u32 %r8, 0xffffffff; shfl.sync.idx.b32 %r1, %r9, 0, 31, 1;)",
                      out),
                  FindingKind::UnwrittenRead),
            0u);
}

TEST_F(PTXThreadTest, StoresRegistersWithoutValue) {
  // Shared memory knows which bytes have a value, and a read of others is
  // found.
  Words out(1);
  auto countFindings = [&](std::string body, uint32_t threads = 1) {
    PTXLaunch launch;
    launch.threads = threads;
    RunResult result = run(".shared .align 8 .b8 s[8]; " + body, out, launch);
    EXPECT_TRUE(result.error.empty()) << body << result.error;
    EXPECT_EQ(result.findings.size(),
              count(result, FindingKind::UnwrittenRead) != 0)
        << describe(result);
    return count(result, FindingKind::UnwrittenRead);
  };
  EXPECT_EQ(countFindings("st.shared.u32 [s], %r9;"), 0u);
  EXPECT_EQ(countFindings("st.shared.u32 [s], %r9; st.shared.u32 [s], %r0; "
                          "ld.shared.u32 %r1, [s];"),
            0u);
  EXPECT_EQ(countFindings("st.shared.u32 [s], %r9; ld.shared.u32 %r1, [s];"),
            1u);
  // Half of a word, and one of two words.
  for (auto [half, found] : {std::pair("s", 0u), {"s+2", 1u}})
    EXPECT_EQ(countFindings("mov.u16 %rs1, 1; mov.b32 %r1, {%rs1, %rs2}; "
                            "st.shared.u32 [s], %r1; ld.shared.u16 %rs3, [" +
                            std::string(half) + "];"),
              found);
  for (auto [word, found] : {std::pair("s", 1u), {"s+4", 0u}})
    EXPECT_EQ(countFindings("st.shared.v2.u32 [s], {%r9, %r0}; "
                            "ld.shared.u32 %r1, [" +
                            std::string(word) + "];"),
              found);
  // Another thread reads it.
  EXPECT_EQ(countFindings("setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [s], "
                          "%r9; bar.sync 0; @!%p1 ld.shared.u32 %r1, [s];",
                          2),
            1u);
  // Others read what a release publishes.
  EXPECT_EQ(countFindings("st.release.cta.shared.u32 [s], %r9;"), 1u);
}

TEST_F(PTXThreadTest, NamesTheLine) {
  Words out(1);
  RunResult result = run(".loc 1 14 3\nst.global.u32 [%rd0+4], 1;", out, {},
                         ".file 1 \"saxpy.mlir\"");
  ASSERT_EQ(result.findings.size(), 1u) << result.error;
  EXPECT_NE(describe(result).find("k.ptx:11:1 (saxpy.mlir:14:3)"),
            std::string::npos)
      << describe(result);
}

TEST_F(PTXThreadTest, Refuses) {
  EXPECT_NE(refuse("alloca.u32 %r1, 4;")
                .find("doesn't know this instruction: 'alloca.u32'"),
            std::string::npos)
      << messages;
  EXPECT_NE(
      refuse("ld.param.u64 %rd1, [out+4];")
          .find("expected an access inside the 8 bytes of the parameter, got 8 "
                "bytes at 4"),
      std::string::npos)
      << messages;
  EXPECT_NE(refuse("call again;", R"(.func again() { call again; ret; })")
                .find("doesn't know recursion"),
            std::string::npos)
      << messages;
  EXPECT_NE(refuse("call f;", ".func g(); .func f() { call g; ret; } "
                              ".func g() { call f; ret; }")
                .find("got 'f' that may call itself"),
            std::string::npos)
      << messages;
  EXPECT_NE(refuse("call f;", ".func g() { .local .b8 l[400000]; st.local.u8 "
                              "[l], 0; ret; } .func f() { .local .b8 "
                              "l[200000]; st.local.u8 [l], 0; call g; ret; }")
                .find("expected at most 524288 bytes of local memory in 'f' "
                      "and what it calls, got 600000"),
            std::string::npos)
      << messages;
  EXPECT_NE(refuse("mov.u64 %rd1, g; mov.u64 %rd1, h;",
                   ".global .b8 g[4294967296]; .global .b8 h;")
                .find("expected at most 4294967296 bytes of global variables, "
                      "got 4294967297 up to 'h'"),
            std::string::npos)
      << messages;
  EXPECT_NE(refuse("call other;", ".extern .func other();")
                .find("expected a function that the text defines"),
            std::string::npos)
      << messages;
  EXPECT_NE(refuse("mov.u64 %rd1, %gridid;").find("doesn't know the register"),
            std::string::npos)
      << messages;
}

/// f0 returns; each other function calls the one before it this often.
static std::string makeCalls(unsigned functions, unsigned calls) {
  std::string text = ".func f0() { ret; }";
  for (unsigned i = 1; i < functions; ++i) {
    text += ".func f" + std::to_string(i) + "() {";
    for (unsigned call = 0; call < calls; ++call)
      text += " call f" + std::to_string(i - 1) + ";";
    text += " ret; }";
  }
  return text;
}

TEST_F(PTXThreadTest, CallsAreSteps) {
  // 2^40 calls, of few functions.
  Words out(1);
  PTXLaunch launch;
  launch.options.stepLimit = 5000;
  RunResult result = run("call f40;", out, launch, makeCalls(41, 2));
  EXPECT_EQ(count(result, FindingKind::StepLimit), 1u)
      << result.error << describe(result);
}

TEST_F(PTXThreadTest, TakesDeepAndWideTexts) {
  Words out(1);
  EXPECT_TRUE(run("call f4999;", out, {}, makeCalls(5000, 1)).isClean());
  std::string labels;
  for (unsigned i = 0; i < 5000; ++i)
    labels += "bra l" + std::to_string(i) + "; l" + std::to_string(i) + ": ";
  EXPECT_TRUE(run(labels, out).isClean());
  // Zeros that no thread touches take no memory.
  out = get("ld.global.u32 %r1, [g+4294967280]; ld.global.u8 %r2, [g+1]; "
            "add.u32 %r1, %r1, %r2; st.global.u32 [%rd0], %r1;",
            1, {}, ".global .b8 g[4294967284] = {1, 2};");
  EXPECT_EQ(out, Words(1, 2u));
}

TEST_F(PTXThreadTest, ChecksParameters) {
  const char *text = ".version 9.0\n.target sm_90a\n.address_size 64\n"
                     ".entry k(.param .u64 x, .param .u32 n) { ret; }";
  EXPECT_TRUE(compilePTX(text, "%x: memref<4xf32>, %n: i32")) << messages;
  EXPECT_FALSE(compilePTX(text, "%x: memref<4xf32>"));
  EXPECT_NE(messages.find("expected 1 parameters of 'k' for its arguments, got "
                          "2"),
            std::string::npos)
      << messages;
  messages.clear();
  EXPECT_FALSE(compilePTX(text, "%x: memref<?xf32>"));
  EXPECT_NE(messages.find("expected 8 bytes of parameter 'n'"),
            std::string::npos)
      << messages;
}

} // namespace
