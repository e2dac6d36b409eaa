//===- CompileLogTest.cpp - parsed logs of compilers and linkers ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The logs are those of CUDA 13.0's NVRTC, ptxas and nvJitLink, verbatim.
//
//===----------------------------------------------------------------------===//

#include "Compile/CompileLog.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::runtime;

namespace {

using Lines = std::vector<std::string>;

Lines toLines(const CompileMessages &messages) {
  Lines lines;
  for (const CompileMessage &message : messages)
    lines.push_back(toString(message));
  return lines;
}

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

constexpr const char *kErrors =
    R"(saxpy.cu(2): error: identifier "y" is undefined
    int a = y;
            ^

saxpy.cu(3): error: identifier "z" is undefined
    z = 3;
    ^

saxpy.cu(4): error: expected an expression
    x[0] = ;
           ^

3 errors detected in the compilation of "saxpy.cu".
)";

TEST(CompileLog, Errors) {
  CompileMessages messages = parseLog(kErrors);
  EXPECT_EQ(toLines(messages),
            (Lines{"saxpy.cu:2: error: identifier \"y\" is undefined",
                   "saxpy.cu:3: error: identifier \"z\" is undefined",
                   "saxpy.cu:4: error: expected an expression"}));
  EXPECT_EQ(messages[0].source, "int a = y;");
  EXPECT_EQ(messages[1].source, "z = 3;");
  EXPECT_EQ(summarizeErrors(messages, kErrors),
            "saxpy.cu:2: identifier \"y\" is undefined; "
            "saxpy.cu:3: identifier \"z\" is undefined; "
            "saxpy.cu:4: expected an expression");
}

constexpr const char *kWarnings =
    R"(saxpy.cu(4): warning #549-D: variable "a" is used before its value is set
    x[0] = a; return; x[1]=2;
           ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

saxpy.cu(3): warning #177-D: variable "unused" was declared but never referenced
    int unused = 3;
        ^

)";

TEST(CompileLog, Warnings) {
  CompileMessages messages = parseLog(kWarnings);
  EXPECT_EQ(toLines(messages),
            (Lines{"saxpy.cu:4: warning: variable \"a\" is used before its "
                   "value is set [#549-D]",
                   "saxpy.cu:3: warning: variable \"unused\" was declared but "
                   "never referenced [#177-D]"}));
  // No error: the log itself.
  EXPECT_EQ(summarizeErrors(messages, "a\n b\n"), "a | b");
}

