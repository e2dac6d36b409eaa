//===- CheckRounds.cpp - rounds of puts and signals -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many rounds between processes, between ranks of one process, and in graphs.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <algorithm>
#include <cstdio>
#include <thread>

using namespace carousel::comm_device;

/// Each round's value is in the data, and is kept in a log: nothing waits for
/// the host in between.
static std::string runRounds(const SymmetricBuffer &buffer, Stream stream,
                             Buffer &source, Buffer &log, int rank,
                             uint64_t from, uint64_t to) {
  int other = 1 - rank;
  for (uint64_t round = from; round < to; ++round) {
    GOOD(source.fill(uint8_t(round + 100 * rank), stream));
    GOOD(buffer.putSignal(other, 0, source.getAddress(), 64, 0, round + 1,
                          stream));
    GOOD(buffer.wait(other, 0, round + 1, stream));
    GOOD(buffer.get(rank, 63, log.getAddress() + round, 1, stream));
    GOOD(buffer.signal(other, 1, round + 1, stream)); // it was read
    GOOD(buffer.wait(other, 1, round + 1, stream));
  }
  return "";
}

static std::string compareLog(const Comm &comm, Buffer &log, uint64_t rounds,
                              int rank, Stream stream) {
  std::vector<uint8_t> values(rounds);
  GOOD(log.download(values.data(), rounds, 0, stream));
  GOOD(comm.synchronize(stream));
  for (uint64_t round = 0; round < rounds; ++round)
    if (values[round] != uint8_t(round + 100 * (1 - rank)))
      return "round " + std::to_string(round) + ": got " +
             std::to_string(values[round]);
  return "";
}

std::string carousel::comm_device::checkRounds(int rank) {
  constexpr uint64_t kRounds = 10000;
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  auto buffer = SymmetricBuffer::allocate(*comm, 4096);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, 64);
  GOOD(source);
  auto log = Buffer::allocate(*context, kRounds);
  GOOD(log);
  GOOD(comm->barrier());
  auto start = steady_clock::now();
  uint64_t done = 0;
  // As many as 40 s allow: processes on one GPU take turns.
  while (done < kRounds) {
    uint64_t next = std::min(kRounds, done + 100);
    std::string problem =
        runRounds(*buffer, nullptr, *source, *log, rank, done, next);
    if (!problem.empty())
      return problem;
    done = next;
    GOOD(comm->synchronize());
    bool isLate = steady_clock::now() - start > milliseconds(40000);
    // Both ranks must stop at the same round.
    GOOD(buffer->signal(1 - rank, 2, isLate ? 2 : 1));
    GOOD(comm->synchronize());
    GOOD(comm->barrier());
    uint64_t theirs = 0;
    auto copy = Buffer::allocate(*context, 8);
    GOOD(copy);
    auto counters = SymmetricBuffer::adopt(
        *comm,
        {buffer->getSignalAddress(0, 1, 2), buffer->getSignalAddress(1, 0, 2)},
        8);
    GOOD(counters);
    GOOD(counters->get(rank, 0, copy->getAddress(), 8));
    GOOD(copy->download(&theirs, 8));
    GOOD(comm->synchronize());
    GOOD(comm->barrier());
    if (isLate || theirs == 2)
      break;
  }
  double us =
      std::chrono::duration<double, std::micro>(steady_clock::now() - start)
          .count();
  std::string problem = compareLog(*comm, *log, done, rank, nullptr);
  char text[100];
  std::snprintf(text, sizeof(text), "%llu rounds, %.1f us each",
                static_cast<unsigned long long>(done), us / double(done));
  note = text;
  return problem;
}

