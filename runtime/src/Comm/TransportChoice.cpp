//===- TransportChoice.cpp - what `auto` takes without a table ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TransportChoice.h. A kernel has to earn what it takes: while it runs, its
// CTAs' multiprocessors compute nothing else. So its time counts by their share
// of the GPU more, and it is taken only where the sum is below the copy
// engine's time.
//
//===----------------------------------------------------------------------===//

#include "TransportChoice.h"

#include "carousel/Runtime/Fail.h"

namespace carousel::runtime {

const std::vector<MeasuredPut> &getMeasuredPuts() {
  // Two H100 80GB HBM3, 18 lanes of NVLink 4 (benchmarks/RESULTS.md).
  static const std::vector<MeasuredPut> puts = {
      {16, 2.61, 2.09, 1},       {4096, 2.66, 2.14, 1},
      {16384, 2.69, 1.99, 1},    {131072, 2.70, 2.20, 8},
      {1048576, 4.86, 4.62, 16},
  };
  return puts;
}

/// The row of a copy: the first of at least its size; null beyond the last.
static const MeasuredPut *findRow(uint64_t bytes) {
  for (const MeasuredPut &row : getMeasuredPuts())
    if (bytes <= row.bytes)
      return &row;
  return nullptr;
}

/// The kernel's time with the share of the GPU that it occupies.
static double getCost(const MeasuredPut &row, int multiprocessors) {
  double share = multiprocessors > 0 ? double(row.ctas) / multiprocessors : 1;
  return row.tma * (1 + share);
}

/// Why the copy engine is taken before anything is measured; null: it isn't.
static const char *findRule(const CopyFacts &facts) {
  if (facts.topology == Topology::SameGPU)
    return "the copy stays on the GPU";
  if (!facts.hasNVLink)
    return "no NVLink connects the GPUs";
  if (!facts.hasKernels)
    return "no kernels of transports can be used";
  if (facts.isGet)
    return "a get by a kernel takes as long";
  if (!facts.isAligned)
    return "source and target differ modulo 16 bytes, and a kernel that shifts "
           "takes as long";
  return nullptr;
}

bool dependsOnCapture(const CopyFacts &facts) {
  const MeasuredPut *row = findRow(facts.bytes);
  return !findRule(facts) && row &&
         getCost(*row, facts.multiprocessors) < row->copyEngine;
}

TransportChoice chooseTransport(const CopyFacts &facts, bool isExplained) {
  TransportChoice choice;
  const MeasuredPut *row = findRow(facts.bytes);
  if (dependsOnCapture(facts) && facts.isCaptured) {
    choice.transport = TransportKind::TMA;
    choice.ctas = row->ctas;
  }
  if (!isExplained)
    return choice;
  const char *rule = findRule(facts);
  if (rule)
    choice.reason = rule;
  else if (!facts.isCaptured)
    choice.reason = "the stream isn't captured, and the host launches a copy "
                    "faster than a kernel";
  else if (!row)
    choice.reason = fmt::format(
        "in CUDA graphs, puts of more than {} bytes are faster by it",
        getMeasuredPuts().back().bytes);
  else
    choice.reason = fmt::format(
        "in CUDA graphs, a put of {} bytes took a kernel {:.2f} us on {} of {} "
        "multiprocessors, which counts as {:.2f} us, and the copy engine "
        "{:.2f}",
        row->bytes, row->tma, row->ctas, facts.multiprocessors,
        getCost(*row, facts.multiprocessors), row->copyEngine);
  return choice;
}

} // namespace carousel::runtime
