//===- mbarrier.h - mbarrier.* ----------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per mbarrier instruction, and the blocking wait. Barriers are
// in the CTA's shared memory, or with `space::cluster` in that of any CTA of
// the cluster. sm_80 has only release arrives and acquire waits at CTA scope,
// which are spelled without qualifiers on every SM. All of them order ordinary
// accesses for the compiler as well, relaxed ones included.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_MBARRIER_H
#define CAROUSEL_DEVICE_MBARRIER_H

#include <carousel/device/types.h>

namespace carousel {

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

/// Makes a barrier that expects `count` arrivals a phase; one thread does it.
/// PTX: mbarrier.init.shared.b64 [barrier], count; sm_80
CAROUSEL_DEVICE void mbarrier_init(mbarrier *barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;"
               :
               : "r"(detail::to_shared(barrier)), "r"(count)
               : "memory");
}

/// Ends the life of a barrier.
/// PTX: mbarrier.inval.shared.b64 [barrier]; sm_80
CAROUSEL_DEVICE void mbarrier_inval(mbarrier *barrier) {
  asm volatile("mbarrier.inval.shared.b64 [%0];"
               :
               : "r"(detail::to_shared(barrier))
               : "memory");
}

//===----------------------------------------------------------------------===//
// Qualifiers
//===----------------------------------------------------------------------===//

namespace detail {

template <scope Scope> CAROUSEL_CONSTANT bool is_barrier_scope() {
  return Scope == scope::cta || Scope == scope::cluster;
}

} // namespace detail

