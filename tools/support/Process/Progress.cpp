//===- Progress.cpp - progress of long steps ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the text of a progress line, and runs the thread that writes it.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace carousel::tools;
using Clock = std::chrono::steady_clock;

static constexpr std::chrono::milliseconds kFirst{1000};
static constexpr std::chrono::milliseconds kRewrite{250};
static constexpr std::chrono::milliseconds kNextLine{5000};

ProgressMode carousel::tools::chooseProgressMode(bool quiet) {
  if (quiet)
    return ProgressMode::Off;
  return isatty(STDERR_FILENO) ? ProgressMode::Terminal : ProgressMode::Lines;
}

static std::string formatBytes(uint64_t bytes) {
  static constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes)
                   : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string carousel::tools::formatProgress(const std::string &step,
                                            uint64_t done, uint64_t total,
                                            ProgressUnit unit, double seconds) {
  if (unit == ProgressUnit::None || total == 0)
    return fmt::format("{}: {:.0f} s", step, seconds);
  double percent = 100.0 * static_cast<double>(std::min(done, total)) /
                   static_cast<double>(total);
  return fmt::format("{}: {:.0f} % of {}", step, percent,
                     unit == ProgressUnit::Bytes ? formatBytes(total)
                                                 : fmt::format("{}", total));
}

Progress::Progress(ProgressMode mode, std::string step, uint64_t total,
                   ProgressUnit unit)
    : mode(mode), step(std::move(step)), total(total), unit(unit) {
  if (mode != ProgressMode::Off)
    thread = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  finished.notify_all();
  thread.join();
}

void Progress::show() {
  auto begin = Clock::now();
  auto interval = kFirst;
  bool shown = false;
  std::unique_lock<std::mutex> lock(mutex);
  while (!finished.wait_for(lock, interval, [this] { return stop; })) {
    std::chrono::duration<double> elapsed = Clock::now() - begin;
    std::string line = formatProgress(step, done, total, unit, elapsed.count());
    if (mode == ProgressMode::Terminal)
      fmt::print(stderr, "\r\033[K{}", line);
    else
      fmt::print(stderr, "{}: {}\n", program_invocation_short_name, line);
    std::fflush(stderr);
    shown = true;
    interval = mode == ProgressMode::Terminal ? kRewrite : kNextLine;
  }
  if (shown && mode == ProgressMode::Terminal) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
}
