//===- WarpAccesses.h - accesses of shared memory by warps ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins what the threads of a warp access into the warp's accesses, and counts
// their wavefronts (carousel/Support/SharedMemoryBanks.h).
//
// The machine runs the threads of a warp one by one, so a rule says which lanes
// access together: those that execute the same op in the same iteration of all
// loops around it. Lanes on another path in that iteration take no part. If a
// lane executes an op several times without a loop that tells these apart (in a
// function that is called twice), its n-th time joins the n-th time of others.
// The result doesn't depend on the schedule.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_WARPACCESSES_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_WARPACCESSES_H

#include "carousel/Support/SharedMemoryBanks.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace carousel::sim {

/// The accesses of all warps.
struct WarpAccessCount {
  uint64_t executions = 0, wavefronts = 0, least = 0;
};

class WarpAccesses {
public:
  /// A thread, and the number of threads of its CTA.
  struct Accessor {
    uint32_t cta, thread, threads;
  };

  /// Records an access of `bytes` bytes. `op` is the number of the op, and
  /// `iteration` identifies the iteration of the loops around it. A lane
  /// without an address executes the op and accesses nothing.
  void add(const Accessor &accessor, uint32_t op, uint64_t iteration,
           std::optional<uint64_t> address, uint64_t bytes);
  /// No thread of the CTA accesses anything any more.
  void ctaExit(uint32_t cta);
  /// The same of all CTAs, when a run ends.
  void finish();

  /// The counts of the ops of ended CTAs, by number.
  llvm::ArrayRef<WarpAccessCount> getCounts() const { return counts; }

private:
  /// One execution of an op by a warp.
  struct Execution {
    uint32_t arrived = 0;
    uint64_t bytes = 0;
    std::vector<LaneAddress> lanes;
  };
  /// The op and its iteration. Its executions are in their order: the lanes of
  /// each are among those of the one before it.
  using Key = std::pair<uint32_t, uint64_t>;
  using Warp = llvm::DenseMap<Key, std::vector<Execution>>;

  void count(uint32_t op, const Execution &execution);
  void count(const Warp &warp);

  std::vector<WarpAccessCount> counts;
  /// Executions that some lanes haven't reached, by the CTA's number and the
  /// warp's.
  llvm::DenseMap<uint32_t, std::vector<Warp>> waiting;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_WARPACCESSES_H
