//===- SharedMemoryBanks.h - wavefronts of a warp's access ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts how often shared memory is accessed for one instruction of a warp. The
// layout planner predicts with it, and the simulated machine counts what a
// kernel does. Plain C++. The rules (CUDA C++ Programming Guide, Shared
// Memory):
//
// - There are 32 banks. Consecutive words of 4 bytes are in consecutive banks.
// - A wavefront accesses at most one word in each bank. Lanes that access the
//   same word share it, also if they access different bytes of it.
// - Accesses of 8 bytes are served by half warps, and those of 16 bytes by
//   quarter warps. A part takes as many wavefronts as its busiest bank has
//   different words, and at least one.
// - Other sizes are several accesses: pieces of 16 bytes, and then of 8, 4, 2
//   and 1.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_SHAREDMEMORYBANKS_H
#define CAROUSEL_SUPPORT_SHAREDMEMORYBANKS_H

#include "carousel/Support/HardwareLimits.h"

#include <algorithm>
#include <array>
#include <vector>

namespace carousel {

inline constexpr int64_t kBanks = 32, kBankBytes = 4;

/// The first byte that a lane accesses.
struct LaneAddress {
  uint32_t lane;
  int64_t byte;
};

struct Wavefronts {
  int64_t needed = 0;
  /// Those of an access without conflicts: one for each part with lanes.
  int64_t least = 0;

  int64_t getExcess() const { return needed - least; }
};

/// Lanes that aren't listed take no part in the access. `bytes` are those of
/// each lane.
inline Wavefronts countWavefronts(const std::vector<LaneAddress> &lanes,
                                  int64_t bytes) {
  constexpr int64_t kWidest = 16;
  Wavefronts result;
  std::vector<int64_t> words;
  for (int64_t first = 0, piece = kWidest; first < bytes; first += piece) {
    while (piece > bytes - first)
      piece /= 2;
    uint32_t together =
        rules::kWarpSize * kBankBytes / std::max(piece, kBankBytes);
    for (uint32_t part = 0; part < rules::kWarpSize / together; ++part) {
      words.clear();
      for (const LaneAddress &lane : lanes) {
        if (lane.lane / together != part)
          continue;
        int64_t begin = lane.byte + first, last = begin + piece - 1;
        for (int64_t word = begin / kBankBytes; word <= last / kBankBytes;
             ++word)
          words.push_back(word);
      }
      if (words.empty())
        continue;
      std::sort(words.begin(), words.end());
      words.erase(std::unique(words.begin(), words.end()), words.end());
      std::array<int64_t, kBanks> wordsOfBanks = {};
      for (int64_t word : words)
        ++wordsOfBanks[word % kBanks];
      result.needed +=
          *std::max_element(wordsOfBanks.begin(), wordsOfBanks.end());
      ++result.least;
    }
  }
  return result;
}

} // namespace carousel

#endif // CAROUSEL_SUPPORT_SHAREDMEMORYBANKS_H
