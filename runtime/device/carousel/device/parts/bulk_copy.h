//===- bulk_copy.h - cp.async.bulk ------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of consecutive bytes, in the async proxy. One thread issues each.
// Sizes and addresses are multiples of 16 bytes. Loads complete on an mbarrier;
// stores in a bulk group (group.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_BULK_COPY_H
#define CAROUSEL_DEVICE_PARTS_BULK_COPY_H

#include <carousel/device/types.h>

namespace carousel {

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

// Copies to the CTA's own memory are to shared::cta from PTX 8.6 on; before
// that to shared::cluster, which means the same.
#if CAROUSEL_PTX >= 86
#define CAROUSEL_OWN "shared::cta"
#else
#define CAROUSEL_OWN "shared::cluster"
#endif

#define CAROUSEL_LOAD(TO, WINDOW, FLAGS, TAIL, ...)                            \
  asm volatile("cp.async.bulk." TO                                             \
               ".global.mbarrier::complete_tx::bytes" FLAGS                    \
               " [%0], [%1], %3, [%2]" TAIL ";"                                \
               :                                                               \
               : "r"(detail::to_window<WINDOW>(destination)),                  \
                 "l"(detail::to_global(source)),                               \
                 "r"(detail::to_window<WINDOW>(barrier)), __VA_ARGS__          \
               : "memory")

/// Copies `size` bytes from global to shared memory and lowers the barrier's
/// pending bytes by as many. With `space::cluster` destination and barrier are
/// in one CTA's memory, another's perhaps.
/// PTX: cp.async.bulk.shared::{cta, cluster}.global
///      .mbarrier::complete_tx::bytes [destination], [source], size, [barrier];
///      sm_90
template <space Space = space::shared>
CAROUSEL_DEVICE void bulk_load(const void *source, void *destination,
                               uint32_t size, mbarrier *barrier) {
  static_assert(target::on<Space>::has(90, 80), "cp.async.bulk needs sm_90");
  if constexpr (Space == space::cluster)
    CAROUSEL_LOAD("shared::cluster", Space, "", "", "r"(size));
  else
    CAROUSEL_LOAD(CAROUSEL_OWN, Space, "", "", "r"(size));
}

/// Does the same with a cache policy. PTX: ....L2::cache_hint [destination],
/// [source], size, [barrier], policy
template <space Space = space::shared>
CAROUSEL_DEVICE void bulk_load(const void *source, void *destination,
                               uint32_t size, mbarrier *barrier,
                               uint64_t policy) {
  static_assert(target::on<Space>::has(90, 80), "cp.async.bulk needs sm_90");
  if constexpr (Space == space::cluster)
    CAROUSEL_LOAD("shared::cluster", Space, ".L2::cache_hint", ", %4",
                  "r"(size), "l"(policy));
  else
    CAROUSEL_LOAD(CAROUSEL_OWN, Space, ".L2::cache_hint", ", %4", "r"(size),
                  "l"(policy));
}

/// Copies to the same offset in each CTA of the mask, and signals the barrier
/// at the same offset there. Destination and barrier are given in the CTA's own
/// memory.
/// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
///      .multicast::cluster [destination], [source], size, [barrier], ctas;
///      sm_90
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_load(const void *source, void *destination,
                               uint32_t size, mbarrier *barrier,
                               multicast mask) {
  static_assert(target::on<SM>::has(90, 80), "cp.async.bulk needs sm_90");
  CAROUSEL_LOAD("shared::cluster", space::shared, ".multicast::cluster", ", %4",
                "r"(size), "h"(mask.ctas));
}

/// As above, with a cache policy.
/// PTX: ....multicast::cluster.L2::cache_hint [destination], [source], size,
///      [barrier], ctas, policy
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_load(const void *source, void *destination,
                               uint32_t size, mbarrier *barrier, multicast mask,
                               uint64_t policy) {
  static_assert(target::on<SM>::has(90, 80), "cp.async.bulk needs sm_90");
  CAROUSEL_LOAD("shared::cluster", space::shared,
                ".multicast::cluster.L2::cache_hint", ", %4, %5", "r"(size),
                "h"(mask.ctas), "l"(policy));
}

#undef CAROUSEL_LOAD
#undef CAROUSEL_OWN

/// Brings `size` bytes of global memory into L2; a hint.
/// PTX: cp.async.bulk.prefetch.L2.global [source], size; sm_90
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_prefetch(const void *source, uint32_t size) {
  static_assert(target::on<SM>::has(90, 80),
                "cp.async.bulk.prefetch needs sm_90");
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
               :
               : "l"(detail::to_global(source)), "r"(size)
               : "memory");
}

