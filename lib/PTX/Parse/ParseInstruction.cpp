//===- ParseInstruction.cpp - instructions and operands -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModuleParser.h. Operands are read without regard to the instruction; the
// table then says whether they fit.
//
//===----------------------------------------------------------------------===//

#include "ModuleParser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace carousel;
using namespace carousel::ptx;
using Kind = Operand::Kind;
using llvm::StringRef;

static constexpr unsigned kMostDepth = 8; ///< of braces of operands

static std::optional<SpecialRegister> findSpecial(StringRef name,
                                                  unsigned &number) {
  enum { Scalar, Vector, Numbered };
  struct Entry {
    StringRef name;
    int shape;
  };
  static constexpr Entry kEntries[] = {
#define CAROUSEL_PTX_SPECIAL(name, text, type, shape) {text, shape},
#include "carousel/PTX/SpecialRegisters.def"
  };
  for (unsigned i = 0; i < std::size(kEntries); ++i) {
    if (kEntries[i].shape != Numbered) {
      if (kEntries[i].name == name)
        return SpecialRegister(i);
      continue;
    }
    StringRef rest = name;
    if (!rest.consume_front(kEntries[i].name))
      continue;
    // %pm0_64 has 64 bits of %pm0.
    bool isWide = rest.consume_back("_64");
    if (!rest.getAsInteger(10, number) && number < 64 && !rest.empty()) {
      number += isWide ? 64 : 0;
      return SpecialRegister(i);
    }
  }
  return std::nullopt;
}

void ModuleParser::resolve(Operand &operand) {
  StringRef name = operand.name;
  if (labelsFirst)
    if (std::optional<LabelId> label = names.findLabel(name)) {
      operand.kind = Kind::Label;
      operand.label = *label;
      return;
    }
  if (std::optional<RegisterId> reg = names.findRegister(name)) {
    operand.kind = Kind::Register;
    operand.reg = *reg;
  } else if (auto symbol = names.findSymbol(name)) {
    operand.kind = Kind::Symbol;
    operand.symbol = symbol->first;
    operand.symbolNumber = symbol->second;
  } else if (auto special = findSpecial(name, operand.number)) {
    operand.kind = Kind::Special;
    operand.special = *special;
  } else if (std::optional<LabelId> label = names.findLabel(name)) {
    operand.kind = Kind::Label;
    operand.label = *label;
  } else {
    operand.kind = Kind::Name;
  }
}

/// Parses the offset of a base, after `+` or at `-`.
bool ModuleParser::parseOffset(Operand &operand) {
  while (tokens.at("+") || tokens.at("-")) {
    bool negative = tokens.take().is("-");
    Location location = tokens.peek().location;
    Immediate value;
    // A sum that goes on is one offset.
    if (!parseConstant(tokens, value))
      return false;
    if (value.isFloat())
      return tokens.fail(location, "expected an integer offset, got a float");
    operand.offset = int64_t(uint64_t(operand.offset) +
                             (negative ? -value.bits : value.bits));
  }
  return true;
}

bool ModuleParser::parseNamed(Operand &operand) {
  operand.name = tokens.take().text.str();
  if (operand.name == "_") {
    operand.kind = Kind::Sink;
  } else {
    resolve(operand);
    const Token &part = tokens.peek();
    bool hasPart =
        operand.kind == Kind::Register || operand.kind == Kind::Special;
    if (hasPart && part.kind == Token::Kind::Word && part.joined) {
      static constexpr StringRef kParts[] = {"x", "y", "z", "w",
                                             "r", "g", "b", "a"};
      bool isSelector =
          (part.text.front() == 'b' || part.text.front() == 'h') &&
          part.text.size() <= 5 &&
          llvm::all_of(part.text.drop_front(), llvm::isDigit);
      if (!llvm::is_contained(kParts, part.text) && !isSelector)
        return tokens.failAtNext("a part of '" + operand.name + "'");
      operand.part = tokens.take().text.str();
    }
    if (operand.kind == Kind::Symbol) {
      if (tokens.consume("[")) {
        operand.isElement = true;
        if (!parseIntegerConstant(tokens, operand.offset) ||
            !tokens.expect("]", "after the number of an element"))
          return false;
      } else if (!parseOffset(operand)) {
        return false;
      }
    }
  }
  return true;
}

