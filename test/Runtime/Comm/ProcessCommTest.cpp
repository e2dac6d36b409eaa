//===- ProcessCommTest.cpp - ranks in processes --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts, rounds and sends between real processes. LostRanksTest.cpp kills them.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class ProcessCommTest : public ProcessFixture {};

TEST_F(ProcessCommTest, ThreeRanksExchange) {
  expectGood(3, [&](int rank) -> std::string {
    setDevices(3);
    unsigned files = countFiles(), threads = countThreads();
    unsigned inherited = countInherited();
    {
      Context context = makeContext(rank);
      auto comm = Comm::connect(context, makeOptions(rank, 3, session));
      RANK_GOOD(comm);
      auto buffer = SymmetricBuffer::allocate(*comm, 3 * 4096);
      RANK_GOOD(buffer);
      auto source = Buffer::allocate(context, 4096);
      RANK_GOOD(source);
      RANK_GOOD(source->fill(uint8_t(rank + 1)));
      for (int to = 0; to < 3; ++to)
        if (to != rank)
          RANK_GOOD(buffer->putSignal(to, rank * 4096, source->getAddress(),
                                      4095, 0, 1));
      for (int from = 0; from < 3; ++from) {
        if (from == rank)
          continue;
        RANK_GOOD(buffer->wait(from, 0, 1));
        RANK_GOOD(comm->synchronize());
        auto *part =
            reinterpret_cast<uint8_t *>(buffer->getAddress(rank)) + from * 4096;
        for (int i = 0; i < 4095; ++i)
          RANK_CHECK(part[i] == from + 1);
      }
      RANK_GOOD(comm->barrier());
      // No file descriptor of memory or of a listener stays.
      // Files: memory of the fake (2 * 3), per peer a connection and its
      // process (2 * 2), the event.
      RANK_CHECK(countFiles() == files + 6 + 4 + 1);
      RANK_CHECK(countInherited() == inherited);
    }
    RANK_CHECK(countFiles() == files);
    RANK_CHECK(waitForThreads(threads));
    RANK_CHECK(fake::countPhysical() == 0);
    RANK_CHECK(fake::countRanges() == 0);
    return "";
  });
}

/// Signals in memory of the GPU, and in memory of the host.
class HostSignalsTest : public ProcessFixture,
                        public testing::WithParamInterface<bool> {
protected:
  CommOptions makeOptions(int rank) const {
    CommOptions options = test::makeOptions(rank, 2, session);
    options.hostSignals = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(, HostSignalsTest, testing::Bool());

TEST_P(HostSignalsTest, TwoRanksOfOneGPUWithManyRounds) {
  expectGood(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank));
    RANK_GOOD(comm);
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_GOOD(buffer);
    auto source = Buffer::allocate(context, 64);
    RANK_GOOD(source);
    for (uint64_t round = 1; round <= 1000; ++round) {
      RANK_GOOD(source->fill(uint8_t(round + rank)));
      RANK_GOOD(
          buffer->putSignal(1 - rank, 0, source->getAddress(), 64, 0, round));
      RANK_GOOD(buffer->wait(1 - rank, 0, round));
      RANK_CHECK(*reinterpret_cast<uint8_t *>(buffer->getAddress(rank)) ==
                 uint8_t(round + 1 - rank));
      RANK_GOOD(buffer->signal(1 - rank, 1, round)); // it is read
      RANK_GOOD(buffer->wait(1 - rank, 1, round));
    }
    RANK_GOOD(comm->synchronize());
    return "";
  });
}

TEST_P(HostSignalsTest, SendAndRecv) {
  expectGood(2, [&](int rank) -> std::string {
    unsigned files = countFiles();
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank));
    RANK_GOOD(comm);
    size_t bytes = 1000001;
    auto memory = Buffer::allocate(context, bytes);
    RANK_GOOD(memory);
    RANK_GOOD(memory->fill(uint8_t(rank ? 0 : 0x5a)));
    if (rank == 0)
      RANK_GOOD(comm->send(1, memory->getAddress(), bytes));
    else
      RANK_GOOD(comm->recv(0, memory->getAddress(), bytes));
    RANK_GOOD(comm->synchronize());
    auto *values = reinterpret_cast<uint8_t *>(memory->getAddress());
    for (size_t i = 0; i < bytes; ++i)
      RANK_CHECK(values[i] == 0x5a);
    // Two files of the fake's memory, a connection, its process, the event.
    RANK_CHECK(countFiles() == files + 5);
    return "";
  });
}

TEST_F(ProcessCommTest, RanksDisagreeAboutSignals) {
  expectGood(2, [&](int rank) -> std::string {
    Context context = makeContext();
    CommOptions options = makeOptions(rank, 2, session);
    options.mailboxBytes = 0;
    options.hostSignals = rank == 1;
    auto comm = Comm::connect(context, options);
    RANK_GOOD(comm);
    std::string error = getError(SymmetricBuffer::allocate(*comm, 64));
    RANK_CHECK(
        error.find("hostSignals: expected the same on all ranks, got ") == 0);
    return getError(SymmetricBuffer::allocate(*comm, 64, {0}));
  });
}

} // namespace
