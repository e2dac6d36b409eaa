//===- Progress.h - progress of long steps ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports a step on stderr after it has run for a second: a line that rewrites
// itself on a terminal, and a line every few seconds elsewhere. A separate
// thread writes, so that a step may be one blocking call.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_PROCESS_PROGRESS_H
#define CAROUSEL_TOOLS_SUPPORT_PROCESS_PROGRESS_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace carousel::tools {

enum class ProgressMode {
  Off,
  Lines,    ///< a line now and then, where stderr is no terminal
  Terminal, ///< one line, rewritten
};

/// The mode for this process's stderr.
ProgressMode chooseProgressMode(bool quiet);

enum class ProgressUnit { None, Bytes, Count };

/// "loading x.npy: 25 % of 4.0 GiB", "compiling copy: 12 s".
std::string formatProgress(const std::string &step, uint64_t done,
                           uint64_t total, ProgressUnit unit, double seconds);

/// A step, from construction to destruction.
class Progress {
public:
  /// `total` 0: unknown; the time is shown instead.
  Progress(ProgressMode mode, std::string step, uint64_t total = 0,
           ProgressUnit unit = ProgressUnit::None);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void advance(uint64_t amount) {
    done.fetch_add(amount, std::memory_order_relaxed);
  }

private:
  void show();

  const ProgressMode mode;
  const std::string step;
  const uint64_t total;
  const ProgressUnit unit;
  std::atomic<uint64_t> done = 0;
  std::mutex mutex;
  std::condition_variable finished;
  bool stop = false;
  std::thread thread;
};

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_PROCESS_PROGRESS_H
