//===- SendRecvTest.cpp - two-sided copies --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages between ranks of one process: in parts, in several streams, of other
// bytes than expected, and after a failed one.
//
//===----------------------------------------------------------------------===//

#include "LocalCommTest.h"

#include <thread>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

using SendRecvTest = LocalCommTest;

TEST_F(SendRecvTest, SendAndRecvInParts) {
  for (size_t bytes : {0, 1, 65535, 65536, 65537, 300001}) {
    Buffer source = makeSource(0, bytes, 3), target = makeSource(1, bytes, 0);
    std::string error;
    std::thread sender([&] {
      error = getError(comms[0].send(1, source.getAddress(), bytes));
    });
    EXPECT_EQ(getError(comms[1].recv(0, target.getAddress(), bytes)), "");
    sender.join();
    EXPECT_EQ(error, "");
    EXPECT_EQ(read(target.getAddress(), bytes), makeBytes(bytes, 3)) << bytes;
  }
  EXPECT_EQ(getError(comms[0].check()), "");
  EXPECT_EQ(getError(comms[1].check()), "");
}

/// A message in another stream waits for the one before it; a captured one
/// doesn't, and isn't waited for.
TEST_F(SendRecvTest, MessagesInSeveralStreams) {
  Buffer source = makeSource(0, 64, 3), target = makeSource(1, 64, 0);
  CUstream streams[] = {fake::makeStream(), fake::makeStream()};
  auto exchange = [&](CUstream stream) {
    ASSERT_EQ(getError(comms[0].send(1, source.getAddress(), 64, stream)), "");
    ASSERT_EQ(getError(comms[1].recv(0, target.getAddress(), 64, stream)), "");
  };
  unsigned waits = fake::countCalls("cuStreamWaitEvent");
  exchange(streams[0]);
  EXPECT_EQ(fake::countCalls("cuStreamWaitEvent"), waits);
  exchange(streams[1]);
  EXPECT_EQ(fake::countCalls("cuStreamWaitEvent"), waits + 2);
  unsigned records = fake::countCalls("cuEventRecord");
  fake::setCapturing(streams[0], CU_STREAM_CAPTURE_STATUS_ACTIVE);
  exchange(streams[0]);
  fake::setCapturing(streams[0], CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(fake::countCalls("cuStreamWaitEvent"), waits + 2);
  EXPECT_EQ(fake::countCalls("cuEventRecord"), records);
}

TEST_F(SendRecvTest, RecvOfOtherBytes) {
  connect(milliseconds(100));
  Buffer source = makeSource(0, 128, 3), target = makeSource(1, 128, 0);
  ASSERT_EQ(getError(comms[0].send(1, source.getAddress(), 128)), "");
  ASSERT_EQ(getError(comms[1].recv(0, target.getAddress(), 64)), "");
  Status status = comms[1].synchronize();
  ASSERT_FALSE(status);
  std::string message = status.error().message;
  EXPECT_EQ(message.substr(0, message.find(" (process")),
            "recv: bytes: expected the 64 bytes of the recv on rank 1, got a "
            "send of 128 bytes on rank 0");
  EXPECT_EQ(getError(comms[1].recv(0, target.getAddress(), 64)),
            "from: expected mailboxes in order, but a send or recv with rank 0 "
            "ended by a fault; connect again");
}

TEST_F(SendRecvTest, ARefusedSendLeavesTheMailboxesInOrder) {
  Buffer source = makeSource(0, 64, 3), target = makeSource(1, 64, 0);
  TransferOptions options;
  options.ctas = -1;
  EXPECT_EQ(
      getError(comms[0].send(1, source.getAddress(), 64, nullptr, options)),
      "ctas: expected at least 0, got -1");
  ASSERT_EQ(getError(comms[0].send(1, source.getAddress(), 64)), "");
  ASSERT_EQ(getError(comms[1].recv(0, target.getAddress(), 64)), "");
  EXPECT_EQ(read(target.getAddress(), 64), makeBytes(64, 3));
  EXPECT_EQ(getError(comms[0].synchronize()), "");
  // A step after the wait fails.
  fake::failNext("cuMemcpyDtoDAsync", CUDA_ERROR_UNKNOWN);
  EXPECT_NE(getError(comms[0].send(1, source.getAddress(), 64)), "");
  EXPECT_EQ(getError(comms[0].send(1, source.getAddress(), 64)),
            "to: expected mailboxes in order, but a send or recv with rank 1 "
            "ended by a fault; connect again");
}

/// The peer waits for the part whose own wait couldn't be enqueued.
TEST_F(SendRecvTest, AWaitThatFailsAfterTheFirstPart) {
  Buffer source = makeSource(0, 65537, 3);
  // The first part waits and signals.
  fake::failNext("cuStreamBatchMemOp", CUDA_ERROR_UNKNOWN, /*skip=*/2);
  EXPECT_NE(getError(comms[0].send(1, source.getAddress(), 65537)), "");
  EXPECT_EQ(getError(comms[0].send(1, source.getAddress(), 65537)),
            "to: expected mailboxes in order, but a send or recv with rank 1 "
            "ended by a fault; connect again");
}

TEST_F(SendRecvTest, NoMailboxes) {
  CommOptions options = makeOptions(0, 2, "");
  options.mailboxBytes = 0;
  auto made = Comm::connectLocal(contexts, options);
  ASSERT_TRUE(made);
  EXPECT_EQ(getError((*made)[0].send(1, 0, 0)),
            "mailboxBytes: expected a Comm with mailboxes, got 0");
}

} // namespace
