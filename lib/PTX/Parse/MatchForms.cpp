//===- MatchForms.cpp - the operands of an instruction --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words go to the slots of a form from the first on; a word that two slots have
// goes to the earlier one first. Types keep their order. Operands are compared
// with the specs of a form in order; one that doesn't fit an optional spec is
// tried with the next spec.
//
//===----------------------------------------------------------------------===//

#include "MatchForms.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::ArrayRef;
using llvm::Twine;

namespace {

class Matcher {
public:
  Matcher(const InstructionForm &form, ArrayRef<Modifier> modifiers)
      : form(form), modifiers(modifiers), taken(form.slots.size()) {}

  bool run() { return place(0, 0); }

  const InstructionForm &form;
  ArrayRef<Modifier> modifiers;
  llvm::SmallVector<std::optional<unsigned>> taken; ///< modifiers, by slot
  unsigned reached = 0; ///< modifiers that had a place
  const ModifierSlot *missing = nullptr;

private:
  /// `typed` is the first slot that the next type may have.
  bool place(unsigned next, unsigned typed);
  bool allows(const ModifierSlot &slot, const Modifier &modifier) const;
};

} // namespace

bool Matcher::allows(const ModifierSlot &slot, const Modifier &modifier) const {
  if (!slot.allows(modifier.word))
    return false;
  if (modifier.word != Word::Shape)
    return true;
  const MatrixShape &shape = modifier.shape;
  return shape.m == slot.shape.m && shape.k == slot.shape.k && shape.n != 0 &&
         shape.n % 8 == 0 && shape.n <= 256;
}

bool Matcher::place(unsigned next, unsigned typed) {
  reached = std::max(reached, next);
  if (next == modifiers.size()) {
    for (auto [slot, modifier] : llvm::zip(form.slots, taken))
      if (!slot.optional && !modifier) {
        missing = &slot;
        return false;
      }
    return true;
  }
  bool isType = typeOf(modifiers[next].word).has_value();
  for (unsigned slot = isType ? typed : 0; slot < form.slots.size(); ++slot) {
    if (taken[slot] || !allows(form.slots[slot], modifiers[next]))
      continue;
    taken[slot] = next;
    if (place(next + 1, isType ? slot + 1 : typed))
      return true;
    taken[slot] = std::nullopt;
  }
  return false;
}

static std::string listWords(const ModifierSlot &slot) {
  constexpr unsigned kMost = 6;
  std::string text;
  for (unsigned i = 0; i < slot.words.size() && i < kMost; ++i) {
    text += i == 0 ? "" : i + 1 == slot.words.size() ? " or " : ", ";
    text += '.';
    text += slot.words[i] == Word::Shape
                ? "m64n*k" + std::to_string(slot.shape.k)
                : stringify(slot.words[i]).str();
  }
  return slot.words.size() > kMost ? text + ", ..." : text;
}

bool ptx::matchModifiers(Opcode opcode, ArrayRef<Modifier> modifiers,
                         Location location, TokenStream &tokens,
                         llvm::SmallVectorImpl<FormMatch> &matches) {
  llvm::StringRef name = stringify(opcode);
  unsigned best = 0;
  const ModifierSlot *missing = nullptr;
  for (const InstructionForm *form : getForms(opcode)) {
    Matcher matcher(*form, modifiers);
    if (matcher.run()) {
      FormMatch &match = matches.emplace_back();
      match.form = form;
      match.modifiers.resize(form->slots.size());
      for (auto [word, taken] : llvm::zip(match.modifiers, matcher.taken)) {
        if (!taken)
          continue;
        word = modifiers[*taken].word;
        if (*word == Word::Shape)
          match.shape = modifiers[*taken].shape;
      }
      continue;
    }
    best = std::max(best, matcher.reached);
    if (matcher.reached == modifiers.size() && !missing)
      missing = matcher.missing;
  }
  if (!matches.empty())
    return true;
  if (missing)
    return tokens.fail(location, "expected " + listWords(*missing) +
                                     " among the modifiers of '" + name +
                                     "', got none of them");
  const Token &word =
      modifiers[std::min<size_t>(best, modifiers.size() - 1)].token;
  bool known = llvm::any_of(getForms(opcode), [&](const InstructionForm *form) {
    return llvm::any_of(form->slots, [&](const ModifierSlot &slot) {
      return slot.allows(modifiers[best].word);
    });
  });
  return tokens.fail(
      word.location,
      (known ? "expected modifiers that '" + name + "' has together, got "
             : "expected a modifier of '" + name + "', got ") +
          word.describe());
}

