//===- LocalCommTest.cpp - ranks of one process ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two devices of the fake driver: buffers, puts and gets, signals,
// wrong arguments, and what stays behind.
//
//===----------------------------------------------------------------------===//

#include "LocalCommTest.h"

#include "Comm/CommImpl.h"

#include <numeric>
#include <thread>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(LocalCommTest, PutAndGetEverySizeAndOffset) {
  auto buffers = allocate(80000);
  for (size_t bytes : {1, 2, 15, 16, 17, 31, 4096, 65537})
    for (size_t offset : {0, 1, 7, 16, 4463}) {
      std::fill_n(reinterpret_cast<uint8_t *>(buffers[1].getAddress(1)), 80000,
                  uint8_t(0xa5));
      Buffer source = makeSource(0, bytes + 3, uint8_t(bytes + offset));
      ASSERT_EQ(
          getError(buffers[0].put(1, offset, source.getAddress() + 3, bytes)),
          "");
      std::vector<uint8_t> expected = makeBytes(bytes + 3, bytes + offset);
      expected.erase(expected.begin(), expected.begin() + 3);
      EXPECT_EQ(read(buffers[1].getAddress(1) + offset, bytes), expected);
      // The bytes beside it aren't written.
      auto *part = reinterpret_cast<uint8_t *>(buffers[1].getAddress(1));
      EXPECT_EQ(part[offset + bytes], 0xa5);
      if (offset > 0)
        EXPECT_EQ(part[offset - 1], 0xa5);
      Buffer target = makeSource(0, bytes, 0);
      ASSERT_EQ(getError(buffers[0].get(1, offset, target.getAddress(), bytes)),
                "");
      EXPECT_EQ(read(target.getAddress(), bytes), expected);
    }
}

TEST_F(LocalCommTest, TheBufferOutlivesAPeersOwn) {
  auto buffers = allocate(4096);
  Buffer source = makeSource(0, 16, 1);
  {
    SymmetricBuffer gone = std::move(buffers[1]);
  }
  ASSERT_EQ(getError(buffers[0].put(1, 0, source.getAddress(), 16)), "");
  EXPECT_EQ(read(buffers[0].getAddress(1), 16), makeBytes(16, 1));
  Buffer target = makeSource(0, 16, 0);
  ASSERT_EQ(getError(buffers[0].get(1, 0, target.getAddress(), 16)), "");
  EXPECT_EQ(read(target.getAddress(), 16), makeBytes(16, 1));
}

TEST_F(LocalCommTest, ThreadsAllocateTogether) {
  std::string errors[2];
  std::thread other([&] {
    auto buffer = SymmetricBuffer::allocate(comms[1], 4096);
    errors[1] = getError(buffer);
  });
  auto buffer = SymmetricBuffer::allocate(comms[0], 4096);
  errors[0] = getError(buffer);
  other.join();
  EXPECT_EQ(errors[0], "");
  EXPECT_EQ(errors[1], "");
}

TEST_F(LocalCommTest, RanksDisagreeAboutSizes) {
  std::string errors[2];
  std::thread other(
      [&] { errors[1] = getError(SymmetricBuffer::allocate(comms[1], 8192)); });
  errors[0] = getError(SymmetricBuffer::allocate(comms[0], 4096));
  other.join();
  EXPECT_EQ(errors[0], "bytes: expected the same on all ranks, got 4096 on "
                       "rank 0 and 8192 on rank 1");
  EXPECT_EQ(errors[1], "bytes: expected the same on all ranks, got 8192 on "
                       "rank 1 and 4096 on rank 0");
  EXPECT_EQ(allocate(4096).size(), 2u); // the group is in order
}

TEST_F(LocalCommTest, RanksMakeDifferentCalls) {
  std::string error;
  std::thread other([&] { error = getError(comms[1].barrier()); });
  std::string own = getError(SymmetricBuffer::allocate(comms[0], 4096));
  other.join();
  EXPECT_EQ(own.substr(0, own.find(", got")),
            "expected all ranks to make the same collective calls in the same "
            "order");
  EXPECT_NE(error.find("got a barrier (call 2) on rank 1 and an allocation of "
                       "a symmetric buffer (call 2) on rank 0"),
            std::string::npos)
      << error;
}

TEST_F(LocalCommTest, NoPeerAccess) {
  fake::setPeerAccess(0, 1, false);
  auto made = SymmetricBuffer::allocateAll(comms, 4096);
  std::string error = getError(made);
  EXPECT_EQ(error.substr(0, error.find(" (process")),
            "comm: expected peer access from GPU 0 of rank 0 to GPU 1 of rank "
            "1");
  fake::setPeerAccess(0, 1, true);
  EXPECT_EQ(allocate(4096).size(), 2u);
}

