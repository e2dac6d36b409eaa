//===- PTXParametersTest.cpp - parameters of kernels of PTX ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs and their padding, arguments that aren't passed, addresses of
// parameters, and initial values that are addresses.
//
//===----------------------------------------------------------------------===//

#include "PTXTesting.h"

#include "carousel/PTX/Parser.h"

using namespace carousel::sim;

namespace {

class PTXParametersTest : public PTXTest {
protected:
  /// Runs `k`, whose parameters hold the arguments x (memory of 4 words), n and
  /// b as `members` says, and returns the memory.
  std::vector<uint32_t> pass(llvm::StringRef text,
                             const PTXParameters &members) {
    carousel::ptx::Diagnostic error;
    auto code = carousel::ptx::parse(
        (".version 9.0\n.target sm_90a\n.address_size 64\n" + text).str(),
        error);
    EXPECT_TRUE(code) << error.message;
    auto module = parse("gpu.module @m { gpu.func @k(%x: memref<4xi32>, %n: "
                        "i32, %b: i8) kernel { gpu.return } }");
    auto kernel =
        CompiledKernel::compilePTX(*module, "k", *code, "k.ptx", members);
    if (mlir::failed(kernel))
      return {};
    std::vector<uint32_t> memory(4);
    std::vector<Argument> arguments = {makeMemRef(memory)};
    for (uint64_t bits : {7, 3}) {
      Argument number;
      number.bits = bits;
      arguments.push_back(number);
    }
    RunOptions options;
    options.grid = options.block = {1, 1, 1};
    RunResult result = (*kernel)->run(arguments, options);
    EXPECT_TRUE(result.isClean()) << result.error << describe(result);
    return memory;
  }
};

TEST_F(PTXParametersTest, AreStructs) {
  // The byte comes first, then padding, the pointer and the number.
  const char *text = R"(.entry k(.param .align 8 .b8 p[24]) {
    .reg .b32 %r<3>; .reg .b64 %rd;
    ld.param.u8 %r0, [p]; ld.param.u64 %rd, [p+8]; ld.param.u32 %r1, [p+16];
    ld.param.u32 %r2, [p+20];
    st.global.v2.u32 [%rd], {%r0, %r1}; st.global.u32 [%rd+8], %r2; ret; })";
  EXPECT_EQ(pass(text, {{2, 0, 1}}), std::vector<uint32_t>({3, 7, 0, 0}));
  // In another order it has other bytes; without the byte it still fits.
  EXPECT_TRUE(pass(text, {{0, 1}}).empty());
  EXPECT_NE(messages.find("expected 16 bytes of parameter 'p'"),
            std::string::npos)
      << messages;
  messages.clear();
  EXPECT_TRUE(pass(text, {{2, 0, 1}, {}}).empty());
  EXPECT_NE(messages.find("expected 2 parameters of 'k'"), std::string::npos)
      << messages;
}

TEST_F(PTXParametersTest, MayBeMissing) {
  // n isn't passed, and a struct without members has a byte.
  EXPECT_EQ(pass(R"(.entry k(.param .b8 nothing[1], .param .u64 x,
                             .param .u8 b) {
    .reg .b32 %r; .reg .b64 %rd;
    ld.param.u64 %rd, [x]; ld.param.u8 %r, [b]; st.global.u32 [%rd], %r;
    ret; })",
                 {{}, {0}, {2}}),
            std::vector<uint32_t>({3, 0, 0, 0}));
}

TEST_F(PTXParametersTest, HaveAddresses) {
  // In the window of parameters, and generic ones; also of 32 bits.
  const char *text = R"(.entry k(.param .u64 x, .param .u32 n, .param .u8 b) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [x];
    mov.b64 %rd1, n; ld.param.u32 %r0, [%rd1];
    cvta.param.u64 %rd1, %rd1; ld.u32 %r1, [%rd1];
    mov.b32 %r2, b; cvt.u64.u32 %rd2, %r2; cvta.param.u64 %rd2, %rd2;
    ld.u8 %r2, [%rd2];
    st.global.v2.u32 [%rd0], {%r0, %r1}; st.global.u32 [%rd0+8], %r2; ret; })";
  EXPECT_EQ(pass(text, {{0}, {1}, {2}}), std::vector<uint32_t>({7, 7, 3, 0}));
}

