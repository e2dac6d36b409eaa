//===- cp_async.h - cp.async ------------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The per-thread copies from global to shared memory that sm_80 brought, their
// groups, and the arrive that they trigger.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_CP_ASYNC_H
#define CAROUSEL_DEVICE_CP_ASYNC_H

#include <carousel/device/types.h>

namespace carousel {

namespace detail {

template <cp_async_cache Cache, int Bytes, int L2Prefetch>
CAROUSEL_DEVICE void check_cp_async() {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                "expected 4, 8 or 16 bytes");
  static_assert(Cache == cp_async_cache::ca || Bytes == 16,
                "cp.async.cg copies 16 bytes");
  static_assert(L2Prefetch == 0 || L2Prefetch == 64 || L2Prefetch == 128 ||
                    L2Prefetch == 256,
                "expected 64, 128 or 256 bytes to prefetch, or 0");
}

} // namespace detail

// The eight instructions that copy; FORM makes a statement of a name.
#define CAROUSEL_COPIES(FORM, HINT)                                            \
  detail::check_cp_async<Cache, Bytes, L2Prefetch>();                          \
  if constexpr (Cache == cp_async_cache::ca && L2Prefetch == 0)                \
    FORM("cp.async.ca.shared.global" HINT);                                    \
  else if constexpr (Cache == cp_async_cache::ca && L2Prefetch == 64)          \
    FORM("cp.async.ca.shared.global" HINT ".L2::64B");                         \
  else if constexpr (Cache == cp_async_cache::ca && L2Prefetch == 128)         \
    FORM("cp.async.ca.shared.global" HINT ".L2::128B");                        \
  else if constexpr (Cache == cp_async_cache::ca)                              \
    FORM("cp.async.ca.shared.global" HINT ".L2::256B");                        \
  else if constexpr (L2Prefetch == 0)                                          \
    FORM("cp.async.cg.shared.global" HINT);                                    \
  else if constexpr (L2Prefetch == 64)                                         \
    FORM("cp.async.cg.shared.global" HINT ".L2::64B");                         \
  else if constexpr (L2Prefetch == 128)                                        \
    FORM("cp.async.cg.shared.global" HINT ".L2::128B");                        \
  else                                                                         \
    FORM("cp.async.cg.shared.global" HINT ".L2::256B")

#define CAROUSEL_COPY(TEXT, ...)                                               \
  asm volatile(TEXT                                                            \
               :                                                               \
               : "r"(detail::to_shared(destination)),                          \
                 "l"(detail::to_global(source)), __VA_ARGS__                   \
               : "memory")

#define CAROUSEL_FORM(NAME) CAROUSEL_COPY(NAME " [%0], [%1], %2;", "n"(Bytes))

