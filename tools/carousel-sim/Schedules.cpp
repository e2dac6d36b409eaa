//===- Schedules.cpp - runs many schedules in parallel --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads take numbers in order. So all numbers below the one that ends the
// search have started by then.
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using namespace carousel;

std::optional<uint64_t>
simtool::findFirst(uint64_t count, unsigned jobs,
                   llvm::function_ref<bool(uint64_t)> run) {
  std::atomic<uint64_t> next = 0, first = count;
  auto work = [&] {
    while (true) {
      uint64_t i = next.fetch_add(1);
      if (i >= first.load())
        return;
      if (!run(i))
        continue;
      uint64_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i))
        ;
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t n = 1; n < std::min<uint64_t>(jobs, count); ++n)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (first == count)
    return std::nullopt;
  return first.load();
}