/// PTX: cp.async.bulk.prefetch.L2.global.L2::cache_hint [source], size, policy
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_prefetch(const void *source, uint32_t size,
                                   uint64_t policy) {
  static_assert(target::on<SM>::has(90, 80),
                "cp.async.bulk.prefetch needs sm_90");
  asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;"
               :
               : "l"(detail::to_global(source)), "r"(size), "l"(policy)
               : "memory");
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

#define CAROUSEL_STORE(FLAGS, TAIL, ...)                                       \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group" FLAGS             \
               " [%0], [%1], %2" TAIL ";"                                      \
               :                                                               \
               : "l"(detail::to_global(destination)),                          \
                 "r"(detail::to_shared(source)), __VA_ARGS__                   \
               : "memory")

/// Copies `size` bytes from shared to global memory, as part of the bulk group
/// that this thread commits next.
/// PTX: cp.async.bulk.global.shared::cta.bulk_group [destination], [source],
///      size; sm_90
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_store(const void *source, void *destination,
                                uint32_t size) {
  static_assert(target::on<SM>::has(90, 80), "cp.async.bulk needs sm_90");
  CAROUSEL_STORE("", "", "r"(size));
}

/// PTX: ....L2::cache_hint [destination], [source], size, policy
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_store(const void *source, void *destination,
                                uint32_t size, uint64_t policy) {
  static_assert(target::on<SM>::has(90, 80), "cp.async.bulk needs sm_90");
  CAROUSEL_STORE(".L2::cache_hint", ", %3", "r"(size), "l"(policy));
}

/// Writes the bytes of each 16 whose bit in the mask is set.
/// PTX: ....cp_mask [destination], [source], size, mask; sm_100, PTX 8.6
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_store(const void *source, void *destination,
                                uint32_t size, byte_mask mask) {
  static_assert(target::on<SM>::has(100, 86),
                "cp.async.bulk.cp_mask needs sm_100 and PTX 8.6");
  CAROUSEL_STORE(".cp_mask", ", %3", "r"(size), "h"(mask.bytes));
}

/// PTX: ....L2::cache_hint.cp_mask [destination], [source], size, policy, mask
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_store(const void *source, void *destination,
                                uint32_t size, byte_mask mask,
                                uint64_t policy) {
  static_assert(target::on<SM>::has(100, 86),
                "cp.async.bulk.cp_mask needs sm_100 and PTX 8.6");
  CAROUSEL_STORE(".L2::cache_hint.cp_mask", ", %3, %4", "r"(size), "l"(policy),
                 "h"(mask.bytes));
}

#undef CAROUSEL_STORE

/// Copies `size` bytes from this CTA's shared memory to another's, and lowers
/// the pending bytes of the barrier there. Destination and barrier are in the
/// cluster's window, see cluster_map_shared.
/// PTX: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
///      [destination], [source], size, [barrier]; sm_90
template <int SM = target::sm>
CAROUSEL_DEVICE void bulk_copy_cluster(const void *source, void *destination,
                                       uint32_t size, mbarrier *barrier) {
  static_assert(target::on<SM>::has(90, 80), "cp.async.bulk needs sm_90");
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
               "complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(detail::to_cluster(destination)),
                 "r"(detail::to_shared(source)), "r"(size),
                 "r"(detail::to_cluster(barrier))
               : "memory");
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_BULK_COPY_H