/// At `|` after a value: the predicate that is written with it.
bool ModuleParser::parsePair(Operand &operand) {
  tokens.take();
  Operand pair, predicate;
  pair.kind = Kind::Predicate;
  pair.location = operand.location;
  predicate.location = tokens.peek().location;
  if (tokens.peek().kind != Token::Kind::Name)
    return tokens.failAtNext("a predicate after '|'");
  if (!parseNamed(predicate))
    return false;
  pair.elements = {std::move(operand), std::move(predicate)};
  operand = std::move(pair);
  return true;
}

/// Parses a name after `!` or `-`.
bool ModuleParser::parseNegated(Operand &operand) {
  tokens.take();
  if (!parseNamed(operand))
    return false;
  if (operand.kind == Kind::Register)
    operand.negated = true;
  else if (operand.kind != Kind::Name)
    return tokens.fail(operand.location,
                       "expected a register after '!', got '" + operand.name +
                           "'");
  return true;
}

/// Parses what follows `[`.
bool ModuleParser::parseAddress(Operand &operand, unsigned depth) {
  operand.kind = Kind::Address;
  do {
    Operand &part = operand.elements.emplace_back();
    if (!parseOperand(part, depth + 1))
      return false;
    bool isBase = operand.elements.size() == 1;
    if (isBase && part.kind == Kind::Register &&
        !parseOffset(operand.elements.front()))
      return false;
  } while (tokens.consume(","));
  if (!tokens.expect("]", "at the end of the address"))
    return false;
  operand.unified = tokens.peek().joined && tokens.consumeWord("unified");
  return true;
}

bool ModuleParser::parseOperand(Operand &operand, unsigned depth) {
  const Token &token = tokens.peek();
  operand.location = token.location;
  if (depth > kMostDepth)
    return tokens.failAtNext("at most " + llvm::Twine(kMostDepth) +
                             " levels of braces");
  if (tokens.consume("["))
    return parseAddress(operand, depth);
  if (tokens.consume("{")) {
    operand.kind = Kind::Vector;
    if (!parseOperands(operand.elements, "}", depth + 1))
      return false;
    return !tokens.at("|") || parsePair(operand);
  }
  bool isNegation = token.is("!") || token.is("-");
  if (isNegation && tokens.peek(1).kind == Token::Kind::Name &&
      tokens.peek(1).text != "WARP_SZ")
    return parseNegated(operand);
  if (token.kind == Token::Kind::Name && token.text != "WARP_SZ")
    return parseNamed(operand) && (!tokens.at("|") || parsePair(operand));
  operand.kind = Kind::Immediate;
  return parseConstant(tokens, operand.value);
}

/// Up to `end`, which is taken.
bool ModuleParser::parseOperands(std::vector<Operand> &operands, StringRef end,
                                 unsigned depth) {
  if (tokens.consume(end))
    return true;
  do {
    if (!parseOperand(operands.emplace_back(), depth))
      return false;
  } while (tokens.consume(","));
  return tokens.expect(end, "at the end of the operands");
}

bool ModuleParser::parseGuard(Instruction &instruction) {
  if (!tokens.consume("@"))
    return true;
  Guard guard;
  guard.negated = tokens.consume("!");
  const Token &name = tokens.peek();
  std::optional<RegisterId> reg;
  if (name.kind == Token::Kind::Name)
    reg = names.findRegister(name.text);
  if (!reg)
    return tokens.failAtNext("a predicate after '@'");
  Type type = names.getGroup(*reg).type;
  if (type != Type::Pred)
    return tokens.fail(name.location, "expected a predicate after '@', got '" +
                                          name.text + "' of ." +
                                          stringify(type));
  tokens.take();
  guard.predicate = *reg;
  instruction.guard = guard;
  return true;
}

