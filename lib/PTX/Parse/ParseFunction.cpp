//===- ParseFunction.cpp - bodies of functions ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModuleParser.h. PTX ISA, Syntax: statements; Directives.
//
//===----------------------------------------------------------------------===//

#include "ModuleParser.h"

using namespace carousel;
using namespace carousel::ptx;

static constexpr unsigned kMostDepth = 64; ///< of blocks

/// Parses what follows `.loc`.
bool ModuleParser::parseSourceLocation(SourceLocation &location) {
  if (!tokens.expectInteger(location.file, "the number of a file") ||
      !tokens.expectInteger(location.line, "a line") ||
      !tokens.expectInteger(location.column, "a column"))
    return false;
  while (tokens.consume(",")) {
    const Token &word = tokens.peek();
    if (word.text == "function_name" && word.kind == Token::Kind::Name) {
      tokens.take();
      if (!tokens.expectName(location.function.emplace(), "a label"))
        return false;
      if (tokens.consume("+") &&
          !tokens.expectInteger(location.functionOffset, "an offset"))
        return false;
    } else if (word.text == "inlined_at" && word.kind == Token::Kind::Name) {
      tokens.take();
      std::array<uint64_t, 3> &place = location.inlinedAt.emplace();
      if (!tokens.expectInteger(place[0], "the number of a file") ||
          !tokens.expectInteger(place[1], "a line") ||
          !tokens.expectInteger(place[2], "a column"))
        return false;
    } else {
      return tokens.failAtNext("function_name or inlined_at");
    }
  }
  return true;
}

bool ModuleParser::parseLocalVariables(Block &block) {
  Variable head;
  if (!parseLinkage(head.linkage) || !parseVariableHead(head))
    return false;
  if (head.space == StateSpace::Reg || head.space == StateSpace::Tex)
    return tokens.fail(head.location,
                       "expected a variable of memory in a function, got one "
                       "in ." +
                           stringify(head.space));
  do {
    Variable variable = head;
    if (!parseVariableName(variable))
      return false;
    if (tokens.consume("=") &&
        !parseInitializer(variable.initializer.emplace(), 0))
      return false;
    if (!names.declare(variable))
      return false;
    block.statements.push_back({std::move(variable)});
  } while (tokens.consume(","));
  return tokens.expect(";", "at the end of the declaration");
}

bool ModuleParser::parseDirectiveStatement(Block &block) {
  const Token &word = tokens.peek();
  if (word.text == "reg") {
    RegisterDeclaration declaration;
    if (!parseRegisters(*function, declaration))
      return false;
    block.statements.push_back({declaration});
    return true;
  }
  if (word.text == "loc") {
    SourceLocation location;
    location.location = tokens.take().location;
    if (!parseSourceLocation(location))
      return false;
    block.statements.push_back({std::move(location)});
    return true;
  }
  if (word.text == "pragma") {
    Pragma pragma;
    if (!parsePragma(pragma))
      return false;
    block.statements.push_back({std::move(pragma)});
    return true;
  }
  if (parseStateSpace(word.text) || word.text == "extern")
    return parseLocalVariables(block);
  return tokens.failAtNext("a directive of a function's body");
}

bool ModuleParser::parseBranchTargets(Block &block, LabelId label,
                                      Location location) {
  BranchTargets targets{location, label, {}};
  do {
    const Token &name = tokens.peek();
    std::optional<LabelId> target;
    if (name.kind == Token::Kind::Name)
      target = names.findLabel(name.text);
    if (!target)
      return tokens.failAtNext("a label of the function");
    tokens.take();
    targets.targets.push_back(*target);
  } while (tokens.consume(","));
  block.statements.push_back({std::move(targets)});
  return tokens.expect(";", "at the end of .branchtargets");
}

bool ModuleParser::parseCallTargets(Block &block, LabelId label,
                                    Location location) {
  CallTargets targets{location, label, {}};
  do {
    if (!parseFunctionName(targets.targets.emplace_back()))
      return false;
  } while (tokens.consume(","));
  block.statements.push_back({std::move(targets)});
  return tokens.expect(";", "at the end of .calltargets");
}

/// Parses what follows the word: `(results) _ (parameters)`.
bool ModuleParser::parseCallPrototype(Block &block, LabelId label,
                                      Location location) {
  CallPrototype prototype;
  prototype.location = location;
  prototype.label = label;
  if (tokens.consume("(") &&
      !parseParameters(prototype.results, nullptr, "the results"))
    return false;
  std::string name;
  if (!tokens.expectName(name, "'_'"))
    return false;
  if (name != "_")
    return tokens.fail(location, "expected '_' for the name of a prototype, "
                                 "got '" +
                                     name + "'");
  if (tokens.consume("(") &&
      !parseParameters(prototype.parameters, nullptr, "the parameters"))
    return false;
  if (!parseDirectives(prototype.directives, nullptr))
    return false;
  block.statements.push_back({std::move(prototype)});
  return tokens.expect(";", "at the end of .callprototype");
}

bool ModuleParser::parseLabel(Block &block) {
  const Token &name = tokens.take();
  tokens.take();
  std::optional<LabelId> label = names.findLabel(name.text);
  if (!label)
    return tokens.fail(name.location, "expected a label at the start of a "
                                      "statement, got " +
                                          name.describe());
  if (tokens.consumeWord("branchtargets"))
    return parseBranchTargets(block, *label, name.location);
  if (tokens.consumeWord("calltargets"))
    return parseCallTargets(block, *label, name.location);
  if (tokens.consumeWord("callprototype"))
    return parseCallPrototype(block, *label, name.location);
  block.statements.push_back({Label{name.location, *label}});
  return true;
}

bool ModuleParser::parseStatements(Block &block, unsigned depth) {
  while (!tokens.consume("}")) {
    if (tokens.atEnd())
      return tokens.failAtNext("'}' at the end of the block that begins in "
                               "line " +
                               llvm::Twine(block.location.line));
    const Token &token = tokens.peek();
    if (token.is(";")) {
      tokens.take();
    } else if (token.is("{")) {
      Block inner;
      if (!parseBlock(inner, depth + 1))
        return false;
      block.statements.push_back({std::move(inner)});
    } else if (token.kind == Token::Kind::Word) {
      if (!parseDirectiveStatement(block))
        return false;
    } else if (token.kind == Token::Kind::Name && tokens.peek(1).is(":")) {
      if (!parseLabel(block))
        return false;
    } else {
      Instruction instruction;
      if (!parseInstruction(instruction))
        return false;
      block.statements.push_back({std::move(instruction)});
    }
  }
  return true;
}

bool ModuleParser::parseBlock(Block &block, unsigned depth) {
  block.location = tokens.peek().location;
  if (depth > kMostDepth)
    return tokens.failAtNext("at most " + llvm::Twine(kMostDepth) +
                             " blocks inside each other");
  names.push(tokens.getPosition());
  tokens.take();
  if (!parseStatements(block, depth))
    return false;
  names.pop();
  return true;
}
