//===- group.h - groups of copies and of threads ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk groups, in which a thread's bulk stores complete; the barriers of groups
// of a CTA's threads; and the registers that a warpgroup's threads have.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_GROUP_H
#define CAROUSEL_DEVICE_GROUP_H

#include <carousel/device/types.h>

namespace carousel {

//===----------------------------------------------------------------------===//
// Bulk groups
//===----------------------------------------------------------------------===//

/// Closes the group of the bulk and tensor stores and reductions that this
/// thread has issued since the last commit.
/// PTX: cp.async.bulk.commit_group; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE void bulk_commit_group() {
  static_assert(target::on<SM>::has(90, 80),
                "cp.async.bulk.commit_group needs sm_90");
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

/// Waits until at most `Pending` of this thread's newest groups are open:
/// `complete`, until the others have written everything; `read`, until they
/// have read their sources.
/// PTX: cp.async.bulk.wait_group{, .read} pending; sm_90
template <group_wait Until, int Pending>
CAROUSEL_DEVICE void bulk_wait_group() {
  static_assert(Pending >= 0, "expected a number of groups");
  static_assert(target::on<Until>::has(90, 80),
                "cp.async.bulk.wait_group needs sm_90");
  if constexpr (Until == group_wait::read)
    asm volatile("cp.async.bulk.wait_group.read %0;"
                 :
                 : "n"(Pending)
                 : "memory");
  else
    asm volatile("cp.async.bulk.wait_group %0;" : : "n"(Pending) : "memory");
}

//===----------------------------------------------------------------------===//
// Threads of a CTA
//===----------------------------------------------------------------------===//

/// Arrives at named barrier `id`, 0 to 15, and waits for all of the CTA's
/// threads. The threads of a warp do it together.
/// PTX: bar.sync id; sm_80
CAROUSEL_DEVICE void barrier_sync(uint32_t id) {
  asm volatile("bar.sync %0;" : : "r"(id) : "memory");
}

/// Arrives and waits for `threads` threads, a multiple of 32.
/// PTX: bar.sync id, threads; sm_80
CAROUSEL_DEVICE void barrier_sync(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/// Does what barrier_sync does, each thread for itself. PTX: barrier.sync id;
/// sm_80
CAROUSEL_DEVICE void barrier_sync_unaligned(uint32_t id) {
  asm volatile("barrier.sync %0;" : : "r"(id) : "memory");
}

/// PTX: barrier.sync id, threads; sm_80
CAROUSEL_DEVICE void barrier_sync_unaligned(uint32_t id, uint32_t threads) {
  asm volatile("barrier.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/// Arrives without waiting; `threads` counts those that wait too.
/// PTX: bar.arrive id, threads; sm_80
CAROUSEL_DEVICE void barrier_arrive(uint32_t id, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/// Does what barrier_arrive does, each thread for itself. PTX: barrier.arrive
/// id, threads; sm_80
CAROUSEL_DEVICE void barrier_arrive_unaligned(uint32_t id, uint32_t threads) {
  asm volatile("barrier.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/// Synchronises the warp's threads in `mask` and orders their accesses.
/// PTX: bar.warp.sync mask; sm_80
CAROUSEL_DEVICE void barrier_warp(uint32_t mask = 0xffffffff) {
  __syncwarp(mask);
}

/// Changes the registers of each thread of the warpgroup, 24 to 256 in steps of
/// 8. `dec` gives registers back, `inc` blocks until they are free.
/// PTX: setmaxnreg.{inc, dec}.sync.aligned.u32 registers; sm_90a, sm_100a,
///      sm_120a
template <register_change Change, int Registers>
CAROUSEL_DEVICE void set_max_registers() {
  static_assert(Registers >= 24 && Registers <= 256 && Registers % 8 == 0,
                "expected 24 to 256 registers in steps of 8");
  static_assert(target::on<Change>::has_specific(90, 80),
                "setmaxnreg needs sm_90a, sm_100a or sm_120a");
  if constexpr (Change == register_change::inc)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;"
                 :
                 : "n"(Registers)
                 : "memory");
  else
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;"
                 :
                 : "n"(Registers)
                 : "memory");
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_GROUP_H
