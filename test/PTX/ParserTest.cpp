//===- ParserTest.cpp - reads modules of PTX ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the meaning of names, the canonical form, and that a printed module
// reads as itself. Texts that are wrong are in lit-tests/Tools/carousel-ptx.
//
//===----------------------------------------------------------------------===//

#include "carousel/PTX/Parser.h"
#include "carousel/PTX/Printer.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

static constexpr llvm::StringLiteral kHead =
    ".version 9.0\n.target sm_90a\n.address_size 64\n";

static Module read(const llvm::Twine &text) {
  Diagnostic error;
  std::optional<Module> module = parse(text.str(), error);
  EXPECT_TRUE(module) << error.location.line << ':' << error.location.column
                      << ": " << error.message;
  return module ? *module : Module();
}

static std::string write(const Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(module, os);
  return text;
}

/// A kernel with these statements.
static Module readBody(const llvm::Twine &body) {
  return read(kHead +
              ".visible .entry k(.param .u64 p)\n{\n"
              ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
              ".reg .pred %p<9>;\n" +
              body + "}\n");
}

static const Function &getKernel(const Module &module) {
  return *module.getKernels().front();
}

static std::vector<const Instruction *> getInstructions(const Block &block) {
  std::vector<const Instruction *> found;
  for (const Statement &statement : block.statements) {
    if (const auto *instruction = std::get_if<Instruction>(&statement.value))
      found.push_back(instruction);
    if (const auto *inner = std::get_if<Block>(&statement.value))
      for (const Instruction *instruction : getInstructions(*inner))
        found.push_back(instruction);
  }
  return found;
}

static std::string writeInstruction(const Module &module, unsigned number) {
  const Function &kernel = getKernel(module);
  std::string text;
  llvm::raw_string_ostream os(text);
  print(*getInstructions(*kernel.body)[number], kernel, module, os);
  return text;
}

TEST(PTXParser, ModifiersHaveOneOrder) {
  for (llvm::StringRef text : {"ld.global.relaxed.gpu.u32 %r1, [%rd1];",
                               "ld.u32.relaxed.gpu.global %r1, [%rd1];",
                               "ld .relaxed .gpu .global .u32 %r1, [%rd1];"})
    EXPECT_EQ(writeInstruction(readBody(text), 0),
              "ld.relaxed.gpu.global.u32 %r1, [%rd1]");
  // But types are told apart by their order.
  EXPECT_EQ(writeInstruction(readBody("cvt.rn.f32.s32 %f1, %r1;"), 0),
            "cvt.rn.f32.s32 %f1, %r1");
}