using Kind = Operand::Kind;

namespace {

class OperandMatcher {
public:
  OperandMatcher(const FormMatch &match, const Names &names,
                 Instruction &instruction)
      : match(match), names(names), instruction(instruction) {}

  bool run();

  Location location;
  std::string reason;
  unsigned reached = 0; ///< operands that fit

private:
  bool check(const OperandSpec &spec, const Operand &operand);
  bool checkValue(const OperandSpec &spec, const Operand &operand);
  bool checkScalar(const OperandSpec &spec, const Operand &operand,
                   std::optional<Type> type);
  bool checkPacked(const OperandSpec &spec, const Operand &operand, Type type);
  bool checkAddress(const OperandSpec &spec, const Operand &operand);
  bool checkCoordinates(const OperandSpec &spec, const Operand &operand);
  bool checkCall(const Operand &operand);
  bool checkRegister(const Operand &operand, std::optional<Type> type,
                     bool widens);
  /// nullopt: any number.
  std::optional<unsigned> countElements(const OperandSpec &spec) const;
  std::optional<Type> findType(const OperandSpec &spec) const;
  std::optional<Word> findModifier(char slot) const;
  bool isPresent(const OperandSpec &spec) const {
    return !spec.condition ||
           llvm::is_contained(match.modifiers,
                              std::optional<Word>(spec.condition));
  }
  bool fail(const Operand &operand, const Twine &rule);
  std::string describe(const Operand &operand) const;

  const FormMatch &match;
  const Names &names;
  Instruction &instruction;
};

} // namespace

std::string OperandMatcher::describe(const Operand &operand) const {
  switch (operand.kind) {
  case Kind::Register:
    return "'" + operand.name + "' of ." +
           stringify(names.getGroup(operand.reg).type).str();
  case Kind::Special:
    return "'" + operand.name + "'";
  case Kind::Immediate:
    return operand.value.isFloat() ? "a float" : "an integer";
  case Kind::Symbol: {
    const Symbol &symbol = names.getSymbol(operand.symbol);
    if (symbol.kind == Symbol::Kind::Function)
      return "the function '" + symbol.name + "'";
    return "'" + symbol.name + "' in ." + stringify(symbol.space).str();
  }
  case Kind::Address:
    return "an address";
  case Kind::Vector:
    return "a vector of " + std::to_string(operand.elements.size());
  case Kind::List:
    return "a list";
  case Kind::Predicate:
    return "a pair of a value and a predicate";
  case Kind::Label:
    return "the label '" + operand.name + "'";
  case Kind::Sink:
    return "'_'";
  case Kind::Name:
    return "'" + operand.name + "', which is not declared";
  }
  llvm_unreachable("unknown kind of operand");
}

bool OperandMatcher::fail(const Operand &operand, const Twine &rule) {
  location = operand.location;
  reason = ("expected " + rule + ", got " + describe(operand)).str();
  return false;
}

std::optional<Word> OperandMatcher::findModifier(char name) const {
  for (auto [slot, word] : llvm::zip(match.form->slots, match.modifiers))
    if (slot.name == name)
      return word;
  return std::nullopt;
}

