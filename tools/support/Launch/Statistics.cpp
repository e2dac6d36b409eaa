//===- Statistics.cpp - statistics of a benchmark's samples ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantiles and throughput.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace carousel;

double tools::getQuantile(const std::vector<double> &sorted, unsigned percent) {
  assert(!sorted.empty() && percent <= 100 && "no such quantile");
  size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

tools::Summary tools::summarize(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  Summary summary;
  summary.median = getQuantile(samples, 50);
  summary.p10 = getQuantile(samples, 10);
  summary.p90 = getQuantile(samples, 90);
  summary.least = samples.front();
  summary.most = samples.back();
  summary.mean = std::accumulate(samples.begin(), samples.end(), 0.0) /
                 static_cast<double>(samples.size());
  return summary;
}

uint64_t tools::countBytes(const runtime::SignatureInfo &kernel,
                           const std::vector<uint64_t> &elements) {
  using Info = runtime::ArgumentInfo;
  uint64_t bytes = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Info &argument = kernel.arguments[i];
    if (argument.kind != Info::Kind::Tensor)
      continue;
    uint64_t times = argument.access == Info::Access::InOut ? 2 : 1;
    bytes += times * elements[i] * runtime::getBytes(argument.element);
  }
  return bytes;
}

double tools::getGigabytesPerSecond(uint64_t bytes, double microseconds) {
  return microseconds > 0 ? static_cast<double>(bytes) / microseconds / 1e3 : 0;
}
