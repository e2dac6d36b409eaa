//===- LaunchLog.h - recent launches that may have failed -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver reports a failure on the device in a later call, without the
// kernel. This ring holds the latest launches with their streams. Launches that
// a caller has waited for are removed. Every launch writes to it, so it is
// lock-free and allocates no memory. A concurrent report may miss a launch of
// another thread.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_LAUNCHLOG_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_LAUNCHLOG_H

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace carousel::runtime {

class LaunchLog {
public:
  static constexpr size_t kSize = 16;

  /// Notes a launch. Called after the driver took it: a launch noted earlier
  /// could be struck out by a wait that didn't cover it.
  void note(const char *name, CUstream stream) {
    uint64_t number = latest.fetch_add(1, std::memory_order_relaxed) + 1;
    Entry &entry = entries[number % kSize];
    if (entry.isPending() && !overflowed.load(std::memory_order_relaxed))
      overflowed.store(true, std::memory_order_relaxed);
    entry.name.store(name, std::memory_order_relaxed);
    entry.stream.store(getKey(stream), std::memory_order_relaxed);
    entry.number.store(number, std::memory_order_release);
  }

  /// The number of the latest launch; to be asked before waiting.
  uint64_t getLatest() const { return latest.load(std::memory_order_relaxed); }
  /// Strikes out launches on `stream` up to a number.
  void forget(CUstream stream, uint64_t upTo);

  /// The kernels that may have failed, as the subject of a sentence: "copy_1d",
  /// "one of copy_1d, scale"; the latest first, each name once.
  std::string getSuspects() const;

private:
  /// An entry is pending where its number isn't the one that was waited for,
  /// so that striking out never touches a newer launch in the same place.
  struct Entry {
    std::atomic<uint64_t> number = 0, waited = 0;
    std::atomic<const char *> name = nullptr;
    std::atomic<uintptr_t> stream = 0;

    bool isPending() const {
      return number.load(std::memory_order_acquire) !=
             waited.load(std::memory_order_relaxed);
    }
  };

  /// What tells streams apart. CU_STREAM_PER_THREAD names another stream in
  /// each thread; null and CU_STREAM_LEGACY name the same one.
  static uintptr_t getKey(CUstream stream) {
    static thread_local char thread;
    if (stream == CU_STREAM_PER_THREAD)
      return reinterpret_cast<uintptr_t>(&thread);
    if (stream == CU_STREAM_LEGACY)
      return 0;
    return reinterpret_cast<uintptr_t>(stream);
  }

  alignas(64) std::atomic<uint64_t> latest = 0;
  /// A pending launch was overwritten.
  std::atomic<bool> overflowed = false;
  std::array<Entry, kSize> entries;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_LAUNCHLOG_H
