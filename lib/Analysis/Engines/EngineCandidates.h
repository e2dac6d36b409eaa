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

/// Issue slots, instructions of a warp, so that the engine that was faster on
/// an H200 is the cheaper one (docs/Engines.md, Cost).
namespace cost {
// What a use costs beyond its instructions: election, barrier, descriptor.
inline constexpr int64_t kTensorUse = 8;
inline constexpr int64_t kBulkUse = 13;
inline constexpr int64_t kCpAsyncUse = 8;
// Threads stand still until what they load is there.
inline constexpr int64_t kVectorLoadUse = 64;
inline constexpr int64_t kVectorStoreUse = 4;
inline constexpr int64_t kTensorCopy = 4;
inline constexpr int64_t kBulkCopy = 4;
// An address has a 64-bit product for each dimension behind the first.
inline constexpr int64_t kBulkDimension = 2;
// A tile that is rarely whole: the issuing warp fills, 32 granules of 16 bytes
// at a time. More than a tensor copy, less than copies by all threads.
inline constexpr int64_t kBulkFillPieces = 5;
// 32 pieces: addresses, bounds, the access, and for vectors the other access.
inline constexpr int64_t kCpAsyncPieces = 8;
inline constexpr int64_t kVectorLoadPieces = 12;
inline constexpr int64_t kVectorStorePieces = 10;
// The tensor engine asks L2 for a row of a box at a time, 128 bytes at most;
// slots by which it falls behind, for four such requests.
inline constexpr int64_t kRequestBytes = 128;
inline constexpr int64_t kRequestsPerSlot = 4;
} // namespace cost

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
