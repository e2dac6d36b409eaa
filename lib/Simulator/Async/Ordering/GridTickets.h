//===- GridTickets.h - tickets that number the CTAs of a grid ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// grid.ticket: one thread draws a ticket for all threads of its CTA.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_GRIDTICKETS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_GRIDTICKETS_H

#include "Atomics.h"

namespace carousel::sim {

class GridTickets {
public:
  GridTickets(AsyncContext &context, Atomics &atomics)
      : context(context), atomics(atomics) {}

  /// All threads of the CTA call it. One of them draws for all. With
  /// `ordersMemory`, each of them knows afterwards what all threads of the CTAs
  /// with smaller tickets knew. Otherwise it orders nothing.
  int64_t draw(int32_t *counter, int64_t total, bool ordersMemory);

private:
  /// C189, with the values of this run.
  void checkDraws(llvm::ArrayRef<uint64_t> draws);

  AsyncContext &context;
  Atomics &atomics;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_GRIDTICKETS_H
