//===- Decisions.h - what the compiler decided ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's decisions about a variant, as docs/Package.md describes them.
// They are for people: no launch depends on them. Packages of older compilers
// have none.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_DECISIONS_H
#define CAROUSEL_RUNTIME_DECISIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carousel::runtime {

/// A key and a value.
using DecisionNotes = std::vector<std::pair<std::string, std::string>>;

/// The CTAs that an SM of a chip holds, as the compiler estimates it.
struct OccupancyInfo {
  std::string chip;
  int64_t ctasPerSM = 0;
  std::string limit;                ///< "shared memory", "registers", ...
  int64_t shared = 0;               ///< bytes of a CTA
  std::optional<int64_t> registers; ///< of a thread
  int64_t bytesInFlight = 0;        ///< of all CTAs of the SM
};

/// The slots for some loads, or for a store, of a loop.
struct RingInfo {
  std::string loop; ///< "gelu.mlir:14:5"
  bool isLoad = true;
  std::vector<std::string> memrefs, engines;
  int64_t stages = 1, slotBytes = 0, prefetch = 0;
  std::string scope, mode, release;
  DecisionNotes notes;
};

struct TransferInfo {
  std::string location;
  bool isLoad = true;
  std::string memref, engine;
  int64_t bytes = 0, instructions = 0, cost = 0;
  DecisionNotes rejections; ///< engines, and the reasons against them
  DecisionNotes notes;
};

/// A request that isn't honoured, or a limit to a free choice.
struct MissInfo {
  std::string id; ///< an entry of docs/WhyNotPipelined.md
  std::string location, subject, reason;
  DecisionNotes notes;
};

struct DecisionInfo {
  std::vector<OccupancyInfo> occupancies; ///< one for each chip
  std::vector<RingInfo> rings;
  std::vector<TransferInfo> transfers;
  std::vector<MissInfo> misses;
  DecisionNotes notes;
};

/// "load x, r at gelu.mlir:14:5: 5 stages of 16384 bytes by tensor, 4 ahead".
std::string toString(const RingInfo &ring) noexcept;
/// "2 CTAs per SM by shared memory, 131072 bytes in flight per SM, 40
/// registers a thread (sm_90a)".
std::string toString(const OccupancyInfo &occupancy) noexcept;
/// "load of x at gelu.mlir:14:5: not ringed: ... [not-ringed:scope]".
std::string toString(const MissInfo &missed) noexcept;

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_DECISIONS_H
