//===- Watch.cpp - work that the caller may end early ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Watch.h.
//
//===----------------------------------------------------------------------===//

#include "Watch.h"

#include "llvm/Support/thread.h"

#include <chrono>
#include <optional>

using namespace carousel::capi;

/// Short for a user, and long beside what a question costs.
static constexpr std::chrono::milliseconds kInterval(10);
/// That of main threads: modules may nest deeply.
static constexpr std::optional<unsigned> kStackBytes = 8 << 20;

std::function<bool()> Watch::getIsStopped() const {
  if (!ask)
    return nullptr;
  return [this] { return isStopped(); };
}

void Watch::run(llvm::function_ref<void()> work) {
  if (!ask)
    return work();
  auto askAgain = [&] {
    stopped = stopped || ask() || process != ::getpid();
    return stopped.load();
  };
  if (askAgain())
    return;
  KeptInChild<llvm::thread> worker(kStackBytes, [&] {
    work();
    std::scoped_lock lock(mutex);
    isDone = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  while (!isDone) {
    changed.wait_for(lock, kInterval, [&] { return isDone || pending; });
    if (isDone)
      break;
    const llvm::function_ref<void()> *callback = pending;
    lock.unlock();
    if (callback)
      (*callback)();
    askAgain();
    if (process != ::getpid()) // the mutex may be of a thread that is gone
      return;
    lock.lock();
    if (callback)
      pending = nullptr;
    changed.notify_all();
  }
  lock.unlock();
  worker->join();
}

void Watch::callBack(llvm::function_ref<void()> function) {
  if (!ask)
    return function();
  std::unique_lock lock(mutex);
  pending = &function;
  changed.notify_all();
  changed.wait(lock, [&] { return !pending; });
}