TEST(CompileLog, MoreText) {
  EXPECT_EQ(
      toLines(parseLog(
          R"log(saxpy.cu(1): error: expression must have class type but it has type "float"
  template <typename T> __device__ T f(T x) { return x.y; }
                                                     ^
          detected during instantiation of "T f(T) [with T=float]" at line 3

saxpy.cu(2): error: no instance of overloaded function "n::f" matches the argument list
            argument types are: (const char [2])
  extern "C" __global__ void k(float *x) { n::f("a"); }
                                           ^
saxpy.cu(1): note #3326-D: function "n::f(float)" does not match because argument #1 does not match parameter
  namespace n { void f(int); void f(float); }
                                  ^

2 errors detected in the compilation of "saxpy.cu".
)log")),
      (Lines{"saxpy.cu:1: error: expression must have class type but it has "
             "type \"float\" detected during instantiation of \"T f(T) [with "
             "T=float]\" at line 3",
             "saxpy.cu:2: error: no instance of overloaded function \"n::f\" "
             "matches the argument list argument types are: (const char [2])",
             "saxpy.cu:1: note: function \"n::f(float)\" does not match "
             "because argument #1 does not match parameter [#3326-D]"}));
}

TEST(CompileLog, Catastrophic) {
  EXPECT_EQ(
      toLines(parseLog(
          R"(saxpy.cu(1): error: static assertion failed with "ints are 5"
  static_assert(sizeof(int)==5, "ints are 5");
  ^

saxpy.cu(2): catastrophic error: #error directive: "stop here"
  #error "stop here"
   ^

 and 1 catastrophic error detected in the compilation of "saxpy.cu".
Compilation terminated.
)")),
      (Lines{"saxpy.cu:1: error: static assertion failed with \"ints are 5\"",
             "saxpy.cu:2: error: #error directive: \"stop here\""}));
}

TEST(CompileLog, NVRTCItself) {
  EXPECT_EQ(
      toLines(parseLog("nvrtc: error: unrecognized option --nonsense found")),
      (Lines{"error: unrecognized option --nonsense found"}));
}

TEST(CompileLog, FileNamesThatLookLikeMore) {
  constexpr const char *kLog =
      "we(1): error: ird.cu(2): error: identifier \"y\" is undefined\n";
  EXPECT_EQ(
      toLines(parseLog(kLog, {"we(1): error: ird.cu"})),
      (Lines{"we(1): error: ird.cu:2: error: identifier \"y\" is undefined"}));
  // A directory, as `#line` has it; parentheses that hold no number.
  EXPECT_EQ(toLines(parseLog("my (old) dir/saxpy.mlir(20): error: bad (2)\n")),
            (Lines{"my (old) dir/saxpy.mlir:20: error: bad (2)"}));
}

TEST(CompileLog, PTXAS) {
  CompileMessages messages = parseLog(
      R"(ptxas application ptx input, line 24; error   : Unknown modifier '.foo'
ptxas application ptx input, line 24; error   : Not a name of any known instruction: 'nonsense'
ptxas fatal   : Ptx assembly aborted due to errors
)");
  EXPECT_EQ(toLines(messages),
            (Lines{"PTX:24: error: Unknown modifier '.foo'",
                   "PTX:24: error: Not a name of any known instruction: "
                   "'nonsense'"}));
  EXPECT_EQ(toLines(parseLog("ptxas error   : Entry function 'k' uses too much "
                             "shared data (0x61a80 bytes, 0x38c00 max)\n")),
            (Lines{"error: Entry function 'k' uses too much shared data "
                   "(0x61a80 bytes, 0x38c00 max)"}));
  EXPECT_EQ(
      toLines(parseLog("ptxas fatal   : Unresolved extern function 'act'\n")),
      (Lines{"error: Unresolved extern function 'act'"}));
  // Alone it is all there is.
  EXPECT_EQ(
      toLines(parseLog("ptxas fatal   : Ptx assembly aborted due to errors\n")),
      (Lines{"error: Ptx assembly aborted due to errors"}));
  // Information isn't trouble.
  EXPECT_TRUE(
      parseLog("ptxas info    : Used 24 registers, used 0 barriers\n").empty());
}

TEST(CompileLog, NvJitLink) {
  EXPECT_EQ(
      toLines(parseLog(
          R"(error   : Multiple definition of 'k' in 'ltoPtx', first defined in 'act.cu'
error   : Undefined reference to 'activation' in 'act.cu'
ERROR 9: finish
)")),
      (Lines{"error: Multiple definition of 'k' in 'ltoPtx', first defined in "
             "'act.cu'",
             "error: Undefined reference to 'activation' in 'act.cu'"}));
  EXPECT_EQ(
      toLines(parseLog(
          "ERROR in nvvmCompileProgram: NVVM_ERROR_COMPILATION\nact.cu: link "
          "error: error: Linking globals named 'activation': symbol multiply "
          "defined!\n\n")),
      (Lines{"act.cu: error: Linking globals named 'activation': symbol "
             "multiply defined!"}));
  EXPECT_EQ(toLines(parseLog("ptxas k.ptx, line 4; fatal   : Parsing error "
                             "near 'nonsense': syntax error\n")),
            (Lines{"k.ptx:4: error: Parsing error near 'nonsense': syntax "
                   "error"}));
}

TEST(CompileLog, OddBytes) {
  EXPECT_TRUE(parseLog("").empty());
  EXPECT_TRUE(parseLog("(1): \n(99999999999): error: x\n((((").empty());
  EXPECT_EQ(toLines(parseLog("a.cu(2): error: one\x01two\r\n")),
            (Lines{"a.cu:2: error: one\\x01two"}));
}

TEST(CompileLog, RepeatedErrorsAreSaidOnce) {
  std::string log;
  for (int i = 1; i <= 50; ++i)
    log += fmt::format("k.cu({}): error: host variables are not allowed\n\n"
                       "k.cu({}): error: identifier \"q{}\" is undefined\n\n",
                       i, i, i);
  EXPECT_EQ(summarizeErrors(parseLog(log), log),
            "k.cu:1: host variables are not allowed; "
            "k.cu:1: identifier \"q1\" is undefined; "
            "k.cu:2: identifier \"q2\" is undefined; and 97 more errors");
  log = "k.cu(1): error: a\nk.cu(2): error: a\n";
  EXPECT_EQ(summarizeErrors(parseLog(log), log), "k.cu:1: a; and 1 more error");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

TEST(FunctionLines, Definitions) {
  constexpr const char *kText = R"text(// void comment() {
#include <x.h>
#define MACRO(x) { x
__device__ float table[] = {1, 2};
extern "C" __device__ float declared(float);
template <typename T>
__device__ T helper(T x) {
  return x;
}
extern "C" __global__ void
__launch_bounds__(128, 1) __cluster_dims__(2, 1, 1)
saxpy(const __grid_constant__ CUtensorMap map, float *x) {
  const char *text = "} not the end";
  char c = '}';
  int n = 1'000'000; /* } */
  // }
  auto raw = R"x(} )" })x";
  if (n) {
    x[0] = 1;
  }
}
int after;
namespace a { extern "C" {
__global__ void inner() { }
} }
struct S {
  __device__ void method() {
  }
};
)text";
  FunctionLines lines(kText, "k.cu");
  auto expect = [&](unsigned first, unsigned last, const std::string &name) {
    for (unsigned i = first; i <= last; ++i)
      EXPECT_EQ(lines.find("k.cu", i), name) << i;
  };
  expect(1, 5, "");
  expect(6, 9, "helper");
  expect(10, 21, "saxpy");
  expect(22, 23, "");
  expect(24, 24, "inner");
  expect(25, 26, "");
  expect(27, 28, "method");
  expect(29, 40, "");
  EXPECT_EQ(lines.find("other.cu", 12), "");
}

TEST(FunctionLines, LineDirectives) {
  constexpr const char *kText = R"(#line 3 "q.mlir"
__global__ void a() {}
__global__ void b() {
#line 30
  here();
# 14 "dir/sp\"ace.mlir" 1
  there();
#pragma unroll
  again();
}
#line 30 "q.mlir"
__global__ void c() {}
)";
  FunctionLines lines(kText, "k.cu");
  EXPECT_EQ(lines.find("q.mlir", 2), "");
  EXPECT_EQ(lines.find("q.mlir", 3), "a");
  EXPECT_EQ(lines.find("q.mlir", 4), "b");
  EXPECT_EQ(lines.find("q.mlir", 5), "") << "the directive's own line";
  EXPECT_EQ(lines.find("q.mlir", 30), "b") << "the first of two";
  EXPECT_EQ(lines.find("dir/sp\"ace.mlir", 14), "b");
  EXPECT_EQ(lines.find("dir/sp\"ace.mlir", 16), "b");
  EXPECT_EQ(lines.find("k.cu", 2), "");
}

