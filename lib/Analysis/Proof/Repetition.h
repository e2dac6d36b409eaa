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
  /// All but the constants of numbers, in one order.
  std::vector<int64_t> exact;
  std::vector<int64_t> constants;
  Assumptions assumptions;

  /// The number by which each constant grows from an earlier state to this one;
  /// nullopt if they aren't alike.
  std::optional<std::vector<int64_t>>
  findGrowth(const LoopState &earlier) const;
};

/// The states at a branch in which a class decides whether it goes on.
struct LoopHead {
  static constexpr size_t kMostStates = 48;
  std::vector<LoopState> states;
  /// The number of repetitions, once a state came again. Then all that follows
  /// is for any number, and the head is `repeated`.
  std::optional<TermId> count;
  std::vector<int64_t> growth; ///< of the constants
  std::optional<LoopState> repeated;
};

} // namespace carousel::proof

#endif // CAROUSEL_ANALYSIS_PROOF_REPETITION_H
