//===- FormsTest.cpp - the table of instructions --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows are well-formed and complete: each name and each word has a form,
// and an instruction of each form is read as one of it.
//
//===----------------------------------------------------------------------===//

#include "FormInstances.h"

#include "carousel/PTX/Parser.h"
#include "carousel/PTX/Printer.h"

#include <gtest/gtest.h>
#include <set>

using namespace carousel;
using namespace carousel::ptx;

TEST(PTXForms, RowsHaveNoFaults) {
  for (const std::string &fault : getTableFaults())
    ADD_FAILURE() << fault;
  EXPECT_GT(getAllForms().size(), 500u);
}

TEST(PTXForms, EachNameAndWordHasAForm) {
  std::set<Opcode> opcodes;
  std::set<Word> words;
  for (const InstructionForm &form : getAllForms()) {
    opcodes.insert(form.opcode);
    for (const ModifierSlot &slot : form.slots)
      words.insert(slot.words.begin(), slot.words.end());
  }
#define CAROUSEL_PTX_OPCODE(name, text)                                        \
  EXPECT_TRUE(opcodes.count(Opcode::name)) << text;
#include "carousel/PTX/Opcodes.def"
#define CAROUSEL_PTX_WORD(name, text)                                          \
  EXPECT_TRUE(words.count(Word::name)) << text;
#include "carousel/PTX/Words.def"
}

TEST(PTXForms, InstancesAreRead) {
  for (const InstructionForm &form : getAllForms())
    for (bool withOptional : {false, true}) {
      std::string text = makeInstance(form, withOptional);
      Diagnostic error;
      std::optional<Module> module = parse(makeModule(text), error);
      ASSERT_TRUE(module) << form.text << "\n  " << text << "\n  "
                          << error.location.column << ": " << error.message;
      const Function &kernel = *module->getKernels().front();
      const auto &instruction =
          std::get<Instruction>(kernel.body->statements.back().value);
      EXPECT_EQ(instruction.opcode, form.opcode) << text;
      EXPECT_EQ(instruction.operands.size(), instruction.specs.size()) << text;
      std::string printed;
      llvm::raw_string_ostream os(printed);
      print(instruction, kernel, *module, os);
      EXPECT_EQ(printed, text) << form.text;
    }
}

TEST(PTXForms, Shapes) {
  EXPECT_EQ(parseShape("m64n256k16"), (MatrixShape{64, 256, 16}));
  for (llvm::StringRef text :
       {"m64n256", "m64n256k", "64n256k16", "m64n256k16x"})
    EXPECT_FALSE(parseShape(text)) << text.str();
}

TEST(PTXTypes, RegistersThatHoldOperands) {
  EXPECT_TRUE(fits(Type::B32, Type::F32));
  EXPECT_TRUE(fits(Type::U32, Type::S32));
  EXPECT_TRUE(fits(Type::F32, Type::B32));
  EXPECT_FALSE(fits(Type::U32, Type::F32));
  EXPECT_FALSE(fits(Type::B64, Type::B32));
  EXPECT_TRUE(fits(Type::B64, Type::B32, true));
  EXPECT_FALSE(fits(Type::F64, Type::F32, true));
  EXPECT_FALSE(fits(Type::B16, Type::B32, true));
  EXPECT_FALSE(fits(Type::Pred, Type::B32));
  EXPECT_TRUE(fits(Type::F16x2, Type::S32));
  EXPECT_FALSE(fits(Type::F16, Type::BF16));
  EXPECT_TRUE(fits(Type::B16, Type::BF16));
}
