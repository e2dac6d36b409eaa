//===- FiberPool.h - stacks of fibres ---------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands out stacks for fibres, and reuses them for later threads. A run leases
// a pool from its host thread. The host thread keeps a small pool for the next
// run, because mapping and touching stacks costs more than a short run. The
// pages below a stack are a guard, for as many stacks as the kernel's limit on
// mappings allows. Below the others lies another stack.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_GRID_FIBERPOOL_H
#define CAROUSEL_LIB_SIMULATOR_GRID_FIBERPOOL_H

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace carousel::sim {

class FiberPool {
public:
  /// A stack grows from `top` down to `low`.
  struct Stack {
    char *low = nullptr;
    char *top = nullptr;
    explicit operator bool() const { return top != nullptr; }
  };

  explicit FiberPool(size_t stackBytes);
  ~FiberPool();
  FiberPool(const FiberPool &) = delete;
  FiberPool &operator=(const FiberPool &) = delete;

  /// Returns no stack if the host is out of memory.
  Stack acquire();
  /// Whether the host has memory for `count` stacks in all.
  bool reserve(size_t count);
  void release(Stack stack) { free.push_back(stack); }
  /// Takes all stacks back, including those of fibres that won't continue.
  void reclaim();
  size_t getNumStacks() const { return numStacks; }
  size_t getUsableBytes() const { return usableBytes; }

private:
  /// Maps more stacks, if `leftBytes` more could be mapped beside them.
  bool grow(size_t leftBytes = 0);
  void carve(void *mapping);

  size_t usableBytes, guardBytes, numStacks = 0;
  std::vector<Stack> free;
  std::vector<std::pair<void *, size_t>> mappings;
};

/// A pool for one run, new or from an earlier run of this host thread. All its
/// fibres must have ended or be abandoned when the lease ends.
class FiberPoolLease {
public:
  explicit FiberPoolLease(size_t stackBytes);
  ~FiberPoolLease();
  FiberPool *operator->() const { return pool.get(); }

private:
  std::unique_ptr<FiberPool> pool;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_GRID_FIBERPOOL_H