bool ModuleParser::parseName(Instruction &instruction,
                             llvm::SmallVectorImpl<Modifier> &modifiers) {
  const Token &first = tokens.peek();
  if (first.kind != Token::Kind::Name)
    return tokens.failAtNext("an instruction");
  size_t words = 0;
  while (tokens.peek(words + 1).kind == Token::Kind::Word)
    ++words;
  // The longest name is the instruction's.
  size_t used = 0;
  std::optional<Opcode> opcode;
  std::string text = first.text.str();
  for (size_t count = 0; count <= std::min<size_t>(words, 4); ++count) {
    if (count != 0)
      text += "." + tokens.peek(count).text.str();
    if (std::optional<Opcode> longer = parseOpcode(text)) {
      opcode = longer;
      used = count;
    }
  }
  if (!opcode) {
    std::string name = first.text.str();
    for (size_t i = 1; i <= std::min<size_t>(words, 2); ++i)
      name += "." + tokens.peek(i).text.str();
    Token shown = first;
    shown.text = name;
    return tokens.fail(first.location, "expected an instruction of PTX, got " +
                                           shown.describe());
  }
  instruction.opcode = *opcode;
  instruction.location = first.location;
  for (size_t i = 0; i <= used; ++i)
    tokens.take();
  for (size_t i = used; i < words; ++i) {
    Modifier &modifier = modifiers.emplace_back();
    modifier.token = tokens.take();
    StringRef text = modifier.token.text;
    if (std::optional<Word> word = parseWord(text)) {
      modifier.word = *word;
      continue;
    }
    std::optional<MatrixShape> shape = parseShape(text);
    if (!shape)
      return tokens.fail(modifier.token.location,
                         "expected a modifier of '" + stringify(*opcode) +
                             "', got " + modifier.token.describe());
    modifier.shape = *shape;
  }
  return true;
}

/// `(a, b)`, or nothing.
bool ModuleParser::parseCallList(Operand &list) {
  list.kind = Kind::List;
  list.location = tokens.peek().location;
  return !tokens.consume("(") || parseOperands(list.elements, ")", 1);
}

/// One operand: results, callee, arguments and, of an indirect call, targets.
bool ModuleParser::parseCall(Instruction &instruction) {
  Operand &call = instruction.operands.emplace_back();
  call.kind = Kind::List;
  call.location = tokens.peek().location;
  call.elements.resize(3);
  bool hasResults = tokens.at("(");
  if (!parseCallList(call.elements[0]) ||
      (hasResults && !tokens.expect(",", "after the results of a call")) ||
      !parseOperand(call.elements[1], 1))
    return false;
  call.elements[2].kind = Kind::List;
  call.elements[2].location = tokens.peek().location;
  if (tokens.at(",") && tokens.peek(1).is("(")) {
    tokens.take();
    if (!parseCallList(call.elements[2]))
      return false;
  }
  if (tokens.consume(",")) {
    Operand &targets = call.elements.emplace_back();
    labelsFirst = true;
    bool parsed = parseOperand(targets, 1);
    labelsFirst = false;
    if (!parsed)
      return false;
    if (targets.kind != Kind::Label)
      return tokens.fail(targets.location,
                         "expected the label of a .callprototype or a "
                         ".calltargets, got '" +
                             targets.name + "'");
  }
  return tokens.expect(";", "at the end of the call");
}

bool ModuleParser::parseInstruction(Instruction &instruction) {
  llvm::SmallVector<Modifier, 8> modifiers;
  if (!parseGuard(instruction) || !parseName(instruction, modifiers))
    return false;
  llvm::SmallVector<FormMatch, 4> matches;
  if (!matchModifiers(instruction.opcode, modifiers, instruction.location,
                      tokens, matches))
    return false;
  if (instruction.opcode == Opcode::Call) {
    if (!parseCall(instruction))
      return false;
  } else {
    labelsFirst = instruction.opcode == Opcode::Bra ||
                  instruction.opcode == Opcode::BrxIdx;
    bool parsed = parseOperands(instruction.operands, ";", 0);
    labelsFirst = false;
    if (!parsed)
      return false;
  }
  return matchOperands(matches, names, tokens, instruction);
}
