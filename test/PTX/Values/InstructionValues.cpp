//===- InstructionValues.cpp - values of an instruction's text ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See InstructionValues.h.
//
//===----------------------------------------------------------------------===//

#include "InstructionValues.h"

#include "../FormInstances.h"

#include "carousel/PTX/Parser.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

InstructionValue::InstructionValue(const std::string &text) {
  Diagnostic error;
  std::optional<Module> module = parse(makeModule({text}), error);
  if (!module) {
    ADD_FAILURE() << text << ": " << error.message;
    return;
  }
  const auto &instruction = std::get<Instruction>(
      module->getKernels().front()->body->statements.back().value);
  evaluate = findValue(instruction);
  selectors = getSelectors(instruction);
  EXPECT_NE(evaluate, nullptr) << text;
}

std::vector<uint64_t>
InstructionValue::all(std::initializer_list<uint64_t> operands) const {
  std::vector<uint64_t> results(4), words(operands);
  words.insert(words.end(), selectors.begin(), selectors.end());
  if (evaluate)
    evaluate(words.data(), results.data());
  return results;
}
