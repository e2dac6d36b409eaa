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

#include "Cache/CacheDirectory.h"
#include "Comm/CommImpl.h"
#include "Comm/Peers.h"
#include "Comm/SymmetricImpl.h"
#include "Support/User.h"

#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
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

/// Makes this process the only user of a user namespace, with that name there.
bool enterNamespace(unsigned user) {
  std::string map =
      std::to_string(user) + " " + std::to_string(::geteuid()) + " 1\n";
  if (::unshare(CLONE_NEWUSER) != 0)
    return false;
  FileDescriptor file(::open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC));
  return ::write(file.get(), map.data(), map.size()) ==
         static_cast<ssize_t>(map.size());
}

/// Where the kernel gives all unmapped users this process's name, no rank
/// connects, and a cache isn't trusted.
TEST_F(ConnectTest, AUserThatStandsForOthers) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    if (!enterNamespace(rank == 0 ? 65534 : 1000))
      return "no namespace";
    RANK_CHECK(::geteuid() == (rank == 0 ? 65534u : 1000u));
    Context context = makeContext();
    CommOptions options = makeOptions(rank, 2, session);
    options.timeout = milliseconds(100);
    std::string error = getError(Comm::connect(context, options));
    std::string cache = getError(openOwnDirectory("/tmp", false));
    if (rank == 0) {
      RANK_CHECK(error.find("session: expected a user that the kernel tells "
                            "from others, got user 65534") == 0);
      RANK_CHECK(cache.find("isn't used: expected a user that the kernel "
                            "tells") != std::string::npos);
      RANK_CHECK(countSockets() == 0);
    } else { // one that has another name looks for rank 0
      RANK_CHECK(error.find("rank 1 waited for rank 0") == 0);
      RANK_CHECK(cache.find("tells") == std::string::npos);
    }
    return "";
  });
  for (const Ended &end : ended)
    if (end.problem == "no namespace")
      GTEST_SKIP() << "needs user namespaces";
    else
      EXPECT_EQ(end.problem, "");
}

TEST(UserTest, MapsOfAllUsers) {
  EXPECT_TRUE(mapsAllUsers("         0          0 4294967295\n"));
  EXPECT_TRUE(mapsAllUsers("0 1 1\n1 0 1\n2 2 4294967293\n"));
  EXPECT_FALSE(mapsAllUsers("0 0 4294967294\n"));
  EXPECT_FALSE(mapsAllUsers("65534 0 1\n"));
  EXPECT_FALSE(mapsAllUsers(""));
}

/// A pair of connected sockets, and the number of open files.
struct ConnectedPair {
  ConnectedPair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    here = UnixSocket(ends[0]), there.reset(ends[1]);
    files = countFiles();
  }
  /// Sends `bytes` with that many copies of a file.
  void send(std::string_view bytes, size_t copies) const {
    iovec part = {const_cast<char *>(bytes.data()), bytes.size()};
    std::vector<char> control(CMSG_SPACE(copies * sizeof(int)));
    std::vector<int> list(copies, there.get());
    msghdr message = {};
    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(copies * sizeof(int));
    std::memcpy(CMSG_DATA(header), list.data(), copies * sizeof(int));
    ASSERT_EQ(::sendmsg(there.get(), &message, 0),
              static_cast<ssize_t>(bytes.size()));
  }
  UnixSocket here;
  FileDescriptor there{-1};
  unsigned files = 0;
};

/// No file of a message stays open that nobody takes, however many came, also
/// with an empty message.
TEST(UnixSocketTest, FilesOfRefusedMessages) {
  ConnectedPair pair;
  std::string longText(UnixSocket::kMaxBytes + 1, 'x');
  for (size_t copies : {1, 2, 8, 9, 250}) {
    for (std::string_view bytes : {std::string_view(""), std::string_view("x"),
                                   std::string_view(longText)}) {
      pair.send(bytes, copies);
      auto got = pair.here.receive();
      bool isGood = bytes.size() == 1 && copies == 1;
      EXPECT_EQ(got.has_value(), isGood) << bytes.size() << " " << copies;
      EXPECT_EQ(countFiles(), pair.files + isGood) << copies;
    }
    EXPECT_EQ(countFiles(), pair.files);
  }
}

