//===- EngineCandidates.h - one engine for one transfer ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes whether an engine can carry out a transfer, at which cost and under
// which guards, or the reason why it can't. docs/Engines.md explains the cost
// model.
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

/// The reason why engines can't store to a multicast address.
inline constexpr llvm::StringLiteral kNoMulticastCopies{
    "a multicast address, to which PTX ISA 9.0 has no bulk copies"};

/// The reason why engines can't copy the rows of a table.
inline constexpr llvm::StringLiteral kNoRows{
    "rows that a table names, which only threads look up"};

/// The reason why an engine can't round elements.
inline constexpr llvm::StringLiteral kNoRounding{
    "elements that are rounded to tf32"};

/// `swizzle` is the map's. Only maps with this swizzle are tried.
EngineAttempt tryTensor(const TransferFacts &facts, GuardUse use,
                        Swizzle swizzle);
EngineAttempt tryBulk(const TransferFacts &facts, GuardUse use);
/// Uses the widest pieces, or those of `width` bytes.
EngineAttempt tryCpAsync(const TransferFacts &facts, GuardUse use,
                         std::optional<int64_t> width = std::nullopt);
EngineAttempt tryVector(const TransferFacts &facts, GuardUse use,
                        std::optional<int64_t> width = std::nullopt);
/// Uses the engine and the map that the transfer already has.
EngineAttempt tryGiven(const TransferFacts &facts);

/// Its kind, and the width of its pieces.
std::string describeEngine(EngineAttr engine);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINECANDIDATES_H
