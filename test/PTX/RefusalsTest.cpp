//===- RefusalsTest.cpp - texts that are no PTX ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each message of the reader, with its line and column.
//
//===----------------------------------------------------------------------===//

#include "carousel/PTX/Parser.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

namespace {
struct Refusal {
  llvm::StringRef text;
  unsigned line, column;
  llvm::StringRef message;
};
} // namespace

static void expectRefusals(llvm::ArrayRef<Refusal> refusals,
                           llvm::StringRef before, llvm::StringRef after) {
  unsigned lines = before.count('\n');
  for (const Refusal &refusal : refusals) {
    Diagnostic error;
    EXPECT_FALSE(parse((before + refusal.text + after).str(), error))
        << refusal.text.str();
    EXPECT_EQ(error.message, refusal.message.str()) << refusal.text.str();
    EXPECT_EQ(error.location.line, lines + refusal.line) << refusal.text.str();
    EXPECT_EQ(error.location.column, refusal.column) << refusal.text.str();
  }
}

TEST(PTXRefusals, Heads) {
  expectRefusals(
      {{"", 1, 1,
        "expected .version at the beginning of the text, got the end of the "
        "text"},
       {".version 9", 1, 10, "expected a version such as 9.0, got '9'"},
       {".version 9.6", 1, 10,
        "expected a version of PTX from 1.0 to 9.5, got '9.6'"},
       {".version 9.0\n.entry", 2, 1,
        "expected .target after .version, got '.entry'"},
       {".version 9.0\n.target sm_", 2, 9,
        "expected a chip such as sm_90a, or an option of .target, got 'sm_'"},
       {".version 9.0 .target sm_90 .address_size 16", 1, 42,
        "expected 32 or 64 after .address_size, got 16"},
       {".version 9.0 .target sm_90 .version 9.0", 1, 28,
        "expected .version once, at the beginning of the text, got "
        "'.version'"}},
      "", "");
}

TEST(PTXRefusals, Items) {
  expectRefusals(
      {{"x", 1, 1, "expected a directive, got 'x'"},
       {".visible .frob", 1, 10, "expected a directive, got '.frob'"},
       {".entry k() {", 1, 13,
        "expected '}' at the end of the block that begins in line 3, got the "
        "end of the text"},
       {".entry k() ret;", 1, 12,
        "expected '{' or ';' after the head of a kernel, got 'ret'"},
       {".entry k() .maxntid 1, 1, 1, 1;", 1, 12,
        "expected at most 3 integers after .maxntid, got 4"},
       {".func f(); .func (.param .b32 r) f();", 1, 34,
        "expected 'f' with 0 results and 0 parameters as before, got 1 and 0"},
       {".local .b8 a;", 1, 1,
        "expected a variable in .global, .const, .shared or .tex outside of "
        "functions, got .local"},
       {".global .b8 a; .global .b8 a;", 1, 28,
        "expected a name that its block has once, got 'a' again"},
       {".global .align 3 .b8 a;", 1, 16,
        "expected an alignment that is a power of 2, got 3"},
       {".global .pred a;", 1, 9,
        "expected one type of a variable, got '.pred'"},
       {".global .b8 a[-1];", 1, 15,
        "expected an extent of at least 0, got -1"},
       {".global .u32 a = b;", 1, 18,
        "expected the name of a variable or function, got 'b'"},
       {".global .u32 a = 1 / 0;", 1, 20,
        "expected a quotient that 64 bits hold, got a division by 0"},
       {".global .f32 a = 1 + 1.0;", 1, 20,
        "expected two integers or two floats on the sides of '+', got one of "
        "each"},
       {".global .u32 a = ~1.0;", 1, 18,
        "expected an integer after '~', got a float"},
       {".global .u8 a; .global .u8 b = 0(a);", 1, 32,
        "expected a mask of at least one bit, got 0"},
       {".global .u8 a; .global .u8 b = 255(255(a));", 1, 36,
        "expected a name or a constant, got '255'"},
       {".pragma 1;", 1, 9, "expected a string after .pragma, got '1'"},
       {".section .debug { .u8 1 }", 1, 19,
        "expected a label, .b8, .b16, .b32 or .b64 in a section, got '.u8'"},
       {".alias a, b;", 1, 8, "expected the name of a function, got 'a'"},
       {".func f(.global .b8 a);", 1, 21,
        "expected the parameters in .param or .reg, got .global"}},
      ".version 9.0\n.target sm_90a\n", "");
}

static constexpr llvm::StringLiteral kBefore =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.global .b32 g;\n"
    ".func (.param .b32 r) f (.param .b32 a);\n"
    ".entry k(.param .u64 p)\n{\n"
    ".reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
    ".reg .pred %p<4>; .reg .u32 %u; .reg .v2 .b32 %v;\n";

TEST(PTXRefusals, Modifiers) {
  expectRefusals(
      {{"frob.u32 %r1;", 1, 1,
        "expected an instruction of PTX, got 'frob.u32'"},
       {"add.foo.u32 %r1, %r1, %r1;", 1, 4,
        "expected a modifier of 'add', got '.foo'"},
       {"add.cluster.u32 %r1, %r1, %r1;", 1, 4,
        "expected a modifier of 'add', got '.cluster'"},
       {"add.rn.u32 %r1, %r1, %r1;", 1, 7,
        "expected modifiers that 'add' has together, got '.u32'"},
       {"ld.relaxed.global.u32 %r1, [%rd1];", 1, 1,
        "expected .cta, .cluster, .gpu or .sys among the modifiers of 'ld', "
        "got none of them"},
       {"atom.global.add.f16 %h1, [%rd1], %h2;", 1, 1,
        "expected .noftz among the modifiers of 'atom', got none of them"},
       {"cvt.s32.rn.f32.f32 %r1, %f1;", 1, 15,
        "expected modifiers that 'cvt' has together, got '.f32'"},
       {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1}, %rd1, %rd2, "
        "%p1, 1, 1, 0, 0;",
        1, 29,
        "expected modifiers that 'wgmma.mma_async' has together, got "
        "'.m64n12k16'"}},
      kBefore, "\n}\n");
}