/// Copies 4, 8 or 16 bytes; with `cp_async_cache::cg` 16. `L2Prefetch` is 0 or
/// the bytes, 64, 128 or 256, that are brought into L2 with them.
/// PTX: cp.async.{ca, cg}.shared.global{, .L2::64B, .L2::128B, .L2::256B}
///      [destination], [source], bytes; sm_80
template <cp_async_cache Cache, int Bytes, int L2Prefetch = 0>
CAROUSEL_DEVICE void cp_async_copy(const void *source, void *destination) {
  CAROUSEL_COPIES(CAROUSEL_FORM, "");
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(NAME)                                                    \
  CAROUSEL_COPY(NAME " [%0], [%1], %2, %3;", "n"(Bytes), "l"(policy))

/// PTX: cp.async....L2::cache_hint... [destination], [source], bytes, policy
template <cp_async_cache Cache, int Bytes, int L2Prefetch = 0>
CAROUSEL_DEVICE void cp_async_copy(const void *source, void *destination,
                                   uint64_t policy) {
  CAROUSEL_COPIES(CAROUSEL_FORM, ".L2::cache_hint");
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(NAME)                                                    \
  CAROUSEL_COPY(NAME " [%0], [%1], %2, %3;", "n"(Bytes), "r"(part.bytes))

/// Reads the first `part.bytes` bytes of the source; the others are zero.
/// PTX: cp.async... [destination], [source], bytes, valid
template <cp_async_cache Cache, int Bytes, int L2Prefetch = 0>
CAROUSEL_DEVICE void cp_async_copy(const void *source, void *destination,
                                   valid part) {
  CAROUSEL_COPIES(CAROUSEL_FORM, "");
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(NAME)                                                    \
  CAROUSEL_COPY(NAME " [%0], [%1], %2, %3, %4;", "n"(Bytes), "r"(part.bytes),  \
                "l"(policy))

/// PTX: cp.async....L2::cache_hint... [destination], [source], bytes, valid,
///      policy
template <cp_async_cache Cache, int Bytes, int L2Prefetch = 0>
CAROUSEL_DEVICE void cp_async_copy(const void *source, void *destination,
                                   valid part, uint64_t policy) {
  CAROUSEL_COPIES(CAROUSEL_FORM, ".L2::cache_hint");
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(NAME)                                                    \
  CAROUSEL_COPY(                                                               \
      "{\n\t.reg .pred ignored;\n\tsetp.ne.b32 ignored, %3, 0;\n\t" NAME       \
      " [%0], [%1], %2, ignored;\n\t}",                                        \
      "n"(Bytes), "r"(static_cast<uint32_t>(zeros.source)))

/// Writes zeros if `zeros.source`, and doesn't read then.
/// PTX: cp.async... [destination], [source], bytes, ignored
template <cp_async_cache Cache, int Bytes, int L2Prefetch = 0>
CAROUSEL_DEVICE void cp_async_copy(const void *source, void *destination,
                                   ignore zeros) {
  CAROUSEL_COPIES(CAROUSEL_FORM, "");
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(NAME)                                                    \
  CAROUSEL_COPY(                                                               \
      "{\n\t.reg .pred ignored;\n\tsetp.ne.b32 ignored, %3, 0;\n\t" NAME       \
      " [%0], [%1], %2, ignored, %4;\n\t}",                                    \
      "n"(Bytes), "r"(static_cast<uint32_t>(zeros.source)), "l"(policy))

/// PTX: cp.async....L2::cache_hint... [destination], [source], bytes, ignored,
///      policy
template <cp_async_cache Cache, int Bytes, int L2Prefetch = 0>
CAROUSEL_DEVICE void cp_async_copy(const void *source, void *destination,
                                   ignore zeros, uint64_t policy) {
  CAROUSEL_COPIES(CAROUSEL_FORM, ".L2::cache_hint");
}

#undef CAROUSEL_FORM
#undef CAROUSEL_COPY
#undef CAROUSEL_COPIES

/// Closes the group of what this thread has copied since the last commit.
/// PTX: cp.async.commit_group; sm_80
CAROUSEL_DEVICE void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}

/// Waits until at most `Pending` of this thread's newest groups are open.
/// PTX: cp.async.wait_group pending; sm_80
template <int Pending> CAROUSEL_DEVICE void cp_async_wait_group() {
  static_assert(Pending >= 0, "expected a number of groups");
  asm volatile("cp.async.wait_group %0;" : : "n"(Pending) : "memory");
}

/// Waits for every copy of this thread, committed or not.
/// PTX: cp.async.wait_all; sm_80
CAROUSEL_DEVICE void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" : : : "memory");
}

/// Arrives on a barrier once this thread's copies have landed. The pending
/// arrivals are raised by one before, so that the arrive is neutral.
/// PTX: cp.async.mbarrier.arrive.shared.b64 [barrier]; sm_80
CAROUSEL_DEVICE void cp_async_mbarrier_arrive(mbarrier *barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"
               :
               : "r"(detail::to_shared(barrier))
               : "memory");
}

/// As above; the arrive is one of those that mbarrier_init counted.
/// PTX: cp.async.mbarrier.arrive.noinc.shared.b64 [barrier]; sm_80
CAROUSEL_DEVICE void cp_async_mbarrier_arrive_noinc(mbarrier *barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
               :
               : "r"(detail::to_shared(barrier))
               : "memory");
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_CP_ASYNC_H
