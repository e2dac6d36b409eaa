//===- Measure.cpp - times copies between GPUs ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the GPUs, and times all rows of all pairs.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "PairTimer.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::runtime;

std::string p2p::describe(const Way &way) {
  if (way.transport == TransportKind::TMA)
    return fmt::format("tma x{}", way.ctas);
  return runtime::toString(way.transport);
}

const char *p2p::toString(Operation operation) {
  switch (operation) {
  case Operation::Put:
    return "put";
  case Operation::Get:
    return "get";
  case Operation::Both:
    return "both";
  case Operation::Round:
    return "round";
  }
  return "unknown";
}

namespace {

std::vector<Way> getWays(const Options &options) {
  std::vector<Way> ways;
  for (TransportKind kind : options.transports)
    if (kind == TransportKind::TMA)
      for (int ctas : options.ctas)
        ways.push_back({kind, ctas});
    else
      ways.push_back({kind, 0});
  return ways;
}

} // namespace

Result<std::vector<Context>> p2p::openDevices(const Options &options) {
  std::vector<Context> contexts;
  bool isAll = options.devices.empty();
  for (size_t i = 0; isAll || i < options.devices.size(); ++i) {
    ContextOptions contextOptions;
    contextOptions.device = isAll ? static_cast<int>(i) : options.devices[i];
    contextOptions.libraries.driver = options.driver;
    contextOptions.libraries.nccl = options.nccl;
    Result<Context> context = Context::create(contextOptions);
    bool isEnd = isAll && i > 0 && !context &&
                 context.error().code == ErrorCode::NotFound;
    if (isEnd)
      break;
    if (!context)
      return tl::make_unexpected(std::move(context.error()));
    contexts.push_back(std::move(*context));
  }
  return contexts;
}

Status p2p::timePair(PairTimer &timer, const Options &options,
                     const std::function<void()> &advance, Pair &pair) {
  if (!timer.getNCCLNote().empty())
    pair.notes.push_back("nccl: " + timer.getNCCLNote());
  std::vector<Way> ways = getWays(options);
  for (Operation operation : options.operations)
    for (const Way &way : ways)
      for (uint64_t bytes : options.sizes) {
        advance();
        if (!timer.has(operation, way, bytes))
          continue;
        CAROUSEL_TRY_ASSIGN(Row row,
                            timer.time(operation, way, bytes, options.seconds));
        pair.rows.push_back(row);
      }
  CAROUSEL_TRY_ASSIGN(pair.signalMicroseconds, timer.timeSignals());
  return {};
}

Result<Report> p2p::measure(const Options &options) {
  if (options.processes)
    return measureByProcesses(options);
  CAROUSEL_TRY_ASSIGN(std::vector<Context> contexts, openDevices(options));
  Report report;
  report.device = contexts.front().getDevice().name;
  size_t count = contexts.size();
  size_t pairs = count == 1 ? 1 : count * (count - 1);
  tools::Progress progress(tools::chooseProgressMode(options.quiet),
                           "timing copies",
                           pairs * options.operations.size() *
                               getWays(options).size() * options.sizes.size(),
                           tools::ProgressUnit::Count);
  for (size_t from = 0; from < count; ++from)
    for (size_t to = 0; to < count; ++to) {
      if (from == to && count > 1)
        continue;
      Pair pair;
      pair.source = contexts[from].getDevice().ordinal;
      pair.target = contexts[to].getDevice().ordinal;
      pair.topology =
          pair.source == pair.target ? Topology::SameGPU : Topology::Peer;
      PairTimer timer;
      CAROUSEL_TRY(timer.open(options, {contexts[from], contexts[to]}));
      CAROUSEL_TRY(
          timePair(timer, options, [&] { progress.advance(1); }, pair));
      report.pairs.push_back(std::move(pair));
    }
  return report;
}

TransportTable p2p::makeTable(const Report &report) {
  TransportTable table;
  table.device = report.device;
  for (Topology topology : {Topology::SameGPU, Topology::Peer}) {
    // The slowest put of all pairs of the topology counts.
    std::vector<Row> rows;
    for (const Pair &pair : report.pairs) {
      if (pair.topology != topology)
        continue;
      size_t next = 0;
      for (const Row &row : pair.rows) {
        // `auto` takes neither NCCL nor larger times of two copies.
        if (row.operation != Operation::Put ||
            row.way.transport == TransportKind::NCCL)
          continue;
        if (rows.size() <= next)
          rows.push_back(row);
        rows[next].microseconds =
            std::max(rows[next].microseconds, row.microseconds);
        ++next;
      }
    }
    std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
      return a.bytes != b.bytes ? a.bytes < b.bytes
                                : a.microseconds < b.microseconds;
    });
    uint64_t last = 0;
    for (const Row &row : rows) {
      if (row.bytes == last)
        continue; // not the fastest
      last = row.bytes;
      bool isSame = !table.entries.empty() &&
                    table.entries.back().topology == topology &&
                    table.entries.back().transport == row.way.transport &&
                    table.entries.back().ctas == row.way.ctas;
      if (isSame)
        table.entries.back().bytes = row.bytes;
      else
        table.entries.push_back(
            {topology, row.bytes, row.way.transport, row.way.ctas});
    }
  }
  return table;
}
