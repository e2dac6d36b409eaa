//===- Process.cpp - checks whether CUDA works in this process ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Process.h.
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include "carousel/Runtime/Fail.h"

#include <atomic>

#include <pthread.h>
#include <unistd.h>

namespace carousel::runtime {

static std::atomic<bool> isUsed = false, isForked = false;

/// In the child, before fork() returns there.
static void noteFork() {
  if (isUsed.load(std::memory_order_relaxed))
    isForked.store(true, std::memory_order_relaxed);
}

// While the library is loaded, when no other thread is in it.
[[maybe_unused]] static const int registered =
    pthread_atfork(nullptr, nullptr, noteFork);

bool isForkedFromUser() { return isForked.load(std::memory_order_relaxed); }

Status checkProcess() {
  if (!isForkedFromUser())
    return {};
  return fail(ErrorCode::ContextLost,
              "expected a process that uses CUDA first, got process {}, which "
              "was forked from one that used it: CUDA doesn't work there; fork "
              "before the first use, or start a program by exec",
              ::getpid());
}

Status beginUse() {
  Status status = checkProcess();
  if (status)
    isUsed.store(true, std::memory_order_relaxed);
  return status;
}

void forgetUse() { isUsed.store(false, std::memory_order_relaxed); }

} // namespace carousel::runtime
