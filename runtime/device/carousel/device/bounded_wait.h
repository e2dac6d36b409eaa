//===- bounded_wait.h - waits with an end -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits in a loop around a test, with a time bound. A thread that waits for
// longer fills a record and traps; docs/KernelABI.md describes the record. The
// clock is read after the first test that fails, so that a wait that needn't
// wait costs no more than one without a bound.
//
// Defines a variable that the host finds by its name: one file of a program
// includes this.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_BOUNDED_WAIT_H
#define CAROUSEL_DEVICE_BOUNDED_WAIT_H

#include <carousel/device/grid_serial.h>
#include <carousel/device/mbarrier.h>
#include <carousel/device/signal.h>

namespace carousel {

/// How long a wait may take, and what it is called: its number among the
/// program's waits, and which of the objects it waits for.
struct wait_bound {
  uint64_t nanoseconds;
  uint32_t number;
  uint32_t slot;
};

namespace detail {

/// The address of the record, which the host sets, and a word by which one
/// thread claims the record.
struct wait_record_place {
  uint32_t *record;
  uint32_t claim;
  uint32_t unused;
};

} // namespace detail
} // namespace carousel

extern "C" {
__device__ carousel::detail::wait_record_place carousel_wait_record;
}

namespace carousel {
namespace detail {

CAROUSEL_DEVICE uint64_t global_timer() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

CAROUSEL_DEVICE void write_word(uint32_t *record, int word, uint32_t value) {
  *static_cast<volatile uint32_t *>(record + word) = value;
}

/// The words of the record; the first one, its version, is written last. The
/// host looks when the device has stopped, or at any time before.
CAROUSEL_DEVICE void write_record(uint32_t *record, uint32_t number,
                                  uint32_t slot, uint32_t phase,
                                  uint64_t elapsed) {
  write_word(record, 1, number);
  write_word(record, 2, slot);
  write_word(record, 3, phase);
  write_word(record, 4, blockIdx.x);
  write_word(record, 5, blockIdx.y);
  write_word(record, 6, blockIdx.z);
  write_word(record, 7, threadIdx.x);
  write_word(record, 8, threadIdx.y);
  write_word(record, 9, threadIdx.z);
  write_word(record, 10, static_cast<uint32_t>(elapsed));
  write_word(record, 11, static_cast<uint32_t>(elapsed >> 32));
  asm volatile("fence.sc.sys;" ::: "memory");
  write_word(record, 0, 1);
  asm volatile("fence.sc.sys;" ::: "memory");
}

/// The first one of the threads whose time is over fills the record; the others
/// let it finish, since the first trap ends all of them. Doesn't return.
inline __device__ __noinline__ void report_expired_wait(uint32_t number,
                                                        uint32_t slot,
                                                        uint32_t phase,
                                                        uint64_t elapsed) {
  constexpr uint32_t claimed = 1, written = 2;
  constexpr uint64_t write_nanoseconds = 100000000;
  volatile wait_record_place &place = carousel_wait_record;
  // Without a host that said where, there is nowhere to write to.
  uint32_t *record = place.record;
  if (record) {
    if (atomicCAS(&carousel_wait_record.claim, 0u, claimed) == 0) {
      write_record(record, number, slot, phase, elapsed);
      place.claim = written;
    } else {
      uint64_t start = global_timer();
      while (place.claim != written &&
             global_timer() - start <= write_nanoseconds)
        asm volatile("nanosleep.u32 1000;");
    }
  }
  asm volatile("trap;");
}

template <typename Test>
CAROUSEL_DEVICE void wait_bounded(Test is_done, wait_bound bound,
                                  uint32_t phase) {
  if (is_done())
    return;
  uint64_t start = global_timer();
  while (!is_done()) {
    uint64_t elapsed = global_timer() - start;
    if (elapsed > bound.nanoseconds)
      report_expired_wait(bound.number, bound.slot, phase, elapsed);
  }
}

/// Returns the record's parity of a phase: a state doesn't tell it.
CAROUSEL_DEVICE uint32_t get_parity(mbarrier_state) { return 0; }
CAROUSEL_DEVICE uint32_t get_parity(uint32_t parity) { return parity; }

} // namespace detail

/// Blocks until the phase of `phase`, a state or a parity, has completed, or
/// traps when the bound is over.
/// PTX: tests as mbarrier_wait, %globaltimer
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta,
          typename Phase>
CAROUSEL_DEVICE void mbarrier_wait(mbarrier *barrier, Phase phase,
                                   wait_bound bound) {
  detail::wait_bounded(
      [=] {
#if CAROUSEL_SM && CAROUSEL_SM < 90
        return mbarrier_test_wait<Semantics, Scope>(barrier, phase);
#else
        return mbarrier_try_wait<Semantics, Scope>(barrier, phase);
#endif
      },
      bound, detail::get_parity(phase));
}

/// As above; each sleep takes `suspend_ns` nanoseconds at most. There are no
/// sleeps before sm_90.
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta,
          typename Phase>
CAROUSEL_DEVICE void mbarrier_wait(mbarrier *barrier, Phase phase,
                                   [[maybe_unused]] uint32_t suspend_ns,
                                   wait_bound bound) {
  detail::wait_bounded(
      [=] {
#if CAROUSEL_SM && CAROUSEL_SM < 90
        return mbarrier_test_wait<Semantics, Scope>(barrier, phase);
#else
        return mbarrier_try_wait<Semantics, Scope>(barrier, phase, suspend_ns);
#endif
      },
      bound, detail::get_parity(phase));
}

/// Blocks until the semaphore holds `turn`, or traps when the bound is over;
/// acquires at gpu scope.
/// PTX: ld.acquire.gpu.global.b32, %globaltimer; sm_80
CAROUSEL_DEVICE void grid_serial_wait(const int32_t *semaphore, int32_t turn,
                                      wait_bound bound) {
  detail::wait_bounded([=] { return detail::load_turn(semaphore) == turn; },
                       bound, static_cast<uint32_t>(turn));
}

/// Blocks until the counter has reached `value`, or traps when the bound is
/// over; acquires at system scope.
/// PTX: ld.acquire.sys.global.b32 or .b64, nanosleep, %globaltimer; sm_80
template <semantics Semantics = semantics::acquire, typename Counter>
CAROUSEL_DEVICE void signal_wait(const Counter *counter, Counter value,
                                 wait_bound bound) {
  detail::wait_bounded(
      [=] {
        bool is_done = detail::has_reached(
            detail::load_counter<Semantics>(counter), value);
        if (!is_done)
          detail::sleep_for_signal();
        return is_done;
      },
      bound, static_cast<uint32_t>(value));
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_BOUNDED_WAIT_H
