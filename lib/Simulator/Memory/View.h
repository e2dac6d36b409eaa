//===- View.h - what an agent knows -----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three clocks: what is ordered, and what of that has passed a proxy fence for
// shared and for global memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_VIEW_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_VIEW_H

#include "Shortfall.h"

namespace carousel::sim {

/// What an agent knows: the order, and what has passed a proxy fence on the
/// way.
struct View {
  Clock order;
  /// Generic accesses to shared or global memory that the async proxy may rely
  /// on. A fence moves `order` into these; barriers, arrives and waits carry
  /// all three.
  Clock fencedShared;
  Clock fencedGlobal;
  /// What would be known, were no fence or scope missing: for findings.
  Sightings sightings;

  void join(const View &other) {
    order.join(other.order);
    fencedShared.join(other.fencedShared);
    fencedGlobal.join(other.fencedGlobal);
    sightings.join(other.sightings);
  }
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_VIEW_H