TEST(PTXRefusals, Operands) {
  expectRefusals(
      {{"add.f32 %f1, %f2;", 1, 1,
        "expected 3 operands of this form of 'add', got 2"},
       {"add.f32 %f1, %f2, %rd1;", 1, 19,
        "expected a register that holds .f32, got '%rd1' of .b64"},
       {"add.f32 %f1, %f2, %u;", 1, 19,
        "expected a register that holds .f32, got '%u' of .u32"},
       {"add.f32 %f1, %f2, 1;", 1, 19,
        "expected a float for .f32, got an integer"},
       {"add.u32 %r1, %r2, 1.0;", 1, 19,
        "expected an integer for .u32, got a float"},
       {"add.u32 1, %r1, %r2;", 1, 9, "expected a register, got an integer"},
       {"add.u32 %r1, %r7, %r2;", 1, 14,
        "expected a value, got '%r7', which is not declared"},
       {"add.u32 %r1, %tid.x, %r2;", 1, 14,
        "expected a value that isn't a special register, got '%tid'"},
       {"add.u32 %r1, !%r2, %r2;", 1, 14,
        "expected '!' before predicates only, got '%r2' of .b32"},
       {"mov.u32 %r1, %tid.q;", 1, 18, "expected a part of '%tid', got '.q'"},
       {"mov.u32 %r1, %v;", 1, 14, "expected a vector of 1, got '%v' of .b32"},
       {"mov.u32 %r1, %r2.b0;", 1, 14,
        "expected a whole register, got '%r2' of .b32"},
       {"mov.b64 %rd1, {%r1, %r2, %r3};", 1, 15,
        "expected one value, got a vector of 3"},
       {"mov.b64 {%r1, %r2, %r3}, %rd1;", 1, 9,
        "expected one value, got a vector of 3"},
       {"mov.u32 %r1, 0f12;", 1, 14,
        "expected 8 hexadecimal digits after '0f'"},
       {"ld.global.u32 %r1, %rd1;", 1, 20,
        "expected an address in brackets, got '%rd1' of .b64"},
       {"ld.shared.u32 %r1, [g];", 1, 21,
        "expected the name of a variable in .shared, got 'g' in .global"},
       {"ld.global.u32 %r1, [%f1];", 1, 21,
        "expected an address in a register of 32 or 64 bits, got '%f1' of "
        ".f32"},
       {"ld.global.u64 %r1, [%rd1];", 1, 15,
        "expected a register that holds .u64 or more, got '%r1' of .b32"},
       {"ld.global.u32 %r1, [%rd1+1.0];", 1, 26,
        "expected an integer offset, got a float"},
       {"st.global.v4.f32 [%rd1], {%f1, %f2};", 1, 26,
        "expected a vector of 4, got a vector of 2"},
       {"st.global.f32 [%rd1], {%f1, %f2};", 1, 23,
        "expected one value, got a vector of 2"},
       {"cp.async.wait_group %r1;", 1, 21,
        "expected an integer, got '%r1' of .b32"},
       {"setp.eq.u32 %p1, %r1, %r2, %p2;", 1, 1,
        "expected 3 operands of this form of 'setp', got 4"},
       {"elect.sync %r1, -1;", 1, 12,
        "expected a value and a predicate, got '%r1' of .b32"},
       {"bar.sync %f1;", 1, 10,
        "expected a register that holds .u32, got '%f1' of .f32"},
       {"add.u32 %r1, {{{{{{{{{{1;", 1, 23,
        "expected at most 8 levels of braces, got '{'"},
       {"add.u32 %r1, %r2, %r3", 2, 1,
        "expected ';' at the end of the operands, got '}'"}},
      kBefore, "\n}\n");
}

TEST(PTXRefusals, ControlFlow) {
  expectRefusals(
      {{"@%r1 ret;", 1, 2, "expected a predicate after '@', got '%r1' of .b32"},
       {"@x ret;", 1, 2, "expected a predicate after '@', got 'x'"},
       {"bra nowhere;", 1, 5,
        "expected a label, got 'nowhere', which is not declared"},
       {"{ L: } bra L;", 1, 12,
        "expected a label, got 'L', which is not declared"},
       {"L: L: ret;", 1, 4,
        "expected a name that its block has once, got 'L' again"},
       {"t: .branchtargets u;", 1, 19,
        "expected a label of the function, got 'u'"},
       {"call (%r1), f, (%r1, %r2);", 1, 16,
        "expected 1 arguments of 'f', got 2"},
       {"call f, (%r1);", 1, 6, "expected 1 results of 'f', got 0"},
       {"call g, (%r1);", 1, 6,
        "expected a function to call, got 'g' in .global"},
       {"call (%r1), %rd1, (%r1);", 1, 13,
        "expected the targets or the prototype of an indirect call after its "
        "arguments, got '%rd1' of .b64"},
       {".reg .b8x a;", 1, 6,
        "expected a state space, an alignment or a type, got '.b8x'"},
       {".reg .b32 %r<2>;", 1, 11,
        "expected a name that its block has once, got '%r' again"},
       {".maxnreg 3;", 1, 1,
        "expected a directive of a function's body, got '.maxnreg'"},
       {".loc 1 2 x", 1, 10, "expected a column, got 'x'"}},
      kBefore, "\n}\n");
}