TEST_F(LocalCommTest, OutOfMemoryOnOneRank) {
  fake::failNext("cuMemCreate", CUDA_ERROR_OUT_OF_MEMORY);
  auto made = SymmetricBuffer::allocateAll(comms, 4096);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(allocate(4096).size(), 2u);
}

/// Every driver call of an allocation fails once; nothing stays behind.
TEST_F(LocalCommTest, EveryCallFails) {
  for (const char *call : {"cuMemGetAllocationGranularity", "cuMemCreate",
                           "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess",
                           "cuMemsetD8Async", "cuDeviceCanAccessPeer"}) {
    unsigned physical = fake::countPhysical(), ranges = fake::countRanges();
    fake::failNext(call, CUDA_ERROR_UNKNOWN);
    auto made = SymmetricBuffer::allocateAll(comms, 4096);
    ASSERT_FALSE(made) << call;
    EXPECT_NE(made.error().message.find(call), std::string::npos)
        << made.error().message;
    EXPECT_EQ(fake::countPhysical(), physical) << call;
    EXPECT_EQ(fake::countRanges(), ranges) << call;
  }
}

TEST_F(LocalCommTest, WrongArguments) {
  auto buffers = allocate(4096);
  SymmetricBuffer &buffer = buffers[0];
  Buffer source = makeSource(0, 4096, 1);
  uint64_t from = source.getAddress();
  EXPECT_EQ(getError(buffer.put(2, 0, from, 16)),
            "to: expected a rank of 0 to 1, got 2");
  EXPECT_EQ(getError(buffer.get(-1, 0, from, 16)),
            "from: expected a rank of 0 to 1, got -1");
  EXPECT_EQ(getError(buffer.put(1, 4097, from, 0)),
            "offset: expected at most 4096 bytes, got 4097");
  EXPECT_EQ(getError(buffer.put(1, 4090, from, 7)),
            "bytes: expected at most 6 at offset 4090 of a symmetric buffer of "
            "4096, got 7");
  EXPECT_EQ(getError(buffer.put(1, UINT64_MAX, from, 7)),
            "offset: expected at most 4096 bytes, got 18446744073709551615");
  EXPECT_EQ(getError(buffer.put(1, 0, 0x10, 7)),
            "source: expected an address of device memory, got 0x10");
  EXPECT_EQ(getError(buffer.get(1, 0, 0, 7)),
            "target: expected an address of device memory, got 0x0");
  EXPECT_EQ(getError(buffer.signal(1, 64, 1)),
            "signal: expected a number below 64, got 64");
  EXPECT_EQ(getError(buffer.wait(1, 0, uint64_t(1) << 62)),
            "value: expected a number below 2^62, got 4611686018427387904");
  EXPECT_EQ(getError(buffer.putSignal(1, 0, from, 16, 64, 1)),
            "signal: expected a number below 64, got 64");
  TransferOptions nccl;
  nccl.transport = TransportKind::NCCL;
  EXPECT_EQ(getError(buffer.put(1, 0, from, 16, nullptr, nccl)),
            "transport: expected one that puts and gets, got nccl, which sends "
            "and receives only");
  EXPECT_EQ(getError(comms[0].send(0, from, 16)),
            "to: expected another rank, got rank 0 itself");
  EXPECT_EQ(getError(SymmetricBuffer::allocateAll({comms[1], comms[0]}, 16)),
            "comms: expected all ranks of a group in their order, got rank 1 "
            "of 2 at 0 of 2");
  EXPECT_EQ(getError(SymmetricBuffer::allocateAll(comms, 0)),
            "bytes: expected 1 to 2^46 bytes, got 0");
  EXPECT_EQ(buffer.getAddress(2), 0u);
  EXPECT_EQ(buffer.getSignalAddress(0, 1, 64), 0u);
}

TEST_F(LocalCommTest, WrongOptions) {
  CommOptions options;
  options.session = "a/b";
  EXPECT_EQ(getError(Comm::connect(contexts[0], options)),
            "session: expected 1 to 64 of A-Z a-z 0-9 . _ -, got 'a/b'");
  options.session = "x";
  options.rank = 1;
  EXPECT_EQ(getError(Comm::connect(contexts[0], options)),
            "rank: expected a rank of 0 to 0, got 1");
  options.timeout = milliseconds(0);
  EXPECT_EQ(getError(Comm::connectLocal(contexts, options)),
            "timeout: expected at least 1 ms, got 0 ms");
  options.timeout = milliseconds::max();
  EXPECT_EQ(getError(Comm::connectLocal(contexts, options)),
            "timeout: expected at most 2^40 ms, got 9223372036854775807 ms");
  options.timeout = milliseconds(1000);
  options.mailboxBytes = (uint64_t(1) << 62) + 1; // 4 of it wrap to 4
  EXPECT_EQ(getError(Comm::connectLocal(contexts, options)),
            "mailboxBytes: expected at most 2^34 bytes, got "
            "4611686018427387905");
  EXPECT_EQ(getError(Comm::connectLocal({})),
            "size: expected 1 to 1024 ranks, got 0");
}

