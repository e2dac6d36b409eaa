//===- GroupQueue.cpp - groups of asynchronous operations -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commits, and groups that leave the queue.
//
//===----------------------------------------------------------------------===//

#include "GroupQueue.h"

#include <algorithm>

namespace carousel::sim {

void GroupQueue::commit() {
  groups.back().stamp = stamp++;
  groups.emplace_back();
}

void GroupQueue::prune() {
  uint32_t waited = std::max(readWaited, completeWaited);
  while (groups.size() > 1 && first <= waited) {
    Group &group = groups.front();
    if (group.readsLeft != 0 || group.writesLeft != 0)
      return;
    readCycles = std::max(readCycles, group.readCycles);
    writeCycles = std::max(writeCycles, group.writeCycles);
    dropped = group;
    groups.pop_front();
    ++first;
  }
}

bool GroupQueue::isDone(uint32_t target, bool read) const {
  for (size_t i = 0; i < groups.size() && first + i <= target; ++i)
    if (groups[i].readsLeft != 0 || (!read && groups[i].writesLeft != 0))
      return false;
  return true;
}

} // namespace carousel::sim
