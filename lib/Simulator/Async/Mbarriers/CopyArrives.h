//===- CopyArrives.h - arrives that wait for cp.async copies ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.mbarrier.arrive: an arrive that takes place when all earlier
// cp.async copies of the thread are complete.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_COPYARRIVES_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_COPYARRIVES_H

#include "MbarrierArrivals.h"

namespace carousel::sim {

class CopyArrives {
public:
  CopyArrives(AsyncContext &context, ResidentCTAs &ctas,
              MbarrierTable &barriers, MbarrierArrivals &arrivals)
      : context(context), ctas(ctas), barriers(barriers), arrivals(arrivals) {}

  void arrive(void *barrier, bool noIncrement);
  /// Makes the arrives of a thread whose copies are complete.
  void fire(ThreadState &state);

private:
  AsyncContext &context;
  ResidentCTAs &ctas;
  MbarrierTable &barriers;
  MbarrierArrivals &arrivals;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_COPYARRIVES_H