std::string carousel::comm_device::checkLocalRounds(int) {
  constexpr uint64_t kRounds = 10000;
  LocalRanks ranks;
  if (std::string problem = ranks.open(2, 4096, milliseconds(20000));
      !problem.empty())
    return problem;
  std::vector<Buffer> sources, logs;
  for (int rank : {0, 1}) {
    auto source = Buffer::allocate(ranks.contexts[rank], 64);
    GOOD(source);
    sources.push_back(std::move(*source));
    auto log = Buffer::allocate(ranks.contexts[rank], kRounds);
    GOOD(log);
    logs.push_back(std::move(*log));
  }
  auto start = steady_clock::now();
  std::array<std::string, 2> problems;
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    threads.emplace_back([&, rank] {
      problems[rank] = runRounds(ranks.buffers[rank], ranks.streams[rank],
                                 sources[rank], logs[rank], rank, 0, kRounds);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int rank : {0, 1}) {
    if (problems[rank].empty())
      problems[rank] = compareLog(ranks.comms[rank], logs[rank], kRounds, rank,
                                  ranks.streams[rank]);
    if (!problems[rank].empty())
      return "rank " + std::to_string(rank) + ": " + problems[rank];
  }
  double us =
      std::chrono::duration<double, std::micro>(steady_clock::now() - start)
          .count();
  char text[100];
  std::snprintf(text, sizeof(text), "%llu rounds, %.1f us each",
                static_cast<unsigned long long>(kRounds), us / double(kRounds));
  note = text;
  return "";
}

/// A put, signal and wait of each rank in a graph, many times.
std::string carousel::comm_device::checkGraph(int) {
  LocalRanks ranks;
  if (std::string problem = ranks.open(2, 4096, milliseconds(1000));
      !problem.empty())
    return problem;
  auto begin = findDriver<CUresult (*)(CUstream, CUstreamCaptureMode)>(
      "cuStreamBeginCapture_v2");
  auto end =
      findDriver<CUresult (*)(CUstream, CUgraph *)>("cuStreamEndCapture");
  auto instantiate =
      findDriver<CUresult (*)(CUgraphExec *, CUgraph, unsigned long long)>(
          "cuGraphInstantiateWithFlags");
  auto launch =
      findDriver<CUresult (*)(CUgraphExec, CUstream)>("cuGraphLaunch");
  WaitOptions handshake;
  handshake.isEqual = handshake.reset = true;
  std::array<CUgraphExec, 2> graphs = {};
  std::vector<Buffer> sources;
  for (int rank : {0, 1}) {
    auto source = Buffer::allocate(ranks.contexts[rank], 1024);
    GOOD(source);
    GOOD(source->fill(uint8_t(rank + 1)));
    GOOD(ranks.contexts[rank].synchronize());
    sources.push_back(std::move(*source));
  }
  for (int rank : {0, 1}) {
    CurrentContext current(ranks.contexts[rank].getImpl());
    CUstream stream = ranks.streams[rank];
    CHECK(begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    // Rank 0 puts, and waits until rank 1 has read it.
    const SymmetricBuffer &buffer = ranks.buffers[rank];
    if (rank == 0) {
      GOOD(buffer.putSignal(1, 0, sources[0].getAddress(), 1024, 0, 1, stream));
      GOOD(buffer.wait(1, 1, 1, stream, handshake));
    } else {
      GOOD(buffer.wait(0, 0, 1, stream, handshake));
      GOOD(buffer.get(1, 0, sources[1].getAddress(), 1024, stream));
      GOOD(buffer.signal(0, 1, 1, stream));
    }
    CUgraph graph = nullptr;
    CHECK(end(stream, &graph) == CUDA_SUCCESS);
    CHECK(instantiate(&graphs[rank], graph, 0) == CUDA_SUCCESS);
  }
  for (int replay = 0; replay < 200; ++replay)
    for (int rank : {0, 1}) {
      CurrentContext current(ranks.contexts[rank].getImpl());
      CHECK(launch(graphs[rank], ranks.streams[rank]) == CUDA_SUCCESS);
    }
  for (int rank : {0, 1})
    GOOD(ranks.comms[rank].synchronize(ranks.streams[rank]));
  std::vector<uint8_t> got(1024);
  GOOD(sources[1].download(got.data(), got.size()));
  GOOD(ranks.contexts[1].synchronize());
  for (uint8_t value : got)
    CHECK(value == 1);
  // Without its counterpart a replay ends by its bound.
  {
    CurrentContext current(ranks.contexts[1].getImpl());
    CHECK(launch(graphs[1], ranks.streams[1]) == CUDA_SUCCESS);
  }
  auto start = steady_clock::now();
  Status status = ranks.comms[1].synchronize(ranks.streams[1]);
  auto took = steady_clock::now() - start;
  CHECK(!status && status.error().code == ErrorCode::Timeout);
  CHECK(took < milliseconds(3000));
  note = "200 replays; then: " + status.error().message;
  return "";
}
