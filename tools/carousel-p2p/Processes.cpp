//===- Processes.cpp - a process for each rank ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that used the driver can't fork, so children do all that needs it:
// one lists the GPUs, and two time each pair. They write what they found as
// lines, which this process reads: `gpu 0 NAME`, `row 1 2 16 4096 5.25`,
// `signal 1.5`, `note TEXT`, `lost TEXT` and `error TEXT`.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "PairTimer.h"

#include "carousel/Runtime/Fail.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::runtime;

namespace {

/// What a child writes: its lines, or why there are none.
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

Result<Report> p2p::measureByProcesses(const Options &options) {
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
