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

#include "Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include <unistd.h>

namespace carousel::capi {

/// Owns what the thread of a Watch uses. In a child that a callback forks, that
/// thread is gone, with locks that it held and changes half made. So the child
/// never destroys it.
template <typename T> class KeptInChild {
public:
  template <typename... Args>
  explicit KeptInChild(Args &&...args)
      : value(new T(std::forward<Args>(args)...)) {}
  ~KeptInChild() {
    if (process == ::getpid())
      delete value;
  }
  KeptInChild(const KeptInChild &) = delete;
  KeptInChild &operator=(const KeptInChild &) = delete;

  T *operator->() const { return value; }
  T &operator*() const { return *value; }
  /// Gives it to the caller.
  T *release() { return std::exchange(value, nullptr); }

private:
  T *value;
  int process = ::getpid();
};

class Watch {
public:
  /// `ask` returns true to end the work. It may be empty.
  explicit Watch(std::function<bool()> ask) : ask(std::move(ask)) {}

  /// Runs the work. With a function to ask, it runs on another thread. In a
  /// child that a callback forks, it returns after the callback, and the work
  /// has stopped.
  void run(llvm::function_ref<void()> work);

  /// Returns whether the work must end. Any thread may call it.
  bool isStopped() const { return stopped; }

  /// Returns `isStopped` as a function, which is empty without one to ask.
  std::function<bool()> getIsStopped() const;

  /// That the work must end, with the reason.
  carousel_compiler_status fail() const { return failCancelled(process); }

  /// Calls back on the thread of `run`. The work calls it.
  void callBack(llvm::function_ref<void()> function);

private:
  std::function<bool()> ask;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::condition_variable changed;
  const llvm::function_ref<void()> *pending = nullptr; ///< under the mutex
  bool isDone = false;                                 ///< under the mutex
  const int process = ::getpid();
};

} // namespace carousel::capi

#endif // CAROUSEL_TOOLS_C_WATCH_H
