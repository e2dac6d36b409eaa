//===- cluster.h - CTAs of a cluster ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rank of a CTA in its cluster, addresses of other CTAs' shared memory, and
// the cluster's barrier. What cluster_map_shared returns is a generic pointer:
// loads and stores take it, and so do functions that take memory in the
// cluster's window.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_CLUSTER_H
#define CAROUSEL_DEVICE_CLUSTER_H

#include <carousel/device/types.h>

namespace carousel {

/// The rank of this CTA in its cluster.
/// PTX: mov.u32 rank, %cluster_ctarank; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE uint32_t cluster_rank() {
  static_assert(target::on<SM>::has(90, 80), "clusters need sm_90");
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// The number of CTAs in the cluster.
/// PTX: mov.u32 size, %cluster_nctarank; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE uint32_t cluster_size() {
  static_assert(target::on<SM>::has(90, 80), "clusters need sm_90");
  uint32_t size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

/// Where `source`, in this CTA's shared memory, lies in that of CTA `rank`.
/// PTX: mapa.shared::cluster.u64 address, source, rank; sm_90
template <typename Element>
CAROUSEL_DEVICE Element *cluster_map_shared(Element *source, uint32_t rank) {
  static_assert(target::on<sizeof(Element *)>::has(90, 80), "mapa needs sm_90");
  uint64_t mapped;
  asm("{\n\t.reg .u64 address;\n\t"
      "mapa.shared::cluster.u64 address, %1, %2;\n\t"
      "cvta.shared::cluster.u64 %0, address;\n\t}"
      : "=l"(mapped)
      : "l"(static_cast<uint64_t>(__cvta_generic_to_shared(source))),
        "r"(rank));
  return reinterpret_cast<Element *>(mapped);
}

/// The rank of the CTA in whose shared memory `source` lies.
/// PTX: getctarank.u64 rank, source; sm_90
template <int SM = target::sm>
CAROUSEL_DEVICE uint32_t cluster_rank_of(const void *source) {
  static_assert(target::on<SM>::has(90, 80), "getctarank needs sm_90");
  uint32_t rank;
  asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(source));
  return rank;
}

/// Arrives at the cluster's barrier; the threads of a warp do it together.
/// PTX: barrier.cluster.arrive{, .relaxed}.aligned; sm_90
template <semantics Semantics = semantics::release>
CAROUSEL_DEVICE void cluster_arrive() {
  static_assert(Semantics == semantics::release ||
                    Semantics == semantics::relaxed,
                "expected semantics::release or semantics::relaxed");
  static_assert(target::on<Semantics>::has(90, 80),
                "barrier.cluster needs sm_90");
  if constexpr (Semantics == semantics::relaxed)
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
  else
    asm volatile("barrier.cluster.arrive.aligned;" : : : "memory");
}

/// Does what cluster_arrive does, each thread for itself. PTX:
/// barrier.cluster.arrive{, .relaxed}; sm_90
template <semantics Semantics = semantics::release>
CAROUSEL_DEVICE void cluster_arrive_unaligned() {
  static_assert(Semantics == semantics::release ||
                    Semantics == semantics::relaxed,
                "expected semantics::release or semantics::relaxed");
  static_assert(target::on<Semantics>::has(90, 80),
                "barrier.cluster needs sm_90");
  if constexpr (Semantics == semantics::relaxed)
    asm volatile("barrier.cluster.arrive.relaxed;" : : : "memory");
  else
    asm volatile("barrier.cluster.arrive;" : : : "memory");
}

/// Waits until all threads of the cluster have arrived; acquires. The threads
/// of a warp do it together.
/// PTX: barrier.cluster.wait.aligned; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE void cluster_wait() {
  static_assert(target::on<SM>::has(90, 80), "barrier.cluster needs sm_90");
  asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
}

/// Does what cluster_wait does, each thread for itself. PTX:
/// barrier.cluster.wait; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE void cluster_wait_unaligned() {
  static_assert(target::on<SM>::has(90, 80), "barrier.cluster needs sm_90");
  asm volatile("barrier.cluster.wait;" : : : "memory");
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_CLUSTER_H
