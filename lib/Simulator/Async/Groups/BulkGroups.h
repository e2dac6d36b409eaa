//===- BulkGroups.h - bulk groups of threads --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commits bulk groups and waits for them. A group belongs to one thread.
// Reports waits for another thread's groups, and groups that are pending when
// their thread exits.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_BULKGROUPS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_BULKGROUPS_H

#include "GroupWaits.h"

namespace carousel::sim {

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

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_BULKGROUPS_H
