//===- ConnectTest.cpp - who may join a group ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks that disagree, the same rank twice, other users, and other programs.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

#include "Comm/UnixSocket.h"

#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class ConnectTest : public ProcessFixture {};

TEST_F(ConnectTest, RanksDisagreeAboutTheGroup) {
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

TEST_F(ConnectTest, RanksDisagreeAboutMailboxes) {
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

TEST_F(ConnectTest, AChildThatFailsCounts) {
  auto ended = runRanks(1, [](int) -> std::string { ::_exit(3); });
  EXPECT_EQ(ended[0].problem, "it ended with status 3");
}

TEST_F(ConnectTest, TheSameRankTwice) {
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
TEST_F(ConnectTest, AnotherUserIsNotLetIn) {
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
      return "expected a listener, got none";
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

TEST_F(ConnectTest, AnotherUserHasTheName) {
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
TEST_F(ConnectTest, NobodyIsAcceptedAfterTheDeadline) {
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
TEST_F(ConnectTest, AnotherProgramOfTheUser) {
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
      return "expected a listener, got none";
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
