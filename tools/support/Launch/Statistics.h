//===- Statistics.h - statistics of a benchmark's samples -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantiles and throughput. Pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_LAUNCH_STATISTICS_H
#define CAROUSEL_TOOLS_SUPPORT_LAUNCH_STATISTICS_H

#include "carousel/Runtime/Manifest.h"

#include <vector>

namespace carousel::tools {

/// The sample of rank ceil(percent / 100 * n), counted from 1 (nearest rank):
/// always a value that was measured. `sorted` isn't empty and ascends.
double getQuantile(const std::vector<double> &sorted, unsigned percent);

/// Microseconds.
struct Summary {
  double median = 0, p10 = 0, p90 = 0, least = 0, most = 0, mean = 0;
};
Summary summarize(std::vector<double> samples);

/// Bytes that a kernel must move: each tensor that it reads once, each that it
/// writes once, so an inout tensor twice. `elements` has an entry for each
/// argument; those of scalars don't count.
uint64_t countBytes(const runtime::SignatureInfo &kernel,
                    const std::vector<uint64_t> &elements);

/// 10^9 bytes a second.
double getGigabytesPerSecond(uint64_t bytes, double microseconds);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_LAUNCH_STATISTICS_H
