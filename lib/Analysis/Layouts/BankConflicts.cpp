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

#include "carousel/Support/SharedMemoryBanks.h"

using namespace carousel;

int64_t carousel::countBankConflicts(const LinearLayout &layout, int64_t bytes,
                                     bool onlyFirstCopies, FindByte findByte) {
  uint32_t lanes = 1u << layout.getNumBits(Place::Lane);
  uint32_t free = layout.getFreeBits(Place::Lane);
  std::vector<LaneAddress> addresses;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    if (!onlyFirstCopies || (lane & free) == 0)
      addresses.push_back({lane, findByte(layout.apply({0, lane, 0, 0}))});
  return countWavefronts(addresses, bytes).getExcess();
}
