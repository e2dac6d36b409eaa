//===- WaitsTest.cpp - waits for one counter ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait that is ended by a fault must not let other waits pass.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

#include "Comm/CommImpl.h"

#include "carousel/Runtime/Module.h"

#include <thread>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class WaitsTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    setDevices(2);
    connect(false);
  }
  void connect(bool hostSignals) {
    CommOptions options = makeOptions(0, 2, "");
    options.hostSignals = hostSignals;
    buffers.clear();
    auto made = Comm::connectLocal({makeContext(0), makeContext(1)}, options);
    ASSERT_TRUE(made) << made.error().message;
    comms = std::move(*made);
    auto all = SymmetricBuffer::allocateAll(comms, 64);
    ASSERT_TRUE(all) << all.error().message;
    buffers = std::move(*all);
  }
  std::atomic<uint64_t> &getWord() {
    return *reinterpret_cast<std::atomic<uint64_t> *>(
        buffers[0].getSignalAddress(0, 1, 0));
  }
  uint64_t getCounter() { return getWord().load(); }
  /// Whether the counter has the value soon.
  bool becomes(uint64_t value) {
    for (int i = 0; i < 2000 && getCounter() != value; ++i)
      std::this_thread::sleep_for(milliseconds(1));
    return getCounter() == value;
  }
  static WaitOptions makeWait(int timeout) {
    WaitOptions options;
    options.timeout = milliseconds(timeout);
    return options;
  }

  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
};

TEST_F(WaitsTest, EachStreamGetsAFault) {
  CUstream streams[] = {fake::makeStream(), fake::makeStream()};
  std::vector<std::thread> threads;
  for (int i : {0, 1})
    threads.emplace_back([&, i] {
      EXPECT_EQ(getError(buffers[0].wait(1, 0, i + 1, streams[i],
                                         makeWait(i ? 8000 : 200))),
                "");
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i : {0, 1}) {
    Status status = comms[0].synchronize(streams[i]);
    ASSERT_FALSE(status) << i;
    EXPECT_EQ(status.error().code, ErrorCode::Timeout);
    EXPECT_NE(status.error().message.find("longer than 200 ms"),
              std::string::npos)
        << status.error().message;
    EXPECT_EQ(getError(comms[0].synchronize(streams[i])), "");
  }
}

TEST_F(WaitsTest, ALaterWaitDoesNotPass) {
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  for (int round = 0; round < 20; ++round) {
    // The second begins before the thread of the Comm looks again.
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(buffers[0].wait(1, 0, 7, nullptr, makeWait(5)));
    EXPECT_NE(getError(comms[0].synchronize()), "");
    EXPECT_NE(getError(comms[0].synchronize()), "");
    EXPECT_EQ(getError(comms[0].synchronize()), "");
    EXPECT_EQ(getCounter(), 5u);
  }
  ASSERT_TRUE(buffers[1].signal(0, 0, 7));
  ASSERT_TRUE(buffers[0].wait(1, 0, 7));
  EXPECT_EQ(getError(comms[0].synchronize()), "");
}

/// A call that the driver keeps until no stream waits: one that frees memory or
/// loads a module. It keeps copies back, too.
TEST_F(WaitsTest, ACallThatWaitsForAllStreams) {
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  fake::setBlocking(true);
  CUstream stream = fake::makeStream();
  for (uint64_t value = 7; value < 9; ++value) {
    auto memory = Buffer::allocate(comms[0].getContext(), 64);
    ASSERT_TRUE(memory);
    std::optional<Buffer> owned = std::move(*memory);
    std::thread waiting([&] {
      EXPECT_EQ(getError(buffers[0].wait(1, 0, value, stream, makeWait(100))),
                "");
    });
    std::thread freeing([&] {
      std::this_thread::sleep_for(milliseconds(30));
      owned.reset();
    });
    waiting.join();
    freeing.join();
    Status status = comms[0].synchronize(stream);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::Timeout);
    EXPECT_EQ(getError(comms[0].synchronize(stream)), "");
    // The counter's value before isn't known, so that it satisfies no wait
    // until the next signal. It has that value when it can be read again.
    EXPECT_TRUE(becomes(uint64_t(3) << 62)) << getCounter();
    for (uint64_t least : {0, 6}) {
      ASSERT_TRUE(buffers[0].wait(1, 0, least, stream, makeWait(20)));
      EXPECT_NE(getError(comms[0].synchronize(stream)), "");
    }
    ASSERT_TRUE(buffers[1].signal(0, 0, 6));
    ASSERT_TRUE(buffers[0].wait(1, 0, 6, stream, makeWait(100)));
    EXPECT_EQ(getError(comms[0].synchronize(stream)), "");
  }
}

