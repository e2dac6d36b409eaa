//===- FormValuesTest.cpp - each pure form has values ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that the table is complete: each form has a value, with each of its
// modifiers, or its instruction is on the list of those that aren't pure.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-ptx-values/FormCases.h"

#include <gtest/gtest.h>
#include <set>

using namespace carousel;
using namespace carousel::ptx;

/// Comparisons of unsigned numbers, which the table has for floats, too.
static bool isOfUnsigned(Word word) {
  return word == Word::Lo || word == Word::Ls || word == Word::Hi ||
         word == Word::Hs;
}

TEST(PTXFormValues, EachPureFormAndModifierHasAValue) {
  unsigned forms = 0, cases = 0;
  for (const InstructionForm &form : getAllForms()) {
    if (!isPure(form.opcode))
      continue;
    ++forms;
    std::set<std::pair<size_t, std::optional<Word>>> valued;
    forEachCase(form, [&](FormCase &&made) {
      if (!made.evaluate)
        return;
      ++cases;
      for (size_t slot = 0; slot < made.modifiers.size(); ++slot)
        valued.insert({slot, made.modifiers[slot]});
    });
    for (size_t slot = 0; slot < form.slots.size(); ++slot) {
      if (form.slots[slot].optional)
        EXPECT_TRUE(valued.count({slot, std::nullopt}))
            << form.text << ": without modifier " << slot;
      for (Word word : form.slots[slot].words) {
        bool ofFloats = !form.slots.back().allows(Word::U32);
        if (form.opcode == Opcode::Set && isOfUnsigned(word) && ofFloats)
          continue;
        EXPECT_TRUE(valued.count({slot, word}))
            << form.text << ": ." << stringify(word).str();
      }
    }
    EXPECT_TRUE(!valued.empty() || form.slots.empty()) << form.text;
  }
  EXPECT_GT(forms, 150u);
  EXPECT_GT(cases, 5000u);
}

TEST(PTXFormValues, OthersHaveNone) {
  for (const InstructionForm &form : getAllForms()) {
    if (isPure(form.opcode))
      continue;
    Instruction instruction;
    instruction.opcode = form.opcode;
    instruction.form = &form;
    for (const ModifierSlot &slot : form.slots)
      instruction.modifiers.push_back(
          slot.optional ? std::nullopt : std::optional(slot.words.front()));
    instruction.operands.resize(form.operands.size());
    EXPECT_EQ(findValue(instruction), nullptr) << form.text;
  }
}
