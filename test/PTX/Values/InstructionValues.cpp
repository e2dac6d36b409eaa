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
#include "llvm/Support/ErrorHandling.h"

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

// Millions of calls, without optimisation: no container.
uint64_t
InstructionValue::operator()(std::initializer_list<uint64_t> operands) const {
  constexpr size_t kMostWords = 32;
  uint64_t words[kMostWords], results[4] = {};
  if (operands.size() + selectors.size() > kMostWords)
    llvm::report_fatal_error("expected fewer operands");
  uint64_t *word = words;
  for (uint64_t operand : operands)
    *word++ = operand;
  for (uint64_t selector : selectors)
    *word++ = selector;
  if (evaluate)
    evaluate(words, results);
  return results[0];
}

std::vector<uint64_t>
InstructionValue::all(std::initializer_list<uint64_t> operands) const {
  std::vector<uint64_t> results(4), words(operands);
  words.insert(words.end(), selectors.begin(), selectors.end());
  if (evaluate)
    evaluate(words.data(), results.data());
  return results;
}