/// Signals in memory of the host need no call of the driver.
TEST_F(WaitsTest, HostSignalsEndWhileAModuleIsLoaded) {
  connect(true);
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  fake::setBlocking(true);
  CUstream stream = fake::makeStream();
  std::thread waiting([&] {
    EXPECT_EQ(getError(buffers[0].wait(1, 0, 7, stream, makeWait(100))), "");
  });
  std::thread loading([&] {
    std::this_thread::sleep_for(milliseconds(30));
    CompiledCode code;
    code.bytes = std::string("FAKECUBIN\0", 10);
    auto module = Module::load(comms[0].getContext(), code);
    EXPECT_TRUE(module) << module.error().message;
  });
  waiting.join();
  loading.join();
  Status status = comms[0].synchronize(stream);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("; it is 5"), std::string::npos)
      << status.error().message;
  EXPECT_EQ(getCounter(), 5u);
  ASSERT_TRUE(buffers[0].wait(1, 0, 7, stream, makeWait(20)));
  EXPECT_NE(getError(comms[0].synchronize(stream)), "");
  ASSERT_TRUE(buffers[1].signal(0, 0, 7));
  ASSERT_TRUE(buffers[0].wait(1, 0, 7, stream));
  EXPECT_EQ(getError(comms[0].synchronize(stream)), "");
}

/// The signal comes when the time is nearly over.
TEST_F(WaitsTest, AWaitThatResetsLeavesZero) {
  WaitOptions options = makeWait(2);
  options.isEqual = options.reset = true;
  for (int round = 0; round < 200; ++round) {
    std::thread peer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(round * 10));
      EXPECT_TRUE(buffers[1].signal(0, 0, 1));
    });
    ASSERT_TRUE(buffers[0].wait(1, 0, 1, nullptr, options));
    peer.join();
    bool isGood = getError(comms[0].synchronize()).empty();
    if (isGood)
      EXPECT_EQ(getCounter(), 0u) << round;
    else
      ASSERT_TRUE(buffers[1].signal(0, 0, 0)); // it came too late
  }
}

/// The last wait ends while the counter can't be read.
TEST_F(WaitsTest, ACounterIsSetBackAfterTheLastWait) {
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  fake::setBlocking(true);
  CUstream streams[] = {fake::makeStream(), fake::makeStream()};
  auto memory = Buffer::allocate(comms[0].getContext(), 64);
  ASSERT_TRUE(memory);
  std::optional<Buffer> owned = std::move(*memory);
  std::thread other([&] { // keeps the memory from being freed
    EXPECT_TRUE(buffers[1].wait(0, 0, 7, streams[1], makeWait(5000)));
  });
  std::thread waiting(
      [&] { EXPECT_TRUE(buffers[0].wait(1, 0, 7, streams[0], makeWait(60))); });
  std::thread freeing([&] {
    std::this_thread::sleep_for(milliseconds(30));
    owned.reset();
  });
  waiting.join();
  std::this_thread::sleep_for(milliseconds(300)); // longer than its patience
  ASSERT_TRUE(buffers[0].signal(1, 0, 7));
  other.join();
  freeing.join();
  EXPECT_TRUE(becomes(uint64_t(3) << 62)) << getCounter();
  EXPECT_NE(getError(comms[0].synchronize(streams[0])), "");
  ASSERT_TRUE(buffers[1].signal(0, 0, 7));
  ASSERT_TRUE(buffers[0].wait(1, 0, 7, streams[0], makeWait(1000)));
  EXPECT_EQ(getError(comms[0].synchronize(streams[0])), "");
}

TEST_F(WaitsTest, ACounterThatCannotBeWrittenBackAtOnce) {
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  // The wait's own call and the one that ends it are good.
  fake::failNext("cuStreamBatchMemOp", CUDA_ERROR_NOT_READY, 2);
  ASSERT_TRUE(buffers[0].wait(1, 0, 7, nullptr, makeWait(20)));
  EXPECT_NE(getError(comms[0].synchronize()), "");
  EXPECT_TRUE(becomes(5)) << getCounter();
  ASSERT_TRUE(buffers[0].wait(1, 0, 9, nullptr, makeWait(20)));
  EXPECT_NE(getError(comms[0].synchronize()), "");
}

