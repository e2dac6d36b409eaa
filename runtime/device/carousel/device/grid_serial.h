//===- grid_serial.h - CTAs of a grid, one after another --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Semaphores in global memory by which the CTAs of a grid take turns. One
// thread of a CTA waits and releases; CTA barriers hand on what it acquired,
// and collect what it releases. Both are of generic accesses: async reads of
// what earlier CTAs wrote need a fence_proxy after the wait, async writes must
// be complete before the release.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_GRID_SERIAL_H
#define CAROUSEL_DEVICE_GRID_SERIAL_H

#include <carousel/device/types.h>

namespace carousel {

namespace detail {

CAROUSEL_DEVICE int32_t load_turn(const int32_t *semaphore) {
  int32_t now;
  asm volatile("ld.acquire.gpu.global.b32 %0, [%1];"
               : "=r"(now)
               : "l"(to_global(semaphore))
               : "memory");
  return now;
}

} // namespace detail

/// Blocks until the semaphore holds `turn`; acquires at gpu scope.
/// PTX: a loop around ld.acquire.gpu.global.b32; sm_80
CAROUSEL_DEVICE void grid_serial_wait(const int32_t *semaphore, int32_t turn) {
  while (detail::load_turn(semaphore) != turn) {
  }
}

/// Sets the semaphore to `turn`; releases at gpu scope.
/// PTX: st.release.gpu.global.b32 [semaphore], turn; sm_80
CAROUSEL_DEVICE void grid_serial_release(int32_t *semaphore, int32_t turn) {
  asm volatile("st.release.gpu.global.b32 [%0], %1;"
               :
               : "l"(detail::to_global(semaphore)), "r"(turn)
               : "memory");
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_GRID_SERIAL_H
