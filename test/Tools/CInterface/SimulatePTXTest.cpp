//===- SimulatePTXTest.cpp - PTX through the C interface ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulateFixture.h"

namespace {

constexpr const char *kDoublePTX = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry twice(.param .align 8 .b8 p[16]) {
  .reg .b32 %r; .reg .b64 %rd<4>; .reg .f32 %f;
  ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [p+8]; mov.u32 %r, %tid.x;
  mul.wide.u32 %rd2, %r, 4; add.s64 %rd0, %rd0, %rd2; add.s64 %rd1, %rd1, %rd2;
  ld.global.f32 %f, [%rd0]; add.f32 %f, %f, %f; st.global.f32 [%rd1], %f;
  ret;
})";

TEST_F(SimulateSourceTest, RunsPTX) {
  options.parameters = "p: {x: memref<32xf32>, y: memref<32xf32>}";
  options.grid[0] = options.grid[1] = options.grid[2] = 1;
  options.block[0] = 32, options.block[1] = options.block[2] = 1;
  Result result = simulate(kDoublePTX);
  ASSERT_TRUE(carousel_compiler_result_succeeded(result.get()));
  EXPECT_EQ(carousel_compiler_result_finding_count(result.get()), 0u);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(y[i], 2.0f * float(i + 1));
  // A finding is at a line of the text.
  std::string text = kDoublePTX;
  text.replace(text.find("[%rd1], %f"), 10, "[%rd1+4], %f");
  result = simulate(text);
  ASSERT_EQ(carousel_compiler_result_finding_count(result.get()), 1u);
  EXPECT_NE(std::string(getFinding(result).text).find(":8:"), std::string::npos)
      << getFinding(result).text;
}

TEST_F(SimulateSourceTest, DescribesPTXByMLIR) {
  std::string text = kDoublePTX;
  text.replace(text.find(".param .align 8 .b8 p[16]"), 25,
               ".param .u64 p, .param .u64 q");
  text.replace(text.find("[p+8]"), 5, "[q]");
  carousel_compiler_source code = {"twice.ptx", text.data(), text.size()};
  options.ptx = &code;
  simulate(R"(gpu.module @m {
    gpu.func @twice(
        %x: memref<32xf32> {carousel.argument = #carousel.argument<"x">},
        %y: memref<32xf32> {carousel.argument = #carousel.argument<"y">})
        kernel attributes {
          carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
      gpu.return
    } })");
  EXPECT_EQ(y[31], 64.0f);
}

TEST_F(SimulateSourceTest, KnowsThatCTAsOfPTXAreCoresident) {
  // CTA 0 waits for CTA 1.
  const char *text = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y) {
  .reg .b32 %r; .reg .b64 %rd; .reg .pred %p;
  ld.param.u64 %rd, [y]; mov.u32 %r, %ctaid.x; setp.eq.u32 %p, %r, 0;
  @!%p st.release.gpu.global.u32 [%rd], 1; @!%p ret;
l: ld.acquire.gpu.global.u32 %r, [%rd]; setp.eq.u32 %p, %r, 0; @%p bra l;
  ret;
})";
  options.parameters = "x: memref<32xf32>, y: memref<32xf32>";
  options.grid[0] = 2, options.grid[1] = options.grid[2] = 1;
  for (uint32_t &extent : options.block)
    extent = 1;
  const char *policy = "one-cta";
  options.policies = &policy;
  options.policy_count = 1;
  arguments[1].contents = CAROUSEL_HOST_WRITTEN;
  std::fill(y.begin(), y.end(), 0.0f);
  for (int32_t coresident : {0, 1}) {
    options.coresident = coresident;
    Result result = simulate(text);
    ASSERT_TRUE(carousel_compiler_result_succeeded(result.get()));
    EXPECT_EQ(carousel_compiler_result_finding_count(result.get()),
              coresident ? 0u : 1u);
  }
}

TEST_F(SimulateSourceTest, RefusesPTX) {
  options.parameters = "p: {x: memref<32xf32>, y: memref<32xf32>}";
  std::string text = kDoublePTX;
  text.replace(text.find("add.f32"), 7, "add.f33");
  Result result = simulate(text);
  EXPECT_FALSE(carousel_compiler_result_succeeded(result.get()));
  EXPECT_EQ(carousel_compiler_result_diagnostic_count(result.get()), 1u);
  options.pipeline = "builtin.module(cse)";
  EXPECT_EQ(refuse(kDoublePTX), "options: expected PTX without a program and "
                                "without a pipeline");
  options.pipeline = nullptr;
  options.bank_conflicts = 1;
  EXPECT_EQ(refuse(kDoublePTX), "options: expected PTX without bank_conflicts, "
                                "since its accesses aren't counted");
  options.bank_conflicts = 0;
  options.parameters = "p: {x: memref<32xf32>";
  EXPECT_EQ(refuse(kDoublePTX), "parameters: expected parameters as NAME: "
                                "TYPE, ..., got 'p: {x: memref<32xf32>'");
  carousel_compiler_source code = {"twice.ptx", text.data(), text.size()};
  options.ptx = &code;
  EXPECT_EQ(refuse(kDoublePTX),
            "options: expected ptx or parameters, got both");
  options.parameters = nullptr;
  options.starts_in_order = 1;
  EXPECT_EQ(refuse(), "options: expected starts_in_order with parameters");
  options.starts_in_order = 0;
  options.coresident = 1;
  EXPECT_EQ(refuse(), "options: expected coresident with parameters");
}

} // namespace
