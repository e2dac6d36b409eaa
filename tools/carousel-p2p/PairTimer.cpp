//===- PairTimer.cpp - times copies between two ranks ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PairTimer.h.
//
//===----------------------------------------------------------------------===//

#include "PairTimer.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sys/socket.h>
#include <thread>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::runtime;

//===----------------------------------------------------------------------===//
// Times copies between two ranks
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

/// The driver's stream of the calling thread.
static const Stream kThreadStream = reinterpret_cast<Stream>(2);

static double getSeconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

bool PairTimer::has(Operation operation, const Way &way, uint64_t bytes) const {
  if (operation == Operation::Round && bytes > kMostOfRound)
    return false;
  if (way.transport != TransportKind::NCCL)
    return true;
  return ncclNote.empty() && operation != Operation::Get;
}

std::vector<PairTimer::Lane> PairTimer::makeNCCLLanes(Operation operation,
                                                      uint64_t bytes) {
  TransferOptions options;
  options.transport = TransportKind::NCCL;
  auto send = [this, bytes, options](int rank, Stream stream) {
    return nccl[rank][rank]->send(1 - rank, mine[rank]->getAddress(), bytes,
                                  stream, options);
  };
  auto recv = [this, bytes, options](int rank, Stream stream) {
    return nccl[1 - rank][rank]->recv(1 - rank, buffers[rank]->getAddress(rank),
                                      bytes, stream, options);
  };
  std::vector<Lane> lanes;
  if (operation == Operation::Round) {
    for (int rank : {0, 1})
      lanes.push_back(
          {rank, [send, recv, rank](Stream stream) -> Status {
             CAROUSEL_TRY(rank == 0 ? send(rank, stream) : recv(rank, stream));
             return rank == 0 ? recv(rank, stream) : send(rank, stream);
           }});
    return lanes;
  }
  for (int from : {0, 1}) {
    if (from == 1 && operation == Operation::Put)
      break;
    int to = 1 - from;
    lanes.push_back(
        {from, [send, from](Stream stream) { return send(from, stream); }});
    lanes.push_back(
        {to, [recv, to](Stream stream) { return recv(to, stream); }});
  }
  return lanes;
}

