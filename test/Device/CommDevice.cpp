//===- CommDevice.cpp - transfers between processes, on GPUs --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Run by scripts/device-p2p on a machine with one or more GPUs:
//   comm-device CHECK [MOST-BYTES]
// Ranks are processes, made before any of them uses CUDA; rank r has GPU r
// modulo their number. Each check prints a line for each rank. Exit status 1
// if one failed.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Comm.h"
#include "carousel/Runtime/Event.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace carousel::runtime;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

#define GOOD(result)                                                           \
  do {                                                                         \
    if (const auto &result_ = (result); !result_)                              \
      return "line " + std::to_string(__LINE__) + ": " +                       \
             result_.error().message;                                          \
  } while (false)
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      return "line " + std::to_string(__LINE__) + ": expected " #condition;    \
  } while (false)

uint64_t mostBytes = uint64_t(1) << 30;
std::string note; ///< that a rank prints after "ok"

/// As scripts/device-p2p counts them.
int countDevices() {
  const char *count = std::getenv("CAROUSEL_DEVICES");
  return count ? std::max(1, std::atoi(count)) : 1;
}

Result<Context> makeContext(int rank) {
  ContextOptions options;
  options.cacheBytes = 0;
  options.device = rank % countDevices();
  return Context::create(options);
}

Result<Comm> join(const Context &context, int rank, int size,
                  milliseconds timeout = milliseconds(20000)) {
  CommOptions options;
  options.rank = rank;
  options.size = size;
  options.session = "device-" + std::to_string(::getppid());
  options.timeout = timeout;
  return Comm::connect(context, options);
}

