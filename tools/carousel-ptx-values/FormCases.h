//===- FormCases.h - instructions of pure forms -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes an instruction of a form for each combination of its modifiers, and a
// kernel that reads the operands, applies the instruction and writes the
// results, so that its values can be compared with those of a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_CAROUSEL_PTX_VALUES_FORMCASES_H
#define CAROUSEL_TOOLS_CAROUSEL_PTX_VALUES_FORMCASES_H

#include "carousel/PTX/Values.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace carousel::ptx {

/// Whether an instruction reads or writes memory, state or the special
/// registers, or depends on other threads. Pure ones have a value.
bool isPure(Opcode opcode);

/// A word that the function of an instruction reads or gives.
struct CaseWord {
  Type type = Type::B32;
  std::string reg;                  ///< empty: the carry flag
  std::optional<uint64_t> constant; ///< of an operand that is no register
  unsigned part = 0;                ///< the word of a value of 128 bits
};

/// One instruction.
struct FormCase {
  std::string name; ///< with its modifiers, and what tells variants apart
  std::string text;
  std::vector<CaseWord> operands, results; ///< as in Values.h
  const InstructionForm *form = nullptr;
  std::vector<std::optional<Word>> modifiers;
  Evaluate evaluate = nullptr; ///< nullptr: findValue knows none
};

/// Calls `visit` for each combination of a form's modifiers. Operands that are
/// constants or have parts have a few variants.
void forEachCase(const InstructionForm &form,
                 llvm::function_ref<void(FormCase &&)> visit);

/// A kernel that applies the instruction to the words of its thread. The
/// operands are at `in`, one 64-bit word each, and the results go to `out`.
std::string makeKernel(const FormCase &instruction, llvm::StringRef kernel);

} // namespace carousel::ptx

#endif // CAROUSEL_TOOLS_CAROUSEL_PTX_VALUES_FORMCASES_H
