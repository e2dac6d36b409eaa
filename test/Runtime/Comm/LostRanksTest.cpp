//===- LostRanksTest.cpp - ranks that end --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Real processes, real sockets, real kills: who waits for a rank that is gone
// learns it, and all others go on.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

#include "carousel/Runtime/Module.h"

#include "carousel/Runtime/Fail.h"

#include <csignal>
#include <functional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class LostRanksTest : public ProcessFixture {
protected:
  void expectLost(
      bool hostSignals, const std::function<void()> &prepare,
      const std::function<std::string(const Context &, SymmetricBuffer &)>
          &wait,
      const std::function<void()> &finish = [] {});
};

uint64_t readWord(uint64_t address) {
  return __atomic_load_n(reinterpret_cast<uint64_t *>(address),
                         __ATOMIC_SEQ_CST);
}

/// Rank 1 is killed after `prepare`. Rank 0's `wait` for it is good, and then
/// its stream has lost the peer, and calls `finish`.
void LostRanksTest::expectLost(
    bool hostSignals, const std::function<void()> &prepare,
    const std::function<std::string(const Context &, SymmetricBuffer &)> &wait,
    const std::function<void()> &finish) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    CommOptions options = makeOptions(rank, 2, session);
    options.hostSignals = hostSignals;
    auto comm = Comm::connect(context, options);
    RANK_GOOD(comm);
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_GOOD(buffer);
    RANK_GOOD(comm->barrier());
    if (rank == 1) {
      prepare();
      ::kill(::getpid(), SIGKILL);
    }
    std::string error = wait(context, *buffer);
    RANK_CHECK(error.empty());
    Status status = comm->synchronize();
    finish();
    RANK_CHECK(!status && status.error().code == ErrorCode::PeerLost);
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].signal, SIGKILL);
}

/// Rank 1 is killed while rank 0 waits for it. Rank 2 and the buffer that it
/// shares with rank 0 stay usable.
TEST_F(LostRanksTest, AKilledPeerEndsWaitsAndNothingElse) {
  auto ended = runRanks(3, [&](int rank) -> std::string {
    setDevices(3);
    Context context = makeContext(rank);
    auto comm = Comm::connect(context, makeOptions(rank, 3, session));
    RANK_GOOD(comm);
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_GOOD(buffer);
    RANK_GOOD(comm->barrier());
    if (rank == 1) {
      auto source = Buffer::allocate(context, 4096);
      RANK_GOOD(buffer->put(0, 0, source->getAddress(), 2048));
      ::kill(::getpid(), SIGKILL);
    }
    if (rank == 0) {
      auto start = std::chrono::steady_clock::now();
      RANK_GOOD(buffer->wait(1, 0, 1));
      RANK_CHECK(std::chrono::steady_clock::now() - start < milliseconds(2000));
      Status status = comm->synchronize();
      RANK_CHECK(!status);
      RANK_CHECK(status.error().code == ErrorCode::PeerLost);
      const std::string &text = status.error().message;
      RANK_CHECK(text.find("wait: rank 0 waited for signal 0 of rank 1 "
                           "(process ") == 0);
      RANK_CHECK(text.find("died at") != std::string::npos);
      RANK_CHECK(comm->getPeerState(1) == PeerState::Died);
      RANK_CHECK(comm->getPeerState(2) == PeerState::Alive);
      auto source = Buffer::allocate(context, 16);
      RANK_GOOD(source);
      Status put = buffer->put(1, 0, source->getAddress(), 16);
      RANK_CHECK(!put && put.error().code == ErrorCode::PeerLost);
      // Its memory is still mapped, and so is that of the others.
      (void)readWord(buffer->getAddress(1));
      RANK_GOOD(source->fill(7));
      RANK_GOOD(buffer->putSignal(2, 0, source->getAddress(), 16, 0, 1));
      RANK_GOOD(buffer->wait(2, 0, 1));
      RANK_GOOD(comm->synchronize());
      // A new collective call can't succeed.
      auto other = SymmetricBuffer::allocate(*comm, 4096);
      RANK_CHECK(!other && other.error().code == ErrorCode::PeerLost);
    }
    if (rank == 2) {
      RANK_GOOD(buffer->wait(0, 0, 1));
      RANK_CHECK(readWord(buffer->getAddress(2)) == 0x0707070707070707);
      RANK_GOOD(buffer->signal(0, 0, 1));
      RANK_GOOD(comm->synchronize());
    }
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].signal, SIGKILL);
  EXPECT_EQ(ended[2].problem, "");
}

/// A child of the killed rank keeps its connections open.
TEST_F(LostRanksTest, AKilledPeerWithAChild) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  expectLost(
      /*hostSignals=*/false,
      [&] {
        if (::fork() == 0) {
          // Until rank 0 is done, or the test ends.
          char byte;
          ::close(ends[1]);
          (void)!::read(ends[0], &byte, 1);
          ::_exit(0);
        }
      },
      [](const Context &, SymmetricBuffer &buffer) -> std::string {
        return getError(buffer.wait(1, 0, 1));
      },
      [&] { (void)!::write(ends[1], "x", 1); });
  ::close(ends[0]);
  ::close(ends[1]);
}