std::vector<PairTimer::Lane>
PairTimer::makeLanes(Operation operation, const Way &way, uint64_t bytes) {
  if (way.transport == TransportKind::NCCL) {
    std::vector<Lane> lanes = makeNCCLLanes(operation, bytes);
    lanes.erase(
        std::remove_if(lanes.begin(), lanes.end(),
                       [this](const Lane &lane) { return !isHere(lane.rank); }),
        lanes.end());
    return lanes;
  }
  TransferOptions options;
  options.transport = way.transport;
  options.ctas = way.ctas;
  std::vector<Lane> lanes;
  for (int rank : {0, 1}) {
    bool isOne = operation == Operation::Put || operation == Operation::Get;
    if ((rank == 1 && isOne) || !isHere(rank))
      continue;
    lanes.push_back(
        {rank,
         [this, operation, bytes, options, rank](Stream stream) -> Status {
           const SymmetricBuffer &buffer = *buffers[rank];
           uint64_t own = mine[rank]->getAddress();
           int other = 1 - rank;
           if (operation == Operation::Get)
             return buffer.get(other, 0, own, bytes, stream, options);
           if (operation != Operation::Round)
             return buffer.put(other, 0, own, bytes, stream, options);
           uint64_t round = ++rounds[rank];
           auto put = [&] {
             return buffer.putSignal(other, 0, own, bytes, 0, round, stream,
                                     options);
           };
           CAROUSEL_TRY(rank == 0 ? put()
                                  : buffer.wait(other, 0, round, stream));
           return rank == 0 ? buffer.wait(other, 0, round, stream) : put();
         }});
  }
  return lanes;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

Result<double> PairTimer::run(const Lane &lane, unsigned count, Stream stream) {
  const Comm &comm = *comms[lane.rank];
  std::vector<Event> events;
  for (int i = 0; i < 2; ++i) {
    CAROUSEL_TRY_ASSIGN(Event event, Event::create(comm.getContext()));
    events.push_back(std::move(event));
  }
  CAROUSEL_TRY(events[0].record(stream));
  for (unsigned i = 0; i < count; ++i)
    CAROUSEL_TRY(lane.step(stream));
  CAROUSEL_TRY(events[1].record(stream));
  CAROUSEL_TRY(comm.synchronize(stream));
  for (const OfRanks<Comm> &group : nccl)
    if (group[lane.rank])
      CAROUSEL_TRY(group[lane.rank]->check());
  return events[1].getMicrosecondsSince(events[0]);
}

Result<double> PairTimer::getLargest(double own) {
  if (!partner)
    return own;
  Result<double> other = partner->swap(own);
  if (other)
    *other = std::max(*other, own);
  return other;
}

Result<double> PairTimer::sample(const std::vector<Lane> &lanes,
                                 unsigned count) {
  if (partner) // begins with it
    CAROUSEL_TRY(getLargest(0));
  // The default stream lives on from sample to sample, but two lanes of a GPU
  // would take turns in it.
  auto getDevice = [this](const Lane &lane) {
    return comms[lane.rank]->getContext().getDevice().ordinal;
  };
  auto getStream = [&](const Lane &lane) -> Stream {
    auto isOnDevice = [&](const Lane &other) {
      return getDevice(other) == getDevice(lane);
    };
    bool isAlone = std::count_if(lanes.begin(), lanes.end(), isOnDevice) == 1;
    return isAlone ? nullptr : kThreadStream;
  };
  std::vector<std::optional<Result<double>>> times(lanes.size());
  std::vector<std::thread> threads;
  std::atomic<size_t> ready = 0;
  auto work = [&](size_t i) {
    ++ready;
    while (ready < lanes.size()) // so that all begin at once
      std::this_thread::yield();
    times[i].emplace(run(lanes[i], count, getStream(lanes[i])));
  };
  for (size_t i = 1; i < lanes.size(); ++i)
    threads.emplace_back(work, i);
  if (!lanes.empty())
    work(0);
  for (std::thread &thread : threads)
    thread.join();
  double most = 0;
  for (std::optional<Result<double>> &time : times) {
    CAROUSEL_TRY(*time);
    most = std::max(most, **time);
  }
  Result<double> largest = getLargest(most);
  if (largest)
    *largest /= count;
  return largest;
}

Result<Row> PairTimer::time(Operation operation, const Way &way, uint64_t bytes,
                            double seconds) {
  Row row = {operation, way, bytes, 0};
  CAROUSEL_TRY(check(operation, way, bytes));
  std::vector<Lane> lanes = makeLanes(operation, way, bytes);
  // A sample has as many as take about a millisecond.
  CAROUSEL_TRY_ASSIGN(double one, sample(lanes, 4));
  auto count =
      static_cast<unsigned>(std::clamp(1000 / std::max(one, 0.5), 4.0, 200.0));
  std::vector<double> samples;
  Clock::time_point begin = Clock::now();
  for (bool goesOn = true; goesOn;) {
    CAROUSEL_TRY_ASSIGN(double next, sample(lanes, count));
    samples.push_back(next);
    // Both processes take as many.
    CAROUSEL_TRY_ASSIGN(double wanted, getLargest(samples.size() < 5 ||
                                                  getSeconds(begin) < seconds));
    goesOn = wanted != 0;
  }
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2,
                   samples.end());
  row.microseconds = samples[samples.size() / 2];
  if (operation == Operation::Round)
    row.microseconds /= 2;
  return row;
}

