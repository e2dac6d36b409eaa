//===- fence.h - fence ------------------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fences of this thread's accesses: among threads, between proxies, and for
// descriptors that the device has changed. What takes part in which order is in
// docs/MemoryModel.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_FENCE_H
#define CAROUSEL_DEVICE_FENCE_H

#include <carousel/device/types.h>

namespace carousel {

// Acquire and release fences are documented from sm_90 and PTX 8.6 on; before
// that the fence is an acq_rel one.
#if CAROUSEL_PTX >= 86 && (CAROUSEL_SM == 0 || CAROUSEL_SM >= 90)
#define CAROUSEL_ACQUIRE "acquire"
#define CAROUSEL_RELEASE "release"
#else
#define CAROUSEL_ACQUIRE "acq_rel"
#define CAROUSEL_RELEASE "acq_rel"
#endif

#define CAROUSEL_FENCE(TEXT) asm volatile("fence." TEXT ";" : : : "memory")
#define CAROUSEL_SCOPES(SEMANTICS)                                             \
  if constexpr (Scope == scope::cta)                                           \
    CAROUSEL_FENCE(SEMANTICS ".cta");                                          \
  else if constexpr (Scope == scope::cluster)                                  \
    CAROUSEL_FENCE(SEMANTICS ".cluster");                                      \
  else if constexpr (Scope == scope::gpu)                                      \
    CAROUSEL_FENCE(SEMANTICS ".gpu");                                          \
  else                                                                         \
    CAROUSEL_FENCE(SEMANTICS ".sys");

/// Orders this thread's generic accesses; not those of the async proxy.
/// PTX: fence.{acquire, release, acq_rel, sc}.{cta, cluster, gpu, sys}; sm_80;
///      cluster: sm_90; acquire and release are acq_rel before sm_90
template <semantics Semantics, scope Scope>
CAROUSEL_DEVICE void fence_thread() {
  static_assert(Semantics != semantics::relaxed,
                "expected acquire, release, acq_rel or sc");
  static_assert(Scope != scope::cluster || target::on<Scope>::has(90, 80),
                "fences at cluster scope need sm_90");
  if constexpr (Semantics == semantics::acquire) {
    CAROUSEL_SCOPES(CAROUSEL_ACQUIRE)
  } else if constexpr (Semantics == semantics::release) {
    CAROUSEL_SCOPES(CAROUSEL_RELEASE)
  } else if constexpr (Semantics == semantics::acq_rel) {
    CAROUSEL_SCOPES("acq_rel")
  } else {
    CAROUSEL_SCOPES("sc")
  }
}

/// Orders accesses through the generic proxy with those through another. The
/// threads that wrote execute it, before the barrier that lets another thread
/// issue a copy of what they wrote.
/// PTX: fence.proxy.alias; sm_80
///      fence.proxy.async{, .global, .shared::cta, .shared::cluster}; sm_90
template <proxy Proxy> CAROUSEL_DEVICE void fence_proxy() {
  static_assert(Proxy == proxy::alias || target::on<Proxy>::has(90, 80),
                "fence.proxy.async needs sm_90");
  if constexpr (Proxy == proxy::alias)
    CAROUSEL_FENCE("proxy.alias");
  else if constexpr (Proxy == proxy::async)
    CAROUSEL_FENCE("proxy.async");
  else if constexpr (Proxy == proxy::async_global)
    CAROUSEL_FENCE("proxy.async.global");
  else if constexpr (Proxy == proxy::async_shared_cta)
    CAROUSEL_FENCE("proxy.async.shared::cta");
  else
    CAROUSEL_FENCE("proxy.async.shared::cluster");
}

/// Makes this thread's mbarrier_init visible to the cluster and the async
/// proxy; a CTA or cluster barrier follows.
/// PTX: fence.mbarrier_init.release.cluster; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE void fence_mbarrier_init() {
  static_assert(target::on<SM>::has(90, 80), "fence.mbarrier_init needs sm_90");
  CAROUSEL_FENCE("mbarrier_init.release.cluster");
}

/// A one-way thread fence at cluster scope that is limited to shared memory.
/// PTX: fence.acquire.sync_restrict::shared::cluster.cluster
///      fence.release.sync_restrict::shared::cta.cluster; sm_90, PTX 8.6
template <semantics Semantics> CAROUSEL_DEVICE void fence_sync_restrict() {
  static_assert(Semantics == semantics::acquire ||
                    Semantics == semantics::release,
                "expected semantics::acquire or semantics::release");
  static_assert(target::on<Semantics>::has(90, 86),
                "fence.sync_restrict needs sm_90 and PTX 8.6");
  if constexpr (Semantics == semantics::acquire)
    CAROUSEL_FENCE("acquire.sync_restrict::shared::cluster.cluster");
  else
    CAROUSEL_FENCE("release.sync_restrict::shared::cta.cluster");
}

/// The same between the async and the generic proxy.
/// PTX: fence.proxy.async::generic.acquire.sync_restrict::shared::cluster
///      .cluster
///      fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
///      sm_90, PTX 8.6
template <semantics Semantics>
CAROUSEL_DEVICE void fence_proxy_sync_restrict() {
  static_assert(Semantics == semantics::acquire ||
                    Semantics == semantics::release,
                "expected semantics::acquire or semantics::release");
  static_assert(target::on<Semantics>::has(90, 86),
                "fence.proxy.async::generic.sync_restrict needs sm_90 and PTX "
                "8.6");
  if constexpr (Semantics == semantics::acquire)
    CAROUSEL_FENCE("proxy.async::generic.acquire."
                   "sync_restrict::shared::cluster.cluster");
  else
    CAROUSEL_FENCE("proxy.async::generic.release."
                   "sync_restrict::shared::cta.cluster");
}

/// Releases descriptors that this thread has changed.
/// PTX: fence.proxy.tensormap::generic.release.{cta, cluster, gpu, sys}; sm_90,
///      PTX 8.3
template <scope Scope> CAROUSEL_DEVICE void fence_tensor_map_release() {
  static_assert(target::on<Scope>::has(90, 83),
                "fence.proxy.tensormap::generic needs sm_90 and PTX 8.3");
  CAROUSEL_SCOPES("proxy.tensormap::generic.release")
}

#undef CAROUSEL_FENCE
#define CAROUSEL_FENCE(TEXT)                                                   \
  asm volatile("fence." TEXT " [%0], 128;" : : "l"(map) : "memory")

/// Acquires the 128 bytes of a descriptor in global memory.
/// PTX: fence.proxy.tensormap::generic.acquire.{cta, cluster, gpu, sys} [map],
///      128; sm_90, PTX 8.3
template <scope Scope>
CAROUSEL_DEVICE void fence_tensor_map_acquire(const void *map) {
  static_assert(target::on<Scope>::has(90, 83),
                "fence.proxy.tensormap::generic needs sm_90 and PTX 8.3");
  CAROUSEL_SCOPES("proxy.tensormap::generic.acquire")
}

#undef CAROUSEL_SCOPES
#undef CAROUSEL_FENCE
#undef CAROUSEL_RELEASE
#undef CAROUSEL_ACQUIRE

} // namespace carousel

#endif // CAROUSEL_DEVICE_FENCE_H
