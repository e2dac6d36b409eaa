//===- Bench.cpp - times launches -----------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device must have work queued while the host submits a launch. Otherwise
// the events would time the host. In a cold iteration, this work is a memset of
// the scratch memory. A batch of warm ones begins with memsets and an untimed
// launch, which brings the data back into L2.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "carousel/Runtime/Event.h"

#include <algorithm>
#include <chrono>

using namespace carousel;
using namespace carousel::tools;
using runtime::Result;
using runtime::Status;
using Clock = std::chrono::steady_clock;

static constexpr uint64_t kMaxBatch = 16;
static constexpr unsigned kWarmUps = 3;
static constexpr unsigned kPlugs = 4;

uint64_t tools::chooseBatch(double microseconds) {
  constexpr double kBatchMicroseconds = 50e3;
  if (!(microseconds > kBatchMicroseconds / kMaxBatch))
    return kMaxBatch;
  return std::max<uint64_t>(
      1, static_cast<uint64_t>(kBatchMicroseconds / microseconds));
}

uint64_t tools::getScratchBytes(uint64_t l2Bytes) {
  constexpr uint64_t kLeast = 64 << 20;
  return std::max(2 * l2Bytes, kLeast);
}

namespace {

class Timer {
public:
  Timer(const runtime::Context &context, const std::function<Status()> &launch)
      : context(context), launch(launch), current(context.getImpl()) {}

  Status create() {
    CAROUSEL_TRY(current.getStatus());
    CAROUSEL_TRY_ASSIGN(
        auto buffer,
        runtime::Buffer::allocate(
            context, getScratchBytes(context.getDevice().l2Bytes)));
    scratch.emplace(std::move(buffer));
    while (events.size() < 2 * kMaxBatch) {
      CAROUSEL_TRY_ASSIGN(auto event, runtime::Event::create(context));
      events.push_back(std::move(event));
    }
    return {};
  }

  /// Times `count` launches, at most kMaxBatch, and appends the times.
  Status timeBatch(uint64_t count, bool cold, std::vector<double> &samples) {
    if (!cold) {
      for (unsigned i = 0; i < kPlugs; ++i)
        CAROUSEL_TRY(overwrite());
      CAROUSEL_TRY(launch());
    }
    for (uint64_t i = 0; i < count; ++i) {
      if (cold)
        CAROUSEL_TRY(overwrite());
      CAROUSEL_TRY(events[2 * i].record());
      CAROUSEL_TRY(launch());
      CAROUSEL_TRY(events[2 * i + 1].record());
    }
    CAROUSEL_TRY(context.synchronize());
    for (uint64_t i = 0; i < count; ++i) {
      CAROUSEL_TRY_ASSIGN(
          auto time, events[2 * i + 1].getMicrosecondsSince(events[2 * i]));
      samples.push_back(time);
    }
    return {};
  }

private:
  Status overwrite() { return scratch->fill(++pattern); }

  const runtime::Context &context;
  const std::function<Status()> &launch;
  runtime::CurrentContext current; ///< for all calls of the driver
  std::optional<runtime::Buffer> scratch;
  std::vector<runtime::Event> events;
  uint8_t pattern = 0;
};

} // namespace

Result<std::vector<double>>
tools::measure(const runtime::Context &context, const std::string &name,
               const std::function<Status()> &launch,
               const BenchOptions &options, ProgressMode progressMode) {
  Timer timer(context, launch);
  CAROUSEL_TRY(timer.create());
  Progress progress(progressMode, "timing " + name,
                    options.iterations.value_or(0), ProgressUnit::Count);
  std::vector<double> samples;
  CAROUSEL_TRY(timer.timeBatch(kWarmUps, options.cold, samples));
  uint64_t batch =
      chooseBatch(*std::min_element(samples.begin(), samples.end()));
  samples.clear();

  auto begin = Clock::now();
  while (true) {
    uint64_t done = samples.size();
    std::chrono::duration<double> elapsed = Clock::now() - begin;
    uint64_t wanted = batch;
    if (options.iterations)
      wanted = *options.iterations - done;
    else if (done >= kMostIterations ||
             (done >= kLeastIterations && elapsed.count() >= options.seconds))
      wanted = 0;
    if (wanted == 0)
      return samples;
    wanted = std::min(wanted, batch);
    CAROUSEL_TRY(timer.timeBatch(wanted, options.cold, samples));
    progress.advance(wanted);
  }
}
