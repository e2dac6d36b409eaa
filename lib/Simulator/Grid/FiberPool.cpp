//===- FiberPool.cpp - stacks of fibres -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FiberPool.h.
//
//===----------------------------------------------------------------------===//

#include "FiberPool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

#include <sys/mman.h>
#include <unistd.h>

using namespace carousel::sim;

/// Stacks per mapping.
static constexpr size_t kSlabStacks = 64;
/// Each guard splits a mapping, and by default Linux allows a process 65530
/// mappings. Two pools leave half of them to other uses.
static constexpr size_t kMaxGuardedStacks = 8192;
/// Stacks in reserve leave so much of a limited address space to others, or as
/// much as all stacks take: each thread's accesses are recorded, too.
static constexpr size_t kLeftBytes = size_t(256) << 20;
/// A frame may be larger than a guard of one page.
static constexpr size_t kGuardPages = 4;

FiberPool::FiberPool(size_t stackBytes) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  usableBytes = llvm::alignTo(std::max(stackBytes, page), page);
  guardBytes = kGuardPages * page;
}

FiberPool::~FiberPool() {
  for (auto [address, size] : mappings)
    munmap(address, size);
}

bool FiberPool::grow(size_t leftBytes) {
  size_t stride = guardBytes + usableBytes;
  size_t size = kSlabStacks * stride;
  void *address =
      mmap(nullptr, size + leftBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (address == MAP_FAILED)
    return false;
  if (leftBytes != 0)
    munmap(static_cast<char *>(address) + size, leftBytes);
  mappings.push_back({address, size});
  // A huge page would make all of its stacks resident.
  (void)madvise(address, size, MADV_NOHUGEPAGE);

  char *base = static_cast<char *>(address);
  for (size_t i = kSlabStacks; i-- > 0;) {
    // The lowest stack of a mapping always has a guard.
    if (i == 0 || numStacks < kMaxGuardedStacks)
      (void)mprotect(base + i * stride, guardBytes, PROT_NONE);
    ++numStacks;
  }
  carve(address);
  return true;
}

void FiberPool::carve(void *mapping) {
  size_t stride = guardBytes + usableBytes;
  for (size_t i = kSlabStacks; i-- > 0;) {
    char *guard = static_cast<char *>(mapping) + i * stride;
    // Tops have different offsets in their pages. Otherwise the hot ends of all
    // stacks would share a few sets of the caches.
    size_t color = i % 16 * 128;
    free.push_back({guard + guardBytes, guard + stride - color});
  }
}

void FiberPool::reclaim() {
  free.clear();
  for (auto [address, size] : llvm::reverse(mappings))
    carve(address);
}

bool FiberPool::reserve(size_t count) {
  while (numStacks < count)
    if (!grow(std::max(kLeftBytes, numStacks * (guardBytes + usableBytes))))
      return false;
  return true;
}

FiberPool::Stack FiberPool::acquire() {
  if (free.empty() && !grow())
    return {};
  Stack stack = free.back();
  free.pop_back();
  return stack;
}

/// Kept by a host thread: enough for a few CTAs, some MB.
static constexpr size_t kMaxKeptStacks = 2048;
static thread_local std::unique_ptr<FiberPool> keptPool;

FiberPoolLease::FiberPoolLease(size_t stackBytes) : pool(std::move(keptPool)) {
  auto fresh = std::make_unique<FiberPool>(stackBytes);
  if (!pool || pool->getUsableBytes() != fresh->getUsableBytes())
    pool = std::move(fresh);
}

FiberPoolLease::~FiberPoolLease() {
  if (pool->getNumStacks() > kMaxKeptStacks)
    return;
  pool->reclaim();
  keptPool = std::move(pool);
}
