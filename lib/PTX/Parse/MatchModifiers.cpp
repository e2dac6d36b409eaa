//===- MatchModifiers.cpp - the modifiers of an instruction ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MatchForms.h. Words go to the slots of a form from the first on; a word
// that two slots have goes to the earlier one first. Types keep their order.
//
//===----------------------------------------------------------------------===//

#include "MatchForms.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::ArrayRef;

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
