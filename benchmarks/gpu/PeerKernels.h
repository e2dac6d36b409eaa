//===- PeerKernels.h - kernels that move bytes between GPUs -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hand-written counterparts of the transport's kernel (runtime/transport) whose
// every choice is a parameter, and copies by stores of threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_BENCHMARKS_GPU_PEERKERNELS_H
#define CAROUSEL_BENCHMARKS_GPU_PEERKERNELS_H

#include <cstdint>

namespace carousel::peer_bench {

/// The way in which a ring uses its tiles.
enum class Mode { Copy, Read, Write };
/// The policy of its accesses to the target, or of both sides.
enum class Hint { None, EvictFirst, EvictLast };

struct Ring {
  char *target = nullptr;
  const char *source = nullptr;
  uint64_t bytes = 0;
  uint64_t targetMask = ~uint64_t(0); ///< of offsets: a window of the target
  uint64_t sourceMask = ~uint64_t(0);
  uint32_t tile = 16384;
  uint32_t slots = 6;
  /// Only CTAs on every `stepSM`th multiprocessor from this one on, of a grid
  /// of one CTA for each multiprocessor; -1: wherever they start.
  int firstSM = -1;
  uint32_t stepSM = 1;
  uint32_t ctas = 16;
  uint32_t cluster = 1;     ///< CTAs of one
  bool isScattered = false; ///< neighbours don't take neighbouring tiles
  bool isAlone = false;     ///< no two CTAs fit on a multiprocessor
  bool isBlocked =
      false; ///< each CTA has a part of its own, not every nth tile
  Mode mode = Mode::Copy;
  Hint hint = Hint::None;
};

__device__ inline uint32_t toShared(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ inline void waitFor(uint64_t *barrier, uint32_t phase) {
  asm volatile("{\n .reg .pred p;\n"
               "again:\n"
               " mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               " @!p bra again;\n}" ::"r"(toShared(barrier)),
               "r"(phase)
               : "memory");
}

/// One thread moves tiles through a ring. `Pending` stores may read their slots
/// while the next one is issued; with `IsComplete`, may be under way at all.
template <int Pending, bool IsComplete>
__global__ void __launch_bounds__(32) moveTiles(const Ring ring) {
  extern __shared__ __align__(128) char slots[];
  __shared__ uint64_t full[32];
  if (threadIdx.x != 0)
    return;
  uint64_t cta = blockIdx.x;
  if (ring.firstSM >= 0) {
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    uint32_t from = sm - uint32_t(ring.firstSM);
    if (sm < uint32_t(ring.firstSM) || from % ring.stepSM != 0 ||
        from / ring.stepSM >= ring.ctas)
      return;
    cta = from / ring.stepSM;
  }
  if (ring.isScattered) // 5 and the powers of two have no common factor
    cta = cta * 5 % ring.ctas;
  for (uint32_t i = 0; i < ring.slots; ++i)
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(toShared(&full[i])));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  uint64_t policy = 0;
  if (ring.hint == Hint::EvictFirst)
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  else if (ring.hint == Hint::EvictLast)
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));

  const uint64_t tiles = ring.bytes / ring.tile;
  const uint64_t each = (tiles + ring.ctas - 1) / ring.ctas;
  const uint64_t first = ring.isBlocked ? cta * each : cta;
  const uint64_t step = ring.isBlocked ? 1 : ring.ctas;
  const uint64_t end = ring.isBlocked ? min(tiles, first + each) : tiles;
  const uint64_t count = first < end ? (end - first + step - 1) / step : 0;

  auto load = [&](uint64_t i) {
    uint32_t slot = i % ring.slots;
    const char *from =
        ring.source + (((first + i * step) * ring.tile) & ring.sourceMask);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     toShared(&full[slot])),
                 "r"(ring.tile)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(toShared(slots + slot * ring.tile)),
        "l"(from), "r"(ring.tile), "r"(toShared(&full[slot]))
        : "memory");
  };
  auto store = [&](uint64_t i) {
    char *to =
        ring.target + (((first + i * step) * ring.tile) & ring.targetMask);
    uint32_t from = toShared(slots + (i % ring.slots) * ring.tile);
    if (ring.hint == Hint::None)
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
              to),
          "r"(from), "r"(ring.tile)
          : "memory");
    else
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint "
                   "[%0], [%1], %2, %3;" ::"l"(to),
                   "r"(from), "r"(ring.tile), "l"(policy)
                   : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    if (IsComplete)
      asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
    else
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending)
                   : "memory");
  };

  if (ring.mode == Mode::Write) {
    for (uint64_t i = 0; i < count; ++i)
      store(i);
  } else {
    // In a copy, the load of slot i - Pending follows its store.
    uint32_t ahead =
        ring.mode == Mode::Read ? ring.slots : ring.slots - Pending;
    for (uint64_t i = 0; i < ahead && i < count; ++i)
      load(i);
    for (uint64_t i = 0; i < count; ++i) {
      waitFor(&full[i % ring.slots], (i / ring.slots) & 1);
      if (ring.mode == Mode::Copy)
        store(i);
      if (i + ahead < count)
        load(i + ahead);
    }
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Threads copy, read or write pieces of 16 bytes, `Unrolled` at a time.
template <Mode Way, int Unrolled>
__global__ void moveWords(uint4 *target, const uint4 *source, uint64_t words) {
  uint64_t threads = uint64_t(gridDim.x) * blockDim.x;
  uint64_t first = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
  uint4 sum = {1, 2, 3, threadIdx.x};
  for (uint64_t i = first; i + (Unrolled - 1) * threads < words;
       i += Unrolled * threads) {
    uint4 piece[Unrolled];
    for (int j = 0; j < Unrolled; ++j)
      piece[j] = Way == Mode::Write ? sum : __ldg(source + i + j * threads);
    for (int j = 0; j < Unrolled; ++j)
      if (Way == Mode::Read)
        sum.x ^= piece[j].x ^ piece[j].y ^ piece[j].z ^ piece[j].w;
      else
        target[i + j * threads] = piece[j];
  }
  if (Way == Mode::Read && sum.x == 0x12345678)
    target[0] = sum;
}

} // namespace carousel::peer_bench

#endif // CAROUSEL_BENCHMARKS_GPU_PEERKERNELS_H
