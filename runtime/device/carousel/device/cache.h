//===- cache.h - prefetches and cache policies ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefetches of cache lines, and the 64-bit policies that copies take as cache
// hints.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_CACHE_H
#define CAROUSEL_DEVICE_CACHE_H

#include <carousel/device/types.h>

namespace carousel {

#define CAROUSEL_PRIORITIES(FORM)                                              \
  if constexpr (Priority == evict::evict_normal &&                             \
                Otherwise == evict::evict_unchanged)                           \
    FORM(".L2::evict_normal");                                                 \
  else if constexpr (Priority == evict::evict_normal &&                        \
                     Otherwise == evict::evict_first)                          \
    FORM(".L2::evict_normal.L2::evict_first");                                 \
  else if constexpr (Priority == evict::evict_first &&                         \
                     Otherwise == evict::evict_unchanged)                      \
    FORM(".L2::evict_first");                                                  \
  else if constexpr (Priority == evict::evict_first &&                         \
                     Otherwise == evict::evict_first)                          \
    FORM(".L2::evict_first.L2::evict_first");                                  \
  else if constexpr (Priority == evict::evict_last &&                          \
                     Otherwise == evict::evict_unchanged)                      \
    FORM(".L2::evict_last");                                                   \
  else if constexpr (Priority == evict::evict_last &&                          \
                     Otherwise == evict::evict_first)                          \
    FORM(".L2::evict_last.L2::evict_first");                                   \
  else if constexpr (Priority == evict::evict_unchanged &&                     \
                     Otherwise == evict::evict_unchanged)                      \
    FORM(".L2::evict_unchanged");                                              \
  else if constexpr (Priority == evict::evict_unchanged &&                     \
                     Otherwise == evict::evict_first)                          \
  FORM(".L2::evict_unchanged.L2::evict_first")

namespace detail {

template <evict Priority, evict Otherwise>
CAROUSEL_DEVICE void check_priorities() {
  static_assert(
      Otherwise == evict::evict_first || Otherwise == evict::evict_unchanged,
      "expected evict_first or evict_unchanged as the other priority");
}

/// This is written in assembly: NVRTC 13.0 crashes on its own conversion of a
/// kernel argument.
CAROUSEL_DEVICE uint64_t to_local(const void *pointer) {
  uint64_t address;
  asm("cvta.to.local.u64 %0, %1;" : "=l"(address) : "l"(pointer));
  return address;
}

} // namespace detail

#define CAROUSEL_FORM(PRIORITIES)                                              \
  asm("createpolicy.fractional" PRIORITIES ".b64 %0;" : "=l"(policy))

/// A policy that gives all accesses `Priority`.
/// PTX: createpolicy.fractional.L2::priority{, .L2::otherwise}.b64 policy;
///      sm_80
template <evict Priority, evict Otherwise = evict::evict_unchanged>
CAROUSEL_DEVICE uint64_t cache_policy_fractional() {
  detail::check_priorities<Priority, Otherwise>();
  uint64_t policy;
  CAROUSEL_PRIORITIES(CAROUSEL_FORM);
  return policy;
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(PRIORITIES)                                              \
  asm("createpolicy.fractional" PRIORITIES ".b64 %0, %1;"                      \
      : "=l"(policy)                                                           \
      : "f"(fraction))

/// A policy that gives a fraction of the accesses, above 0 and at most 1,
/// `Priority`, and the others `Otherwise`.
/// PTX: createpolicy.fractional.L2::priority{, .L2::otherwise}.b64 policy,
///      fraction; sm_80
template <evict Priority, evict Otherwise = evict::evict_unchanged>
CAROUSEL_DEVICE uint64_t cache_policy_fractional(float fraction) {
  detail::check_priorities<Priority, Otherwise>();
  uint64_t policy;
  CAROUSEL_PRIORITIES(CAROUSEL_FORM);
  return policy;
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(PRIORITIES)                                              \
  asm("createpolicy.range.global" PRIORITIES ".b64 %0, [%1], %2, %3;"          \
      : "=l"(policy)                                                           \
      : "l"(detail::to_global(base)), "r"(primary), "r"(total))

/// A policy by address: the first `primary` bytes from `base` on, in global
/// memory, have `Priority`, the rest of the `total` bytes `Otherwise`.
/// PTX: createpolicy.range.global.L2::priority{, .L2::otherwise}.b64 policy,
///      [base], primary, total; sm_80
template <evict Priority, evict Otherwise = evict::evict_unchanged>
CAROUSEL_DEVICE uint64_t cache_policy_range(const void *base, uint32_t primary,
                                            uint32_t total) {
  detail::check_priorities<Priority, Otherwise>();
  uint64_t policy;
  CAROUSEL_PRIORITIES(CAROUSEL_FORM);
  return policy;
}

#undef CAROUSEL_FORM
#undef CAROUSEL_PRIORITIES

/// A policy from a CUDA access property.
/// PTX: createpolicy.cvt.L2.b64 policy, property; sm_80
CAROUSEL_DEVICE uint64_t cache_policy_convert(uint64_t property) {
  uint64_t policy;
  asm("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(policy) : "l"(property));
  return policy;
}

/// Brings a cache line of global or local memory into a cache; a hint.
/// PTX: prefetch.{global, local}.{L1, L2} [source]; sm_80
///      prefetch.global.{L2::evict_last, L2::evict_normal} [source]; sm_80
///      prefetchu.L1 [source], with a generic address; sm_80
template <prefetch_level Level, space Space = space::global>
CAROUSEL_DEVICE void prefetch(const void *source) {
  static_assert(Space == space::global || Space == space::local,
                "expected space::global or space::local");
  static_assert(Space == space::global || Level == prefetch_level::l1 ||
                    Level == prefetch_level::l2,
                "local memory is brought into l1 or l2");
#define CAROUSEL_PREFETCH(TEXT, ADDRESS)                                       \
  asm volatile(TEXT " [%0];" : : "l"(ADDRESS) : "memory")
  if constexpr (Space == space::local && Level == prefetch_level::l1)
    CAROUSEL_PREFETCH("prefetch.local.L1", detail::to_local(source));
  else if constexpr (Space == space::local)
    CAROUSEL_PREFETCH("prefetch.local.L2", detail::to_local(source));
  else if constexpr (Level == prefetch_level::l1)
    CAROUSEL_PREFETCH("prefetch.global.L1", detail::to_global(source));
  else if constexpr (Level == prefetch_level::l2)
    CAROUSEL_PREFETCH("prefetch.global.L2", detail::to_global(source));
  else if constexpr (Level == prefetch_level::l2_evict_last)
    CAROUSEL_PREFETCH("prefetch.global.L2::evict_last",
                      detail::to_global(source));
  else if constexpr (Level == prefetch_level::l2_evict_normal)
    CAROUSEL_PREFETCH("prefetch.global.L2::evict_normal",
                      detail::to_global(source));
  else
    CAROUSEL_PREFETCH("prefetchu.L1", source);
#undef CAROUSEL_PREFETCH
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_CACHE_H
