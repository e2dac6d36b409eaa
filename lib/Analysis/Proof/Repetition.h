//===- Repetition.h - states of a way that come again -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state of all threads at the head of a loop, apart from numbers that each
// repetition changes by the same. docs/Proof.md, Repetition.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROOF_REPETITION_H
#define CAROUSEL_ANALYSIS_PROOF_REPETITION_H

#include "SymbolicValues.h"

namespace carousel::proof {

struct LoopState {
  /// All but numbers that are the same in all threads, in one order.
  std::vector<int64_t> exact;
  std::vector<Linear> numbers;
  Assumptions assumptions;

  /// The sum by which each number grows from an earlier state to this one;
  /// nullopt if they aren't alike.
  std::optional<std::vector<Linear>> findGrowth(const LoopState &earlier) const;
};

/// The states at a branch in which a class decides whether it goes on.
struct LoopHead {
  static constexpr size_t kMostStates = 48;
  std::vector<LoopState> states;
  /// Once a state came again. Then all that follows is for any number of
  /// repetitions, and the head is `repeated`.
  std::optional<Repetition> repetition;
  std::vector<Linear> growth; ///< of the numbers
  std::optional<LoopState> repeated;

  /// Whether a state is the one after any number of repetitions, after one more
  /// of these: so is each state from there on.
  bool isRepeatedBy(const LoopState &state) const;
};

} // namespace carousel::proof

#endif // CAROUSEL_ANALYSIS_PROOF_REPETITION_H
