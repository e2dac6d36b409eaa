//===- View.h - the knowledge of an agent -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clocks: everything that is ordered, the parts of it that have passed fences,
// and what else is over.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_VIEW_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_VIEW_H

#include "Observations.h"

namespace carousel::sim {

/// What an agent knows: the order, and what has passed a proxy fence.
struct View {
  Clock order;
  /// Generic accesses to shared or global memory that are visible to the async
  /// proxy. A fence copies `order` to these. Barriers, arrives and waits carry
  /// them all.
  Clock fencedShared;
  Clock fencedGlobal;
  /// Accesses that an alias fence orders before those by another address of the
  /// same memory. It may be any thread's on the way.
  Clock fencedAlias;
  /// Reads of shared memory and accesses of engines to it that are over, as
  /// arrivals of CTA scope at barriers of another CTA say. What else the
  /// arriving threads know isn't known.
  Clock ended;
  /// What the agent would know if no fence or scope were missing, for findings.
  Observations observations;

  void join(const View &other) {
    order.join(other.order);
    fencedShared.join(other.fencedShared);
    fencedGlobal.join(other.fencedGlobal);
    fencedAlias.join(other.fencedAlias);
    ended.join(other.ended);
    observations.join(other.observations);
  }
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_VIEW_H
