//===- BufferTest.cpp - device memory -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context/ContextImpl.h"
#include "FakeDriver.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>

using namespace carousel;
using namespace carousel::runtime;

namespace {

class BufferTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    ContextOptions options;
    options.libraries.driver = CAROUSEL_FAKE_DRIVER;
    options.cacheBytes = 0;
    Result<Context> created = Context::create(options);
    ASSERT_TRUE(created) << created.error().message;
    context.emplace(std::move(*created));
  }
  void TearDown() override {
    context.reset();
    EXPECT_EQ(fake::countAllocations(), 0u);
  }

  Buffer allocate(uint64_t bytes) {
    Result<Buffer> buffer = Buffer::allocate(*context, bytes);
    EXPECT_TRUE(buffer) << buffer.error().message;
    return std::move(*buffer);
  }

  std::optional<Context> context;
};

/// The message of an error with the code that is expected.
std::string getMessage(const Status &status, ErrorCode code) {
  if (status)
    return "";
  EXPECT_EQ(status.error().code, code);
  return status.error().message;
}

TEST_F(BufferTest, RoundTrip) {
  Buffer buffer = allocate(64);
  EXPECT_NE(buffer.getAddress(), 0u);
  EXPECT_EQ(buffer.getBytes(), 64u);
  std::array<uint8_t, 64> in, out = {};
  std::iota(in.begin(), in.end(), 1);
  ASSERT_TRUE(buffer.upload(in.data(), in.size()));
  ASSERT_TRUE(buffer.download(out.data(), out.size()));
  EXPECT_EQ(in, out);
}

TEST_F(BufferTest, PartsOfABuffer) {
  Buffer buffer = allocate(8);
  ASSERT_TRUE(buffer.fill(0xab));
  const uint8_t in[] = {1, 2, 3};
  ASSERT_TRUE(buffer.upload(in, 3, 5));
  std::array<uint8_t, 8> all = {};
  ASSERT_TRUE(buffer.download(all.data(), 8));
  EXPECT_EQ(all,
            (std::array<uint8_t, 8>{0xab, 0xab, 0xab, 0xab, 0xab, 1, 2, 3}));
  std::array<uint8_t, 2> part = {};
  ASSERT_TRUE(buffer.download(part.data(), 2, 4));
  EXPECT_EQ(part, (std::array<uint8_t, 2>{0xab, 1}));
}

TEST_F(BufferTest, BeyondTheEnd) {
  Buffer buffer = allocate(64);
  std::array<uint8_t, 128> host = {};
  fake::clearCalls();
  EXPECT_EQ(getMessage(buffer.upload(host.data(), 100, 4),
                       ErrorCode::InvalidArgument),
            "expected at most 60 bytes at offset 4 of a buffer of 64 bytes, "
            "got 100");
  EXPECT_EQ(
      getMessage(buffer.download(host.data(), 65), ErrorCode::InvalidArgument),
      "expected at most 64 bytes at offset 0 of a buffer of 64 bytes, "
      "got 65");
  EXPECT_EQ(
      getMessage(buffer.upload(host.data(), 0, 65), ErrorCode::InvalidArgument),
      "expected an offset of at most 64 bytes, got 65");
  // Offset and count that wrap around in 64 bits.
  EXPECT_EQ(getMessage(buffer.download(host.data(), UINT64_MAX, 2),
                       ErrorCode::InvalidArgument),
            "expected at most 62 bytes at offset 2 of a buffer of 64 bytes, "
            "got 18446744073709551615");
  EXPECT_EQ(getMessage(buffer.upload(host.data(), 2, UINT64_MAX),
                       ErrorCode::InvalidArgument),
            "expected an offset of at most 64 bytes, got "
            "18446744073709551615");
  EXPECT_EQ(fake::getCalls().size(), 0u);
  EXPECT_TRUE(buffer.upload(host.data(), 60, 4));
  EXPECT_TRUE(buffer.upload(host.data(), 0, 64));
}

TEST_F(BufferTest, NullHostMemory) {
  Buffer buffer = allocate(64);
  EXPECT_EQ(getMessage(buffer.upload(nullptr, 8), ErrorCode::InvalidArgument),
            "expected host memory of 8 bytes, got a null pointer");
  EXPECT_EQ(getMessage(buffer.download(nullptr, 8), ErrorCode::InvalidArgument),
            "expected host memory of 8 bytes, got a null pointer");
  EXPECT_TRUE(buffer.upload(nullptr, 0));
}

TEST_F(BufferTest, NoBytes) {
  fake::clearCalls();
  {
    Buffer buffer = allocate(0);
    EXPECT_EQ(buffer.getAddress(), 0u);
    EXPECT_EQ(buffer.getBytes(), 0u);
    uint8_t byte = 0;
    EXPECT_TRUE(buffer.upload(&byte, 0));
    EXPECT_TRUE(buffer.download(&byte, 0));
    EXPECT_TRUE(buffer.fill(1));
    EXPECT_EQ(
        getMessage(buffer.upload(&byte, 1), ErrorCode::InvalidArgument),
        "expected at most 0 bytes at offset 0 of a buffer of 0 bytes, got 1");
  }
  EXPECT_EQ(fake::getCalls().size(), 0u);
}

