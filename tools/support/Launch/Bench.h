//===- Bench.h - times launches ---------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times single launches between two events of the device. The L2 cache holds
// either other data (cold), or what the previous launch left (warm).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_LAUNCH_BENCH_H
#define CAROUSEL_TOOLS_SUPPORT_LAUNCH_BENCH_H

#include "../Process/Progress.h"

#include "carousel/Runtime/Kernel.h"

#include <functional>
#include <optional>

namespace carousel::tools {

struct BenchOptions {
  /// Launches to time; nothing: as many as fit in `seconds`.
  std::optional<uint64_t> iterations;
  double seconds = 1;
  bool cold = true;
};

/// Without a count, how many launches are timed however long they take, and at
/// most.
inline constexpr uint64_t kLeastIterations = 10;
inline constexpr uint64_t kMostIterations = 100000;

/// Launches that are queued at a time, when one takes `microseconds`: enough
/// that the device never waits for the host, few enough that a batch is short.
uint64_t chooseBatch(double microseconds);

/// Returns the bytes to overwrite to make an L2 cache of this size cold.
uint64_t getScratchBytes(uint64_t l2Bytes);

/// Microseconds of each timed launch. `name`: of what `launch` starts.
runtime::Result<std::vector<double>>
measure(const runtime::Context &context, const std::string &name,
        const std::function<runtime::Status()> &launch,
        const BenchOptions &options, ProgressMode progressMode);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_LAUNCH_BENCH_H