TEST(PTXParser, Operands) {
  Module module =
      readBody("@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+-8];\n"
               "setp.lt.and.s32 %p1|%p2, %r1, 0x10, !%p3;\n"
               "mov.u32 %r1, %tid.x;\nmov.u32 %r1, (3 > 2) ? 7 : 8;\n"
               "mov.b64 %rd1, {%r1, %r2};\nadd.f32 %f1, %f1, 0f3F800000;\n"
               "ld.param.u64 %rd1, [p];\nmov.u32 %r1, WARP_SZ - 1;\n"
               "ld.global.b32 {%r1}, [%rd1];\n");
  const char *expected[] = {"@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+-8]",
                            "setp.lt.and.s32 %p1|%p2, %r1, 16, !%p3",
                            "mov.u32 %r1, %tid.x",
                            "mov.u32 %r1, 7",
                            "mov.b64 %rd1, {%r1, %r2}",
                            "add.f32 %f1, %f1, 0f3F800000",
                            "ld.param.u64 %rd1, [p]",
                            "mov.u32 %r1, 31",
                            "ld.global.b32 {%r1}, [%rd1]"};
  for (unsigned i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(writeInstruction(module, i), expected[i]);
  const Instruction &load = *getInstructions(*getKernel(module).body)[0];
  EXPECT_EQ(load.opcode, Opcode::Ld);
  EXPECT_TRUE(load.has(Word::Global));
  EXPECT_EQ(load.getModifier('V'), Word::V2);
  EXPECT_EQ(load.getTypes(), (llvm::SmallVector<Type, 4>{Type::F32}));
  EXPECT_EQ(load.getSpace(1), StateSpace::Global);
  EXPECT_EQ(load.getSpec(0).use, OperandUse::Written);
  EXPECT_EQ(load.operands[1].elements[0].offset, -8);
  EXPECT_TRUE(load.guard->negated);
}

TEST(PTXParser, RegistersOfBlocks) {
  Module module = readBody("mov.u32 %r1, 1;\n{ .reg .b32 %r1, x<3>;\n"
                           "mov.u32 %r1, 2; mov.u32 x2, %r2; }\n"
                           "mov.u32 %r1, 3;\n");
  const Function &kernel = getKernel(module);
  auto instructions = getInstructions(*kernel.body);
  RegisterId outer = instructions[0]->operands[0].reg;
  RegisterId inner = instructions[1]->operands[0].reg;
  EXPECT_NE(outer, inner);
  EXPECT_EQ(instructions[3]->operands[0].reg, outer);
  EXPECT_EQ(kernel.getName(inner), "%r1");
  EXPECT_EQ(kernel.getName(outer), "%r1");
  EXPECT_EQ(kernel.getName(instructions[2]->operands[0].reg), "x2");
  EXPECT_EQ(kernel.getName(instructions[2]->operands[1].reg), "%r2");
  EXPECT_EQ(kernel.countRegisters(), 9u * 4 + 4);
}

TEST(PTXParser, NamesWithDigits) {
  Module module = read(kHead + ".entry k()\n{ .reg .b32 %r<2>, %r1<12>, %r13;\n"
                               "mov.u32 %r1, %r111; mov.u32 %r13, %r10; }\n");
  EXPECT_EQ(writeInstruction(module, 0), "mov.u32 %r1, %r111");
  const Function &kernel = getKernel(module);
  auto instructions = getInstructions(*kernel.body);
  EXPECT_EQ(instructions[0]->operands[0].reg, 1u);
  EXPECT_EQ(instructions[0]->operands[1].reg, 13u);
  EXPECT_EQ(instructions[1]->operands[0].reg, 14u);
  EXPECT_EQ(instructions[1]->operands[1].reg, 2u);
}

TEST(PTXParser, LabelsOfBlocks) {
  Module module =
      readBody("{ L: bra L; }\n{ L: @%p1 bra L; bra end; }\nend: ret;\n"
               "brx.idx %r1, table;\ntable: .branchtargets end, end;\n");
  auto instructions = getInstructions(*getKernel(module).body);
  EXPECT_NE(instructions[0]->operands[0].label,
            instructions[1]->operands[0].label);
  EXPECT_EQ(getKernel(module).labels[instructions[2]->operands[0].label],
            "end");
}

TEST(PTXParser, ModuleReadsAsItself) {
  Module module = read(
      ".version 8.5\n.target sm_90a, debug\n.address_size 64\n"
      ".file 1 \"a.cu\", 12, 34\n"
      ".extern .shared .align 16 .b8 smem[];\n"
      ".global .align 4 .u32 table[2][2] = {{1, 2}, {3, -4}};\n"
      ".const .v2 .f32 pair = {1.5, 0f00000000};\n"
      ".global .attribute(.managed) .b64 at = generic(table) + 8;\n"
      ".global .u8 byte = 0xFF00(table);\n"
      ".extern .func (.param .b32 r) f (.param .align 8 .b8 a[16]) .noreturn;\n"
      ".func g (.reg .f32 %x) { add.f32 %x, %x, %x; ret; }\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n)"
      " .maxntid 128, 1, 1 .minnctapersm 2 .pragma \"nounroll\";\n{\n"
      ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .v4 .f32 %v; .reg .f32 %f;\n"
      ".local .align 8 .b8 depot[16];\n.loc 1 2 3\n"
      ".loc 1 2 3, function_name $L + 4, inlined_at 1 5 6\n"
      "{ .param .b32 r0; .param .align 8 .b8 a0[16];\n"
      "st.param.b32 [a0+4], %r1; call.uni (r0), f, (a0);\n"
      "ld.param.b32 %r1, [r0]; }\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
      "{ .param .b32 r0; .param .b64 a0; call (r0), %rd1, (a0), proto; }\n"
      "list: .calltargets f;\n"
      "mov.u64 %rd1, smem; mov.u64 %rd2, table[3]; mov.f32 %f, %v.x;\n"
      "ld.global.v4.f32 %v, [%rd1];\n.pragma \"used_bytes_mask 1\";\nret;\n}\n"
      ".func h (); .alias h, g;\n"
      ".section .debug_info\n{\n.b8 1, 2\n$L:\n.b32 .debug_abbrev\n"
      ".b64 $L + 4\n.b32 $L-$L\n}\n");
  std::string text = write(module);
  Module again = read(text);
  EXPECT_TRUE(again == module) << text;
  EXPECT_EQ(write(again), text);
  // Modules that differ aren't equal.
  EXPECT_FALSE(read(llvm::StringRef(text).str() + ".pragma \"x\";\n") ==
               module);
  EXPECT_EQ(getKernel(module).directives[0].values,
            (std::vector<uint64_t>{128, 1, 1}));
}

TEST(PTXParser, DirectivesOfKernels) {
  Module module =
      read(".version 9.4\n.target sm_107a\n.entry k() .reqntid 8, 4 "
           ".reqnctapercluster 2, 1, 1 .explicitcluster .blocksareclusters "
           ".maxnreg 64 .maxclusterrank 4 .minperctamemory 2048\n"
           "{ .reg .b64 %rd<2>; mov.u64 %rd1, %perctamemoryoffset; }\n");
  std::string names;
  for (const FunctionDirective &directive : getKernel(module).directives)
    names += directive.name + std::to_string(directive.values.size()) + " ";
  EXPECT_EQ(names, "reqntid2 reqnctapercluster3 explicitcluster0 "
                   "blocksareclusters0 maxnreg1 maxclusterrank1 "
                   "minperctamemory1 ");
}

TEST(PTXParser, BytesOfVariables) {
  Module module = read(kHead + ".global .align 8 .v2 .f32 a[3][5];\n"
                               ".extern .shared .b8 b[];\n"
                               ".global .b64 c[4611686018427387904][16];\n");
  auto bytes = [&](unsigned item) {
    return std::get<Variable>(module.items[item]).getBytes();
  };
  EXPECT_EQ(bytes(0), 120u);
  EXPECT_EQ(bytes(1), std::nullopt);
  EXPECT_EQ(bytes(2), std::nullopt);
}

TEST(PTXParser, DeepTextsAreRefused) {
  auto refuse = [](const std::string &text) {
    Diagnostic error;
    EXPECT_FALSE(parse(text, error));
    return error.message;
  };
  std::string head = kHead.str();
  std::string many(100000, '(');
  EXPECT_EQ(refuse(head + ".global .u32 x = " + many),
            "expected at most 200 levels of parentheses, got more");
  EXPECT_EQ(refuse(head + ".global .u32 x = " + std::string(100000, '-') + "1"),
            "expected at most 200 operators in a row, got more");
  EXPECT_EQ(refuse(head + ".global .u32 x = " + std::string(100000, '{')),
            "expected at most 16 levels of braces, got '{'");
  EXPECT_EQ(refuse(head + ".entry k() " + std::string(100000, '{')),
            "expected at most 64 blocks inside each other, got '{'");
  EXPECT_EQ(refuse(head + ".entry k() { .reg .b32 %r<4000000000>; }"),
            "expected at most 16777216 registers in a function, got "
            "2147483647");
}
