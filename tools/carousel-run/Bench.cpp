//===- Bench.cpp - timing a launch ----------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device must have work queued while the host submits a launch, or the
// events would time the host. A cold iteration has its memset of the scratch
// memory for that; a batch of warm ones begins with memsets and an untimed
// launch that brings the data back into L2.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "ContextImpl.h"

#include <algorithm>
#include <chrono>

using namespace carousel;
using namespace carousel::run;
using runtime::Result;
using runtime::Status;
using Clock = std::chrono::steady_clock;

static constexpr uint64_t kMaxBatch = 16;
static constexpr unsigned kWarmUps = 3;
static constexpr unsigned kPlugs = 4;

uint64_t run::chooseBatch(double microseconds) {
  constexpr double kBatchMicroseconds = 50e3;
  if (!(microseconds > kBatchMicroseconds / kMaxBatch))
    return kMaxBatch;
  return std::max<uint64_t>(
      1, static_cast<uint64_t>(kBatchMicroseconds / microseconds));
}

uint64_t run::getScratchBytes(uint64_t l2Bytes) {
  constexpr uint64_t kLeast = 64 << 20;
  return std::max(2 * l2Bytes, kLeast);
}

namespace {

class Timer {
public:
  Timer(const runtime::Context &context, const runtime::Launch &launch)
      : context(context), impl(context.getImpl()), launch(launch),
        current(impl) {}
  ~Timer() {
    for (CUevent event : events)
      impl.driver->cuEventDestroy(event);
  }

  Status create() {
    if (!current.getStatus())
      return current.getStatus();
    auto buffer = runtime::Buffer::allocate(
        context, getScratchBytes(context.getDevice().l2Bytes));
    if (!buffer)
      return tl::make_unexpected(buffer.error());
    scratch.emplace(std::move(*buffer));
    while (events.size() < 2 * kMaxBatch) {
      CUevent event = nullptr;
      if (Status status =
              impl.check(impl.driver->cuEventCreate(&event, CU_EVENT_DEFAULT),
                         "cuEventCreate");
          !status)
        return status;
      events.push_back(event);
    }
    return {};
  }

  /// Times `count` launches, at most kMaxBatch, and appends the times.
  Status timeBatch(uint64_t count, bool cold, std::vector<double> &samples) {
    if (!cold) {
      for (unsigned i = 0; i < kPlugs; ++i)
        if (Status status = overwrite(); !status)
          return status;
      if (Status status = launch.run(); !status)
        return status;
    }
    for (uint64_t i = 0; i < count; ++i) {
      if (cold)
        if (Status status = overwrite(); !status)
          return status;
      if (Status status = record(2 * i); !status)
        return status;
      if (Status status = launch.run(); !status)
        return status;
      if (Status status = record(2 * i + 1); !status)
        return status;
    }
    if (Status status = context.synchronize(); !status)
      return status;
    for (uint64_t i = 0; i < count; ++i) {
      float milliseconds = 0;
      if (Status status =
              impl.check(impl.driver->cuEventElapsedTime(
                             &milliseconds, events[2 * i], events[2 * i + 1]),
                         "cuEventElapsedTime");
          !status)
        return status;
      samples.push_back(1e3 * static_cast<double>(milliseconds));
    }
    return {};
  }

private:
  Status overwrite() { return scratch->fill(++pattern); }
  Status record(uint64_t event) {
    return impl.check(impl.driver->cuEventRecord(events[event], nullptr),
                      "cuEventRecord");
  }

  const runtime::Context &context;
  runtime::Context::Impl &impl;
  const runtime::Launch &launch;
  runtime::CurrentContext current;
  std::optional<runtime::Buffer> scratch;
  std::vector<CUevent> events;
  uint8_t pattern = 0;
};

} // namespace

Result<std::vector<double>> run::measure(const runtime::Context &context,
                                         const runtime::Launch &launch,
                                         const BenchOptions &options,
                                         ProgressMode progressMode) {
  Timer timer(context, launch);
  if (Status status = timer.create(); !status)
    return tl::make_unexpected(status.error());
  Progress progress(progressMode, "timing " + launch.getVariant().function,
                    options.iterations.value_or(0), ProgressUnit::Count);
  std::vector<double> samples;
  if (Status status = timer.timeBatch(kWarmUps, options.cold, samples); !status)
    return tl::make_unexpected(status.error());
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
    if (Status status = timer.timeBatch(wanted, options.cold, samples); !status)
      return tl::make_unexpected(status.error());
    progress.advance(wanted);
  }
}
