//===- PTXInlineTest.cpp - inline values and those of the library ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that the code of InlineValues.cpp computes the values of
// carousel/PTX/Values.h, for all triples of special operands and of some that
// are drawn.
//
//===----------------------------------------------------------------------===//

#include "PTXTesting.h"

#include "carousel/PTX/Parser.h"
#include "carousel/PTX/Values.h"

#include <random>

using namespace carousel;
using namespace carousel::sim;

namespace {

constexpr uint32_t kThreads = 1024;

/// `%r1`, `%r2` and `%r3` are operands, and `%r4` is the result.
constexpr const char *kInstructions[] = {"add.f32 %r4, %r1, %r2",
                                         "sub.rn.f32 %r4, %r1, %r2",
                                         "mul.rn.f32 %r4, %r1, %r2",
                                         "fma.rn.f32 %r4, %r1, %r2, %r3",
                                         "min.f32 %r4, %r1, %r2",
                                         "max.f32 %r4, %r1, %r2",
                                         "neg.f32 %r4, %r1",
                                         "abs.f32 %r4, %r1",
                                         "cvt.rn.bf16x2.f32 %r4, %r1, %r2",
                                         "add.s32 %r4, %r1, %r2",
                                         "sub.u32 %r4, %r1, %r2",
                                         "mul.lo.s32 %r4, %r1, %r2",
                                         "mul.hi.s32 %r4, %r1, %r2",
                                         "mul.hi.u32 %r4, %r1, %r2",
                                         "mad.lo.u32 %r4, %r1, %r2, %r3",
                                         "min.s32 %r4, %r1, %r2",
                                         "max.u32 %r4, %r1, %r2",
                                         "and.b32 %r4, %r1, %r2",
                                         "or.b32 %r4, %r1, %r2",
                                         "xor.b32 %r4, %r1, %r2",
                                         "not.b32 %r4, %r1",
                                         "shl.b32 %r4, %r1, %r2",
                                         "shr.s32 %r4, %r1, %r2",
                                         "shr.u32 %r4, %r1, %r2",
                                         "cvt.s32.s8 %r4, %r1",
                                         "cvt.u32.u16 %r4, %r1"};

/// The same with a predicate as the result.
constexpr const char *kComparisons[] = {
    "setp.lt.f32", "setp.gtu.f32", "setp.neu.f32", "setp.num.f32",
    "setp.eq.f32", "setp.nan.f32", "setp.le.s32",  "setp.hi.u32",
    "setp.ge.s32", "setp.ne.b32"};

std::vector<uint32_t> drawOperands() {
  constexpr uint32_t kSpecial[] = {
      0,          1,          0x80000000, 0x7fffffff,
      0xffffffff, 0x3f800000, 0xbf800001, 0x7f800000,
      0xff800000, 0x7fc00001, 0x7f800001, 0x00000001 << 22,
      0x807fffff, 0x00800000, 31,         32};
  std::mt19937 random(7);
  std::vector<uint32_t> words(4 * kThreads);
  for (uint32_t thread = 0; thread < kThreads; ++thread)
    for (uint32_t operand = 0; operand < 3; ++operand) {
      uint32_t &word = words[operand * kThreads + thread];
      uint32_t special = kSpecial[random() % std::size(kSpecial)];
      word = random() % 4 == 0 ? random() : special;
    }
  // All pairs.
  for (uint32_t thread = 0; thread < 256; ++thread) {
    words[thread] = kSpecial[thread % 16];
    words[kThreads + thread] = kSpecial[thread / 16];
  }
  return words;
}

class PTXInlineTest : public PTXTest {
protected:
  /// Results of the machine; `after` makes %r4 of something else.
  std::vector<uint32_t> compute(const std::string &instruction,
                                const std::string &after,
                                std::vector<uint32_t> words) {
    std::string body = R"(
      mad.wide.u32 %rd1, %r0, 4, %rd0;
      ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4096];
      ld.global.u32 %r3, [%rd1+8192];
      )" + instruction +
                       ";" + after + "st.global.u32 [%rd1+12288], %r4;";
    PTXLaunch launch;
    launch.threads = kThreads;
    RunResult result = run(body, words, launch);
    EXPECT_TRUE(result.isClean()) << result.error << describe(result);
    return {words.begin() + 3 * kThreads, words.end()};
  }

  void compare(const std::string &instruction, const std::string &after) {
    std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n"
                       ".entry k() { .reg .b32 %r<8>; .reg .pred %p<2>; " +
                       instruction + "; }";
    ptx::Diagnostic error;
    auto module = ptx::parse(text, error);
    ASSERT_TRUE(module) << instruction << error.message;
    const auto &parsed = std::get<ptx::Instruction>(
        module->getKernels().front()->body->statements.back().value);
    ptx::Evaluate evaluate = ptx::findValue(parsed);
    ASSERT_TRUE(evaluate) << instruction;
    std::vector<uint32_t> words = drawOperands();
    std::vector<uint32_t> got = compute(instruction, after, words);
    unsigned wrong = 0;
    for (uint32_t thread = 0; thread < kThreads && wrong < 3; ++thread) {
      uint64_t operands[] = {words[thread], words[kThreads + thread],
                             words[2 * kThreads + thread]};
      uint64_t want[2] = {};
      evaluate(operands, want);
      if (got[thread] != uint32_t(want[0])) {
        ++wrong;
        ADD_FAILURE() << instruction << std::hex << " of " << operands[0]
                      << ", " << operands[1] << ", " << operands[2] << ": got "
                      << got[thread] << ", want " << uint32_t(want[0]);
      }
    }
  }
};

TEST_F(PTXInlineTest, GivesWhatTheLibraryGives) {
  for (const char *instruction : kInstructions)
    compare(instruction, "");
  for (const char *comparison : kComparisons)
    compare(std::string(comparison) + " %p1, %r1, %r2",
            "selp.b32 %r4, 1, 0, %p1;");
}

} // namespace
