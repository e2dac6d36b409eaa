//===- Scopes.h - what names stand for --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scopes of a module and of the function that is being read.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_PARSE_SCOPES_H
#define CAROUSEL_LIB_PTX_PARSE_SCOPES_H

#include "Lexer.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace carousel::ptx {

/// The values that a call has to pass and takes back.
struct Signature {
  size_t results = 0, parameters = 0;
  bool operator==(const Signature &other) const {
    return results == other.results && parameters == other.parameters;
  }
};

class Names {
public:
  Names(Module &module, TokenStream &tokens) : module(module), tokens(tokens) {
    scopes.emplace_back();
  }

  /// Declares a variable in the innermost scope, or finds the one that an
  /// .extern declared. Sets its number.
  bool declare(Variable &variable);
  /// Declares a function, or finds an earlier declaration.
  bool declare(Function &function);
  /// Declares the last group of the function's registers.
  bool declareRegisters();

  /// The body of a function, with the labels of its blocks; the innermost scope
  /// has its parameters.
  void beginFunction(Function &function);
  bool collectLabels();
  void endFunction() { function = nullptr; }
  /// A scope; `brace` is the position of the block's token.
  void push(size_t brace = ~size_t(0)) {
    scopes.push_back({brace, {}, {}, {}});
  }
  void pop() { scopes.pop_back(); }

  std::optional<RegisterId> findRegister(llvm::StringRef name) const;
  /// A symbol, and its number in `%b<10>`, from 1, or 0.
  std::optional<std::pair<SymbolId, uint64_t>>
  findSymbol(llvm::StringRef name) const;
  std::optional<LabelId> findLabel(llvm::StringRef name) const;
  const RegisterGroup &getGroup(RegisterId id) const {
    return function->getGroup(id);
  }
  const Symbol &getSymbol(SymbolId id) const { return module.symbols[id]; }
  /// The signature of a function; nullptr for other symbols.
  const Signature *getSignature(SymbolId id) const;

  Module &module;

private:
  struct Scope {
    size_t brace;
    llvm::StringMap<uint32_t> registers; ///< groups, by name
    llvm::StringMap<SymbolId> symbols;
    llvm::StringMap<uint64_t> counts; ///< of numbered variables
  };

  bool isDeclaredHere(llvm::StringRef name) const;
  bool failTwice(Location location, llvm::StringRef name);

  TokenStream &tokens;
  Function *function = nullptr;
  std::vector<Scope> scopes;
  /// The labels of a block, by the position of its brace.
  std::map<size_t, llvm::StringMap<LabelId>> labels;
  std::map<SymbolId, Signature> signatures;
  std::map<SymbolId, bool> defined;
};

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_PARSE_SCOPES_H
