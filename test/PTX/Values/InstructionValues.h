//===- InstructionValues.h - values of an instruction's text ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an instruction and finds its function. Registers are %p0, %h0, %r0,
// %rd0 and %q0, for 1, 16, 32, 64 and 128 bits.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_PTX_VALUES_INSTRUCTIONVALUES_H
#define CAROUSEL_TEST_PTX_VALUES_INSTRUCTIONVALUES_H

#include "carousel/PTX/Values.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace carousel::ptx {

/// The function of an instruction, and what its parts select.
struct InstructionValue {
  explicit InstructionValue(const std::string &text);

  /// Its first result.
  uint64_t operator()(std::initializer_list<uint64_t> operands) const;
  /// Four words, of which the results are the first.
  std::vector<uint64_t> all(std::initializer_list<uint64_t> operands) const;

  Evaluate evaluate = nullptr;
  llvm::SmallVector<uint64_t, 4> selectors;
};

/// The first result of an instruction.
inline uint64_t eval(const std::string &text,
                     std::initializer_list<uint64_t> operands) {
  return InstructionValue(text)(operands);
}

} // namespace carousel::ptx

#endif // CAROUSEL_TEST_PTX_VALUES_INSTRUCTIONVALUES_H
