//===- ProcessCommTest.cpp - ranks in processes, and their ends -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Real processes, real sockets, real kills.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

#include "Comm/UnixSocket.h"

#include "carousel/Runtime/Fail.h"

#include <csignal>
#include <filesystem>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class ProcessCommTest : public testing::Test {
protected:
  void SetUp() override {
    session = makeSession();
    shared = countShared();
  }
  void TearDown() override {
    EXPECT_EQ(countSockets(), 0u);
    EXPECT_EQ(countShared(), shared);
  }

  static unsigned countShared() {
    unsigned count = 0;
    if (std::filesystem::exists("/dev/shm"))
      for (const auto &entry : std::filesystem::directory_iterator("/dev/shm"))
        count += entry.path().string().find("carousel") != std::string::npos;
    return count;
  }

  /// Runs ranks that none kills.
  void expectGood(int count, const Rank &body) {
    for (const Ended &ended : runRanks(count, body)) {
      EXPECT_EQ(ended.signal, 0);
      EXPECT_EQ(ended.problem, "");
    }
  }

  std::string session;
  unsigned shared = 0;
};

uint64_t readWord(uint64_t address) {
  return __atomic_load_n(reinterpret_cast<uint64_t *>(address),
                         __ATOMIC_SEQ_CST);
}

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
    RANK_CHECK(countThreads() == threads);
    RANK_CHECK(fake::countPhysical() == 0);
    RANK_CHECK(fake::countRanges() == 0);
    return "";
  });
}

TEST_F(ProcessCommTest, TwoRanksOfOneGPUWithManyRounds) {
  expectGood(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
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

TEST_F(ProcessCommTest, SendAndRecv) {
  expectGood(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
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
    return "";
  });
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// Rank 1 is killed while rank 0 waits for it. Rank 2 and the buffer that it
/// shares with rank 0 stay usable.
TEST_F(ProcessCommTest, AKilledPeerEndsWaitsAndNothingElse) {
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
TEST_F(ProcessCommTest, AKilledPeerWithAChild) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(comm);
    auto buffer = SymmetricBuffer::allocate(*comm, 4096);
    RANK_GOOD(buffer);
    RANK_GOOD(comm->barrier());
    if (rank == 1) {
      if (::fork() == 0) {
        // Until rank 0 is done, or the test ends.
        char byte;
        ::close(ends[1]);
        (void)!::read(ends[0], &byte, 1);
        ::_exit(0);
      }
      ::kill(::getpid(), SIGKILL);
    }
    RANK_GOOD(buffer->wait(1, 0, 1));
    Status status = comm->synchronize();
    RANK_CHECK(!status && status.error().code == ErrorCode::PeerLost);
    (void)!::write(ends[1], "x", 1);
    return "";
  });
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].signal, SIGKILL);
}

