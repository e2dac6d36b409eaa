//===- Interrupt.cpp - removes temporary files on signals -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Interrupt.h.
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <mutex>

using namespace carousel;

static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
static constexpr size_t kNumSignals = sizeof(kSignals) / sizeof(*kSignals);

static std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a handler writes it");

static std::mutex mutex; ///< of what follows
static int guards = 0;
static struct sigaction before[kNumSignals];

static void note(int signal) { noted = signal; }

InterruptGuard::InterruptGuard() {
  std::lock_guard<std::mutex> lock(mutex);
  if (guards++ != 0)
    return;
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kNumSignals; ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) // as nohup wants it
      sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--guards != 0)
    return;
  for (size_t i = 0; i < kNumSignals; ++i)
    sigaction(kSignals[i], &before[i], nullptr);
  if (int signal = noted)
    raise(signal);
}

bool InterruptGuard::isInterrupted() { return noted != 0; }