//===----------------------------------------------------------------------===//
// Memory of others
//===----------------------------------------------------------------------===//

TEST_F(LocalCommTest, AdoptedMemory) {
  auto owner = allocate(8192); // stands for PyTorch's or NCCL's
  std::vector<uint64_t> parts = {owner[0].getAddress(0),
                                 owner[0].getAddress(1)};
  std::vector<uint64_t> counters = {parts[0] + 4096, parts[1] + 4096};
  std::fill_n(reinterpret_cast<char *>(counters[0]), 4096, 0);
  std::fill_n(reinterpret_cast<char *>(counters[1]), 4096, 0);
  auto first = SymmetricBuffer::adopt(comms[0], parts, 4096, counters);
  auto second = SymmetricBuffer::adopt(comms[1], parts, 4096, counters);
  ASSERT_EQ(getError(first), "");
  ASSERT_EQ(getError(second), "");
  Buffer source = makeSource(0, 100, 9);
  ASSERT_EQ(getError(first->putSignal(1, 5, source.getAddress(), 100, 3, 1)),
            "");
  ASSERT_EQ(getError(second->wait(0, 3, 1)), "");
  EXPECT_EQ(getError(comms[1].synchronize()), "");
  EXPECT_EQ(read(parts[1] + 5, 100), makeBytes(100, 9));
  EXPECT_EQ(getError(first->put(1, 4000, source.getAddress(), 100)),
            "bytes: expected at most 96 at offset 4000 of a symmetric buffer "
            "of 4096, got 100");

  EXPECT_EQ(getError(SymmetricBuffer::adopt(comms[0], {parts[0]}, 4096)),
            "addresses: expected an address for each of 2 ranks, got 1");
  EXPECT_EQ(
      getError(SymmetricBuffer::adopt(comms[0], {parts[0], parts[0]}, 4096)),
      "addresses[1]: expected memory of its own for each rank, got that of "
      "rank 0: the buffer isn't symmetric");
  EXPECT_EQ(getError(SymmetricBuffer::adopt(comms[0], {parts[0], 0}, 4096)),
            "addresses[1]: expected an address of device memory, got 0x0");
  std::string error = getError(SymmetricBuffer::adopt(
      comms[0], parts, 4096, {counters[0], counters[1] + 4}));
  EXPECT_EQ(error.substr(0, error.find("got")),
            "signals[1]: expected a multiple of 8 bytes, ");
  auto without = SymmetricBuffer::adopt(comms[0], parts, 4096);
  ASSERT_TRUE(without);
  EXPECT_EQ(getError(without->signal(1, 0, 1)),
            "signal: expected a number below 0, got 0");
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

TEST_F(LocalCommTest, PutSignalThenWait) {
  auto buffers = allocate(4096);
  Buffer source = makeSource(0, 4096, 1);
  unsigned memory = fake::countHostAllocations();
  for (uint64_t round = 1; round <= 10000; ++round) {
    ASSERT_TRUE(buffers[0].putSignal(1, 0, source.getAddress(), 16, 5, round));
    ASSERT_TRUE(buffers[1].wait(0, 5, round));
  }
  EXPECT_EQ(getError(comms[1].synchronize()), "");
  EXPECT_EQ(fake::countHostAllocations(), memory + 1); // slots are used again
}

TEST_F(LocalCommTest, ExactWaitAndReset) {
  auto buffers = allocate(64);
  ASSERT_TRUE(buffers[0].signal(1, 0, 1));
  WaitOptions options;
  options.isEqual = options.reset = true;
  ASSERT_EQ(getError(buffers[1].wait(0, 0, 1, nullptr, options)), "");
  auto *counter =
      reinterpret_cast<uint64_t *>(buffers[1].getSignalAddress(1, 0, 0));
  EXPECT_EQ(*counter, 0u);
}

TEST_F(LocalCommTest, ATimeoutSaysWhoWhatAndSinceWhen) {
  auto buffers = allocate(64);
  ASSERT_TRUE(buffers[0].signal(1, 3, 5));
  WaitOptions options;
  options.timeout = milliseconds(50);
  auto start = std::chrono::steady_clock::now();
  // The fake's stream holds up this thread until the wait is ended.
  ASSERT_EQ(getError(buffers[1].wait(0, 3, 7, nullptr, options)), "");
  auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, milliseconds(50));
  EXPECT_LT(took, milliseconds(5000));
  Status status = comms[1].synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::Timeout);
  std::string pattern = "wait: rank 1 waited for signal 3 of rank 0 \\(process "
                        "[0-9]+\\) to be at least 7 since "
                        "....-..-..T..:..:..\\....Z, longer than 50 ms; it is "
                        "5";
  EXPECT_TRUE(testing::internal::RE::FullMatch(
      status.error().message, testing::internal::RE(pattern.c_str())))
      << status.error().message;
  // Once, and the group goes on.
  EXPECT_EQ(getError(comms[1].synchronize()), "");
  ASSERT_TRUE(buffers[0].signal(1, 3, 7));
  ASSERT_TRUE(buffers[1].wait(0, 3, 7));
  EXPECT_EQ(getError(comms[1].check()), "");
}