/// A lack of descriptors is no fault of the peer's.
TEST(UnixSocketTest, NoDescriptorIsFree) {
  ConnectedPair pair;
  for (size_t copies : {1, 2}) {
    pair.send("x", copies);
    rlimit old = {};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
    int next = ::dup(1);
    ::close(next);
    rlimit few = {static_cast<rlim_t>(next) + copies - 1, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    auto got = pair.here.receive();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
    EXPECT_EQ(getError(got), "expected a free file descriptor for a message's "
                             "file, got none");
    EXPECT_EQ(countFiles(), pair.files);
  }
}

/// A peer can't shorten the words that a rank reads, nor offer others.
TEST(HostWordsTest, FilesThatMayShrink) {
  fake::reset();
  Context context = makeContext();
  CurrentContext current(context.getImpl());
  std::shared_ptr<FileDescriptor> file;
  auto words = HostWords::create(context.share(), 600, file);
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_NE(::ftruncate(file->get(), 0), 0);
  EXPECT_TRUE(HostWords::import(context.share(), file->get(), 600));
  std::string wanted = "expected a sealed file of at least ";
  EXPECT_EQ(getError(HostWords::import(context.share(), file->get(), 1025)),
            wanted + "8200 bytes for signals, got another one");
  FileDescriptor plain(::memfd_create("plain", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(plain.get(), 8192), 0);
  for (int other : {plain.get(), -1, 0})
    EXPECT_EQ(getError(HostWords::import(context.share(), other, 600)),
              wanted + "4800 bytes for signals, got another one");
}

/// A rank that sends messages of calls that nobody makes is cut off, and not
/// kept in memory; the other ranks go on.
TEST_F(ConnectTest, ARankThatSendsWithoutEnd) {
  auto ended = runRanks(3, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 3, session));
    RANK_GOOD(comm);
    if (rank == 2) {
      unsigned sent = 0;
      Message message;
      message.kind = MessageKind::Allocate;
      message.file = std::make_shared<FileDescriptor>(::dup(1));
      auto deadline = std::chrono::steady_clock::now() + milliseconds(5000);
      for (message.sequence = 9; sent < 100000; ++message.sequence, ++sent)
        if (!comm->share()->link->send(0, message, deadline))
          break;
      RANK_CHECK(sent >= Peers::kMaxFiles && sent < 10000);
      RANK_CHECK(comm->getPeerState(1) == PeerState::Alive);
      RANK_GOOD(comm->share()->link->send(1, {}, deadline)); // "it is done"
      return "";
    }
    Peers &peers = *comm->share()->peers;
    if (rank == 0) {
      unsigned files = countFiles();
      while (comm->getPeerState(2) == PeerState::Alive) {
        RANK_CHECK(countFiles() <= files + Peers::kMaxFiles + 1);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      std::string error = getError(peers.requireAlive(2, "to"));
      RANK_CHECK(error.find("was cut off at ") != std::string::npos);
      RANK_CHECK(error.find(": it sent more than 4096 messages, or 64 with a "
                            "file, of calls that rank 0 didn't make") !=
                 std::string::npos);
      // The message that was one too many may still be in the reader's hands.
      for (int i = 0; i < 1000 && countFiles() > files; ++i)
        std::this_thread::sleep_for(milliseconds(2));
      RANK_CHECK(countFiles() <= files);
      Message ready;
      ready.sequence = 1;
      return getError(comm->share()->link->send(
          1, ready, std::chrono::steady_clock::now()));
    }
    RANK_GOOD(peers.receive(2, MessageKind::Barrier, 0, milliseconds(8000)));
    RANK_GOOD(peers.receive(0, MessageKind::Barrier, 1, milliseconds(8000)));
    return "";
  });
  for (const Ended &end : ended)
    EXPECT_EQ(end.problem, "");
}

/// A rank that was stopped finds the messages of all calls that ended by their
/// timeout meanwhile.
TEST(PeersTest, KeepsMessagesOfCallsThatFailed) {
  Peers peers(0, 3);
  Message plain, withFile;
  withFile.kind = MessageKind::Allocate;
  withFile.file = std::make_shared<FileDescriptor>(::dup(1));
  for (size_t i = 0; i < Peers::kMaxFiles; ++i)
    peers.deliver(1, withFile);
  for (size_t i = 0; i < Peers::kMaxMessages - Peers::kMaxFiles - 1; ++i)
    peers.deliver(1, plain);
  for (size_t i = 0; i < Peers::kMaxMessages; ++i)
    peers.deliver(2, plain);
  EXPECT_EQ(peers.getState(1), PeerState::Alive);
  EXPECT_EQ(peers.getState(2), PeerState::Alive);
  EXPECT_EQ(withFile.file.use_count(), 1 + long(Peers::kMaxFiles));
  peers.deliver(1, withFile);
  peers.deliver(2, plain);
  EXPECT_EQ(peers.getState(1), PeerState::Died);
  EXPECT_EQ(peers.getState(2), PeerState::Died);
  EXPECT_EQ(withFile.file.use_count(), 1);
}

/// Messages of most kinds have no file.
TEST_F(ConnectTest, AFileThatNobodyAskedFor) {
  auto ended = runRanks(2, [&](int rank) -> std::string {
    Context context = makeContext();
    auto comm = Comm::connect(context, makeOptions(rank, 2, session));
    RANK_GOOD(comm);
    unsigned files = countFiles();
    if (rank == 1) {
      Message message;
      message.file = std::make_shared<FileDescriptor>(::dup(1));
      RANK_GOOD(comm->share()->link->send(
          0, message, std::chrono::steady_clock::now() + milliseconds(5000)));
    }
    for (int i = 0;
         i < 5000 && comm->getPeerState(1 - rank) == PeerState::Alive; ++i)
      std::this_thread::sleep_for(milliseconds(1));
    RANK_CHECK(comm->getPeerState(1 - rank) == PeerState::Died);
    if (rank == 0) {
      std::string error = getError(comm->share()->peers->requireAlive(1, "to"));
      RANK_CHECK(error.find("it sent a message that isn't this library's") !=
                 std::string::npos);
      RANK_CHECK(countFiles() <= files);
    }
    return "";
  });
  for (const Ended &end : ended)
    EXPECT_EQ(end.problem, "");
}

} // namespace
