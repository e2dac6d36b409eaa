//===- ParseModule.cpp - what is outside of functions ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModuleParser.h. PTX ISA, Directives.
//
//===----------------------------------------------------------------------===//

#include "ModuleParser.h"

#include "carousel/PTX/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

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
