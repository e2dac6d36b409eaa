//===- ParseVariables.cpp - declarations of variables and registers -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModuleParser.h. PTX ISA, State Spaces, Types, and Variables.
//
//===----------------------------------------------------------------------===//

#include "ModuleParser.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

static constexpr unsigned kMostDepth = 16; ///< of braces of an initializer

bool ModuleParser::parseLinkage(Linkage &linkage) {
  linkage = llvm::StringSwitch<Linkage>(tokens.peek().text)
                .Case("extern", Linkage::Extern)
                .Case("visible", Linkage::Visible)
                .Case("weak", Linkage::Weak)
                .Case("common", Linkage::Common)
                .Default(Linkage::None);
  if (linkage == Linkage::None || tokens.peek().kind != Token::Kind::Word) {
    linkage = Linkage::None;
    return true;
  }
  tokens.take();
  return true;
}

/// Parses what follows `.attribute`.
bool ModuleParser::parseAttributes(std::vector<Attribute> &attributes) {
  if (!tokens.expect("(", "after .attribute"))
    return false;
  do {
    const Token &name = tokens.peek();
    Attribute &attribute = attributes.emplace_back();
    if (!name.isWord("managed") && !name.isWord("unified"))
      return tokens.failAtNext(".managed or .unified");
    attribute.name = tokens.take().text.str();
    if (!tokens.consume("("))
      continue;
    do {
      if (!tokens.expectInteger(attribute.values.emplace_back(),
                                "an integer in an attribute"))
        return false;
    } while (tokens.consume(","));
    if (!tokens.expect(")", "at the end of an attribute's values"))
      return false;
  } while (tokens.consume(","));
  return tokens.expect(")", "at the end of .attribute");
}

/// Parses what follows `.ptr`.
bool ModuleParser::parsePointee(Variable &variable) {
  variable.pointee = StateSpace::Generic;
  if (std::optional<StateSpace> space = parseStateSpace(tokens.peek().text))
    if (tokens.peek().kind == Token::Kind::Word) {
      variable.pointee = *space;
      tokens.take();
    }
  Location location = tokens.peek(1).location;
  if (!tokens.consumeWord("align"))
    return true;
  if (!tokens.expectInteger(variable.pointeeAlign, "an alignment"))
    return false;
  return llvm::isPowerOf2_64(variable.pointeeAlign) ||
         tokens.fail(location, "expected an alignment that is a power of 2, "
                               "got " +
                                   llvm::Twine(variable.pointeeAlign));
}

bool ModuleParser::parseVariableWord(Variable &variable, bool &hasSpace,
                                     bool &hasType) {
  const Token &word = tokens.peek();
  if (std::optional<StateSpace> space = parseStateSpace(word.text)) {
    if (hasSpace)
      return tokens.failAtNext("one state space");
    hasSpace = true;
    variable.space = *space;
    tokens.take();
    return true;
  }
  if (std::optional<Type> type = parseType(word.text)) {
    bool isReg = variable.space == StateSpace::Reg;
    if (hasType || !(isReg ? isRegisterType(*type) : isVariableType(*type)))
      return tokens.failAtNext(isReg ? "one type of a register"
                                     : "one type of a variable");
    hasType = true;
    variable.type = *type;
    tokens.take();
    return true;
  }
  unsigned vector = llvm::StringSwitch<unsigned>(word.text)
                        .Case("v2", 2)
                        .Case("v4", 4)
                        .Case("v8", 8)
                        .Default(0);
  if (vector != 0) {
    variable.vector = vector;
    tokens.take();
    return true;
  }
  if (tokens.consumeWord("attribute"))
    return parseAttributes(variable.attributes);
  if (tokens.consumeWord("ptr"))
    return parsePointee(variable);
  if (!tokens.consumeWord("align"))
    return tokens.failAtNext("a state space, an alignment or a type");
  Location location = tokens.peek().location;
  if (!tokens.expectInteger(variable.align, "an alignment"))
    return false;
  return llvm::isPowerOf2_64(variable.align) ||
         tokens.fail(location,
                     "expected an alignment that is a power of 2, got " +
                         llvm::Twine(variable.align));
}

bool ModuleParser::parseVariableHead(Variable &variable) {
  bool hasSpace = false, hasType = false;
  variable.location = tokens.peek().location;
  while (tokens.peek().kind == Token::Kind::Word)
    if (!parseVariableWord(variable, hasSpace, hasType))
      return false;
  if (!hasSpace)
    return tokens.failAtNext("a state space of a variable");
  return hasType || tokens.failAtNext("the type of a variable");
}

bool ModuleParser::parseVariableName(Variable &variable) {
  variable.location = tokens.peek().location;
  if (!tokens.expectName(variable.name, "a name"))
    return false;
  if (tokens.consume("<") &&
      (!tokens.expectInteger(variable.count, "the number of variables") ||
       !tokens.expect(">", "after the number of variables")))
    return false;
  while (tokens.consume("[")) {
    int64_t extent = 0;
    Location location = tokens.peek().location;
    if (!tokens.at("]") && !parseIntegerConstant(tokens, extent))
      return false;
    if (extent < 0)
      return tokens.fail(location, "expected an extent of at least 0, got " +
                                       llvm::Twine(extent));
    variable.dims.push_back(extent);
    if (!tokens.expect("]", "after the extent"))
      return false;
  }
  return true;
}