Result<double> PairTimer::timeSignals() {
  constexpr unsigned kRounds = 200;
  std::vector<Lane> lanes;
  for (int rank : {0, 1}) {
    if (!isHere(rank))
      continue;
    lanes.push_back({rank, [this, rank](Stream stream) -> Status {
                       const SymmetricBuffer &buffer = *buffers[rank];
                       uint64_t round = ++rounds[rank];
                       auto wait = [&] {
                         return buffer.wait(1 - rank, 0, round, stream);
                       };
                       auto signal = [&] {
                         return buffer.signal(1 - rank, 0, round, stream);
                       };
                       CAROUSEL_TRY(rank == 0 ? signal() : wait());
                       return rank == 0 ? wait() : signal();
                     }});
  }
  Result<double> time = sample(lanes, kRounds); // warms up
  if (time)
    time = sample(lanes, kRounds);
  if (time)
    *time /= 2;
  return time;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

Status PairTimer::fill(int rank, bool isPart, uint8_t value, uint64_t bytes) {
  CAROUSEL_TRY(mine[rank]->fill(value));
  if (isPart) {
    CAROUSEL_TRY(buffers[rank]->put(rank, 0, mine[rank]->getAddress(), bytes));
    CAROUSEL_TRY(mine[rank]->fill(0));
  }
  return comms[rank]->synchronize();
}

Result<bool> PairTimer::holds(int rank, bool isPart, uint8_t value,
                              uint64_t bytes) {
  uint64_t shown = std::min<uint64_t>(bytes, 65536);
  std::vector<uint8_t> got(2 * shown);
  CAROUSEL_TRY_ASSIGN(auto memory,
                      Buffer::allocate(comms[rank]->getContext(), shown));
  // These go by the driver's own copies.
  TransferOptions options;
  options.transport = TransportKind::CopyEngine;
  for (int end : {0, 1}) {
    uint64_t offset = end ? bytes - shown : 0;
    uint8_t *to = got.data() + uint64_t(end) * shown;
    if (isPart)
      CAROUSEL_TRY(buffers[rank]->get(rank, offset, memory.getAddress(), shown,
                                      nullptr, options));
    CAROUSEL_TRY(isPart ? memory.download(to, shown)
                        : mine[rank]->download(to, shown, offset));
  }
  CAROUSEL_TRY(comms[rank]->synchronize());
  return std::all_of(got.begin(), got.end(),
                     [value](uint8_t byte) { return byte == value; });
}

Status PairTimer::check(Operation operation, const Way &way, uint64_t bytes) {
  bool isGet = operation == Operation::Get;
  bool isOneWay = isGet || operation == Operation::Put;
  pattern = static_cast<uint8_t>(pattern * 5 + 17);
  auto getValue = [&](int rank) {
    return static_cast<uint8_t>(pattern + rank);
  };
  for (int rank : {0, 1})
    if (isHere(rank))
      CAROUSEL_TRY(fill(rank, isGet, getValue(rank), bytes));
  CAROUSEL_TRY(sample(makeLanes(operation, way, bytes), 1));
  bool isWrong = false;
  for (int rank : {0, 1}) {
    bool isTarget = !isOneWay || rank == (isGet ? 0 : 1);
    if (!isTarget || !isHere(rank))
      continue;
    CAROUSEL_TRY_ASSIGN(bool found,
                        holds(rank, !isGet, getValue(1 - rank), bytes));
    isWrong |= !found;
  }
  CAROUSEL_TRY_ASSIGN(double either, getLargest(isWrong));
  if (either == 0)
    return {};
  return fail(ErrorCode::DriverError,
              "expected {} to copy {} bytes as they are ({}), got other bytes",
              describe(way), bytes, p2p::toString(operation));
}

//===----------------------------------------------------------------------===//
// Connects the ranks of a pair
//
// Opens the ranks of a PairTimer, their memory and NCCL, and talks with the
// partner. Both processes make the same calls in the same order.
//===----------------------------------------------------------------------===//

Status Partner::swap(const void *own, void *other, size_t bytes) {
  bool isGood = ::send(socket, own, bytes, MSG_NOSIGNAL) == ssize_t(bytes) &&
                ::recv(socket, other, bytes, MSG_WAITALL) == ssize_t(bytes);
  if (isGood)
    return {};
  return fail(ErrorCode::PeerLost, "expected the other process to go on, got "
                                   "its end");
}

Status PairTimer::open(const Options &options,
                       const std::vector<Context> &contexts) {
  CommOptions commOptions;
  commOptions.transportPackage = options.transportPackage;
  commOptions.mailboxBytes = 0;
  CAROUSEL_TRY_ASSIGN(std::vector<Comm> made,
                      Comm::connectLocal(contexts, commOptions));
  uint64_t most = *std::max_element(options.sizes.begin(), options.sizes.end());
  CAROUSEL_TRY_ASSIGN(auto all, SymmetricBuffer::allocateAll(made, most));
  for (int rank : {0, 1}) {
    comms[rank].emplace(std::move(made[rank]));
    buffers[rank].emplace(std::move(all[rank]));
  }
  return allocate(options);
}

Status PairTimer::open(const Options &options, const Context &context, int rank,
                       const std::string &session, Partner *other) {
  partner = other;
  CommOptions commOptions;
  commOptions.rank = rank, commOptions.size = 2, commOptions.session = session;
  commOptions.transportPackage = options.transportPackage;
  commOptions.mailboxBytes = 0;
  CAROUSEL_TRY_ASSIGN(Comm made, Comm::connect(context, commOptions));
  uint64_t most = *std::max_element(options.sizes.begin(), options.sizes.end());
  CAROUSEL_TRY_ASSIGN(auto buffer, SymmetricBuffer::allocate(made, most));
  comms[rank].emplace(std::move(made));
  buffers[rank].emplace(std::move(buffer));
  return allocate(options);
}

Status PairTimer::allocate(const Options &options) {
  uint64_t most = *std::max_element(options.sizes.begin(), options.sizes.end());
  for (int rank : {0, 1}) {
    if (!isHere(rank))
      continue;
    CAROUSEL_TRY_ASSIGN(auto memory,
                        Buffer::allocate(comms[rank]->getContext(), most));
    mine[rank].emplace(std::move(memory));
  }
  bool wantsNCCL =
      std::any_of(options.transports.begin(), options.transports.end(),
                  [](const TransportTraits &traits) {
                    return traits.kind == TransportKind::NCCL;
                  });
  if (wantsNCCL)
    if (Status status = openNCCL(); !status)
      ncclNote = std::move(status.error().message);
  return {};
}

Result<std::string> PairTimer::shareNCCLId() {
  struct Shared {
    char id[128] = {}, error[256] = {};
  } own;
  if (isHere(0)) {
    Result<std::string> made = Comm::makeNCCLId(comms[0]->getContext());
    if (made)
      made->copy(own.id, sizeof(own.id));
    else
      made.error().message.copy(own.error, sizeof(own.error) - 1);
  }
  if (partner) {
    CAROUSEL_TRY_ASSIGN(Shared other, partner->swap(own));
    if (!isHere(0))
      own = other;
  }
  if (own.error[0])
    return fail(ErrorCode::NoLibrary, "{}", std::string(own.error));
  return std::string(own.id, sizeof(own.id));
}

Status PairTimer::connectNCCL(size_t group) {
  CAROUSEL_TRY_ASSIGN(std::string id, shareNCCLId());
  // Each rank waits for the other one.
  std::array<std::optional<Result<Comm>>, 2> made;
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    if (isHere(rank))
      threads.emplace_back([&, rank] {
        CommOptions options;
        options.rank = rank, options.size = 2, options.ncclId = id;
        options.mailboxBytes = 0;
        made[rank].emplace(Comm::connect(comms[rank]->getContext(), options));
      });
  for (std::thread &thread : threads)
    thread.join();
  Status status;
  for (int rank : {0, 1})
    if (isHere(rank) && !*made[rank])
      status = tl::make_unexpected(std::move(made[rank]->error()));
  // The two processes agree about what there is to time.
  Result<double> failed = getLargest(!status);
  if (status && !failed)
    status = tl::make_unexpected(std::move(failed.error()));
  if (status && *failed != 0)
    status = fail(ErrorCode::PeerLost,
                  "expected NCCL to connect both processes, got none");
  for (int rank : {0, 1})
    if (status && isHere(rank))
      nccl[group][rank].emplace(std::move(**made[rank]));
  return status;
}

Status PairTimer::openNCCL() {
  // The partner says it of the rank that isn't here.
  std::array<int, 2> devices = {-1, -1};
  for (int rank : {0, 1})
    if (isHere(rank))
      devices[rank] = comms[rank]->getContext().getDevice().ordinal;
  if (partner) {
    CAROUSEL_TRY_ASSIGN(auto other, partner->swap(devices));
    for (int rank : {0, 1})
      devices[rank] = std::max(devices[rank], other[rank]);
  }
  if (devices[0] == devices[1])
    return fail(ErrorCode::InvalidArgument,
                "expected a GPU of its own for each rank, got GPU {} for both",
                devices[0]);
  for (size_t group = 0; group < nccl.size(); ++group)
    CAROUSEL_TRY(connectNCCL(group));
  return {};
}