TEST_F(ProcessCommTest, AStoppedPeerIsATimeout) {
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

TEST_F(ProcessCommTest, KilledWhileItSends) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(comm);
    auto memory = Buffer::allocate(context, 1 << 20);
    RANK_GOOD(memory);
    if (rank == 1) {
      // Two parts of sixteen, as nobody receives; then the wait holds it up.
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

TEST_F(ProcessCommTest, KilledWhileRanksConnectOrAllocate) {
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

TEST_F(ProcessCommTest, ALeavingPeerHasSignalledBefore) {
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
TEST_F(ProcessCommTest, AForkedChildLeavesTheGroupAlone) {
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

//===----------------------------------------------------------------------===//
// Who may come
//===----------------------------------------------------------------------===//

TEST_F(ProcessCommTest, RanksDisagreeAboutTheGroup) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    CommOptions options = makeOptions(rank, 2 + rank, session);
    options.timeout = milliseconds(2000);
    auto comm = Comm::connect(context, options);
    RANK_CHECK(!comm);
    RANK_CHECK(comm.error().message.find(
                   "size: expected the same number of ranks everywhere") == 0);
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].problem, "");
}

TEST_F(ProcessCommTest, RanksDisagreeAboutMailboxes) {
  for (const Ended &ended : runRanks(2, [&](int rank) -> std::string {
         Context context = makeContext();
         CommOptions options = makeOptions(rank, 2, session);
         options.timeout = milliseconds(2000);
         options.mailboxBytes = 1000 + rank;
         std::string error = getError(Comm::connect(context, options));
         RANK_CHECK(error.find("mailboxBytes: expected the same on all ranks, "
                               "got 100") == 0);
         return "";
       }))
    EXPECT_EQ(ended.problem, "");
}

TEST_F(ProcessCommTest, AChildThatFailsCounts) {
  auto ended = runRanks(1, [](int) -> std::string { ::_exit(3); });
  EXPECT_EQ(ended[0].problem, "it ended with status 3");
}

TEST_F(ProcessCommTest, TheSameRankTwice) {
  int good = 0, refused = 0;
  for (const Ended &ended : runRanks(2, [&](int) -> std::string {
         Context context = makeContext();
         CommOptions options = makeOptions(0, 2, session);
         options.timeout = milliseconds(500);
         return getError(Comm::connect(context, options));
       })) {
    good += ended.problem.find("rank 0 waited for rank 1") == 0;
    refused += ended.problem.find("session: expected a name that no other "
                                  "group uses") == 0;
  }
  EXPECT_EQ(good, 1);
  EXPECT_EQ(refused, 1);
}

/// "carousel-comm-0-SESSION-0", where root's rank 0 listens.
std::string getRootsName(const std::string &session) {
  return "carousel-comm-0-" + session + "-0";
}

/// Needs the rights to become another user.
TEST_F(ProcessCommTest, AnotherUserIsNotLetIn) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root";
  auto ended = runRanks(3, [&](int rank) -> std::string {
    if (rank == 2) { // comes first, and is sent away
      RANK_CHECK(::seteuid(65534) == 0);
      for (int i = 0; i < 1000; ++i) {
        Result<std::optional<UnixSocket>> socket =
            UnixSocket::connect(getRootsName(session));
        RANK_GOOD(socket);
        if (!*socket) {
          std::this_thread::sleep_for(milliseconds(1));
          continue;
        }
        (*socket)->waitForMessage(std::chrono::steady_clock::now() +
                                  milliseconds(5000));
        RANK_CHECK(!(*socket)->receive()); // closed, without a word
        return "";
      }
      return "nobody listened";
    }
    Context context = makeContext();
    if (rank == 1)
      std::this_thread::sleep_for(milliseconds(300));
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(comm);
    return getError(SymmetricBuffer::allocate(*comm, 4096));
  });
  for (const Ended &end : ended)
    EXPECT_EQ(end.problem, "");
}

TEST_F(ProcessCommTest, AnotherUserHasTheName) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root";
  auto ended = runRanks(3, [&](int rank) -> std::string {
    if (rank == 2) {
      RANK_CHECK(::seteuid(65534) == 0);
      bool isTaken = false;
      auto listener = UnixSocket::listen(getRootsName(session), isTaken);
      RANK_GOOD(listener);
      auto guest = listener->accept(std::chrono::steady_clock::now() +
                                    milliseconds(5000));
      RANK_CHECK(guest && *guest);
      (*guest)->waitForMessage(std::chrono::steady_clock::now() +
                               milliseconds(5000));
      Result<std::optional<Packet>> got = (*guest)->receive();
      RANK_CHECK(!got); // nothing was said to it
      return "";
    }
    if (rank == 0)
      return "";
    std::this_thread::sleep_for(milliseconds(200));
    Context context = makeContext();
    return getError(Comm::connect(context, makeOptions(rank, 2, session)));
  });
  EXPECT_EQ(ended[2].problem, "");
  EXPECT_EQ(ended[1].problem.find("session: expected a process of user 0 at '"),
            0u)
      << ended[1].problem;
  EXPECT_NE(ended[1].problem.find("of user 65534"), std::string::npos);
}

/// Who connects without end can't hold up a rank beyond its timeout.
TEST_F(ProcessCommTest, NobodyIsAcceptedAfterTheDeadline) {
  bool isTaken = false;
  std::string name = getRootsName(session);
  auto listener = UnixSocket::listen(name, isTaken);
  ASSERT_TRUE(listener);
  auto guest = UnixSocket::connect(name);
  ASSERT_TRUE(guest && *guest);
  auto now = std::chrono::steady_clock::now();
  auto late = listener->accept(now);
  ASSERT_TRUE(late);
  EXPECT_FALSE(*late);
  auto accepted = listener->accept(now + milliseconds(5000));
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(*accepted);
}

/// A message of something else ends the connection, and nothing more.
TEST_F(ProcessCommTest, AnotherProgramOfTheUser) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    if (rank == 1) {
      std::string name =
          "carousel-comm-" + std::to_string(::geteuid()) + "-" + session + "-0";
      for (int i = 0; i < 1000; ++i) {
        auto socket = UnixSocket::connect(name);
        RANK_GOOD(socket);
        if (*socket) {
          RANK_GOOD((*socket)->send("GET / HTTP/1.1", 0,
                                    std::chrono::steady_clock::now()));
          std::this_thread::sleep_for(milliseconds(300));
          return "";
        }
        std::this_thread::sleep_for(milliseconds(1));
      }
      return "nobody listened";
    }
    unsigned files = countFiles();
    {
      Context context = makeContext();
      std::string error =
          getError(Comm::connect(context, makeOptions(rank, 2, session)));
      RANK_CHECK(error.find("session: expected ranks that use the same version "
                            "of this library, got another one in process ") ==
                 0);
    }
    RANK_CHECK(countFiles() == files); // not the file that came with it either
    return "";
  });
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].problem, "");
}

} // namespace
