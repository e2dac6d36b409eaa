//===- Measure.cpp - times copies between GPUs ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two GPUs of a pair are ranks of this process. A sample times several
// copies between two events, so that the events' own time doesn't count; a row
// is the median of its samples.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "carousel/Runtime/Event.h"
#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::runtime;
using Clock = std::chrono::steady_clock;

std::string p2p::describe(const Way &way) {
  if (way.transport == TransportKind::TMA)
    return fmt::format("tma x{}", way.ctas);
  return runtime::toString(way.transport);
}

namespace {

double getSeconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

/// The ranks of a pair, and the memory that they copy.
class PairTimer {
public:
  Status open(const Options &options, const std::vector<Context> &contexts) {
    CommOptions commOptions;
    commOptions.transportPackage = options.transportPackage;
    commOptions.mailboxBytes = 0;
    Result<std::vector<Comm>> made = Comm::connectLocal(contexts, commOptions);
    if (!made)
      return tl::make_unexpected(std::move(made.error()));
    comms = std::move(*made);
    uint64_t most =
        *std::max_element(options.sizes.begin(), options.sizes.end());
    auto all = SymmetricBuffer::allocateAll(comms, most);
    if (!all)
      return tl::make_unexpected(std::move(all.error()));
    buffers = std::move(*all);
    auto memory = Buffer::allocate(contexts[0], most);
    if (!memory)
      return tl::make_unexpected(std::move(memory.error()));
    source.emplace(std::move(*memory));
    for (int i = 0; i < 2; ++i) {
      auto event = Event::create(contexts[0]);
      if (!event)
        return tl::make_unexpected(std::move(event.error()));
      events.push_back(std::move(*event));
    }
    return {};
  }

  Result<Row> time(const Way &way, uint64_t bytes, double seconds) {
    Row row = {way, bytes, 0};
    if (Status status = check(way, bytes); !status)
      return tl::make_unexpected(std::move(status.error()));
    // As many in a sample as take about a millisecond.
    Result<double> one = sample(way, bytes, 1);
    if (one)
      one = sample(way, bytes, 4);
    if (!one)
      return tl::make_unexpected(std::move(one.error()));
    auto count = static_cast<unsigned>(
        std::clamp(1000 / std::max(*one, 0.5), 4.0, 200.0));
    std::vector<double> samples;
    Clock::time_point begin = Clock::now();
    do {
      Result<double> next = sample(way, bytes, count);
      if (!next)
        return tl::make_unexpected(std::move(next.error()));
      samples.push_back(*next);
    } while (samples.size() < 5 || getSeconds(begin) < seconds);
    std::nth_element(samples.begin(), samples.begin() + samples.size() / 2,
                     samples.end());
    row.microseconds = samples[samples.size() / 2];
    return row;
  }

  /// Each rank answers the other's signal, many times, in a stream.
  Result<double> timeSignals() {
    constexpr uint64_t kRounds = 200;
    // The ranks' threads use streams of their own.
    Clock::time_point begin;
    Status statuses[2];
    std::vector<std::thread> threads;
    for (int pass = 0; pass < 2; ++pass) { // the first warms up
      begin = Clock::now();
      for (int rank : {0, 1})
        threads.emplace_back([&, rank] {
          statuses[rank] = answer(rank, pass * kRounds, kRounds);
        });
      for (std::thread &thread : threads)
        thread.join();
      threads.clear();
      for (Status &status : statuses)
        if (!status)
          return tl::make_unexpected(std::move(status.error()));
    }
    return getSeconds(begin) * 1e6 / kRounds / 2;
  }

private:
  Status put(const Way &way, uint64_t bytes) {
    TransferOptions options;
    options.transport = way.transport;
    options.ctas = way.ctas;
    return buffers[0].put(1, 0, source->getAddress(), bytes, nullptr, options);
  }

  Result<double> sample(const Way &way, uint64_t bytes, unsigned count) {
    Status status = events[0].record();
    for (unsigned i = 0; i < count && status; ++i)
      status = put(way, bytes);
    if (status)
      status = events[1].record();
    if (status)
      status = comms[0].synchronize();
    if (!status)
      return tl::make_unexpected(std::move(status.error()));
    Result<double> time = events[1].getMicrosecondsSince(events[0]);
    if (!time)
      return time;
    return *time / count;
  }

