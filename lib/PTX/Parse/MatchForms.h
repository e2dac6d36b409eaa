//===- MatchForms.h - the rows of the form table ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches the words and the operands of an instruction with the forms of its
// name.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_PARSE_MATCHFORMS_H
#define CAROUSEL_LIB_PTX_PARSE_MATCHFORMS_H

#include "Scopes.h"

namespace carousel::ptx {

/// A word after the name of an instruction.
struct Modifier {
  Word word = Word::Shape;
  MatrixShape shape;
  Token token;
};

/// A form whose modifiers fit, and which of its slots have which.
struct FormMatch {
  const InstructionForm *form = nullptr;
  std::vector<std::optional<Word>> modifiers;
  MatrixShape shape;
};

/// The forms that have all of the modifiers, in any order but for types: ptxas
/// takes them so, too. Fails if there is none.
bool matchModifiers(Opcode opcode, llvm::ArrayRef<Modifier> modifiers,
                    Location location, TokenStream &tokens,
                    llvm::SmallVectorImpl<FormMatch> &matches);

/// Makes the instruction one of the first match whose operands fit. Fails if
/// there is none, with the reason of the match that fits best.
bool matchOperands(llvm::ArrayRef<FormMatch> matches, const Names &names,
                   TokenStream &tokens, Instruction &instruction);

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_PARSE_MATCHFORMS_H
