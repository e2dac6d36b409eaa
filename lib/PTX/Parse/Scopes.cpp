//===- Scopes.cpp - what names stand for ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Scopes.h. A name of `%r<10>` is found by the digits at its end. Labels of
// a block are known before its statements are read.
//
//===----------------------------------------------------------------------===//

#include "Scopes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

/// The most registers that a function may declare; a text could ask for
/// billions.
static constexpr uint32_t kMostRegisters = 1u << 24;

bool Names::failTwice(Location location, StringRef name) {
  return tokens.fail(location,
                     "expected a name that its block has once, got '" + name +
                         "' again");
}

bool Names::isDeclaredHere(StringRef name) const {
  return scopes.back().registers.count(name) ||
         scopes.back().symbols.count(name);
}

bool Names::declare(Variable &variable) {
  Scope &scope = scopes.back();
  bool atModule = scopes.size() == 1;
  auto found = scope.symbols.find(variable.name);
  if (atModule && found != scope.symbols.end()) {
    const Symbol &symbol = module.symbols[found->second];
    bool &isDefined = defined[found->second];
    bool isDeclaration = variable.linkage == Linkage::Extern ||
                         variable.linkage == Linkage::Common;
    if (symbol.kind != Symbol::Kind::Variable ||
        symbol.space != variable.space || (isDefined && !isDeclaration))
      return failTwice(variable.location, variable.name);
    isDefined |= !isDeclaration;
    variable.symbol = found->second;
    return true;
  }
  if (isDeclaredHere(variable.name))
    return failTwice(variable.location, variable.name);
  variable.symbol = module.symbols.size();
  module.symbols.push_back(
      {variable.name, Symbol::Kind::Variable, variable.space});
  scope.symbols[variable.name] = variable.symbol;
  if (variable.count != 0)
    scope.counts[variable.name] = variable.count;
  defined[variable.symbol] = variable.linkage != Linkage::Extern &&
                             variable.linkage != Linkage::Common;
  return true;
}

bool Names::declare(Function &function) {
  Scope &scope = scopes.front();
  Signature signature{function.results.size(), function.parameters.size()};
  auto found = scope.symbols.find(function.name);
  if (found == scope.symbols.end()) {
    function.symbol = module.symbols.size();
    module.symbols.push_back(
        {function.name, Symbol::Kind::Function, StateSpace::Generic});
    scope.symbols[function.name] = function.symbol;
    signatures[function.symbol] = signature;
    return true;
  }
  function.symbol = found->second;
  if (module.symbols[function.symbol].kind != Symbol::Kind::Function)
    return failTwice(function.location, function.name);
  const Signature &before = signatures[function.symbol];
  if (before == signature)
    return true;
  return tokens.fail(
      function.location,
      "expected '" + function.name + "' with " + llvm::Twine(before.results) +
          " results and " + llvm::Twine(before.parameters) +
          " parameters as before, got " + llvm::Twine(signature.results) +
          " and " + llvm::Twine(signature.parameters));
}

bool Names::declareRegisters() {
  RegisterGroup &group = function->registers.back();
  group.first = function->registers.size() == 1
                    ? 0
                    : function->registers.end()[-2].first +
                          function->registers.end()[-2].count;
  if (isDeclaredHere(group.name))
    return failTwice(group.location, group.name);
  if (group.count > kMostRegisters || group.first > kMostRegisters)
    return tokens.fail(group.location,
                       "expected at most " + llvm::Twine(kMostRegisters) +
                           " registers in a function, got " +
                           llvm::Twine(uint64_t(group.first) + group.count));
  scopes.back().registers[group.name] = function->registers.size() - 1;
  return true;
}

void Names::beginFunction(Function &owner) {
  function = &owner;
  labels.clear();
}

bool Names::collectLabels() {
  std::vector<size_t> braces;
  unsigned parentheses = 0;
  llvm::ArrayRef<Token> all = tokens.getTokens();
  for (size_t i = tokens.getPosition(); i < all.size(); ++i) {
    if (all[i].is("{")) {
      braces.push_back(i);
    } else if (all[i].is("}")) {
      if (!braces.empty())
        braces.pop_back();
      if (braces.empty())
        break;
    } else if (all[i].is("(")) {
      ++parentheses;
    } else if (all[i].is(")")) {
      parentheses -= parentheses != 0;
    } else if (all[i].kind == Token::Kind::Name && parentheses == 0 &&
               i + 1 < all.size() && all[i + 1].is(":") && i != 0 &&
               !all[i - 1].is("?") && !braces.empty()) {
      LabelId id = function->labels.size();
      if (!labels[braces.back()].try_emplace(all[i].text, id).second)
        return failTwice(all[i].location, all[i].text);
      function->labels.push_back(all[i].text.str());
    }
  }
  return true;
}

/// Calls `visit(prefix, number)` for each way to split a name into a name and a
/// number, until one returns true.
template <typename Visit> static bool splitNumber(StringRef name, Visit visit) {
  for (size_t end = name.size(); end > 1 && llvm::isDigit(name[end - 1]);) {
    StringRef digits = name.substr(--end);
    if (digits.size() > 10)
      return false;
    uint64_t number = 0;
    bool isNumber = digits.size() == 1 || digits.front() != '0';
    if (isNumber && !digits.getAsInteger(10, number) &&
        visit(name.take_front(end), number))
      return true;
  }
  return false;
}

std::optional<RegisterId> Names::findRegister(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.registers.find(name);
    if (found != scope.registers.end() &&
        !function->registers[found->second].isNumbered)
      return function->registers[found->second].first;
    std::optional<RegisterId> id;
    splitNumber(name, [&](StringRef prefix, uint64_t number) {
      auto found = scope.registers.find(prefix);
      if (found == scope.registers.end())
        return false;
      const RegisterGroup &group = function->registers[found->second];
      if (!group.isNumbered || number >= group.count)
        return false;
      id = group.first + number;
      return true;
    });
    if (id)
      return id;
    // A variable of an inner block hides a register of an outer one.
    if (scope.symbols.count(name))
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::pair<SymbolId, uint64_t>>
Names::findSymbol(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.symbols.find(name);
    if (found != scope.symbols.end() && !scope.counts.count(name))
      return std::make_pair(found->second, uint64_t(0));
    std::optional<std::pair<SymbolId, uint64_t>> symbol;
    splitNumber(name, [&](StringRef prefix, uint64_t number) {
      auto count = scope.counts.find(prefix);
      if (count == scope.counts.end() || number >= count->second)
        return false;
      symbol = {scope.symbols.lookup(prefix), number + 1};
      return true;
    });
    if (symbol)
      return symbol;
  }
  return std::nullopt;
}

std::optional<LabelId> Names::findLabel(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    auto block = labels.find(scope.brace);
    if (block == labels.end())
      continue;
    auto found = block->second.find(name);
    if (found != block->second.end())
      return found->second;
  }
  return std::nullopt;
}

const Signature *Names::getSignature(SymbolId id) const {
  auto found = signatures.find(id);
  return found == signatures.end() ? nullptr : &found->second;
}
