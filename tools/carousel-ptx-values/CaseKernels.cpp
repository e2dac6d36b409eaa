//===- CaseKernels.cpp - kernels of one instruction -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FormCases.h. The carry flag has no register: an addition or subtraction
// before the instruction sets it, and one after it reads it.
//
//===----------------------------------------------------------------------===//

#include "FormCases.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace carousel;
using namespace carousel::ptx;

/// A register's number, from its name.
static std::string wordOf(size_t index) { return "%w" + std::to_string(index); }

static unsigned bitsOf(const CaseWord &word) {
  switch (word.reg[1]) {
  case 'p':
    return 1;
  case 'b':
    return 8;
  case 'h':
    return 16;
  case 'r':
    return 32;
  case 'd':
    return 64;
  default:
    return 128;
  }
}

/// Moves the words that were loaded to the operands' registers.
static void writeOperand(const CaseWord &word, size_t index,
                         llvm::raw_ostream &os) {
  std::string loaded = wordOf(index);
  switch (bitsOf(word)) {
  case 1:
    os << "  setp.ne.u64 " << word.reg << ", " << loaded << ", 0;\n";
    return;
  case 8:
    os << "  cvt.u16.u64 %h99, " << loaded << ";\n  mov.b16 {" << word.reg
       << ", _}, %h99;\n";
    return;
  case 128:
    if (word.part == 1)
      os << "  mov.b128 " << word.reg << ", {" << wordOf(index - 1) << ", "
         << loaded << "};\n";
    return;
  case 64:
    os << "  mov.b64 " << word.reg << ", " << loaded << ";\n";
    return;
  default:
    os << "  cvt.u" << bitsOf(word) << ".u64 " << word.reg << ", " << loaded
       << ";\n";
  }
}

static void writeResult(const CaseWord &word, size_t index, bool isBorrow,
                        llvm::raw_ostream &os) {
  std::string result = "%w" + std::to_string(50 + index);
  if (word.reg.empty()) {
    os << (isBorrow ? "  subc.u32 %r99, 0, 0;\n" : "  addc.u32 %r99, 0, 0;\n")
       << "  and.b32 %r99, %r99, 1;\n  cvt.u64.u32 " << result << ", %r99;\n";
  } else {
    switch (bitsOf(word)) {
    case 1:
      os << "  selp.u64 " << result << ", 1, 0, " << word.reg << ";\n";
      break;
    case 8:
      os << "  mov.b16 %h99, {" << word.reg << ", 0};\n  cvt.u64.u16 " << result
         << ", %h99;\n";
      break;
    case 128:
      if (word.part == 1)
        return;
      os << "  mov.b128 {" << result << ", %w" << 51 + index << "}, "
         << word.reg << ";\n";
      break;
    case 64:
      os << "  mov.b64 " << result << ", " << word.reg << ";\n";
      break;
    default:
      os << "  cvt.u64.u" << bitsOf(word) << " " << result << ", " << word.reg
         << ";\n";
    }
  }
}

std::string ptx::makeKernel(const FormCase &instruction,
                            llvm::StringRef kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool isBorrow = instruction.form->opcode == Opcode::Sub ||
                  instruction.form->opcode == Opcode::Subc;
  size_t operands = 0;
  for (const CaseWord &word : instruction.operands)
    operands += !word.constant;
  os << ".visible .entry " << kernel
     << "(.param .u64 in, .param .u64 out)\n{\n"
        "  .reg .pred %p<20>;\n  .reg .b8 %b<20>;\n  .reg .b16 %h<100>;\n"
        "  .reg .b32 %r<100>;\n  .reg .b64 %d<20>;\n  .reg .b64 %w<100>;\n";
  if (llvm::StringRef(instruction.text).contains("%q"))
    os << "  .reg .b128 %q<20>;\n";
  os << "  ld.param.u64 %w90, [in];\n  ld.param.u64 %w91, [out];\n"
        "  mov.u32 %r98, %tid.x;\n"
     << "  mad.wide.u32 %w90, %r98, " << 8 * operands << ", %w90;\n"
     << "  mad.wide.u32 %w91, %r98, " << 8 * instruction.results.size()
     << ", %w91;\n";
  size_t index = 0;
  for (const CaseWord &word : instruction.operands)
    if (!word.constant) {
      os << "  ld.global.u64 " << wordOf(index) << ", [%w90+" << 8 * index
         << "];\n";
      ++index;
    }
  index = 0;
  std::string carry;
  for (const CaseWord &word : instruction.operands) {
    if (word.constant)
      continue;
    if (word.reg.empty())
      carry = wordOf(index);
    else
      writeOperand(word, index, os);
    ++index;
  }
  if (!carry.empty())
    os << "  cvt.u32.u64 %r97, " << carry << ";\n"
       << (isBorrow ? "  sub.cc.u32 %r97, 0, %r97;\n"
                    : "  add.cc.u32 %r97, %r97, 0xffffffff;\n");
  os << "  " << instruction.text << ";\n";
  // An instruction that reads the carry flag follows the one that sets it.
  for (bool ofCarry : {true, false})
    for (auto [index, word] : llvm::enumerate(instruction.results))
      if (word.reg.empty() == ofCarry)
        writeResult(word, index, isBorrow, os);
  for (size_t i = 0; i < instruction.results.size(); ++i)
    os << "  st.global.u64 [%w91+" << 8 * i << "], %w" << 50 + i << ";\n";
  os << "  ret;\n}\n";
  return text;
}