std::optional<Type> OperandMatcher::findType(const OperandSpec &spec) const {
  std::optional<Type> type = spec.type;
  if (spec.slot != 0)
    if (std::optional<Word> word = findModifier(spec.slot))
      type = typeOf(*word);
  if (!type || !spec.doubled)
    return type;
  switch (*type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}

std::optional<unsigned>
OperandMatcher::countElements(const OperandSpec &spec) const {
  switch (spec.elements) {
  case ElementCount::One:
    return 1;
  case ElementCount::Fixed:
    return spec.count;
  case ElementCount::Slot: {
    std::optional<Word> word = findModifier('V');
    return !word ? 1 : *word == Word::V2 ? 2 : *word == Word::V4 ? 4 : 8;
  }
  case ElementCount::Shape:
    return match.shape.n / spec.count;
  case ElementCount::Any:
  case ElementCount::Packed:
    return std::nullopt;
  }
  llvm_unreachable("unknown number of elements");
}

bool OperandMatcher::checkRegister(const Operand &operand,
                                   std::optional<Type> type, bool widens) {
  if (!type)
    return true;
  const RegisterGroup &group = names.getGroup(operand.reg);
  if (group.vector != 1 && operand.part.empty())
    return fail(operand, "a register with one element");
  if (fits(group.type, *type, widens))
    return true;
  return fail(operand, "a register that holds ." + stringify(*type) +
                           (widens ? " or more" : ""));
}

bool OperandMatcher::checkScalar(const OperandSpec &spec,
                                 const Operand &operand,
                                 std::optional<Type> type) {
  bool isPredicate = type == Type::Pred;
  if (operand.negated && !isPredicate && operand.kind != Kind::Immediate)
    return fail(operand, "'!' before predicates only");
  bool isPart = operand.kind == Kind::Register && !operand.part.empty() &&
                names.getGroup(operand.reg).vector == 1;
  if (isPart && !spec.selects)
    return fail(operand, "a whole register");
  switch (operand.kind) {
  case Kind::Register:
    return checkRegister(operand, type, spec.widens);
  case Kind::Sink:
    return spec.use == OperandUse::Written || fail(operand, "a value");
  case Kind::Immediate:
    if (spec.use != OperandUse::Read)
      return fail(operand, "a register");
    if (type && operand.value.isFloat() && (isInteger(*type) || isPredicate))
      return fail(operand, "an integer for ." + stringify(*type));
    if (type && !operand.value.isFloat() && getClass(*type) == TypeClass::Float)
      return fail(operand, "a float for ." + stringify(*type));
    return true;
  case Kind::Special:
    return spec.symbols ||
           fail(operand, "a value that isn't a special register");
  case Kind::Symbol:
    return (spec.symbols && type && getBits(*type) >= 32 &&
            getClass(*type) != TypeClass::Float) ||
           fail(operand, "a value");
  default:
    return fail(operand,
                spec.use == OperandUse::Read ? "a value" : "a register");
  }
}

bool OperandMatcher::checkPacked(const OperandSpec &spec,
                                 const Operand &operand, Type type) {
  if (operand.kind != Kind::Vector)
    return fail(operand, "a vector");
  size_t count = operand.elements.size();
  unsigned bits = getBits(type) / (count == 0 ? 1 : count);
  std::optional<Type> element;
  if (count == 2 || count == 4 || count == 8)
    element = parseType("b" + std::to_string(bits));
  if (!element)
    return fail(operand, "a vector whose elements have the bits of ." +
                             stringify(type) + " together");
  for (const Operand &part : operand.elements)
    if (!checkScalar(spec, part, element))
      return false;
  return true;
}

bool OperandMatcher::checkValue(const OperandSpec &spec,
                                const Operand &operand) {
  std::optional<Type> type = findType(spec);
  if (spec.hasPredicate && operand.kind == Kind::Predicate) {
    OperandSpec value = spec, predicate;
    value.hasPredicate = false;
    predicate.use = OperandUse::Written;
    return checkValue(value, operand.elements[0]) &&
           checkScalar(predicate, operand.elements[1], Type::Pred);
  }
  if (spec.hasPredicate && !spec.predicateOptional)
    return fail(operand, "a value and a predicate");
  if (spec.isAddress) {
    if (operand.kind == Kind::Symbol || operand.kind == Kind::Immediate)
      return true;
    if (operand.kind != Kind::Register)
      return fail(operand, "an address");
    Type held = names.getGroup(operand.reg).type;
    return fits(held, Type::U32) || fits(held, Type::U64) ||
           fail(operand, "a register of 32 or 64 bits");
  }
  if (spec.elements == ElementCount::Packed)
    return checkPacked(spec, operand, *type);
  std::optional<unsigned> count = countElements(spec);
  bool isVectorRegister = operand.kind == Kind::Register &&
                          operand.part.empty() &&
                          names.getGroup(operand.reg).vector != 1;
  if (isVectorRegister) {
    const RegisterGroup &group = names.getGroup(operand.reg);
    if (count && *count != group.vector)
      return fail(operand, "a vector of " + Twine(*count));
    return !type || fits(group.type, *type, spec.widens) ||
           fail(operand, "elements that hold ." + stringify(*type));
  }
  if (operand.kind != Kind::Vector) {
    bool isScalar = !count || *count == 1 || operand.kind == Kind::Sink;
    if (!isScalar)
      return fail(operand, "a vector of " + Twine(*count));
    return checkScalar(spec, operand, type);
  }
  // ptxas takes a vector of one element in a load or a store of one value.
  if (spec.elements == ElementCount::One ||
      (spec.elements == ElementCount::Slot && *count == 1 &&
       operand.elements.size() != 1))
    return fail(operand, "one value");
  if (count && *count != operand.elements.size())
    return fail(operand, "a vector of " + Twine(*count));
  // For vectors in memory, ptxas compares the sizes only.
  if (spec.widens && type)
    type = parseType("b" + std::to_string(getBits(*type)));
  for (const Operand &element : operand.elements)
    if (!checkScalar(spec, element, type))
      return false;
  return true;
}

bool OperandMatcher::checkAddress(const OperandSpec &spec,
                                  const Operand &operand) {
  if (operand.kind != Kind::Address)
    return fail(operand, "an address in brackets");
  if (operand.elements.size() != 1)
    return fail(operand, "one address in the brackets");
  const Operand &base = operand.elements.front();
  StateSpace space = spec.space;
  if (spec.slot != 0)
    if (std::optional<Word> word = findModifier(spec.slot))
      space = stateSpaceOf(*word).value_or(StateSpace::Generic);
  switch (base.kind) {
  case Kind::Immediate:
    return true;
  case Kind::Register: {
    Type held = names.getGroup(base.reg).type;
    if (spec.kind == OperandKind::TensorMemory)
      return fits(held, Type::U32) ||
             fail(base, "an address in a register of 32 bits");
    return fits(held, Type::U32) || fits(held, Type::U64) ||
           fail(base, "an address in a register of 32 or 64 bits");
  }
  case Kind::Symbol: {
    const Symbol &symbol = names.getSymbol(base.symbol);
    bool agrees =
        space == StateSpace::Generic || symbol.space == space ||
        // A kernel's parameters are constants, too.
        (symbol.space == StateSpace::Param && space == StateSpace::Const);
    return (symbol.kind == Symbol::Kind::Variable && agrees) ||
           fail(base, space == StateSpace::Generic
                          ? Twine("the name of a variable")
                          : "the name of a variable in ." + stringify(space));
  }
  default:
    return fail(base, "an address");
  }
}

bool OperandMatcher::checkCoordinates(const OperandSpec &spec,
                                      const Operand &operand) {
  bool isTensor = spec.kind == OperandKind::Tensor;
  if (operand.kind != Kind::Address)
    return fail(operand, "a tensor or texture in brackets");
  llvm::ArrayRef<Operand> parts = operand.elements;
  if (isTensor ? parts.size() != 2 : parts.size() > 3)
    return fail(operand, isTensor ? "a tensor map and coordinates"
                                  : "a texture, a sampler and coordinates");
  if (isTensor && parts.back().kind != Kind::Vector)
    return fail(parts.back(), "coordinates in braces");
  for (const Operand &part : parts) {
    llvm::ArrayRef<Operand> values(part);
    if (part.kind == Kind::Vector)
      values = part.elements;
    for (const Operand &value : values)
      if (value.kind != Kind::Register && value.kind != Kind::Immediate &&
          value.kind != Kind::Symbol)
        return fail(value, "a value");
  }
  return true;
}

bool OperandMatcher::checkCall(const Operand &operand) {
  // Results, callee, arguments, targets.
  llvm::ArrayRef<Operand> parts = operand.elements;
  const Operand &callee = parts[1];
  bool isDirect = callee.kind == Kind::Symbol;
  if (isDirect && names.getSymbol(callee.symbol).kind != Symbol::Kind::Function)
    return fail(callee, "a function to call");
  if (!isDirect && callee.kind != Kind::Register)
    return fail(callee, "a function to call");
  for (const Operand *list : {&parts[0], &parts[2]})
    for (const Operand &value : list->elements)
      if (value.kind != Kind::Register && value.kind != Kind::Immediate &&
          value.kind != Kind::Symbol)
        return fail(value, "a parameter");
  if (!isDirect)
    return parts.size() == 4 ||
           fail(callee, "the targets or the prototype of an indirect call "
                        "after its arguments");
  if (parts.size() == 4)
    return fail(parts[3], "no targets after the arguments of a direct call");
  const Signature *signature = names.getSignature(callee.symbol);
  for (auto [list, count, what] :
       {std::tuple(&parts[0], signature->results, "results"),
        std::tuple(&parts[2], signature->parameters, "arguments")}) {
    if (list->elements.size() == count)
      continue;
    location = list->location;
    reason = ("expected " + Twine(count) + " " + what + " of '" + callee.name +
              "', got " + Twine(list->elements.size()))
                 .str();
    return false;
  }
  return true;
}

bool OperandMatcher::check(const OperandSpec &spec, const Operand &operand) {
  switch (spec.kind) {
  case OperandKind::Value:
    return checkValue(spec, operand);
  case OperandKind::Address:
  case OperandKind::TensorMemory:
    return checkAddress(spec, operand);
  case OperandKind::Tensor:
  case OperandKind::Texture:
    return checkCoordinates(spec, operand);
  case OperandKind::Immediate:
    return (operand.kind == Kind::Immediate && !operand.value.isFloat()) ||
           fail(operand, "an integer");
  case OperandKind::Label:
  case OperandKind::Labels:
    return operand.kind == Kind::Label || fail(operand, "a label");
  case OperandKind::Call:
    return checkCall(operand);
  }
  llvm_unreachable("unknown kind of operand");
}

bool OperandMatcher::run() {
  const auto &specs = match.form->operands;
  instruction.specs.clear();
  unsigned least = 0, most = 0;
  for (const OperandSpec &spec : specs)
    if (isPresent(spec)) {
      ++most;
      least += !spec.optional;
    }
  unsigned next = 0;
  for (unsigned i = 0; i < specs.size(); ++i) {
    if (!isPresent(specs[i]))
      continue;
    unsigned left = instruction.operands.size() - next;
    unsigned needed = 0;
    for (unsigned later = i; later < specs.size(); ++later)
      needed += isPresent(specs[later]) && !specs[later].optional;
    if (specs[i].optional && left <= needed)
      continue;
    if (left == 0)
      break;
    if (check(specs[i], instruction.operands[next])) {
      instruction.specs.push_back(i);
      ++next;
    } else if (!specs[i].optional) {
      reached = next;
      return false;
    }
  }
  reached = next;
  if (next == instruction.operands.size() && next >= least)
    return true;
  if (next < instruction.operands.size() && next < most && !reason.empty())
    return false;
  location = instruction.location;
  std::string name = stringify(instruction.opcode).str();
  reason = ("expected " + Twine(least) +
            (least == most ? Twine("") : " to " + Twine(most)) +
            (most == 1 ? " operand" : " operands") + " of this form of '" +
            name + "', got " + Twine(instruction.operands.size()))
               .str();
  return false;
}

bool ptx::matchOperands(llvm::ArrayRef<FormMatch> matches, const Names &names,
                        TokenStream &tokens, Instruction &instruction) {
  std::optional<unsigned> best;
  Location location;
  std::string reason;
  for (const FormMatch &match : matches) {
    OperandMatcher matcher(match, names, instruction);
    if (matcher.run()) {
      instruction.form = match.form;
      instruction.modifiers = match.modifiers;
      instruction.shape = match.shape;
      return true;
    }
    if (!best || matcher.reached > *best) {
      best = matcher.reached;
      location = matcher.location;
      reason = matcher.reason;
    }
  }
  return tokens.fail(location, reason);
}
