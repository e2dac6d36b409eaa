//===- ParseModule.cpp - from tokens to a module --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with their statements, variables with their initial values, and the
// directives of a module. PTX ISA, Syntax: statements; Directives; State
// Spaces, Types, and Variables.
//
//===----------------------------------------------------------------------===//

#include "ModuleParser.h"

#include "carousel/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

static constexpr unsigned kMostBlockDepth = 64; ///< of blocks

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
  if (depth > kMostBlockDepth)
    return tokens.failAtNext("at most " + llvm::Twine(kMostBlockDepth) +
                             " blocks inside each other");
  names.push(tokens.getPosition());
  tokens.take();
  if (!parseStatements(block, depth))
    return false;
  names.pop();
  return true;
}

static constexpr unsigned kMostBraceDepth = 16; ///< of braces of an initializer

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
  if (depth > kMostBraceDepth)
    return tokens.failAtNext("at most " + llvm::Twine(kMostBraceDepth) +
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

/// Directives between a function's parameters and its body, and how many
/// numbers each may have.
static constexpr struct {
  StringRef name;
  unsigned least, most;
} kDirectives[] = {
    {"maxntid", 1, 3},           {"reqntid", 1, 3},
    {"minnctapersm", 1, 1},      {"maxnctapersm", 1, 1},
    {"maxnreg", 1, 1},           {"maxclusterrank", 1, 1},
    {"reqnctapercluster", 1, 3}, {"explicitcluster", 0, 0},
    {"blocksareclusters", 0, 0}, {"noreturn", 0, 0},
    {"abi_preserve", 1, 1},      {"abi_preserve_control", 1, 1},
    {"minperctamemory", 1, 1},
};

bool ModuleParser::parseDirectives(std::vector<FunctionDirective> &directives,
                                   std::vector<Pragma> *pragmas) {
  while (tokens.peek().kind == Token::Kind::Word) {
    const Token &word = tokens.peek();
    if (pragmas && word.text == "pragma") {
      if (!parsePragma(pragmas->emplace_back()))
        return false;
      continue;
    }
    const auto *known = llvm::find_if(kDirectives, [&](const auto &directive) {
      return directive.name == word.text;
    });
    if (known == std::end(kDirectives))
      return tokens.failAtNext("a directive of a function");
    FunctionDirective &directive = directives.emplace_back();
    directive.location = tokens.take().location;
    directive.name = known->name.str();
    if (known->most == 0)
      continue;
    do {
      if (!tokens.expectInteger(directive.values.emplace_back(),
                                "an integer after ." + known->name))
        return false;
    } while (tokens.consume(","));
    if (directive.values.size() > known->most)
      return tokens.fail(directive.location,
                         "expected at most " + llvm::Twine(known->most) +
                             " integers after ." + known->name + ", got " +
                             llvm::Twine(directive.values.size()));
  }
  return true;
}

bool ModuleParser::parsePragma(Pragma &pragma) {
  pragma.location = tokens.take().location;
  do {
    if (!tokens.expectString(pragma.strings.emplace_back(),
                             "a string after .pragma"))
      return false;
  } while (tokens.consume(","));
  return tokens.expect(";", "at the end of .pragma");
}

bool ModuleParser::parseFunction(Linkage linkage, bool isKernel) {
  Function parsed;
  parsed.linkage = linkage;
  parsed.isKernel = isKernel;
  StringRef what = isKernel ? "a kernel" : "a function";
  names.push();
  function = &parsed;
  names.beginFunction(parsed);
  if (tokens.consumeWord("attribute") && !parseAttributes(parsed.attributes))
    return false;
  if (!isKernel && tokens.consume("(") &&
      !parseParameters(parsed.results, &parsed, "the results"))
    return false;
  parsed.location = tokens.peek().location;
  if (!tokens.expectName(parsed.name, "the name of " + what))
    return false;
  if (tokens.consume("(") &&
      !parseParameters(parsed.parameters, &parsed, "the parameters"))
    return false;
  if (!names.declare(parsed) ||
      !parseDirectives(parsed.directives, &parsed.pragmas))
    return false;
  if (!tokens.consume(";")) {
    if (!tokens.at("{"))
      return tokens.failAtNext("'{' or ';' after the head of " + what);
    if (!names.collectLabels() || !parseBlock(parsed.body.emplace(), 0))
      return false;
  }
  names.endFunction();
  names.pop();
  function = nullptr;
  module.items.emplace_back(std::move(parsed));
  return true;
}

bool ModuleParser::parseModuleVariables(Linkage linkage) {
  Variable head;
  head.linkage = linkage;
  if (!parseVariableHead(head))
    return false;
  if (head.space == StateSpace::Reg || head.space == StateSpace::Param ||
      head.space == StateSpace::Local)
    return tokens.fail(head.location,
                       "expected a variable in .global, .const, .shared or "
                       ".tex outside of functions, got ." +
                           stringify(head.space));
  do {
    Variable variable = head;
    if (!parseVariableName(variable))
      return false;
    if (!names.declare(variable))
      return false;
    if (tokens.consume("=") &&
        !parseInitializer(variable.initializer.emplace(), 0))
      return false;
    module.items.emplace_back(std::move(variable));
  } while (tokens.consume(","));
  return tokens.expect(";", "at the end of the declaration");
}

/// Reads the name of a function that is declared already.
bool ModuleParser::parseFunctionName(SymbolId &function) {
  const Token &name = tokens.peek();
  auto symbol = names.findSymbol(name.text);
  if (name.kind != Token::Kind::Name || !symbol ||
      names.getSymbol(symbol->first).kind != Symbol::Kind::Function)
    return tokens.failAtNext("the name of a function");
  tokens.take();
  function = symbol->first;
  return true;
}

/// Parses what follows `.alias`.
bool ModuleParser::parseAlias() {
  Alias alias;
  alias.location = tokens.peek().location;
  for (SymbolId *id : {&alias.name, &alias.aliasee}) {
    if (!parseFunctionName(*id))
      return false;
    if (id == &alias.name && !tokens.expect(",", "after the name of an alias"))
      return false;
  }
  module.items.emplace_back(alias);
  return tokens.expect(";", "at the end of .alias");
}

bool ModuleParser::parseFile() {
  File file;
  file.location = tokens.take().location;
  if (!tokens.expectInteger(file.index, "the number of a file") ||
      !tokens.expectString(file.name, "the name of a file"))
    return false;
  if (tokens.consume(",")) {
    if (!tokens.expectInteger(file.time.emplace(), "the time of a file") ||
        !tokens.expect(",", "after the time of a file") ||
        !tokens.expectInteger(file.bytes.emplace(), "the size of a file"))
      return false;
  }
  module.items.emplace_back(std::move(file));
  return true;
}

bool ModuleParser::parseSectionValue(Section::Value &value) {
  if (tokens.peek().kind == Token::Kind::Word) {
    // A section's own name stands for its start.
    value.symbol = "." + tokens.take().text.str();
  } else if (tokens.peek().kind == Token::Kind::Name) {
    value.symbol = tokens.take().text.str();
    if (tokens.at("-") && tokens.peek(1).kind == Token::Kind::Name) {
      tokens.take();
      value.minus = tokens.take().text.str();
      return true;
    }
  } else {
    return parseConstant(tokens, value.offset);
  }
  if (!tokens.consume("+"))
    return true;
  return parseConstant(tokens, value.offset);
}

bool ModuleParser::parseSectionEntry(Section &section) {
  Section::Entry &entry = section.entries.emplace_back();
  if (tokens.peek().kind == Token::Kind::Name) {
    entry.label = tokens.take().text.str();
    return tokens.expect(":", "after a label");
  }
  std::optional<Type> type;
  if (tokens.peek().kind == Token::Kind::Word)
    type = parseType(tokens.peek().text);
  if (type != Type::B8 && type != Type::B16 && type != Type::B32 &&
      type != Type::B64)
    return tokens.failAtNext("a label, .b8, .b16, .b32 or .b64 in a section");
  entry.type = *type;
  tokens.take();
  do {
    if (!parseSectionValue(entry.values.emplace_back()))
      return false;
  } while (tokens.consume(","));
  return true;
}

bool ModuleParser::parseSection() {
  Section section;
  section.location = tokens.take().location;
  if (tokens.peek().kind != Token::Kind::Word)
    return tokens.failAtNext("the name of a section");
  section.name = "." + tokens.take().text.str();
  if (!tokens.expect("{", "after the name of a section"))
    return false;
  while (!tokens.consume("}"))
    if (!parseSectionEntry(section))
      return false;
  module.items.emplace_back(std::move(section));
  return true;
}

bool ModuleParser::parseItem() {
  if (tokens.consume(";"))
    return true;
  const Token &word = tokens.peek();
  if (word.kind != Token::Kind::Word)
    return tokens.failAtNext("a directive");
  if (word.text == "file")
    return parseFile();
  if (word.text == "section")
    return parseSection();
  if (word.text == "pragma") {
    Pragma pragma;
    if (!parsePragma(pragma))
      return false;
    module.items.emplace_back(std::move(pragma));
    return true;
  }
  if (tokens.consumeWord("alias"))
    return parseAlias();
  if (word.text == "version" || word.text == "target" ||
      word.text == "address_size")
    return tokens.failAtNext("." + word.text +
                             " once, at the beginning of the text");
  Linkage linkage;
  if (!parseLinkage(linkage))
    return false;
  if (tokens.consumeWord("entry"))
    return parseFunction(linkage, true);
  if (tokens.consumeWord("func"))
    return parseFunction(linkage, false);
  bool isVariable =
      parseStateSpace(tokens.peek().text) || tokens.peek().text == "attribute";
  if (tokens.peek().kind == Token::Kind::Word && isVariable)
    return parseModuleVariables(linkage);
  return tokens.failAtNext("a directive");
}

bool ModuleParser::parseTargets() {
  static constexpr StringRef kOptions[] = {
      "texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
  do {
    const Token &name = tokens.peek();
    StringRef chip = name.text;
    bool isChip = chip.consume_front("sm_") && !chip.empty() &&
                  llvm::isDigit(chip.front()) &&
                  chip.drop_while(llvm::isDigit).size() <= 1;
    if (name.kind != Token::Kind::Name ||
        !(isChip || llvm::is_contained(kOptions, name.text)))
      return tokens.failAtNext(
          "a chip such as sm_90a, or an option of .target");
    module.targets.push_back(tokens.take().text.str());
  } while (tokens.consume(","));
  return true;
}

bool ModuleParser::parseHead() {
  if (!tokens.consumeWord("version"))
    return tokens.failAtNext(".version at the beginning of the text");
  const Token &version = tokens.peek();
  auto [major, minor] = version.text.split('.');
  if (version.kind != Token::Kind::Number || minor.size() != 1 ||
      major.getAsInteger(10, module.major) ||
      minor.getAsInteger(10, module.minor))
    return tokens.failAtNext("a version such as 9.0");
  tokens.take();
  unsigned number = module.major * 10 + module.minor;
  if (number < kOldestVersion || number > kNewestVersion)
    return tokens.fail(version.location, "expected a version of PTX from 1.0 "
                                         "to 9.5, got " +
                                             version.describe());
  if (!tokens.consumeWord("target"))
    return tokens.failAtNext(".target after .version");
  if (!parseTargets())
    return false;
  if (!tokens.consumeWord("address_size"))
    return true;
  const Token &size = tokens.peek();
  uint64_t bits = 0;
  if (!tokens.expectInteger(bits, "32 or 64 after .address_size"))
    return false;
  if (bits != 32 && bits != 64)
    return tokens.fail(size.location,
                       "expected 32 or 64 after .address_size, got " +
                           llvm::Twine(bits));
  module.addressSize = bits;
  return true;
}

bool ModuleParser::parseModule() {
  if (!parseHead())
    return false;
  while (!tokens.atEnd())
    if (!parseItem())
      return false;
  return true;
}

std::optional<Module> ptx::parse(StringRef text, Diagnostic &error) {
  error = {};
  std::vector<Token> tokens;
  if (!tokenize(text, tokens, error.location, error.message))
    return std::nullopt;
  Module module;
  if (!ModuleParser(tokens, module, error).parseModule())
    return std::nullopt;
  return module;
}
