//===- signal.h - signals between GPUs --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of 4 or 8 bytes in symmetric memory, by which GPUs order their
// accesses. One thread of a CTA signals and waits; CTA barriers hand on what it
// acquired, and collect what it releases. Both are of generic accesses: async
// reads of what a peer wrote need a fence_proxy after the wait, async writes
// must be complete before the signal.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_SIGNAL_H
#define CAROUSEL_DEVICE_SIGNAL_H

#include <carousel/device/types.h>

namespace carousel {

/// How long a wait for a signal may take.
struct signal_timeout {
  uint64_t nanoseconds;
};

namespace detail {

template <semantics Semantics>
CAROUSEL_DEVICE uint32_t load_counter(const uint32_t *counter) {
  uint32_t now;
  if constexpr (Semantics == semantics::acquire)
    asm volatile("ld.acquire.sys.global.b32 %0, [%1];"
                 : "=r"(now)
                 : "l"(to_global(counter))
                 : "memory");
  else
    asm volatile("ld.relaxed.sys.global.b32 %0, [%1];"
                 : "=r"(now)
                 : "l"(to_global(counter))
                 : "memory");
  return now;
}
template <semantics Semantics>
CAROUSEL_DEVICE uint64_t load_counter(const uint64_t *counter) {
  uint64_t now;
  if constexpr (Semantics == semantics::acquire)
    asm volatile("ld.acquire.sys.global.b64 %0, [%1];"
                 : "=l"(now)
                 : "l"(to_global(counter))
                 : "memory");
  else
    asm volatile("ld.relaxed.sys.global.b64 %0, [%1];"
                 : "=l"(now)
                 : "l"(to_global(counter))
                 : "memory");
  return now;
}

/// Differences of counters count, so that these may wrap around.
CAROUSEL_DEVICE bool has_reached(uint32_t now, uint32_t value) {
  return static_cast<int32_t>(now - value) >= 0;
}
CAROUSEL_DEVICE bool has_reached(uint64_t now, uint64_t value) {
  return static_cast<int64_t>(now - value) >= 0;
}

CAROUSEL_DEVICE void sleep_for_signal() { asm volatile("nanosleep.u32 32;"); }

CAROUSEL_DEVICE uint64_t signal_timer() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

} // namespace detail

/// Sets the counter to `value`; releases at system scope.
/// PTX: st.release.sys.global.b64 [counter], value; sm_80
template <semantics Semantics = semantics::release>
CAROUSEL_DEVICE void signal_release_set(uint64_t *counter, uint64_t value) {
  if constexpr (Semantics == semantics::release)
    asm volatile("st.release.sys.global.b64 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "l"(value)
                 : "memory");
  else
    asm volatile("st.relaxed.sys.global.b64 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "l"(value)
                 : "memory");
}
/// PTX: st.release.sys.global.b32 [counter], value; sm_80
template <semantics Semantics = semantics::release>
CAROUSEL_DEVICE void signal_release_set(uint32_t *counter, uint32_t value) {
  if constexpr (Semantics == semantics::release)
    asm volatile("st.release.sys.global.b32 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "r"(value)
                 : "memory");
  else
    asm volatile("st.relaxed.sys.global.b32 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "r"(value)
                 : "memory");
}

/// Adds `value` to the counter; releases at system scope.
/// PTX: red.release.sys.global.add.u64 [counter], value; sm_80
template <semantics Semantics = semantics::release>
CAROUSEL_DEVICE void signal_release_add(uint64_t *counter, uint64_t value) {
  if constexpr (Semantics == semantics::release)
    asm volatile("red.release.sys.global.add.u64 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "l"(value)
                 : "memory");
  else
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "l"(value)
                 : "memory");
}
/// PTX: red.release.sys.global.add.u32 [counter], value; sm_80
template <semantics Semantics = semantics::release>
CAROUSEL_DEVICE void signal_release_add(uint32_t *counter, uint32_t value) {
  if constexpr (Semantics == semantics::release)
    asm volatile("red.release.sys.global.add.u32 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "r"(value)
                 : "memory");
  else
    asm volatile("red.relaxed.sys.global.add.u32 [%0], %1;"
                 :
                 : "l"(detail::to_global(counter)), "r"(value)
                 : "memory");
}

/// Blocks until the counter has reached `value`; acquires at system scope.
/// PTX: a loop around ld.acquire.sys.global.b32 or .b64, nanosleep; sm_80
template <semantics Semantics = semantics::acquire, typename Counter>
CAROUSEL_DEVICE void signal_wait(const Counter *counter, Counter value) {
  while (!detail::has_reached(detail::load_counter<Semantics>(counter), value))
    detail::sleep_for_signal();
}

/// As above, and returns false when the time is over.
/// PTX: a loop around ld.acquire.sys.global.b32 or .b64, nanosleep,
/// %globaltimer; sm_80
template <semantics Semantics = semantics::acquire, typename Counter>
CAROUSEL_DEVICE bool signal_wait(const Counter *counter, Counter value,
                                 signal_timeout timeout) {
  if (detail::has_reached(detail::load_counter<Semantics>(counter), value))
    return true;
  uint64_t start = detail::signal_timer();
  for (;;) {
    // The time comes first: a late thread tests once more.
    bool is_late = detail::signal_timer() - start > timeout.nanoseconds;
    if (detail::has_reached(detail::load_counter<Semantics>(counter), value))
      return true;
    if (is_late)
      return false;
    detail::sleep_for_signal();
  }
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_SIGNAL_H
