//===- GridSemaphores.h - turns of the CTAs of a grid -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// grid.serial_wait and grid.serial_release: CTAs take turns by semaphores in
// global memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_GRIDSEMAPHORES_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_GRIDSEMAPHORES_H

#include "Atomics.h"

namespace carousel::sim {

class GridSemaphores {
public:
  GridSemaphores(AsyncContext &context, ResidentCTAs &ctas, Atomics &atomics)
      : context(context), ctas(ctas), atomics(atomics) {}

  void wait(int32_t *semaphore, int32_t turn);
  void release(int32_t *semaphore, int32_t turn);

private:
  class Semaphore final : public WordWaitable {
  public:
    Semaphore(const AsyncContext &context, const int32_t *address)
        : context(context), address(address) {}
    WaitDescription describe(const Thread &waiter) const override;
    std::optional<Who> lastRelease;

  private:
    const AsyncContext &context;
    const int32_t *address;
  };

  /// Reports bulk writes that the release would announce too early.
  void checkRelease(Thread &thread, const int32_t *semaphore);

  AsyncContext &context;
  ResidentCTAs &ctas;
  Atomics &atomics;
  llvm::DenseMap<const void *, std::unique_ptr<Semaphore>> semaphores;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_GRIDSEMAPHORES_H