// Checks that the target has what the qualifiers need. Not a function: the
// error is to name the line that calls.
#define CAROUSEL_CHECK_ORDER(ORDERED)                                          \
  static_assert(Semantics == semantics::ORDERED ||                             \
                    Semantics == semantics::relaxed,                           \
                "expected semantics::" #ORDERED " or semantics::relaxed");     \
  static_assert(detail::is_barrier_scope<Scope>(),                             \
                "expected scope::cta or scope::cluster: an mbarrier is in "    \
                "shared memory");                                              \
  static_assert(Scope == scope::cta || target::on<Scope>::has(90, 80),         \
                "mbarrier operations at cluster scope need sm_90");            \
  static_assert(Semantics != semantics::relaxed ||                             \
                    target::on<Semantics>::has(90, 86),                        \
                "relaxed mbarrier operations need sm_90 and PTX 8.6")

// The four forms of an instruction with semantics and scope. FORM makes a
// statement of the instruction's name; ORDERED spells what isn't relaxed.
#define CAROUSEL_ORDERS(FORM, NAME, ORDERED)                                   \
  if constexpr (Semantics == semantics::relaxed && Scope == scope::cta)        \
    FORM(NAME ".relaxed.cta");                                                 \
  else if constexpr (Semantics == semantics::relaxed)                          \
    FORM(NAME ".relaxed.cluster");                                             \
  else if constexpr (Scope == scope::cluster)                                  \
    FORM(NAME ORDERED ".cluster");                                             \
  else                                                                         \
    FORM(NAME)

//===----------------------------------------------------------------------===//
// Transactions
//===----------------------------------------------------------------------===//

#define CAROUSEL_FORM(NAME)                                                    \
  asm volatile(NAME " [%0], %1;"                                               \
               :                                                               \
               : "r"(detail::to_window<Space>(barrier)), "r"(bytes)            \
               : "memory")
#define CAROUSEL_TRANSACTION(NAME)                                             \
  static_assert(detail::is_barrier_scope<Scope>(),                             \
                "expected scope::cta or scope::cluster");                      \
  static_assert(target::on<Scope>::has(90, 80), NAME " needs sm_90");          \
  if constexpr (Space == space::shared && Scope == scope::cta)                 \
    CAROUSEL_FORM(NAME ".relaxed.cta.shared.b64");                             \
  else if constexpr (Space == space::shared)                                   \
    CAROUSEL_FORM(NAME ".relaxed.cluster.shared.b64");                         \
  else if constexpr (Scope == scope::cta)                                      \
    CAROUSEL_FORM(NAME ".relaxed.cta.shared::cluster.b64");                    \
  else                                                                         \
    CAROUSEL_FORM(NAME ".relaxed.cluster.shared::cluster.b64")

/// Raises the bytes that the current phase waits for.
/// PTX: mbarrier.expect_tx.relaxed{.cta, .cluster}.shared{, ::cluster}.b64
///      [barrier], bytes; sm_90
template <scope Scope = scope::cta, space Space = space::shared>
CAROUSEL_DEVICE void mbarrier_expect_tx(mbarrier *barrier, uint32_t bytes) {
  CAROUSEL_TRANSACTION("mbarrier.expect_tx");
}

/// Lowers the pending bytes, as a transfer does that has landed.
/// PTX: mbarrier.complete_tx.relaxed{.cta, .cluster}.shared{, ::cluster}.b64
///      [barrier], bytes; sm_90
template <scope Scope = scope::cta, space Space = space::shared>
CAROUSEL_DEVICE void mbarrier_complete_tx(mbarrier *barrier, uint32_t bytes) {
  CAROUSEL_TRANSACTION("mbarrier.complete_tx");
}

#undef CAROUSEL_TRANSACTION
#undef CAROUSEL_FORM

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

// An arrive is an instruction with a state if the barrier is the CTA's own.
#define CAROUSEL_ONE(NAME)                                                     \
  asm volatile(NAME ".shared.b64 %0, [%1];"                                    \
               : "=l"(state.bits)                                              \
               : "r"(detail::to_shared(barrier))                               \
               : "memory")
#define CAROUSEL_SOME(NAME)                                                    \
  asm volatile(NAME ".shared.b64 %0, [%1], %2;"                                \
               : "=l"(state.bits)                                              \
               : "r"(detail::to_shared(barrier)), "r"(operand)                 \
               : "memory")
#define CAROUSEL_REMOTE(NAME)                                                  \
  asm volatile(NAME ".shared::cluster.b64 _, [%0], %1;"                        \
               :                                                               \
               : "r"(detail::to_cluster(barrier)), "r"(operand)                \
               : "memory")
#define CAROUSEL_ARRIVE(LOCAL, NAME)                                           \
  CAROUSEL_CHECK_ORDER(release);                                               \
  static_assert(Space != space::cluster || target::on<Space>::has(90, 80),     \
                "arrivals on a barrier in the cluster's window need sm_90");   \
  if constexpr (Space == space::cluster) {                                     \
    CAROUSEL_ORDERS(CAROUSEL_REMOTE, NAME, ".release");                        \
  } else {                                                                     \
    static_assert(Space == space::shared,                                      \
                  "expected space::shared or space::cluster");                 \
    mbarrier_state state;                                                      \
    CAROUSEL_ORDERS(LOCAL, NAME, ".release");                                  \
    return state;                                                              \
  }

/// Lowers the pending arrivals by one. Returns the state, an mbarrier_state,
/// unless the barrier is in the cluster's window: then nothing.
/// PTX: mbarrier.arrive{, .release.cluster, .relaxed.cta, .relaxed.cluster}
///      .shared.b64 state, [barrier]; sm_80; relaxed and cluster: sm_90
///      mbarrier.arrive{...}.shared::cluster.b64 _, [barrier], 1; sm_90
template <semantics Semantics = semantics::release, scope Scope = scope::cta,
          space Space = space::shared>
CAROUSEL_DEVICE auto mbarrier_arrive(mbarrier *barrier) {
  [[maybe_unused]] constexpr uint32_t operand = 1;
  CAROUSEL_ARRIVE(CAROUSEL_ONE, "mbarrier.arrive")
}

/// Lowers the pending arrivals by `count`.
/// PTX: mbarrier.arrive{...}.shared.b64 state, [barrier], count; sm_90
///      mbarrier.arrive{...}.shared::cluster.b64 _, [barrier], count; sm_90
template <semantics Semantics = semantics::release, scope Scope = scope::cta,
          space Space = space::shared>
CAROUSEL_DEVICE auto mbarrier_arrive(mbarrier *barrier, uint32_t count) {
  static_assert(target::on<Semantics>::has(90, 80),
                "mbarrier.arrive with a count needs sm_90");
  const uint32_t operand = count;
  CAROUSEL_ARRIVE(CAROUSEL_SOME, "mbarrier.arrive")
}

/// Arrives, and leaves: later phases expect one arrival fewer.
/// PTX: as mbarrier_arrive, with mbarrier.arrive_drop; sm_80
template <semantics Semantics = semantics::release, scope Scope = scope::cta,
          space Space = space::shared>
CAROUSEL_DEVICE auto mbarrier_arrive_drop(mbarrier *barrier) {
  [[maybe_unused]] constexpr uint32_t operand = 1;
  CAROUSEL_ARRIVE(CAROUSEL_ONE, "mbarrier.arrive_drop")
}

/// Arrives `count` times, and leaves as often.
/// PTX: as mbarrier_arrive, with mbarrier.arrive_drop; sm_90
template <semantics Semantics = semantics::release, scope Scope = scope::cta,
          space Space = space::shared>
CAROUSEL_DEVICE auto mbarrier_arrive_drop(mbarrier *barrier, uint32_t count) {
  static_assert(target::on<Semantics>::has(90, 80),
                "mbarrier.arrive_drop with a count needs sm_90");
  const uint32_t operand = count;
  CAROUSEL_ARRIVE(CAROUSEL_SOME, "mbarrier.arrive_drop")
}

/// Raises the expected bytes, then arrives once: what a producer does before
/// the transfers of a stage.
/// PTX: mbarrier.arrive.expect_tx{, .release.cluster, .relaxed.cta,
///      .relaxed.cluster}.shared.b64 state, [barrier], bytes; sm_90
///      mbarrier.arrive.expect_tx{...}.shared::cluster.b64 _, [barrier], bytes
template <semantics Semantics = semantics::release, scope Scope = scope::cta,
          space Space = space::shared>
CAROUSEL_DEVICE auto mbarrier_arrive_expect_tx(mbarrier *barrier,
                                               uint32_t bytes) {
  static_assert(target::on<Semantics>::has(90, 80),
                "mbarrier.arrive.expect_tx needs sm_90");
  const uint32_t operand = bytes;
  CAROUSEL_ARRIVE(CAROUSEL_SOME, "mbarrier.arrive.expect_tx")
}

/// Raises the expected bytes, then arrives once and leaves.
/// PTX: as mbarrier_arrive_expect_tx, with mbarrier.arrive_drop.expect_tx
template <semantics Semantics = semantics::release, scope Scope = scope::cta,
          space Space = space::shared>
CAROUSEL_DEVICE auto mbarrier_arrive_drop_expect_tx(mbarrier *barrier,
                                                    uint32_t bytes) {
  static_assert(target::on<Semantics>::has(90, 80),
                "mbarrier.arrive_drop.expect_tx needs sm_90");
  const uint32_t operand = bytes;
  CAROUSEL_ARRIVE(CAROUSEL_SOME, "mbarrier.arrive_drop.expect_tx")
}

#undef CAROUSEL_ARRIVE
#undef CAROUSEL_REMOTE
#undef CAROUSEL_SOME
#undef CAROUSEL_ONE

/// Arrives `count` times, which doesn't complete the phase.
/// PTX: mbarrier.arrive.noComplete.shared.b64 state, [barrier], count; sm_80
CAROUSEL_DEVICE mbarrier_state mbarrier_arrive_no_complete(mbarrier *barrier,
                                                           uint32_t count) {
  mbarrier_state state;
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
               : "=l"(state.bits)
               : "r"(detail::to_shared(barrier)), "r"(count)
               : "memory");
  return state;
}

