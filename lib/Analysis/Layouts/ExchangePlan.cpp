//===- ExchangePlan.cpp - vectors through shared memory -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExchangePlan.h. A warp's access of 4 bytes a lane takes as many passes as
// its busiest bank has different words. Accesses of 8 and 16 bytes go by half
// and quarter warps.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/ExchangePlan.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace carousel;

static constexpr int64_t kBanks = 32, kBankBytes = 4, kMostBytes = 16;

int64_t ExchangePlan::getRow(const LinearLayout &layout,
                             llvm::ArrayRef<uint32_t> coordinates) const {
  int64_t row = 0;
  for (auto [dim, bits] : llvm::enumerate(layout.getExtentBits()))
    if (dim != innerDim)
      row = row << bits | coordinates[dim];
  return row;
}

/// Of the access of register 0 by the lanes of a warp.
static int64_t countConflicts(const ExchangePlan &plan,
                              const LinearLayout &layout, int64_t run,
                              int64_t bytes, bool onlyFirstCopies) {
  uint32_t lanes = 1u << layout.getNumBits(Place::Lane);
  uint32_t free = layout.getFreeBits(Place::Lane);
  int64_t ofLane = run * bytes;
  uint32_t together = lanes * kBankBytes / std::max(ofLane, kBankBytes);
  int64_t conflicts = 0;
  for (uint32_t first = 0; first < lanes; first += std::max(together, 1u)) {
    std::map<int64_t, std::set<int64_t>> wordsOfBanks;
    for (uint32_t lane = first; lane < std::min(first + together, lanes);
         ++lane) {
      if (onlyFirstCopies && (lane & free) != 0)
        continue;
      llvm::SmallVector<uint32_t> at = layout.apply({0, lane, 0, 0});
      int64_t byte =
          (plan.getRow(layout, at) * plan.pitch + at[plan.innerDim]) * bytes;
      for (int64_t word = byte / kBankBytes;
           word <= (byte + ofLane - 1) / kBankBytes; ++word)
        wordsOfBanks[word % kBanks].insert(word);
    }
    size_t most = 1;
    for (const auto &[bank, words] : wordsOfBanks)
      most = std::max(most, words.size());
    conflicts += most - 1;
  }
  int64_t accesses = (int64_t(1) << layout.getNumBits(Place::Register)) / run;
  return conflicts * accesses;
}

ExchangePlan ExchangePlan::compute(const LinearLayout &from,
                                   const LinearLayout &to,
                                   int64_t elementBytes) {
  llvm::ArrayRef<unsigned> bits = from.getExtentBits();
  std::optional<ExchangePlan> best;
  auto rank = [&](const ExchangePlan &plan) {
    int64_t accesses =
        (int64_t(1) << from.getNumBits(Place::Register)) / plan.writeRun +
        (int64_t(1) << to.getNumBits(Place::Register)) / plan.readRun;
    return std::tuple(plan.conflicts + accesses, plan.pitch);
  };
  for (unsigned dim = 0; dim < bits.size(); ++dim) {
    int64_t extent = int64_t(1) << bits[dim], rows = 1;
    for (auto [other, own] : llvm::enumerate(bits))
      rows *= other == dim ? 1 : int64_t(1) << own;
    LinearLayout writer = withRunsFirst(from, dim);
    LinearLayout reader = withRunsFirst(to, dim);
    int64_t mostRun = std::max<int64_t>(kMostBytes / elementBytes, 1);
    int64_t writeRun = std::min<int64_t>(writer.getContiguous(dim), mostRun);
    int64_t readRun = std::min<int64_t>(reader.getContiguous(dim), mostRun);
    int64_t granule = std::max({writeRun, readRun, int64_t(1)});
    for (int64_t gap : {int64_t(0), granule, 2 * granule, 4 * granule}) {
      ExchangePlan plan{
          dim, extent + (rows == 1 ? 0 : gap), rows, writeRun, readRun, 0};
      plan.conflicts =
          countConflicts(plan, writer, writeRun, elementBytes, true) +
          countConflicts(plan, reader, readRun, elementBytes, false);
      if (!best || rank(plan) < rank(*best))
        best = plan;
    }
  }
  return *best;
}
