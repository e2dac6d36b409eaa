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
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::runtime;

//===----------------------------------------------------------------------===//
// Times copies between GPUs
//===----------------------------------------------------------------------===//

std::string p2p::describe(const Way &way) {
  const char *name = runtime::toString(way.transport);
  return way.ctas != 0 ? fmt::format("{} x{}", name, way.ctas) : name;
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
  for (const TransportTraits &traits : options.transports)
    if (traits.hasCTAs)
      for (int ctas : options.ctas)
        ways.push_back({traits.kind, ctas});
    else
      ways.push_back({traits.kind, 0});
  return ways;
}

} // namespace
/// All GPUs unless some are given.
static Result<std::vector<Context>> openDevices(const Options &options) {
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
/// Times all rows of a pair, of which `timer` has a rank or both.
static Status timePair(PairTimer &timer, const Options &options,
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

static Result<Report> measureByProcesses(const Options &options);

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

//===----------------------------------------------------------------------===//
// A process for each rank
//
// A process that used the driver can't fork, so children do all that needs it:
// one lists the GPUs, and two time each pair. They write what they found as
// lines, which this process reads: `gpu 0 NAME`, `row 1 2 16 4096 5.25`,
// `signal 1.5`, `note TEXT`, `lost TEXT` and `error TEXT`.
//===----------------------------------------------------------------------===//

namespace {

/// A child's work, which returns its lines, or why there are none.
using Work = std::function<Result<std::string>()>;

struct Child {
  pid_t process = -1;
  int output = -1;
};

tl::unexpected<Error> failCall(const char *call) {
  return fail(ErrorCode::IOError, "{} failed: {}", call, std::strerror(errno));
}

Result<Child> start(const Work &work) {
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0)
    return failCall("pipe");
  Child child;
  child.process = ::fork();
  if (child.process < 0)
    return failCall("fork");
  if (child.process != 0) {
    ::close(ends[1]);
    child.output = ends[0];
    return child;
  }
  ::close(ends[0]);
  Result<std::string> text = work();
  if (!text)
    text = fmt::format(
        "{} {}\n", text.error().code == ErrorCode::PeerLost ? "lost" : "error",
        text.error().message);
  for (size_t at = 0; at < text->size();) {
    ssize_t written = ::write(ends[1], text->data() + at, text->size() - at);
    if (written <= 0)
      ::_exit(1);
    at += static_cast<size_t>(written);
  }
  ::_exit(0);
}

/// All that it writes; nothing if it is killed.
std::string finish(const Child &child) {
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t count;
  while ((count = ::read(child.output, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<size_t>(count));
  ::close(child.output);
  ::waitpid(child.process, nullptr, 0);
  return text;
}

/// The text after a word that begins a line of it; empty if none does.
std::string findLine(const std::string &text, const std::string &word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(word + " ", 0) == 0)
      return line.substr(word.size() + 1);
  return "";
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

struct GPU {
  int ordinal = 0;
  std::string name;
};

Result<std::vector<GPU>> listGPUs(const Options &options) {
  CAROUSEL_TRY_ASSIGN(Child child, start([&]() -> Result<std::string> {
                        CAROUSEL_TRY_ASSIGN(std::vector<Context> contexts,
                                            openDevices(options));
                        std::string text;
                        for (const Context &context : contexts)
                          text += fmt::format("gpu {} {}\n",
                                              context.getDevice().ordinal,
                                              context.getDevice().name);
                        return text;
                      }));
  std::string text = finish(child);
  std::vector<GPU> list;
  std::istringstream lines(text);
  for (std::string line, word; std::getline(lines, line);) {
    std::istringstream words(line);
    GPU gpu;
    if (words >> word >> gpu.ordinal && word == "gpu") {
      std::getline(words >> std::ws, gpu.name);
      list.push_back(gpu);
    }
  }
  if (list.empty()) {
    std::string error = findLine(text, "error");
    return fail(ErrorCode::DriverError, "{}",
                error.empty() ? "expected a list of GPUs, got none" : error);
  }
  return list;
}

std::string write(const Pair &pair) {
  std::string text = fmt::format("signal {}\n", pair.signalMicroseconds);
  for (const std::string &note : pair.notes)
    text += "note " + note + "\n";
  for (const Row &row : pair.rows)
    text += fmt::format("row {} {} {} {} {}\n", int(row.operation),
                        int(row.way.transport), row.way.ctas, row.bytes,
                        row.microseconds);
  return text;
}

void read(const std::string &text, Pair &pair) {
  std::istringstream lines(text);
  for (std::string line, word; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> word;
    Row row;
    int operation = 0, transport = 0;
    if (word == "signal")
      words >> pair.signalMicroseconds;
    else if (word == "note")
      pair.notes.push_back(line.substr(word.size() + 1));
    else if (word == "row" && words >> operation >> transport >> row.way.ctas >>
                                  row.bytes >> row.microseconds) {
      row.operation = static_cast<Operation>(operation);
      row.way.transport = static_cast<TransportKind>(transport);
      pair.rows.push_back(row);
    }
  }
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Times a rank in a process of its own.
Result<std::string> timeRank(const Options &options, const Pair &wanted,
                             int rank, const std::string &session, int socket) {
  Options own = options;
  own.devices = {rank == 0 ? wanted.source : wanted.target};
  CAROUSEL_TRY_ASSIGN(std::vector<Context> contexts, openDevices(own));
  Partner partner(socket);
  PairTimer timer;
  Pair pair = wanted;
  CAROUSEL_TRY(timer.open(options, contexts.front(), rank, session, &partner));
  CAROUSEL_TRY(timePair(timer, options, [] {}, pair));
  return rank == 0 ? write(pair) : "";
}

Status timeBoth(const Options &options, Pair &pair) {
  std::array<int, 2> sockets;
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) != 0)
    return failCall("socketpair");
  std::string session =
      fmt::format("p2p-{}-{}-{}", ::getpid(), pair.source, pair.target);
  std::array<Result<Child>, 2> children = {Child(), Child()};
  for (int rank : {0, 1})
    children[rank] = start([&] {
      ::close(sockets[1 - rank]);
      return timeRank(options, pair, rank, session, sockets[rank]);
    });
  for (int socket : sockets)
    ::close(socket);
  std::string text;
  for (const Result<Child> &child : children)
    if (child)
      text += finish(*child);
  for (const Result<Child> &child : children)
    if (!child)
      return tl::make_unexpected(child.error());
  // The cause comes before what follows from it.
  for (const char *word : {"error", "lost"})
    if (std::string error = findLine(text, word); !error.empty())
      return fail(ErrorCode::DriverError, "{}", error);
  read(text, pair);
  if (pair.rows.empty())
    return fail(ErrorCode::DriverError,
                "expected times of GPU {} and GPU {}, got none: their "
                "processes ended",
                pair.source, pair.target);
  return {};
}

} // namespace
/// The same as measure(), with a process for each rank. This process must not
/// have used the driver.
static Result<Report> measureByProcesses(const Options &options) {
  CAROUSEL_TRY_ASSIGN(std::vector<GPU> gpus, listGPUs(options));
  Report report;
  report.device = gpus.front().name;
  for (const GPU &from : gpus)
    for (const GPU &to : gpus) {
      if (from.ordinal == to.ordinal && gpus.size() > 1)
        continue;
      Pair pair;
      pair.source = from.ordinal;
      pair.target = to.ordinal;
      pair.topology =
          pair.source == pair.target ? Topology::SameGPU : Topology::Peer;
      CAROUSEL_TRY(timeBoth(options, pair));
      report.pairs.push_back(std::move(pair));
    }
  return report;
}