/// As mbarrier_arrive_no_complete, and leaves as often.
/// PTX: mbarrier.arrive_drop.noComplete.shared.b64 state, [barrier], count;
///      sm_80
CAROUSEL_DEVICE mbarrier_state
mbarrier_arrive_drop_no_complete(mbarrier *barrier, uint32_t count) {
  mbarrier_state state;
  asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], %2;"
               : "=l"(state.bits)
               : "r"(detail::to_shared(barrier)), "r"(count)
               : "memory");
  return state;
}

/// The pending arrivals that a state recorded.
/// PTX: mbarrier.pending_count.b64 count, state; sm_80
CAROUSEL_DEVICE uint32_t mbarrier_pending_count(mbarrier_state state) {
  uint32_t count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state.bits));
  return count;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

// A test gives a predicate, which C++ sees as an integer.
#define CAROUSEL_TEST(NAME, TAIL, ...)                                         \
  asm volatile("{\n\t.reg .pred done;\n\t" NAME                                \
               ".shared.b64 done, [%1], " TAIL                                 \
               ";\n\tselp.u32 %0, 1, 0, done;\n\t}"                            \
               : "=r"(done)                                                    \
               : "r"(detail::to_shared(barrier)), __VA_ARGS__                  \
               : "memory")
#define CAROUSEL_BY_STATE(NAME) CAROUSEL_TEST(NAME, "%2", "l"(state.bits))
#define CAROUSEL_BY_STATE_SUSPEND(NAME)                                        \
  CAROUSEL_TEST(NAME, "%2, %3", "l"(state.bits), "r"(suspend_ns))
#define CAROUSEL_BY_PARITY(NAME) CAROUSEL_TEST(NAME, "%2", "r"(parity))
#define CAROUSEL_BY_PARITY_SUSPEND(NAME)                                       \
  CAROUSEL_TEST(NAME, "%2, %3", "r"(parity), "r"(suspend_ns))
#define CAROUSEL_WAIT(FORM, NAME)                                              \
  CAROUSEL_CHECK_ORDER(acquire);                                               \
  uint32_t done;                                                               \
  CAROUSEL_ORDERS(FORM, NAME, ".acquire");                                     \
  return done != 0;