TEST_F(PTXParametersTest, HaveGenericAddresses) {
  // Convert the address of the symbol itself, and back into the window.
  const char *text = R"(.entry k(.param .u64 x, .param .u32 n, .param .u8 b) {
    .reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .pred %p<5>;
    ld.param.u64 %rd0, [x];
    cvta.param.u64 %rd1, n; ld.u32 %r0, [%rd1];
    cvta.to.param.u64 %rd2, %rd1; ld.param.u32 %r1, [%rd2];
    isspacep.param %p0, %rd1; isspacep.global %p1, %rd1;
    isspacep.local %p2, %rd1; isspacep.param %p3, %rd0;
    selp.u32 %r2, 1, 0, %p0; selp.u32 %r3, 2, 0, %p1; or.b32 %r2, %r2, %r3;
    selp.u32 %r3, 4, 0, %p2; or.b32 %r2, %r2, %r3;
    selp.u32 %r3, 8, 0, %p3; or.b32 %r2, %r2, %r3;
    mov.b64 %rd3, b; cvta.param.u64 %rd3, %rd3; ld.u8 %r4, [%rd3];
    st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %r4}; ret; })";
  EXPECT_EQ(pass(text, {{0}, {1}, {2}}), std::vector<uint32_t>({7, 7, 3, 3}));
  std::vector<uint32_t> out(1);
  RunResult result = run("cvta.to.param.u64 %rd1, %rd0; "
                         "ld.param.u32 %r1, [%rd1];",
                         out);
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << describe(result);
  run(".param .b32 p; st.param.b32 [p], 1; call f, (p);", out, {},
      ".func f(.param .b32 s) { .reg .b64 %rd; cvta.param.u64 %rd, s; ret; }");
  EXPECT_NE(messages.find("expected cvta of parameters in a kernel, got it in "
                          "the function 'f'"),
            std::string::npos)
      << messages;
}

TEST_F(PTXParametersTest, OfFunctionsAreLocal) {
  // The function's own variable surrounds the address of any window.
  const char *before = R"(
    .func (.param .b32 y) pick(.param .align 8 .b8 s[16], .param .b32 i) {
      .local .align 8 .b8 depot[2048]; .reg .b32 %r<4>; .reg .b64 %rd<4>;
      mov.u32 %r0, 0; fill: cvt.u64.u32 %rd0, %r0; mov.b64 %rd1, depot;
      add.s64 %rd1, %rd1, %rd0; st.local.u32 [%rd1], 77;
      add.u32 %r0, %r0, 4; .reg .pred %p; setp.lt.u32 %p, %r0, 2048;
      @%p bra fill;
      ld.param.u32 %r1, [i]; mul.wide.u32 %rd2, %r1, 4; mov.b64 %rd3, s;
      add.s64 %rd2, %rd3, %rd2; ld.local.u32 %r2, [%rd2];
      st.local.u32 [%rd2], 1; cvta.local.u64 %rd2, %rd2; ld.u32 %r3, [%rd2];
      add.u32 %r2, %r2, %r3; st.param.b32 [y], %r2; ret; })";
  EXPECT_EQ(get(R"(
    .local .b32 own; st.local.u32 [own], 5;
    .param .align 8 .b8 p[16]; .param .b32 i; .param .b32 q;
    st.param.b64 [p], 3; st.param.b32 [p+8], 9; st.param.b32 [p+12], 4;
    st.param.b32 [i], 2; call (q), pick, (p, i); ld.param.b32 %r1, [q];
    ld.local.u32 %r2, [own]; ld.param.b32 %r3, [p+8];
    st.global.v2.u32 [%rd0], {%r1, %r2}; st.global.u32 [%rd0+8], %r3;)",
                3, {}, before),
            std::vector<uint32_t>({10, 5, 9}));
}

