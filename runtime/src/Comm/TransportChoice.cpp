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

const std::vector<MeasuredCopy> &getMeasuredCopies(bool isGet) {
  // Two H100 80GB HBM3, 18 lanes of NVLink 4 (benchmarks/RESULTS.md).
  static const std::vector<MeasuredCopy> puts = {
      {4096, 2.04, 1.82, 1},     {16384, 2.27, 1.68, 1},
      {65536, 2.24, 1.73, 4},    {131072, 2.58, 1.88, 8},
      {262144, 2.73, 2.05, 16},  {524288, 3.49, 2.78, 16},
      {1048576, 4.90, 4.39, 16}, {2097152, 7.52, 7.53, 16},
  };
  static const std::vector<MeasuredCopy> gets = {
      {4096, 2.68, 2.22, 1},     {16384, 2.79, 2.39, 1},
      {65536, 2.85, 2.53, 4},    {131072, 3.32, 2.74, 8},
      {262144, 3.61, 3.13, 16},  {524288, 4.50, 3.87, 16},
      {1048576, 5.87, 5.32, 16}, {2097152, 8.88, 8.31, 16},
  };
  return isGet ? gets : puts;
}

/// The row of a copy: the first of at least its size; null beyond the last.
static const MeasuredCopy *findRow(const CopyFacts &facts) {
  for (const MeasuredCopy &row : getMeasuredCopies(facts.isGet))
    if (facts.bytes <= row.bytes)
      return &row;
  return nullptr;
}

/// The kernel's time with the share of the GPU that it occupies.
static double getCost(const MeasuredCopy &row, int multiprocessors) {
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
  if (facts.isSignalled)
    return "a signal after a kernel takes longer than one after a copy";
  if (!facts.isAligned)
    return "source and target differ modulo 16 bytes, and a kernel that shifts "
           "takes as long";
  return nullptr;
}

bool dependsOnCapture(const CopyFacts &facts) {
  const MeasuredCopy *row = findRow(facts);
  return !findRule(facts) && row &&
         getCost(*row, facts.multiprocessors) < row->copyEngine;
}

TransportChoice chooseTransport(const CopyFacts &facts, bool isExplained) {
  TransportChoice choice;
  const MeasuredCopy *row = findRow(facts);
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
    choice.reason =
        fmt::format("in CUDA graphs, it makes {} of more than {} bytes faster",
                    facts.isGet ? "gets" : "puts",
                    getMeasuredCopies(facts.isGet).back().bytes);
  else
    choice.reason = fmt::format(
        "in CUDA graphs, a {} of {} bytes took a kernel {:.2f} us on {} of {} "
        "multiprocessors, which counts as {:.2f} us, and the copy engine "
        "{:.2f}",
        facts.isGet ? "get" : "put", row->bytes, row->tma, row->ctas,
        facts.multiprocessors, getCost(*row, facts.multiprocessors),
        row->copyEngine);
  return choice;
}

} // namespace carousel::runtime
