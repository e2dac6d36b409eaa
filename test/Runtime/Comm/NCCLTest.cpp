//===- NCCLTest.cpp - ranks that NCCL connects ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two threads, each with a rank, and a fake NCCL. Their place is the same
// machine, so that they have symmetric memory, too.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"
#include "FakeNCCL.h"

#include <array>
#include <thread>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class NCCLTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    fake::nccl::reset();
    setDevices(2);
    for (int device : {0, 1}) {
      ContextOptions options;
      options.libraries.driver = CAROUSEL_FAKE_DRIVER;
      options.libraries.nccl = CAROUSEL_FAKE_NCCL;
      options.cacheBytes = 0;
      options.device = device;
      Result<Context> made = Context::create(options);
      ASSERT_TRUE(made) << made.error().message;
      contexts.push_back(*made);
    }
    Result<std::string> made = Comm::makeNCCLId(contexts[0]);
    ASSERT_TRUE(made) << made.error().message;
    id = *made;
  }
  void TearDown() override {
    comms = {};
    contexts.clear();
    EXPECT_EQ(fake::nccl::countGroups(), 0u);
    EXPECT_EQ(fake::countAllocations(), 0u);
    EXPECT_EQ(fake::countPhysical(), 0u);
  }

  /// Runs each rank in a thread.
  void forRanks(const std::function<std::string(int)> &body) {
    std::array<std::string, 2> problems;
    std::thread other([&] { problems[1] = body(1); });
    problems[0] = body(0);
    other.join();
    EXPECT_EQ(problems[0], "");
    EXPECT_EQ(problems[1], "");
  }
  void connect(milliseconds timeout = milliseconds(10000)) {
    forRanks([&](int rank) -> std::string {
      CommOptions options = makeOptions(rank, 2, "");
      options.ncclId = id;
      options.timeout = timeout;
      Result<Comm> made = Comm::connect(contexts[rank], options);
      RANK_GOOD(made);
      comms[rank] = *made;
      return "";
    });
  }

  std::vector<Context> contexts;
  std::array<std::optional<Comm>, 2> comms;
  std::string id;
};

TransferOptions byNCCL() {
  TransferOptions options;
  options.transport = TransportKind::NCCL;
  return options;
}

TEST_F(NCCLTest, SendRecvAndSymmetricMemory) {
  connect();
  forRanks([&](int rank) -> std::string {
    auto memory = Buffer::allocate(contexts[rank], 1000);
    RANK_GOOD(memory);
    RANK_GOOD(memory->fill(uint8_t(rank ? 0 : 9)));
    if (rank == 0)
      RANK_GOOD(
          comms[0]->send(1, memory->getAddress(), 1000, nullptr, byNCCL()));
    else
      RANK_GOOD(
          comms[1]->recv(0, memory->getAddress(), 1000, nullptr, byNCCL()));
    RANK_GOOD(comms[rank]->synchronize());
    auto *values = reinterpret_cast<uint8_t *>(memory->getAddress());
    RANK_CHECK(values[0] == 9 && values[999] == 9);
    RANK_GOOD(comms[rank]->barrier());
    auto buffer = SymmetricBuffer::allocate(*comms[rank], 4096);
    RANK_GOOD(buffer);
    RANK_GOOD(buffer->signal(1 - rank, 0, 1));
    RANK_GOOD(buffer->wait(1 - rank, 0, 1));
    RANK_GOOD(comms[rank]->barrier());
    return "";
  });
}

TEST_F(NCCLTest, ASendThatNobodyReceives) {
  connect(milliseconds(100));
  auto memory = Buffer::allocate(contexts[0], 64);
  ASSERT_TRUE(memory);
  ASSERT_EQ(
      getError(comms[0]->send(1, memory->getAddress(), 64, nullptr, byNCCL())),
      "");
  Status status = comms[0]->synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::Timeout);
  std::string message = status.error().message;
  EXPECT_EQ(message.find("nccl: rank 0 waited for a send of 64 bytes by NCCL "
                         "with rank 1 (process "),
            0u)
      << message;
  EXPECT_EQ(fake::nccl::countAborts(), 1u);
  EXPECT_EQ(
      getError(comms[0]->send(1, memory->getAddress(), 64, nullptr, byNCCL())),
      "expected a group of NCCL, but a fault ended it; connect again");
}

TEST_F(NCCLTest, AFaultInTheBackground) {
  connect();
  fake::nccl::setFault(6);
  auto memory = Buffer::allocate(contexts[0], 64);
  ASSERT_TRUE(memory);
  ASSERT_TRUE(comms[0]->send(1, memory->getAddress(), 64, nullptr, byNCCL()));
  Status status = comms[0]->synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::PeerLost);
  EXPECT_NE(status.error().message.find(": remote process exited"),
            std::string::npos)
      << status.error().message;
}

TEST_F(NCCLTest, WrongUse) {
  auto local = Comm::connectLocal(contexts, makeOptions(0, 2, ""));
  ASSERT_TRUE(local);
  EXPECT_EQ(getError((*local)[0].send(1, 0, 0, nullptr, byNCCL())),
            "transport: expected a Comm with an ncclId for nccl, got one "
            "without");
  ContextOptions without;
  without.libraries.driver = CAROUSEL_FAKE_DRIVER;
  without.libraries.nccl = "/nonexistent";
  without.cacheBytes = 0;
  Result<Context> context = Context::create(without);
  ASSERT_TRUE(context);
  EXPECT_EQ(getError(Comm::makeNCCLId(*context))
                .find("no NCCL: can't load /nonexistent ("),
            0u);
  CommOptions options = makeOptions(0, 2, "");
  options.ncclId = "short";
  EXPECT_EQ(getError(Comm::connect(contexts[0], options)),
            "ncclId: expected the 128 bytes of makeNCCLId, got 5");
  options.ncclId = id;
  options.timeout = milliseconds(50);
  EXPECT_EQ(getError(Comm::connect(contexts[0], options)),
            "rank 0 waited for the other 1 ranks of a group of NCCL, longer "
            "than 50 ms");
  // The thread of NCCL gets its peer, which then finds out that rank 0 gave up.
  options.rank = 1;
  std::string error = getError(Comm::connect(contexts[1], options));
  EXPECT_EQ(error.find("nccl: rank 1 waited for what all ranks gather by NCCL"),
            0u)
      << error;
}

} // namespace
