//===- GroupQueue.h - groups of asynchronous operations ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bulk groups or the cp.async groups of one thread, from their first
// operation until the thread has waited for them.
//
// A thread learns of its operations in the order of their groups. So all
// operations of a queue share two agents, one for reads and one for writes,
// whose time is the group's number.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_GROUPQUEUE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_GROUPQUEUE_H

#include "../AsyncContext.h"

#include <deque>

namespace carousel::sim {

/// One group of a thread: bulk operations, or cp.async copies.
struct Group {
  uint32_t readsLeft = 0, writesLeft = 0;
  uint32_t operations = 0;
  uint64_t readCycles = 0, writeCycles = 0;
  /// The epoch of the last issue, for agents that may know of it.
  Epoch issue;
  Site site = 0;
  /// The time of its operations' epochs.
  uint32_t stamp = 0;
  /// The stamp at the issue of the last operation.
  uint32_t lastIssue = 0;
};

/// Groups of one kind. Group `first + i` is groups[i], and the last one isn't
/// committed. Numbers start at 1, because they are times of agents. The stamp
/// is this time. For cp.async it also advances where an mbarrier arrive divides
/// a group.
struct GroupQueue {
  bool isBulk = true;
  uint32_t stamp = 1;
  /// The stamp that a wait or an arrive covers (cp.async).
  uint32_t coveredStamp = 0;
  /// The stamp up to which the thread itself has waited.
  uint32_t waitedStamp = 0;
  uint32_t readAgent = 0, writeAgent = 0;
  uint32_t first = 1;
  std::deque<Group> groups{1};
  /// The last group that left the queue. Its cycles are those of all groups
  /// that left.
  Group dropped;
  uint64_t readCycles = 0, writeCycles = 0;
  /// The newest groups that the thread has waited for.
  uint32_t readWaited = 0, completeWaited = 0;

  uint32_t open() const { return first + uint32_t(groups.size()) - 1; }
  Group &at(uint32_t number) { return groups[number - first]; }
  /// The time up to which a wait for group `number` makes accesses known.
  uint32_t stampOf(uint32_t number) {
    return number >= first ? at(number).stamp : isBulk ? number : dropped.stamp;
  }
  /// Whether an operation was ever issued. Groups without operations don't
  /// count.
  bool isUsed() const { return readAgent != 0; }

  /// Closes the open group and begins another.
  void commit();
  /// Drops groups that are over and waited for.
  void prune();
  /// Whether no operation of the groups up to `target` is in flight.
  bool isDone(uint32_t target, bool read) const;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_GROUPQUEUE_H
