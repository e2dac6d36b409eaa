//===- Expectations.h - expected and allowed findings -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides from the kinds of findings whether a run passes. Needs no module and
// no run.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_EXPECTATIONS_H
#define CAROUSEL_TOOLS_SIM_EXPECTATIONS_H

#include "carousel/Simulator/Findings.h"

#include <bitset>

namespace carousel::simtool {

using KindSet = std::bitset<sim::kNumFindingKinds>;

KindSet getKinds(llvm::ArrayRef<sim::Finding> findings);
/// "data-race, deadlock", in the order of the enumeration.
std::string listKinds(const KindSet &kinds);

struct Expectations {
  /// All of them must come: under every schedule, or, with `searches`, under
  /// one at least.
  KindSet expected;
  /// They may come.
  KindSet allowed;
  bool searches = false;

  struct Verdict {
    KindSet unexpected, missing;
    /// All that is expected came.
    bool isComplete() const { return missing.none(); }
  };
  Verdict check(const KindSet &found) const {
    return {found & ~(expected | allowed), expected & ~found};
  }
  /// Whether a schedule with these findings ends the program with a failure.
  bool isFailure(const Verdict &verdict) const {
    return verdict.unexpected.any() || (!searches && !verdict.isComplete());
  }
};

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_EXPECTATIONS_H