/// A call of the driver that waits for the stream that waits for the peer, and
/// lets no other call through.
TEST_F(LostRanksTest, AKilledPeerWhileAModuleIsLoaded) {
  expectLost(
      /*hostSignals=*/true,
      [] { std::this_thread::sleep_for(milliseconds(200)); },
      [](const Context &context, SymmetricBuffer &buffer) -> std::string {
        fake::setBlocking(true);
        std::string loaded = "not yet";
        std::thread loading([&] {
          std::this_thread::sleep_for(milliseconds(50));
          CompiledCode code;
          code.bytes = std::string("FAKECUBIN\0", 10);
          loaded = getError(Module::load(context, code));
        });
        std::string error = getError(buffer.wait(1, 0, 1));
        loading.join();
        return error + loaded;
      });
}

TEST_F(LostRanksTest, AStoppedPeerIsATimeout) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    CommOptions options = makeOptions(rank, 2, session);
    auto comm = Comm::connect(context, options);
    RANK_GOOD(comm);
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_GOOD(buffer);
    RANK_GOOD(comm->barrier());
    if (rank == 1) {
      std::this_thread::sleep_for(milliseconds(400));
      return "";
    }
    WaitOptions wait;
    wait.timeout = milliseconds(100);
    RANK_GOOD(buffer->wait(1, 9, 1, nullptr, wait));
    Status status = comm->synchronize();
    RANK_CHECK(!status && status.error().code == ErrorCode::Timeout);
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].problem, "");
}

TEST_F(LostRanksTest, KilledWhileItSends) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(comm);
    auto memory = Buffer::allocate(context, 1 << 20);
    RANK_GOOD(memory);
    if (rank == 1) {
      // Two parts of sixteen fill the slots: there is no recv to empty them.
      std::thread([] {
        std::this_thread::sleep_for(milliseconds(100));
        ::kill(::getpid(), SIGKILL);
      }).detach();
      (void)comm->send(0, memory->getAddress(), 1 << 20);
      return "it was not killed";
    }
    std::this_thread::sleep_for(milliseconds(300));
    RANK_GOOD(comm->recv(1, memory->getAddress(), 1 << 20));
    Status status = comm->synchronize();
    RANK_CHECK(!status && status.error().code == ErrorCode::PeerLost);
    RANK_CHECK(status.error().message.find(
                   "recv: rank 0 waited for 1048576 bytes of rank 1") == 0);
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].signal, SIGKILL);
}

TEST_F(LostRanksTest, KilledWhileRanksConnectOrAllocate) {
  // Rank 1 never comes.
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    CommOptions options = makeOptions(rank, 2, session);
    options.timeout = milliseconds(200);
    if (rank == 1)
      ::kill(::getpid(), SIGKILL);
    auto comm = Comm::connect(context, options);
    RANK_CHECK(!comm && comm.error().code == ErrorCode::Timeout);
    RANK_CHECK(comm.error().message.find("rank 0 waited for rank 1 of session "
                                         "'") == 0);
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
  // It comes, and ends before it allocates.
  ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(comm);
    if (rank == 1)
      ::kill(::getpid(), SIGKILL);
    unsigned physical = fake::countPhysical();
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_CHECK(!buffer && buffer.error().code == ErrorCode::PeerLost);
    RANK_CHECK(fake::countPhysical() == physical);
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
}

TEST_F(LostRanksTest, ALeavingPeerHasSignalledBefore) {
  expectGood(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(comm);
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_GOOD(buffer);
    if (rank == 1) {
      RANK_GOOD(buffer->signal(0, 0, 1));
      return "";
    }
    while (comm->getPeerState(1) == PeerState::Alive)
      std::this_thread::sleep_for(milliseconds(1));
    RANK_CHECK(comm->getPeerState(1) == PeerState::Left);
    RANK_GOOD(buffer->wait(1, 0, 1));
    RANK_GOOD(comm->synchronize());
    return "";
  });
}

/// A child that a rank forks can do nothing with the group, and takes nothing
/// from it.
TEST_F(LostRanksTest, AForkedChildLeavesTheGroupAlone) {
  expectGood(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto made = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(made);
    std::optional<Comm> comm = *made;
    made = fail(ErrorCode::NotFound, "moved");
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_GOOD(buffer);
    auto memory = Buffer::allocate(context, 64);
    RANK_GOOD(memory);
    if (rank == 1) {
      pid_t child = ::fork();
      if (child == 0) {
        auto isLost = [](const Status &status) {
          return !status && status.error().code == ErrorCode::ContextLost;
        };
        bool isGood = isLost(buffer->put(0, 0, memory->getAddress(), 8)) &&
                      isLost(buffer->get(0, 0, memory->getAddress(), 8)) &&
                      isLost(buffer->putAdd(0, 0, memory->getAddress(), 8,
                                            ElementType::F32)) &&
                      isLost(buffer->signal(0, 0, 1)) &&
                      isLost(buffer->wait(0, 0, 1)) &&
                      isLost(comm->send(0, memory->getAddress(), 8)) &&
                      isLost(comm->recv(0, memory->getAddress(), 8)) &&
                      isLost(comm->barrier()) && isLost(comm->check()) &&
                      isLost(comm->synchronize()) &&
                      !SymmetricBuffer::allocate(*comm, 8) &&
                      !Comm::connect(context, makeOptions(0, 2, "x"));
        {
          SymmetricBuffer gone = std::move(*buffer);
        }
        comm.reset();
        ::_exit(isGood ? 0 : 1);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      RANK_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    RANK_GOOD(comm->barrier());
    std::this_thread::sleep_for(milliseconds(20));
    RANK_CHECK(comm->getPeerState(1 - rank) == PeerState::Alive);
    RANK_GOOD(buffer->signal(1 - rank, 0, 1));
    RANK_GOOD(buffer->wait(1 - rank, 0, 1));
    RANK_GOOD(comm->synchronize());
    return getError(comm->barrier());
  });
}

} // namespace