/// Has the phase of `state` completed? Doesn't block.
/// PTX: mbarrier.test_wait{, .acquire.cluster, .relaxed.cta, .relaxed.cluster}
///      .shared.b64 done, [barrier], state; sm_80; relaxed and cluster: sm_90
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta>
CAROUSEL_DEVICE bool mbarrier_test_wait(mbarrier *barrier,
                                        mbarrier_state state) {
  CAROUSEL_WAIT(CAROUSEL_BY_STATE, "mbarrier.test_wait")
}

/// Has the phase of `parity`, 0 or 1, completed? Doesn't block.
/// PTX: mbarrier.test_wait.parity{...}.shared.b64 done, [barrier], parity;
///      sm_80
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta>
CAROUSEL_DEVICE bool mbarrier_test_wait(mbarrier *barrier, uint32_t parity) {
  CAROUSEL_WAIT(CAROUSEL_BY_PARITY, "mbarrier.test_wait.parity")
}

/// Has the phase completed? The thread may sleep until it has, for a time that
/// the system decides; false says nothing.
/// PTX: mbarrier.try_wait{...}.shared.b64 done, [barrier], state; sm_90
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta>
CAROUSEL_DEVICE bool mbarrier_try_wait(mbarrier *barrier,
                                       mbarrier_state state) {
  static_assert(target::on<Scope>::has(90, 80),
                "mbarrier.try_wait needs sm_90");
  CAROUSEL_WAIT(CAROUSEL_BY_STATE, "mbarrier.try_wait")
}

/// As above, and the thread sleeps for `suspend_ns` nanoseconds at most.
/// PTX: mbarrier.try_wait{...}.shared.b64 done, [barrier], state, suspend_ns;
///      sm_90
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta>
CAROUSEL_DEVICE bool mbarrier_try_wait(mbarrier *barrier, mbarrier_state state,
                                       uint32_t suspend_ns) {
  static_assert(target::on<Scope>::has(90, 80),
                "mbarrier.try_wait needs sm_90");
  CAROUSEL_WAIT(CAROUSEL_BY_STATE_SUSPEND, "mbarrier.try_wait")
}

/// PTX: mbarrier.try_wait.parity{...}.shared.b64 done, [barrier], parity; sm_90
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta>
CAROUSEL_DEVICE bool mbarrier_try_wait(mbarrier *barrier, uint32_t parity) {
  static_assert(target::on<Scope>::has(90, 80),
                "mbarrier.try_wait needs sm_90");
  CAROUSEL_WAIT(CAROUSEL_BY_PARITY, "mbarrier.try_wait.parity")
}

/// PTX: mbarrier.try_wait.parity{...}.shared.b64 done, [barrier], parity,
///      suspend_ns; sm_90
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta>
CAROUSEL_DEVICE bool mbarrier_try_wait(mbarrier *barrier, uint32_t parity,
                                       uint32_t suspend_ns) {
  static_assert(target::on<Scope>::has(90, 80),
                "mbarrier.try_wait needs sm_90");
  CAROUSEL_WAIT(CAROUSEL_BY_PARITY_SUSPEND, "mbarrier.try_wait.parity")
}

#undef CAROUSEL_WAIT
#undef CAROUSEL_BY_PARITY_SUSPEND
#undef CAROUSEL_BY_PARITY
#undef CAROUSEL_BY_STATE_SUSPEND
#undef CAROUSEL_BY_STATE
#undef CAROUSEL_TEST
#undef CAROUSEL_ORDERS
#undef CAROUSEL_CHECK_ORDER

/// Blocks until the phase of `phase`, a state or a parity, has completed.
/// PTX: a loop around mbarrier.try_wait, before sm_90 around mbarrier.test_wait
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta,
          typename Phase>
CAROUSEL_DEVICE void mbarrier_wait(mbarrier *barrier, Phase phase) {
#if CAROUSEL_SM && CAROUSEL_SM < 90
  while (!mbarrier_test_wait<Semantics, Scope>(barrier, phase)) {
  }
#else
  while (!mbarrier_try_wait<Semantics, Scope>(barrier, phase)) {
  }
#endif
}

/// As above; each sleep takes `suspend_ns` nanoseconds at most. There are no
/// sleeps before sm_90.
template <semantics Semantics = semantics::acquire, scope Scope = scope::cta,
          typename Phase>
CAROUSEL_DEVICE void mbarrier_wait(mbarrier *barrier, Phase phase,
                                   [[maybe_unused]] uint32_t suspend_ns) {
#if CAROUSEL_SM && CAROUSEL_SM < 90
  while (!mbarrier_test_wait<Semantics, Scope>(barrier, phase)) {
  }
#else
  while (!mbarrier_try_wait<Semantics, Scope>(barrier, phase, suspend_ns)) {
  }
#endif
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_MBARRIER_H