/// A name and an offset: `a`, `a+4`, `generic(a)+4`, `0xff00(a)`.
bool ModuleParser::parseSymbolInitializer(Initializer &initializer) {
  initializer.kind = Initializer::Kind::Symbol;
  if (tokens.peek().kind == Token::Kind::Number && initializer.mask == 0) {
    Location location = tokens.peek().location;
    if (!tokens.expectInteger(initializer.mask, "a mask"))
      return false;
    if (initializer.mask == 0)
      return tokens.fail(location,
                         "expected a mask of at least one bit, got 0");
    if (!tokens.expect("(", "after a mask") ||
        !parseSymbolInitializer(initializer))
      return false;
    return tokens.expect(")", "after a masked name");
  }
  initializer.isGeneric =
      tokens.peek().text == "generic" && tokens.peek(1).is("(");
  if (initializer.isGeneric) {
    tokens.take();
    tokens.take();
  }
  const Token &name = tokens.peek();
  if (name.kind != Token::Kind::Name)
    return tokens.failAtNext("a name or a constant");
  auto symbol = names.findSymbol(name.text);
  if (!symbol)
    return tokens.failAtNext("the name of a variable or function");
  tokens.take();
  initializer.symbol = symbol->first;
  if (initializer.isGeneric && !tokens.expect(")", "after a name"))
    return false;
  int64_t offset = 0;
  if (tokens.at("+") || tokens.at("-")) {
    bool negative = tokens.take().is("-");
    if (!parseIntegerConstant(tokens, offset))
      return false;
    if (negative)
      offset = int64_t(-uint64_t(offset));
  }
  initializer.value = {Immediate::Kind::Signed, uint64_t(offset)};
  return true;
}

bool ModuleParser::parseInitializer(Initializer &initializer, unsigned depth) {
  if (depth > kMostDepth)
    return tokens.failAtNext("at most " + llvm::Twine(kMostDepth) +
                             " levels of braces");
  if (tokens.consume("{")) {
    initializer.kind = Initializer::Kind::List;
    if (tokens.consume("}"))
      return true;
    do {
      if (!parseInitializer(initializer.elements.emplace_back(), depth + 1))
        return false;
    } while (tokens.consume(","));
    return tokens.expect("}", "at the end of an initializer");
  }
  bool isName = tokens.peek().kind == Token::Kind::Name &&
                tokens.peek().text != "WARP_SZ";
  bool isMask =
      tokens.peek().kind == Token::Kind::Number && tokens.peek(1).is("(");
  if (isName || isMask)
    return parseSymbolInitializer(initializer);
  if (!parseConstant(tokens, initializer.value))
    return false;
  initializer.kind = initializer.value.isFloat() ? Initializer::Kind::Float
                                                 : Initializer::Kind::Integer;
  return true;
}

/// Parses what follows `(`.
bool ModuleParser::parseParameters(std::vector<Variable> &parameters,
                                   Function *function,
                                   const llvm::Twine &what) {
  if (tokens.consume(")"))
    return true;
  do {
    Variable parameter;
    parameter.space = StateSpace::Param;
    if (!parseVariableHead(parameter) || !parseVariableName(parameter))
      return false;
    if (parameter.space != StateSpace::Param &&
        parameter.space != StateSpace::Reg)
      return tokens.fail(parameter.location, "expected " + what +
                                                 " in .param or .reg, got ." +
                                                 stringify(parameter.space));
    bool isRegister = parameter.space == StateSpace::Reg;
    if (isRegister && (!isRegisterType(parameter.type) ||
                       !parameter.dims.empty() || parameter.count != 0))
      return tokens.fail(parameter.location,
                         "expected " + what + " in .reg to be one register");
    if (function && isRegister) {
      RegisterGroup &group = function->registers.emplace_back();
      group.location = parameter.location;
      group.name = parameter.name;
      group.type = parameter.type;
      group.vector = parameter.vector;
      if (!names.declareRegisters())
        return false;
    } else if (function && !names.declare(parameter)) {
      return false;
    }
    parameters.push_back(std::move(parameter));
  } while (tokens.consume(","));
  return tokens.expect(")", "after the last of " + what);
}

bool ModuleParser::parseRegisters(Function &function,
                                  RegisterDeclaration &declaration) {
  Variable head;
  if (!parseVariableHead(head))
    return false;
  if (!isRegisterType(head.type))
    return tokens.fail(head.location, "expected a type of a register, got ." +
                                          stringify(head.type));
  declaration.firstGroup = function.registers.size();
  do {
    Variable variable;
    if (!parseVariableName(variable))
      return false;
    if (!variable.dims.empty())
      return tokens.fail(variable.location,
                         "expected a register, got an array '" + variable.name +
                             "'");
    RegisterGroup &group = function.registers.emplace_back();
    group.location = variable.location;
    group.name = variable.name;
    group.type = head.type;
    group.vector = head.vector;
    group.isNumbered = tokens.getTokens()[tokens.getPosition() - 1].is(">");
    group.count = group.isNumbered
                      ? std::min<uint64_t>(variable.count, UINT32_MAX / 2)
                      : 1;
    if (!names.declareRegisters())
      return false;
    ++declaration.groups;
  } while (tokens.consume(","));
  return tokens.expect(";", "at the end of the declaration");
}