TEST_F(PTXParametersTest, OfCallsHaveNoAddress) {
  std::vector<uint32_t> out(1);
  for (auto [body, before] :
       {std::pair(".param .b32 p; mov.b64 %rd1, p;", ""),
        std::pair(".param .b32 p; call (p), f;",
                  ".func (.param .b32 p) f() { .reg .b64 %rd; mov.b64 %rd, p; "
                  "ret; }")}) {
    messages.clear();
    run(body, out, {}, before);
    EXPECT_NE(messages.find("expected the address of a parameter that the "
                            "caller gives, got that of 'p'"),
              std::string::npos)
        << messages;
  }
}

TEST_F(PTXParametersTest, HaveSizesOfADevice) {
  std::vector<uint32_t> out(1);
  auto isRefused = [&](llvm::StringRef body, llvm::StringRef before,
                       llvm::StringRef expected) {
    messages.clear();
    RunResult result = run(body, out, {}, before);
    EXPECT_NE(messages.find(expected.str()), std::string::npos)
        << messages << result.error;
  };
  isRefused(".param .b8 p[18000000]; st.param.b64 [p], 1; call f, (p);",
            ".func f(.param .b8 s[18000000]) { ret; }",
            "expected at most 524288 bytes of");
  isRefused(".param .b8 p[18000000];", "",
            "expected at most 524288 bytes of a parameter of calls, got "
            "18000000");
  isRefused(".param .b8 p[16]; .param .b8 q[524288]; call f, (p, q);",
            ".func f(.param .b8 s[16], .param .b8 t[524288]) { ret; }",
            "expected at most 524288 bytes of parameters of 'f', got 524304");
  // Many of them: the host's stack must hold them all.
  std::string many = ".reg .b64 %own;";
  for (int i = 0; i < 40; ++i) {
    std::string name = "p" + std::to_string(i);
    many += ".param .b8 " + name + "[524288]; st.param.b64 [" + name + "], 1;";
  }
  isRefused(many, "", "expected the frames of a thread to fit 16777216 bytes");
  // A kernel's.
  messages.clear();
  EXPECT_FALSE(compilePTX(".version 9.0\n.target sm_90a\n.address_size 64\n"
                          ".entry k(.param .b8 s[40000]) { ret; }",
                          "%x: memref<4xf32>"));
  EXPECT_NE(messages.find("expected at most 32764 bytes of parameters of 'k', "
                          "got 40000"),
            std::string::npos)
      << messages;
}

TEST_F(PTXParametersTest, HaveBounds) {
  std::vector<uint32_t> out(1);
  RunResult result = run("mov.b64 %rd1, out; ld.param.u32 %r1, [%rd1+8];", out);
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << describe(result);
  result = run("mov.b64 %rd1, out; cvta.param.u64 %rd1, %rd1; "
               "ld.u32 %r1, [%rd1+4096];",
               out);
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << describe(result);
  result = run("mov.b64 %rd1, out; cvta.param.u64 %rd1, %rd1; "
               "st.u32 [%rd1], 1;",
               out);
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << describe(result);
}

TEST_F(PTXParametersTest, InitialValuesAreAddresses) {
  const char *before = R"(
    .global .u32 numbers[4] = {1, 2, 3, 4};
    .func (.param .b32 y) twice(.param .b32 x) {
      .reg .b32 %r; ld.param.u32 %r, [x]; add.u32 %r, %r, %r;
      st.param.u32 [y], %r; ret; }
    .const .u64 table[2] = {generic(numbers)+8, twice};
    .global .u64 outer = generic(table);)";
  EXPECT_EQ(get(R"(
    .param .b32 p; .param .b32 q;
    ld.global.u64 %rd1, [outer]; ld.u64 %rd2, [%rd1]; ld.u64 %rd3, [%rd1+8];
    ld.u32 %r1, [%rd2]; st.param.u32 [p], %r1;
    prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q), %rd3, (p), prototype;
    ld.param.u32 %r1, [q]; st.global.u32 [%rd0], %r1;)",
                1, {}, before),
            std::vector<uint32_t>({6}));
  std::vector<uint32_t> out(1);
  for (const char *text : {".shared .u32 s; .global .u64 p = s;",
                           ".global .u8 p[8] = {0xff(p)};"}) {
    messages.clear();
    run("ld.global.u8 %rs1, [p];", out, {}, text);
    EXPECT_NE(messages.find("initial values"), std::string::npos)
        << text << messages;
  }
}

} // namespace
