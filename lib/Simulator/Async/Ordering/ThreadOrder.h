//===- ThreadOrder.h - what a thread gives to others and takes --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Releases and acquires of a thread, and what it has seen of other threads
// without acquiring it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_THREADORDER_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_THREADORDER_H

#include "../../Grid/Grid.h"

namespace carousel::sim {

/// The view that a release of this thread publishes now. Advances the
/// thread's time.
inline const View &release(Thread &thread) {
  thread.tick();
  return thread.view;
}

inline void acquire(Thread &thread, const View &view) {
  thread.view.join(view);
}

/// Records the part of a publication that the thread hasn't acquired.
void noteObservation(Thread &thread, const void *place,
                     PublicationRef publication,
                     std::optional<MemScope> acquired);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_THREADORDER_H