  /// Whether the last bytes of a copy arrive, and the first.
  Status check(const Way &way, uint64_t bytes) {
    uint64_t shown = std::min<uint64_t>(bytes, 65536);
    std::vector<uint8_t> got(2 * shown);
    pattern = static_cast<uint8_t>(pattern * 5 + 17);
    Status status = source->fill(pattern);
    if (status)
      status = put(way, bytes);
    // Read back by the driver's own copies.
    auto readBack = [&](uint64_t offset, uint8_t *to) -> Status {
      auto memory = Buffer::allocate(comms[0].getContext(), shown);
      if (!memory)
        return tl::make_unexpected(std::move(memory.error()));
      TransferOptions options;
      options.transport = TransportKind::CopyEngine;
      Status copied = buffers[0].get(1, offset, memory->getAddress(), shown,
                                     nullptr, options);
      if (copied)
        copied = memory->download(to, shown);
      return copied ? comms[0].synchronize() : copied;
    };
    if (status)
      status = readBack(0, got.data());
    if (status)
      status = readBack(bytes - shown, got.data() + shown);
    if (!status)
      return status;
    bool isSame = std::all_of(got.begin(), got.end(),
                              [&](uint8_t value) { return value == pattern; });
    if (isSame)
      return {};
    return fail(ErrorCode::DriverError,
                "expected {} to copy {} bytes as they are, got other bytes",
                describe(way), bytes);
  }

  Status answer(int rank, uint64_t from, uint64_t count) {
    const SymmetricBuffer &buffer = buffers[rank];
    Stream stream = reinterpret_cast<Stream>(2); // that of this thread
    for (uint64_t round = from + 1; round <= from + count; ++round) {
      auto wait = [&] { return buffer.wait(1 - rank, 0, round, stream); };
      auto signal = [&] { return buffer.signal(1 - rank, 0, round, stream); };
      Status status = rank == 0 ? signal() : wait();
      if (status)
        status = rank == 0 ? wait() : signal();
      if (!status)
        return status;
    }
    return comms[rank].synchronize(stream);
  }

  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
  std::optional<Buffer> source;
  std::vector<Event> events;
  uint8_t pattern = 1;
};

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

/// All GPUs unless some are given.
Result<std::vector<Context>> openDevices(const Options &options) {
  std::vector<Context> contexts;
  bool isAll = options.devices.empty();
  for (size_t i = 0; isAll || i < options.devices.size(); ++i) {
    ContextOptions contextOptions;
    contextOptions.device = isAll ? static_cast<int>(i) : options.devices[i];
    contextOptions.libraries.driver = options.driver;
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

} // namespace

Result<Report> p2p::measure(const Options &options) {
  Result<std::vector<Context>> contexts = openDevices(options);
  if (!contexts)
    return tl::make_unexpected(std::move(contexts.error()));
  Report report;
  report.device = contexts->front().getDevice().name;
  size_t count = contexts->size();
  std::vector<Way> ways = getWays(options);
  size_t pairs = count == 1 ? 1 : count * (count - 1);
  tools::Progress progress(
      tools::chooseProgressMode(options.quiet), "timing copies",
      pairs * ways.size() * options.sizes.size(), tools::ProgressUnit::Count);
  for (size_t from = 0; from < count; ++from)
    for (size_t to = 0; to < count; ++to) {
      if (from == to && count > 1)
        continue;
      Pair pair;
      pair.source = (*contexts)[from].getDevice().ordinal;
      pair.target = (*contexts)[to].getDevice().ordinal;
      pair.topology =
          pair.source == pair.target ? Topology::SameGPU : Topology::Peer;
      PairTimer timer;
      if (Status status =
              timer.open(options, {(*contexts)[from], (*contexts)[to]});
          !status)
        return tl::make_unexpected(std::move(status.error()));
      for (const Way &way : ways)
        for (uint64_t bytes : options.sizes) {
          Result<Row> row = timer.time(way, bytes, options.seconds);
          if (!row)
            return tl::make_unexpected(std::move(row.error()));
          pair.rows.push_back(*row);
          progress.advance(1);
        }
      Result<double> signals = timer.timeSignals();
      if (!signals)
        return tl::make_unexpected(std::move(signals.error()));
      pair.signalMicroseconds = *signals;
      report.pairs.push_back(std::move(pair));
    }
  return report;
}

TransportTable p2p::makeTable(const Report &report) {
  TransportTable table;
  table.device = report.device;
  for (Topology topology : {Topology::SameGPU, Topology::Peer}) {
    // Of all pairs of the topology, the slowest counts.
    std::vector<Row> rows;
    for (const Pair &pair : report.pairs) {
      if (pair.topology != topology)
        continue;
      for (size_t i = 0; i < pair.rows.size(); ++i)
        if (rows.size() <= i)
          rows.push_back(pair.rows[i]);
        else
          rows[i].microseconds =
              std::max(rows[i].microseconds, pair.rows[i].microseconds);
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