std::vector<uint64_t> makeWords(uint64_t bytes, uint64_t seed) {
  std::vector<uint64_t> words(bytes / 8 + 1);
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (uint64_t &word : words) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    word = state;
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// What the target must be: the source at an offset, 0xa5 around it.
std::string compare(const std::vector<uint8_t> &got, uint64_t offset,
                    const uint8_t *expected, uint64_t bytes) {
  if (std::memcmp(got.data() + offset, expected, bytes) != 0) {
    uint64_t at = 0;
    while (got[offset + at] == expected[at])
      ++at;
    return "byte " + std::to_string(at) + " of " + std::to_string(bytes);
  }
  for (uint64_t i = 0; i < offset; ++i)
    if (got[i] != 0xa5)
      return "written before the target, at " + std::to_string(i);
  for (uint64_t i = offset + bytes; i < got.size(); ++i)
    if (got[i] != 0xa5)
      return "written after the target, at " + std::to_string(i);
  return "";
}

/// Puts in both directions at once, then gets, of every size and offset.
std::string checkBytes(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  constexpr uint64_t kSlack = 64;
  auto buffer = SymmetricBuffer::allocate(*comm, mostBytes + kSlack);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, mostBytes + kSlack);
  GOOD(source);
  uint64_t step = 0, total = 0;
  int other = 1 - rank;
  for (TransportKind kind : {TransportKind::CopyEngine, TransportKind::TMA})
    for (uint64_t size :
         {uint64_t(1), uint64_t(15), uint64_t(16), uint64_t(17), uint64_t(4095),
          uint64_t(16384), uint64_t(65537), uint64_t(1) << 20,
          (uint64_t(1) << 24) + 5, mostBytes}) {
      if (size > mostBytes)
        continue;
      struct Place {
        uint64_t target, source;
      };
      for (Place place : {Place{0, 0}, Place{3, 3}, Place{16, 32}, Place{1, 8},
                          Place{13, 2}}) {
        if (size > (1 << 25) && place.target % 3 == 1)
          continue; // time: the large ones at fewer places
        TransferOptions options;
        options.transport = kind;
        uint64_t span = size + kSlack;
        auto words = makeWords(span, ++step + 1000 * rank);
        auto theirs = makeWords(span, step + 1000 * other);
        GOOD(source->upload(words.data(), span));
        std::vector<uint8_t> got(span, 0xa5);
        GOOD(comm->getContext().synchronize());
        auto pattern = Buffer::allocate(*context, span);
        GOOD(pattern);
        GOOD(pattern->fill(0xa5));
        GOOD(buffer->put(rank, 0, pattern->getAddress(), span));
        GOOD(comm->synchronize());
        GOOD(comm->barrier());
        GOOD(buffer->putSignal(other, place.target,
                               source->getAddress() + place.source, size, 0,
                               step, nullptr, options));
        GOOD(buffer->wait(other, 0, step));
        // Back, by a get of the local part.
        GOOD(buffer->get(rank, 0, pattern->getAddress(), span));
        GOOD(pattern->download(got.data(), span));
        GOOD(comm->synchronize());
        auto *bytes = reinterpret_cast<uint8_t *>(theirs.data());
        std::string problem =
            compare(got, place.target, bytes + place.source, size);
        if (!problem.empty())
          return std::string("put by ") + toString(kind) + " of " +
                 std::to_string(size) + " bytes, offsets " +
                 std::to_string(place.target) + " and " +
                 std::to_string(place.source) + ": " + problem;
        GOOD(comm->barrier());
        // A get of what the other rank has now: what this one put there.
        GOOD(pattern->fill(0xa5));
        GOOD(buffer->get(other, place.target,
                         pattern->getAddress() + place.source, size, nullptr,
                         options));
        GOOD(pattern->download(got.data(), span));
        GOOD(comm->synchronize());
        auto *own = reinterpret_cast<uint8_t *>(words.data());
        problem = compare(got, place.source, own + place.source, size);
        if (!problem.empty())
          return std::string("get by ") + toString(kind) + " of " +
                 std::to_string(size) + " bytes: " + problem;
        GOOD(comm->barrier());
        total += 2 * size;
      }
    }
  note = std::to_string(step) + " puts and gets, " +
         std::to_string(total >> 20) + " MiB";
  return "";
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Each round's value is in the data, and is kept in a log: nothing waits for
/// the host in between.
std::string runRounds(const SymmetricBuffer &buffer, Stream stream,
                      Buffer &source, Buffer &log, int rank, uint64_t from,
                      uint64_t to) {
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

std::string compareLog(const Comm &comm, Buffer &log, uint64_t rounds, int rank,
                       Stream stream) {
  std::vector<uint8_t> values(rounds);
  GOOD(log.download(values.data(), rounds, 0, stream));
  GOOD(comm.synchronize(stream));
  for (uint64_t round = 0; round < rounds; ++round)
    if (values[round] != uint8_t(round + 100 * (1 - rank)))
      return "round " + std::to_string(round) + ": got " +
             std::to_string(values[round]);
  return "";
}

std::string checkRounds(int rank) {
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

//===----------------------------------------------------------------------===//
// Ranks of one process
//===----------------------------------------------------------------------===//

/// Functions of the driver that the library doesn't need.
template <typename F> F findDriver(const char *name) {
  static void *handle = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F>(::dlsym(handle, name));
}

struct LocalRanks {
  std::vector<Context> contexts;
  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
  std::array<CUstream, 2> streams = {};

  std::string open(uint64_t bytes, milliseconds timeout) {
    for (int rank : {0, 1}) {
      auto context = makeContext(rank);
      GOOD(context);
      contexts.push_back(*context);
    }
    CommOptions options;
    options.timeout = timeout;
    auto made = Comm::connectLocal(contexts, options);
    GOOD(made);
    comms = *made;
    auto all = SymmetricBuffer::allocateAll(comms, bytes);
    GOOD(all);
    buffers = std::move(*all);
    auto create =
        findDriver<CUresult (*)(CUstream *, unsigned)>("cuStreamCreate");
    for (int rank : {0, 1}) {
      CurrentContext current(contexts[rank].getImpl());
      CHECK(create(&streams[rank], CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    }
    return "";
  }
};

std::string checkLocal(int) {
  constexpr uint64_t kRounds = 10000;
  LocalRanks ranks;
  if (std::string problem = ranks.open(4096, milliseconds(20000));
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
std::string checkGraph(int) {
  LocalRanks ranks;
  if (std::string problem = ranks.open(4096, milliseconds(1000));
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

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Rank 1 is killed while both copy in a loop. Ranks 0 and 2 go on.
std::string checkKill(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 3);
  GOOD(comm);
  uint64_t bytes = uint64_t(64) << 20;
  auto buffer = SymmetricBuffer::allocate(*comm, bytes);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, bytes);
  GOOD(source);
  GOOD(comm->barrier());
  if (rank == 1) {
    auto end = steady_clock::now() + milliseconds(300);
    // Not waited for, so that some are under way.
    while (steady_clock::now() < end) {
      GOOD(buffer->put(0, 0, source->getAddress(), bytes));
      std::this_thread::sleep_for(milliseconds(1));
    }
    ::kill(::getpid(), SIGKILL);
  }
  if (rank == 0) {
    for (int i = 0; i < 100; ++i) {
      Status status = buffer->get(1, 0, source->getAddress(), bytes);
      CHECK(status || status.error().code == ErrorCode::PeerLost);
    }
    GOOD(buffer->wait(1, 0, 1));
    auto start = steady_clock::now();
    Status status = comm->synchronize();
    auto took = steady_clock::now() - start;
    CHECK(!status && status.error().code == ErrorCode::PeerLost);
    CHECK(took < milliseconds(10000));
    note = status.error().message;
    // What it had is still mapped; what the others have is of use.
    GOOD(buffer->get(2, 0, source->getAddress(), bytes));
    GOOD(comm->synchronize());
    GOOD(source->fill(7));
    GOOD(buffer->putSignal(2, 0, source->getAddress(), bytes, 0, 1));
    GOOD(buffer->wait(2, 0, 1));
    GOOD(comm->synchronize());
    Status put = buffer->put(1, 0, source->getAddress(), 16);
    CHECK(!put && put.error().code == ErrorCode::PeerLost);
    return "";
  }
  GOOD(buffer->wait(0, 0, 1));
  std::vector<uint8_t> got(bytes);
  GOOD(buffer->get(2, 0, source->getAddress(), bytes));
  GOOD(source->download(got.data(), bytes));
  GOOD(buffer->signal(0, 0, 1));
  GOOD(comm->synchronize());
  for (uint8_t value : got)
    CHECK(value == 7);
  return "";
}

std::string checkTimeout(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  auto buffer = SymmetricBuffer::allocate(*comm, 4096);
  GOOD(buffer);
  if (rank == 0) {
    WaitOptions options;
    options.timeout = milliseconds(200);
    auto start = steady_clock::now();
    GOOD(buffer->wait(1, 5, 9, nullptr, options));
    Status status = comm->synchronize();
    double ms =
        std::chrono::duration<double, std::milli>(steady_clock::now() - start)
            .count();
    CHECK(!status && status.error().code == ErrorCode::Timeout);
    CHECK(ms >= 200 && ms < 1000);
    note = status.error().message;
  }
  GOOD(comm->barrier());
  GOOD(buffer->signal(1 - rank, 0, 3));
  GOOD(buffer->wait(1 - rank, 0, 3));
  GOOD(comm->synchronize());
  return "";
}

std::string checkSend(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  for (uint64_t bytes :
       {uint64_t(1), uint64_t(4) << 20, (uint64_t(33) << 20) + 7}) {
    auto memory = Buffer::allocate(*context, bytes);
    GOOD(memory);
    auto words = makeWords(bytes, bytes);
    if (rank == 0) {
      GOOD(memory->upload(words.data(), bytes));
      GOOD(comm->send(1, memory->getAddress(), bytes));
      GOOD(comm->synchronize());
      continue;
    }
    std::vector<uint8_t> got(bytes);
    GOOD(comm->recv(0, memory->getAddress(), bytes));
    GOOD(memory->download(got.data(), bytes));
    GOOD(comm->synchronize());
    CHECK(std::memcmp(got.data(), words.data(), bytes) == 0);
  }
  return "";
}

/// Each rank adds into the other's part, of sizes and offsets that need all
/// variants; what lies beside stays.
std::string checkAdd(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  constexpr uint64_t kMost = (uint64_t(1) << 22) + 3;
  auto buffer = SymmetricBuffer::allocate(*comm, 4 * kMost + 128);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, 4 * kMost + 64);
  GOOD(source);
  uint64_t step = 0;
  for (uint64_t count : {uint64_t(1), uint64_t(3), uint64_t(4), uint64_t(4096),
                         uint64_t(4097), uint64_t(100003), kMost})
    for (uint64_t offset : {uint64_t(0), uint64_t(4), uint64_t(16)}) {
      std::vector<float> own(count), before(count + 16), got(count + 16);
      for (uint64_t i = 0; i < count; ++i)
        own[i] = float(i % 1000 + rank);
      for (uint64_t i = 0; i < count + 16; ++i)
        before[i] = float(i % 77);
      uint64_t bytes = 4 * (count + 16);
      auto memory = Buffer::allocate(*context, bytes);
      GOOD(memory);
      GOOD(memory->upload(before.data(), bytes));
      GOOD(buffer->put(rank, 0, memory->getAddress(), bytes));
      GOOD(source->upload(own.data(), 4 * count));
      GOOD(comm->synchronize());
      GOOD(comm->barrier());
      GOOD(buffer->putAdd(1 - rank, offset, source->getAddress(), count,
                          ElementType::F32));
      GOOD(buffer->signal(1 - rank, 0, ++step));
      GOOD(buffer->wait(1 - rank, 0, step));
      GOOD(buffer->get(rank, 0, memory->getAddress(), bytes));
      GOOD(memory->download(got.data(), bytes));
      GOOD(comm->synchronize());
      for (uint64_t i = 0; i < count + 16; ++i) {
        uint64_t at = i - offset / 4;
        float added = at < count ? float(at % 1000 + (1 - rank)) : 0;
        if (got[i] != before[i] + added)
          return "element " + std::to_string(i) + " of " +
                 std::to_string(count) + " at offset " +
                 std::to_string(offset) + ": got " + std::to_string(got[i]);
      }
      GOOD(comm->barrier());
    }
  return "";
}

/// NCCL itself: ranks with a GPU each, or one alone.
std::string checkNCCL(int rank) {
  if (rank >= countDevices())
    return "";
  auto context = makeContext(rank);
  GOOD(context);
  // One process makes the id, and this program has no way to hand it on: the
  // ranks of this process are threads.
  auto id = Comm::makeNCCLId(*context);
  if (!id && id.error().code == ErrorCode::NoLibrary) {
    note = "no NCCL here";
    return "";
  }
  GOOD(id);
  int size = std::min(2, countDevices());
  std::vector<std::string> problems(size);
  std::vector<std::thread> threads;
  auto body = [&](int self) -> std::string {
    auto own = makeContext(self);
    GOOD(own);
    CommOptions options;
    options.rank = self, options.size = size, options.ncclId = *id;
    auto comm = Comm::connect(*own, options);
    GOOD(comm);
    GOOD(comm->barrier());
    if (size == 1)
      return "";
    constexpr uint64_t kBytes = (uint64_t(1) << 24) + 3;
    auto memory = Buffer::allocate(*own, kBytes);
    GOOD(memory);
    auto words = makeWords(kBytes, 5);
    TransferOptions nccl;
    nccl.transport = TransportKind::NCCL;
    if (self == 0) {
      GOOD(memory->upload(words.data(), kBytes));
      GOOD(comm->send(1, memory->getAddress(), kBytes, nullptr, nccl));
      GOOD(comm->synchronize());
      return "";
    }
    std::vector<uint8_t> got(kBytes);
    GOOD(comm->recv(0, memory->getAddress(), kBytes, nullptr, nccl));
    GOOD(memory->download(got.data(), kBytes));
    GOOD(comm->synchronize());
    CHECK(std::memcmp(got.data(), words.data(), kBytes) == 0);
    return "";
  };
  for (int self = 0; self < size; ++self)
    threads.emplace_back([&, self] { problems[self] = body(self); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    if (!problem.empty())
      return problem;
  note = std::to_string(size) + " ranks";
  return "";
}

struct Check {
  const char *name;
  int ranks;
  std::string (*run)(int);
  bool kills;
};
const Check kChecks[] = {
    {"timeout", 2, checkTimeout, false}, {"kill", 3, checkKill, true},
    {"graph", 1, checkGraph, false},     {"local", 1, checkLocal, false},
    {"add", 2, checkAdd, false},         {"nccl", 1, checkNCCL, false},
    {"send", 2, checkSend, false},       {"rounds", 2, checkRounds, false},
    {"bytes", 2, checkBytes, false}};

bool runCheck(const Check &check) {
  std::vector<pid_t> children;
  std::fflush(stdout);
  for (int rank = 0; rank < check.ranks; ++rank) {
    pid_t child = ::fork();
    if (child == 0) {
      ::alarm(120);
      auto start = steady_clock::now();
      std::string problem = check.run(rank);
      double seconds =
          std::chrono::duration<double>(steady_clock::now() - start).count();
      std::printf("%-8s rank %d: %s%s (%.1f s)\n", check.name, rank,
                  problem.empty() ? "ok: " : "FAILED: ",
                  problem.empty() ? note.c_str() : problem.c_str(), seconds);
      std::fflush(stdout);
      ::_exit(problem.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  bool isGood = true;
  for (size_t rank = 0; rank < children.size(); ++rank) {
    int status = 0;
    ::waitpid(children[rank], &status, 0);
    bool isKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    bool isExpected = check.kills && rank == 1
                          ? isKilled
                          : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!isExpected)
      std::printf("%-8s rank %zu: FAILED with status %x\n", check.name, rank,
                  unsigned(status));
    isGood &= isExpected;
  }
  return isGood;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 2)
    mostBytes = std::strtoull(argv[2], nullptr, 0);
  bool isGood = true, isFound = false;
  for (const Check &check : kChecks)
    if (argc < 2 || std::strcmp(argv[1], check.name) == 0 ||
        std::strcmp(argv[1], "all") == 0) {
      isFound = true;
      isGood &= runCheck(check);
    }
  return isGood && isFound ? 0 : 1;
}
