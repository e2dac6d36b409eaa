//===- Groups.h - groups of asynchronous operations -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits of a thread for groups of its own, bulk.wait_group and
// cp_async.wait_group: the thread blocks until they are complete, then knows of
// their accesses. Bulk groups are committed here, too. Reports waits for
// another thread's groups, and groups that are pending when their thread exits.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_H

#include "ResidentCTAs.h"

namespace carousel::sim {

class GroupWaits {
public:
  GroupWaits(AsyncContext &context, ResidentCTAs &ctas)
      : context(context), ctas(ctas) {}

  /// Waits until at most `pending` committed groups are left, or for all,
  /// the open one included. Returns the newest group that the wait covers; 0:
  /// there is no such CTA.
  uint32_t wait(GroupQueue &queue, bool read, uint32_t pending,
                bool includesOpen);

private:
  AsyncContext &context;
  ResidentCTAs &ctas;
};

class BulkGroups {
public:
  BulkGroups(AsyncContext &context, ResidentCTAs &ctas)
      : context(context), ctas(ctas), waits(context, ctas) {}

  void commit();
  /// `read`: waits until the sources were read; otherwise until the groups are
  /// complete.
  void wait(bool read, uint32_t pending);
  /// Reports groups of the thread that are left over.
  void threadExit(Thread &thread, ThreadState &state);

private:
  void noteForeignWait(Thread &thread, bool read, uint32_t pending);
  void reportForeignWait(const ThreadState &state, const ForeignWait &wait);

  AsyncContext &context;
  ResidentCTAs &ctas;
  GroupWaits waits;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_H
