//===- BankConflicts.cpp - accesses of shared memory by warps -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BankConflicts.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/BankConflicts.h"

#include <algorithm>
#include <map>
#include <set>

using namespace carousel;

static constexpr int64_t kBanks = 32, kBankBytes = 4;

int64_t carousel::countBankConflicts(const LinearLayout &layout, int64_t bytes,
                                     bool onlyFirstCopies, FindByte findByte) {
  uint32_t lanes = 1u << layout.getNumBits(Place::Lane);
  uint32_t free = layout.getFreeBits(Place::Lane);
  uint32_t together =
      std::max<int64_t>(lanes * kBankBytes / std::max(bytes, kBankBytes), 1);
  int64_t conflicts = 0;
  for (uint32_t first = 0; first < lanes; first += together) {
    std::map<int64_t, std::set<int64_t>> wordsOfBanks;
    for (uint32_t lane = first; lane < std::min(first + together, lanes);
         ++lane) {
      if (onlyFirstCopies && (lane & free) != 0)
        continue;
      int64_t byte = findByte(layout.apply({0, lane, 0, 0}));
      for (int64_t word = byte / kBankBytes;
           word <= (byte + bytes - 1) / kBankBytes; ++word)
        wordsOfBanks[word % kBanks].insert(word);
    }
    size_t most = 1;
    for (const auto &[bank, words] : wordsOfBanks)
      most = std::max(most, words.size());
    conflicts += most - 1;
  }
  return conflicts;
}