/// As kernels do that count arrivals.
TEST_F(WaitsTest, WhatIsAddedMeanwhileCounts) {
  connect(true);
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  for (uint64_t round = 1; round < 20; ++round) {
    std::atomic<bool> isOver = false;
    std::thread adding([&] {
      while (!isOver && getCounter() >> 62 == 0)
        std::this_thread::yield();
      getWord().fetch_add(1);
    });
    ASSERT_TRUE(buffers[0].wait(1, 0, 1000, nullptr, makeWait(2)));
    EXPECT_NE(getError(comms[0].synchronize()), "");
    isOver = true;
    adding.join();
    ASSERT_TRUE(becomes(5 + round)) << getCounter();
  }
}

/// It comes when the wait's time is over, and is looked at.
TEST_F(WaitsTest, ASignalThatIsNotLost) {
  connect(true);
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  unsigned calls = 0;
  Wait wait;
  wait.from = 1;
  wait.address = buffers[0].getSignalAddress(0, 1, 0);
  wait.word = &getWord();
  wait.value = 7;
  wait.getFault = [&]() -> std::string {
    if (++calls == 2) // after the counter was read
      getWord().store(7);
    return "";
  };
  Comm::Impl &comm = *comms[0].share();
  {
    CurrentContext current(comms[0].getContext().getImpl());
    ASSERT_TRUE(comm.enqueueWait(wait, nullptr));
  }
  (void)comms[0].synchronize();
  EXPECT_TRUE(becomes(7)) << getCounter();
  EXPECT_GE(calls, 2u);
}

/// Each stream's first ones are kept, whatever other streams do.
TEST_F(WaitsTest, ErrorsThatNobodyAsksFor) {
  CUstream streams[] = {fake::makeStream(), fake::makeStream()};
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(buffers[0].wait(1, 0, 100 + i, streams[0], makeWait(1)));
  ASSERT_TRUE(buffers[0].wait(1, 0, 7, streams[1], makeWait(1)));
  for (int i = 0; i < 16; ++i) {
    std::string error = getError(comms[0].synchronize(streams[0]));
    EXPECT_NE(error.find(fmt::format("at least {} ", 100 + i)),
              std::string::npos)
        << error;
    EXPECT_EQ(error.find("; 4 later waits failed, too") != std::string::npos,
              i == 15)
        << error;
  }
  EXPECT_EQ(getError(comms[0].synchronize(streams[0])), "");
  std::string error = getError(comms[0].synchronize(streams[1]));
  EXPECT_NE(error.find("at least 7 "), std::string::npos) << error;
  EXPECT_EQ(error.find("later"), std::string::npos) << error;
  EXPECT_EQ(getError(comms[0].synchronize(streams[1])), "");
}

/// The counter of a wait that is ended has the value that ended another. What
/// it was before both, and what was added between, is given back.
TEST_F(WaitsTest, ACounterThatIsReleasedTwice) {
  connect(true);
  ASSERT_TRUE(buffers[1].signal(0, 0, 5));
  std::atomic<bool> hasBegun = false, isOver = false, isAdded = false;
  Wait least;
  least.from = 1;
  least.address = buffers[0].getSignalAddress(0, 1, 0);
  least.word = &getWord();
  least.value = 7;
  least.timeout = milliseconds(60000);
  Wait exact = least;
  exact.value = 9;
  exact.isEqual = true;
  least.getFault = [&]() -> std::string {
    hasBegun = true;
    return isOver ? "the first" : "";
  };
  // The thread looks at this wait after the other, in the same round.
  exact.getFault = [&]() -> std::string {
    isOver = true;
    if (getCounter() != uint64_t(1) << 62 && !isAdded)
      return "";
    if (!isAdded.exchange(true))
      getWord().fetch_add(1);
    return "the second";
  };
  CUstream streams[] = {fake::makeStream(), fake::makeStream()};
  auto enqueue = [&](const Wait &wait, CUstream stream) {
    CurrentContext current(comms[0].getContext().getImpl());
    EXPECT_TRUE(comms[0].share()->enqueueWait(wait, stream));
  };
  std::thread first([&] { enqueue(least, streams[0]); });
  while (!hasBegun)
    std::this_thread::yield();
  std::thread second([&] { enqueue(exact, streams[1]); });
  first.join();
  second.join();
  EXPECT_TRUE(isAdded);
  EXPECT_NE(getError(comms[0].synchronize(streams[0])).find("the first"),
            std::string::npos);
  EXPECT_NE(getError(comms[0].synchronize(streams[1])).find("the second"),
            std::string::npos);
  EXPECT_TRUE(becomes(6)) << getCounter();
}

} // namespace
