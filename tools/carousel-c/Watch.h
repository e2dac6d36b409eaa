//===- Watch.h - work that the caller may end early -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callbacks run on the thread of the call, since Python handles signals on its
// main thread only. A pass may take longer than a user waits, and MLIR's own
// threads may be what works. So another thread works meanwhile, and this one
// asks every few milliseconds.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_C_WATCH_H
#define CAROUSEL_TOOLS_C_WATCH_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace carousel::capi {

class Watch {
public:
  /// `ask` returns true to end the work. It may be empty.
  explicit Watch(std::function<bool()> ask) : ask(std::move(ask)) {}

  /// Runs the work. With a function to ask, it runs on another thread.
  void run(llvm::function_ref<void()> work);

  /// Returns whether the work must end. Any thread may call it.
  bool isStopped() const { return stopped; }

  /// Returns `isStopped` as a function, which is empty without one to ask.
  std::function<bool()> getIsStopped() const;

  /// Calls back on the thread of `run`. The work calls it.
  void callBack(llvm::function_ref<void()> function);

private:
  std::function<bool()> ask;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::condition_variable changed;
  const llvm::function_ref<void()> *pending = nullptr; ///< under the mutex
  bool isDone = false;                                 ///< under the mutex
};

} // namespace carousel::capi

#endif // CAROUSEL_TOOLS_C_WATCH_H
