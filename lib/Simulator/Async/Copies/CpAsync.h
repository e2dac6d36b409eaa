//===- CpAsync.h - the asynchronous copies of threads -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issues cp.async, whose accesses are weak accesses of the generic proxy that
// happen later. A group wait makes them known to the thread, a later mbarrier
// arrive to other threads (CopyArrives.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_CPASYNC_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_CPASYNC_H

#include "../Groups/GroupWaits.h"
#include "CopyIssue.h"

namespace carousel::sim {

class CpAsync {
public:
  explicit CpAsync(const CopyIssue &issue)
      : issue(issue), waits(issue.context, issue.ctas) {}

  /// Copies the first `valid` bytes from the source, and sets the rest of
  /// `size` to zero.
  void copy(const void *global, void *shared, uint32_t size, uint32_t valid);
  void commitGroup();
  void waitGroup(uint32_t pending);
  void waitAll();
  /// Reports copies of the thread that nothing waits for.
  void threadExit(Thread &thread, ThreadState &state);

private:
  GroupQueue &getQueue();

  CopyIssue issue;
  GroupWaits waits;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_CPASYNC_H
