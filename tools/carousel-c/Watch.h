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

  /// Does the work, on another thread if there is somebody to ask.
  void run(llvm::function_ref<void()> work);

  /// Of any thread: whether the work is to end.
  bool isStopped() const { return stopped; }

  /// The same, for those that the work calls; empty if there is nobody to ask.
  std::function<bool()> getIsStopped() const;

  /// Of the work: calls back on the thread of `run`.
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