TEST_F(LocalCommTest, FaultsBelongToStreams) {
  auto buffers = allocate(64);
  CUstream one = fake::makeStream(), two = fake::makeStream();
  WaitOptions options;
  options.timeout = milliseconds(20);
  ASSERT_TRUE(buffers[1].wait(0, 0, 1, one, options));
  EXPECT_EQ(getError(comms[1].synchronize(two)), "");
  EXPECT_NE(getError(comms[1].synchronize(one)), "");
  ASSERT_TRUE(buffers[1].wait(0, 1, 1, one, options));
  EXPECT_NE(getError(comms[1].check()), "");
}

TEST_F(LocalCommTest, ARankThatLeft) {
  auto buffers = allocate(64);
  ASSERT_TRUE(buffers[1].signal(0, 0, 3));
  buffers.pop_back();
  comms.pop_back();
  EXPECT_EQ(comms[0].getPeerState(1), PeerState::Left);
  Buffer source = makeSource(0, 16, 1);
  std::string error = getError(buffers[0].put(1, 0, source.getAddress(), 16));
  EXPECT_EQ(error.substr(0, error.find(" (process")),
            "to: expected a rank that is there, but rank 1");
  EXPECT_NE(error.find("left at"), std::string::npos) << error;
  // It signalled before.
  ASSERT_TRUE(buffers[0].wait(1, 0, 3));
  EXPECT_EQ(getError(comms[0].synchronize()), "");
  // It won't signal again.
  ASSERT_TRUE(buffers[0].wait(1, 0, 4));
  Status status = comms[0].synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::PeerLost);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST_F(LocalCommTest, CapturedWaitsAreWatchedInEachReplay) {
  connect(milliseconds(100));
  auto buffers = allocate(64);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  WaitOptions handshake;
  handshake.isEqual = handshake.reset = true;
  ASSERT_EQ(getError(buffers[1].wait(0, 0, 1, stream, handshake)), "");
  ASSERT_EQ(getError(buffers[1].signal(0, 1, 1, stream)), "");
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  for (int replay = 0; replay < 3; ++replay) {
    ASSERT_TRUE(buffers[0].signal(1, 0, 1));
    fake::replayMemoryOperations();
    ASSERT_TRUE(buffers[0].wait(1, 1, 1, nullptr, handshake));
    EXPECT_EQ(getError(comms[1].check()), "");
  }
  fake::replayMemoryOperations(); // without a signal
  Status status = comms[1].check();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::Timeout);
  fake::replayMemoryOperations();
  EXPECT_FALSE(comms[1].check()); // each replay has its own bound
  // It is watched until the graph is gone, or the buffer.
  EXPECT_TRUE(comms[1].share()->waits.tick());
  fake::destroyGraphs();
  EXPECT_FALSE(comms[1].share()->waits.tick());
}

/// The resources of a graph that is gone are used again.
TEST_F(LocalCommTest, CapturedWaitsEndWithTheirGraph) {
  auto buffers = allocate(64);
  CUstream stream = fake::makeStream();
  unsigned memory = fake::countHostAllocations();
  for (int capture = 0; capture < 3000; ++capture) {
    fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    ASSERT_EQ(getError(buffers[1].wait(0, 0, 1, stream)), "");
    fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
    fake::destroyGraphs();
  }
  EXPECT_FALSE(comms[1].share()->waits.tick());
  EXPECT_LE(fake::countHostAllocations(), memory + 1);
  // Where the graph takes nothing, there is no wait.
  for (const char *call : {"cuUserObjectCreate", "cuGraphRetainUserObject"}) {
    fake::failNext(call, CUDA_ERROR_OUT_OF_MEMORY);
    fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_NE(getError(buffers[1].wait(0, 0, 1, stream)).find(call),
              std::string::npos);
    fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  }
  EXPECT_FALSE(comms[1].share()->waits.tick());
  // Without an end of the graph, a wait is watched until the buffer is gone.
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(getError(buffers[1].wait(0, 0, 1, stream)), "");
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_TRUE(comms[1].share()->waits.tick());
  buffers.clear();
  EXPECT_FALSE(comms[1].share()->waits.tick());
}

} // namespace