TEST_F(BufferTest, OutOfMemory) {
  Result<Buffer> buffer = Buffer::allocate(*context, uint64_t(1) << 40);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(buffer.error().message,
            "cuMemAlloc of 1099511627776 bytes failed: out of memory "
            "(CUDA_ERROR_OUT_OF_MEMORY)");
}

TEST_F(BufferTest, DriverErrors) {
  Buffer buffer = allocate(64);
  uint8_t host[64] = {};
  for (const char *function :
       {"cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemsetD8Async"})
    fake::failNext(function, CUDA_ERROR_NOT_PERMITTED);
  const std::string reason =
      " failed: operation not permitted (CUDA_ERROR_NOT_PERMITTED)";
  EXPECT_EQ(getMessage(buffer.upload(host, 64), ErrorCode::DriverError),
            "cuMemcpyHtoDAsync" + reason);
  EXPECT_EQ(getMessage(buffer.download(host, 64), ErrorCode::DriverError),
            "cuMemcpyDtoHAsync" + reason);
  EXPECT_EQ(getMessage(buffer.fill(0), ErrorCode::DriverError),
            "cuMemsetD8Async" + reason);
}

TEST_F(BufferTest, TheNextCallReportsAKernelThatFailed) {
  Buffer buffer = allocate(64);
  context->getImpl().noteLaunch("copy_1d", nullptr);
  fake::poison(CUDA_ERROR_MISALIGNED_ADDRESS);
  const std::string message = "copy_1d failed on the device: misaligned "
                              "address (CUDA_ERROR_MISALIGNED_ADDRESS)";
  uint8_t host[64] = {};
  EXPECT_EQ(getMessage(buffer.upload(host, 64), ErrorCode::LaunchFailed),
            message);
  EXPECT_EQ(getMessage(buffer.download(host, 64), ErrorCode::LaunchFailed),
            message);
  EXPECT_EQ(getMessage(buffer.fill(0), ErrorCode::LaunchFailed), message);
  Result<Buffer> another = Buffer::allocate(*context, 64);
  ASSERT_FALSE(another);
  EXPECT_EQ(another.error().message, message);
  fake::poison(CUDA_SUCCESS);
}

TEST_F(BufferTest, OutsideOfTheCurrentContext) {
  // No context is current on a new thread, and none is left there.
  Buffer buffer = allocate(64);
  std::thread([&] {
    uint8_t host[64] = {};
    EXPECT_TRUE(buffer.upload(host, 64));
    CUcontext current = nullptr;
    context->getImpl().driver->cuCtxGetCurrent(&current);
    EXPECT_EQ(current, nullptr);
  }).join();
}

TEST_F(BufferTest, MovesAndFreesOnce) {
  Buffer first = allocate(64);
  uint64_t address = first.getAddress();
  Buffer second = std::move(first);
  EXPECT_EQ(second.getAddress(), address);
  EXPECT_EQ(second.getBytes(), 64u);
  EXPECT_EQ(first.getAddress(), 0u);
  EXPECT_EQ(first.getBytes(), 0u);
  uint8_t byte = 0;
  EXPECT_EQ(getMessage(first.upload(&byte, 1), ErrorCode::InvalidArgument),
            "expected at most 0 bytes at offset 0 of a buffer of 0 bytes, "
            "got 1");
  EXPECT_TRUE(first.fill(0));

  // An assignment frees the buffer's old memory at once.
  Buffer third = allocate(32);
  EXPECT_EQ(fake::getAllocatedBytes(), 96u);
  third = std::move(second);
  EXPECT_EQ(third.getAddress(), address);
  EXPECT_EQ(fake::getAllocatedBytes(), 64u);
  Buffer &self = third;
  third = std::move(self);
  EXPECT_EQ(third.getAddress(), address);
  EXPECT_EQ(third.getBytes(), 64u);
  EXPECT_EQ(fake::getAllocatedBytes(), 64u);
  first = allocate(16);
  EXPECT_TRUE(first.fill(1));
}

TEST_F(BufferTest, OutlivesTheCallersContext) {
  Buffer buffer = allocate(64);
  context.reset();
  EXPECT_EQ(fake::countRetains(), 1u);
  EXPECT_TRUE(buffer.fill(1));
}

TEST_F(BufferTest, FreedAfterTheDriverShutDown) {
  {
    Buffer buffer = allocate(64);
    context.reset();
    fake::setDeinitialized(true);
  }
  EXPECT_EQ(fake::countCalls("cuMemFree"), 0u);
  fake::setDeinitialized(false);
  fake::reset(); // a driver that shut down has freed it
}

TEST_F(BufferTest, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 1; i <= 100; ++i) {
        Buffer buffer = allocate(i);
        std::vector<uint8_t> out(i);
        EXPECT_TRUE(buffer.fill(static_cast<uint8_t>(t)));
        EXPECT_TRUE(buffer.download(out.data(), i));
        EXPECT_EQ(out, std::vector<uint8_t>(i, static_cast<uint8_t>(t)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
