//===- CounterAccess.h - the host's access to counters ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes words of device memory, for the thread that ends waits. It
// must not wait for a driver that itself waits for the streams whose waits it
// is to end. While a thread frees memory or loads a module, copies and
// cuStreamSynchronize block, but memory operations of streams don't. So a write
// is such an operation, answered by a word in host memory; a read is a copy by
// a thread of its own, and may come to nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_COUNTERACCESS_H
#define CAROUSEL_RUNTIME_SRC_COMM_COUNTERACCESS_H

#include "Context/ContextImpl.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace carousel::runtime {

CUstreamBatchMemOpParams makeWrite(CUdeviceptr address, uint64_t value);

/// One thread calls read() and write() at a time.
class CounterAccess {
public:
  explicit CounterAccess(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}
  ~CounterAccess();
  CounterAccess(const CounterAccess &) = delete;
  CounterAccess &operator=(const CounterAccess &) = delete;

  /// Makes the streams. The context must be current, here and below.
  Status open();
  /// The counter now; nothing where the driver doesn't say so within kPatience.
  std::optional<uint64_t> read(uint64_t address);
  /// Returns when the counter has the value, or after kPatience. False where
  /// the driver didn't take it.
  bool write(uint64_t address, uint64_t value);
  /// Whether all writes are done.
  bool isWritten() const;
  /// Zeroes memory, without other streams. Any thread may call it.
  Status clear(uint64_t address, uint64_t bytes);
  /// Waits until no access is under way.
  void drain();

  /// Copies of other streams may hold up a read for as long.
  static constexpr std::chrono::milliseconds kPatience{200};

private:
  using Word = std::atomic<uint64_t>;
  /// Shared with the thread that reads. A forked child leaks it: destroying a
  /// condition variable waits for those who wait for it.
  struct Reader {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<uint64_t> address; ///< asked for
    std::optional<uint64_t> value;
    bool isBusy = false, isEnding = false;
    std::thread thread;
  };
  void runReader();
  std::optional<uint64_t> copy(uint64_t address);

  std::shared_ptr<Context::Impl> context;
  /// They have the greatest priority: a stream that waits doesn't hold these up
  /// then, because streams share the GPU's queues with those of the same
  /// priority.
  CUstream writing = nullptr, reading = nullptr;
  std::unique_ptr<Reader> reader;
  /// Pinned: how many writes are done, and where a read goes.
  Word *done = nullptr, *target = nullptr;
  CUdeviceptr doneAddress = 0;
  uint64_t writes = 0;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_COUNTERACCESS_H
