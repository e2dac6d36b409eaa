//===- LocalCommTest.h - ranks of one process -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ranks of this process, on two devices of the fake driver. Nothing may
// stay behind after a test.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_COMM_LOCALCOMMTEST_H
#define CAROUSEL_TEST_RUNTIME_COMM_LOCALCOMMTEST_H

#include "CommTest.h"

namespace carousel::runtime::test {

class LocalCommTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    setDevices(2);
    files = countFiles();
    threads = countThreads();
    for (int device : {0, 1})
      contexts.push_back(makeContext(device));
    connect();
  }
  void TearDown() override {
    comms.clear();
    contexts.clear();
    EXPECT_EQ(fake::countPhysical(), 0u);
    EXPECT_EQ(fake::countRanges(), 0u);
    EXPECT_EQ(fake::countHostAllocations(), 0u);
    EXPECT_EQ(fake::countAllocations(), 0u);
    EXPECT_EQ(countFiles(), files);
    EXPECT_TRUE(waitForThreads(threads)) << countThreads();
  }

  void connect(milliseconds timeout = milliseconds(10000)) {
    CommOptions options = makeOptions(0, 2, "");
    options.timeout = timeout;
    comms.clear();
    Result<std::vector<Comm>> made = Comm::connectLocal(contexts, options);
    ASSERT_TRUE(made) << made.error().message;
    comms = std::move(*made);
  }

  std::vector<SymmetricBuffer> allocate(uint64_t bytes) {
    auto made = SymmetricBuffer::allocateAll(comms, bytes);
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : std::vector<SymmetricBuffer>();
  }

  /// Bytes that depend on a seed, in memory of a rank.
  Buffer makeSource(int rank, size_t bytes, uint8_t seed) {
    Result<Buffer> buffer = Buffer::allocate(contexts[rank], bytes);
    EXPECT_TRUE(buffer) << buffer.error().message;
    std::vector<uint8_t> values = makeBytes(bytes, seed);
    EXPECT_TRUE(buffer->upload(values.data(), bytes));
    return std::move(*buffer);
  }
  static std::vector<uint8_t> makeBytes(size_t bytes, uint8_t seed) {
    std::vector<uint8_t> values(bytes);
    for (size_t i = 0; i < bytes; ++i)
      values[i] = static_cast<uint8_t>(seed + i * 7 + i / 251);
    return values;
  }
  static std::vector<uint8_t> read(uint64_t address, size_t bytes) {
    auto *memory = reinterpret_cast<const uint8_t *>(address);
    return {memory, memory + bytes};
  }

  unsigned files = 0, threads = 0;
  std::vector<Context> contexts;
  std::vector<Comm> comms;
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_COMM_LOCALCOMMTEST_H
