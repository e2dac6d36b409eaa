//===- EngineCandidates.h - one engine for one transfer ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an engine can carry a transfer out, at what cost and under which
// guards, or why it can't. The cost model's numbers; docs/Engines.md explains
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINECANDIDATES_H
#define CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINECANDIDATES_H

#include "TransferFacts.h"

#include "carousel/Analysis/Engines/EnginePlan.h"

namespace carousel {

struct EngineAttempt {
  std::optional<EngineChoice> choice;
  std::string reason;

  static EngineAttempt refused(const llvm::Twine &reason) {
    return {std::nullopt, reason.str()};
  }
};

/// `swizzle` is the map's; nothing is tried without it.
EngineAttempt tryTensor(const TransferFacts &facts, GuardUse use,
                        Swizzle swizzle);
EngineAttempt tryBulk(const TransferFacts &facts, GuardUse use);
/// The widest pieces, or those of `width` bytes.
EngineAttempt tryCpAsync(const TransferFacts &facts, GuardUse use,
                         std::optional<int64_t> width = std::nullopt);
EngineAttempt tryVector(const TransferFacts &facts, GuardUse use,
                        std::optional<int64_t> width = std::nullopt);
/// The engine, and the map, that the transfer has.
EngineAttempt tryGiven(const TransferFacts &facts);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINECANDIDATES_H
