//===- CheckGroups.cpp - exchanges of many ranks -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring, in which each rank passes on what it receives until all have all, and
// an exchange of each rank with each other one. Ranks are processes with a GPU
// each, or threads of one process with several GPUs.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <cstring>

using namespace carousel::comm_device;

namespace {

/// One rank, wherever it runs. Ranks that are threads share a context on one
/// GPU, so a rank must not wait for the context, as memory that is freed and
/// kernels that are loaded do, nor for its stream, while another rank has yet
/// to put.
struct Member {
  const Context &context;
  const Comm &comm;
  const SymmetricBuffer &buffer;
  Stream stream;
  Buffer &scratch; ///< of twice the part's bytes

  int getRank() const { return comm.getRank(); }
  int getSize() const { return comm.getSize(); }
  uint64_t getScratch(uint64_t at = 0) const {
    return scratch.getAddress() + at;
  }
};

constexpr TransportKind kKinds[] = {TransportKind::CopyEngine,
                                    TransportKind::TMA, TransportKind::Auto};

/// Sets all bytes of this rank's part.
std::string fillPart(const Member &member, uint64_t bytes) {
  GOOD(member.scratch.fill(0xa5, member.stream));
  GOOD(member.buffer.put(member.getRank(), 0, member.getScratch(), bytes,
                         member.stream));
  GOOD(member.comm.synchronize(member.stream));
  return "";
}

/// When all ranks have put.
std::string readPart(const Member &member, std::vector<uint8_t> &got) {
  GOOD(member.comm.barrier());
  uint64_t at = member.buffer.getBytes();
  GOOD(member.buffer.get(member.getRank(), 0, member.getScratch(at), got.size(),
                         member.stream));
  GOOD(member.scratch.download(got.data(), got.size(), at, member.stream));
  GOOD(member.comm.synchronize(member.stream));
  return "";
}

//===----------------------------------------------------------------------===//
// A ring
//===----------------------------------------------------------------------===//

constexpr uint64_t kRingBlock = (uint64_t(1) << 20) + 48;

std::string runRing(const Member &member) {
  int rank = member.getRank(), size = member.getSize();
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  uint64_t bytes = kRingBlock * uint64_t(size), value = 0, round = 0;
  for (TransportKind kind : kKinds)
    for (int repeat = 0; repeat < 3; ++repeat, ++round) {
      TransferOptions options;
      options.transport = kind;
      auto getWords = [&](int of) {
        return makeWords(kRingBlock, round * 1000 + uint64_t(of) + 1);
      };
      if (std::string problem = fillPart(member, bytes); !problem.empty())
        return problem;
      auto words = getWords(rank);
      GOOD(member.scratch.upload(words.data(), kRingBlock, 0, member.stream));
      GOOD(member.buffer.put(rank, uint64_t(rank) * kRingBlock,
                             member.getScratch(), kRingBlock, member.stream,
                             options));
      GOOD(member.comm.synchronize(member.stream));
      GOOD(member.comm.barrier());
      for (int step = 0; step + 1 < size; ++step) {
        uint64_t block = uint64_t((rank + size - step) % size);
        if (step > 0)
          GOOD(member.buffer.wait(previous, 0, value + uint64_t(step),
                                  member.stream));
        GOOD(member.buffer.putSignal(
            next, block * kRingBlock,
            member.buffer.getAddress(rank) + block * kRingBlock, kRingBlock, 0,
            value + uint64_t(step) + 1, member.stream, options));
      }
      value += uint64_t(size) - 1;
      GOOD(member.buffer.wait(previous, 0, value, member.stream));
      std::vector<uint8_t> got(bytes);
      if (std::string problem = readPart(member, got); !problem.empty())
        return problem;
      for (int of = 0; of < size; ++of)
        if (auto expected = getWords(of);
            std::memcmp(got.data() + uint64_t(of) * kRingBlock, expected.data(),
                        kRingBlock) != 0)
          return std::string("by ") + toString(kind) + ", round " +
                 std::to_string(round) + ": block of rank " +
                 std::to_string(of);
      GOOD(member.comm.barrier());
    }
  setNote(std::to_string(size) + " ranks, " + std::to_string(round) +
          " rounds");
  return "";
}

//===----------------------------------------------------------------------===//
// All pairs
//===----------------------------------------------------------------------===//

constexpr uint64_t kPlace = (uint64_t(1) << 20) + 64;

std::string runAllPairs(const Member &member) {
  int rank = member.getRank(), size = member.getSize();
  uint64_t bytes = kPlace * uint64_t(size), round = 0;
  for (TransportKind kind : kKinds)
    for (uint64_t shift : {0, 16, 5}) {
      ++round;
      TransferOptions options;
      options.transport = kind;
      auto getWords = [&](int from, int to) {
        return makeWords(kPlace,
                         round * 10000 + uint64_t(from) * 100 + uint64_t(to));
      };
      auto countBytes = [](int from, int to) {
        return kPlace - 64 - uint64_t(7 * from + to);
      };
      // Loads the kernels.
      for (uint64_t from : {0, 5})
        GOOD(member.buffer.put(rank, 0, member.getScratch(from), 4096,
                               member.stream, options));
      if (std::string problem = fillPart(member, bytes); !problem.empty())
        return problem;
      for (int to = 0; to < size; ++to) {
        auto words = getWords(rank, to);
        GOOD(member.scratch.upload(words.data(), kPlace, uint64_t(to) * kPlace,
                                   member.stream));
        GOOD(member.comm.synchronize(member.stream)); // `words` ends here
      }
      GOOD(member.comm.barrier());
      for (int to = 0; to < size; ++to)
        if (to != rank)
          GOOD(member.buffer.putSignal(to, uint64_t(rank) * kPlace + shift,
                                       member.getScratch(uint64_t(to) * kPlace),
                                       countBytes(rank, to), 1, round,
                                       member.stream, options));
      for (int from = 0; from < size; ++from)
        if (from != rank)
          GOOD(member.buffer.wait(from, 1, round, member.stream));
      std::vector<uint8_t> got(bytes);
      if (std::string problem = readPart(member, got); !problem.empty())
        return problem;
      for (int from = 0; from < size; ++from) {
        if (from == rank)
          continue;
        auto words = getWords(from, rank);
        std::vector<uint8_t> place(got.begin() + uint64_t(from) * kPlace,
                                   got.begin() + (uint64_t(from) + 1) * kPlace);
        std::string problem =
            compare(place, shift, reinterpret_cast<uint8_t *>(words.data()),
                    countBytes(from, rank));
        if (!problem.empty())
          return std::string("by ") + toString(kind) + ", from rank " +
                 std::to_string(from) + ": " + problem;
      }
      GOOD(member.comm.barrier());
    }
  setNote(std::to_string(size) + " ranks, " + std::to_string(round) +
          " rounds");
  return "";
}

//===----------------------------------------------------------------------===//
// Processes and threads
//===----------------------------------------------------------------------===//

using Body = std::string (*)(const Member &);

std::string runProcess(int rank, uint64_t place, Body body) {
  int size = countRanks();
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, size);
  GOOD(comm);
  auto buffer = SymmetricBuffer::allocate(*comm, place * uint64_t(size));
  GOOD(buffer);
  auto stream = makeStream(*context);
  GOOD(stream);
  auto scratch = Buffer::allocate(*context, 2 * place * uint64_t(size));
  GOOD(scratch);
  return body({*context, *comm, *buffer, *stream, *scratch});
}

std::string runThreads(uint64_t place, Body body) {
  LocalRanks ranks;
  int size = countRanks();
  if (std::string problem =
          ranks.open(size, place * uint64_t(size), milliseconds(20000));
      !problem.empty())
    return problem;
  std::vector<Buffer> scratches;
  for (int rank = 0; rank < size; ++rank) {
    auto scratch =
        Buffer::allocate(ranks.contexts[rank], 2 * place * uint64_t(size));
    GOOD(scratch);
    scratches.push_back(std::move(*scratch));
  }
  return ranks.forRanks([&](int rank) {
    return body({ranks.contexts[rank], ranks.comms[rank], ranks.buffers[rank],
                 ranks.streams[rank], scratches[rank]});
  });
}

} // namespace

std::string carousel::comm_device::checkRing(int rank) {
  return runProcess(rank, kRingBlock, runRing);
}
std::string carousel::comm_device::checkLocalRing(int) {
  return runThreads(kRingBlock, runRing);
}
std::string carousel::comm_device::checkAllPairs(int rank) {
  return runProcess(rank, kPlace, runAllPairs);
}
std::string carousel::comm_device::checkLocalAllPairs(int) {
  return runThreads(kPlace, runAllPairs);
}