TEST(FunctionLines, BrokenText) {
  for (const char *text :
       {"", "{", "}}}}", "void f(", "void f() { \"", "R\"(", "/*",
        "#line 9999999999999 \"", "#line", "'", "f() { '\\"}) {
    FunctionLines lines(text, "k.cu");
    EXPECT_EQ(lines.find("k.cu", 1000), "") << text;
  }
}

TEST(CompileLog, NamesTheFunction) {
  CUDASource source = {"k.cu", "__global__ void saxpy() {\n  y;\n}\nz;\n"};
  CompileMessages messages =
      parseLog("k.cu(2): error: one\nk.cu(4): error: two\n"
               "k.cu(2): error: 'saxpy' has the name\nh.h(2): error: three\n");
  addFunctions(messages, source);
  EXPECT_EQ(
      toLines(messages),
      (Lines{"k.cu:2: error: one (in 'saxpy')", "k.cu:4: error: two",
             "k.cu:2: error: 'saxpy' has the name", "h.h:2: error: three"}));
}

TEST(CompileLog, TracesPTXToItsSource) {
  constexpr const char *kText = R"(.version 9.0
.visible .entry a(
	.param .u64 a_param_0
)
{
	.loc	1 3 0
	ret;
}
	// .globl	k
.visible .entry k(
)
{
	nonsense.first;
	.loc	1 30 3
	// begin inline asm
	nonsense.foo %r1;
	.loc	2 7 3
	nonsense.bar;
}
.func  (.param .b32 func_retval0) helper(
)
{
	nonsense.baz;
}
	.file	1 "/home/me/dir/saxpy.mlir"
	.file	2 "/abs/other.h"
)";
  CompileMessages messages;
  for (uint32_t line : {13, 16, 18, 23, 1000}) {
    messages.emplace_back();
    messages.back().file = kPTXText;
    messages.back().line = line;
    messages.back().text = "bad";
  }
  traceToSource(messages, kText, "/home/me");
  EXPECT_EQ(
      toLines(messages),
      (Lines{"PTX:13: error: bad (in 'k')",
             "dir/saxpy.mlir:30: error: bad (line 16 of the PTX) (in 'k')",
             "/abs/other.h:7: error: bad (line 18 of the PTX) (in 'k')",
             "PTX:23: error: bad (in 'helper')", "PTX:1000: error: bad"}));
}

} // namespace
