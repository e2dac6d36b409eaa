//===- GroupWaits.h - waits of a thread for its groups ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of bulk.wait_group and cp_async.wait_group: the thread blocks
// until groups of its own are complete, then knows of their accesses.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_GROUPWAITS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_GROUPWAITS_H

#include "../ResidentCTAs.h"

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

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_GROUPS_GROUPWAITS_H
