//===- SymmetricArgumentsTest.cpp - launches with memory of peers ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the addresses that a launch takes for arguments in symmetric buffers.
// The kernel is "copy" of the test package: x is in this rank's part, y in a
// peer's.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"
#include "KernelTest.h"
#include "ProgramManifest.h"

#include "carousel/Runtime/Program.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <thread>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class SymmetricArgumentsTest : public KernelFixture {
protected:
  void SetUp() override {
    KernelFixture::SetUp();
    setDevices(2);
    package.emplace(writeAndOpen(makeManifest()));
  }
  void TearDown() override {
    buffers.clear();
    comms.clear();
    KernelFixture::TearDown();
    EXPECT_EQ(fake::countRetains(1), 0u);
  }

  static std::string makeManifest() {
    return setMember(setMember(makeCopyManifest(),
                               "/kernels/0/arguments/0/sharing",
                               "\"symmetric\""),
                     "/kernels/0/arguments/1/sharing", "\"peer\"");
  }

  void connect(const std::vector<Context> &contexts) {
    CommOptions options;
    options.mailboxBytes = 0;
    auto made = Comm::connectLocal(contexts, options);
    ASSERT_TRUE(made) << made.error().message;
    comms = *made;
    allocate(kBytes);
  }
  void allocate(uint64_t bytes) {
    buffers.clear();
    auto all = SymmetricBuffer::allocateAll(comms, bytes, {2});
    ASSERT_TRUE(all) << all.error().message;
    buffers = std::move(*all);
  }

  Kernel get(const Context &context) {
    Result<Kernel> kernel = Kernel::get(context, *package, "copy");
    EXPECT_TRUE(kernel) << kernel.error().message;
    return *kernel;
  }
  std::string launch(const Context &context, uint64_t x, uint64_t y,
                     int64_t elements = 64) {
    CopyArguments arguments(elements, x, y);
    return getError(get(context).launch(arguments.list, 2));
  }
  static std::string hex(uint64_t address) {
    return fmt::format("0x{:x}", address);
  }

  static constexpr uint64_t kBytes = 4096;
  std::optional<Package> package;
  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
};

TEST_F(SymmetricArgumentsTest, Parts) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  uint64_t a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  EXPECT_EQ(launch(first, a, b), "");
  EXPECT_EQ(launch(second, b, a), "");
  EXPECT_EQ(launch(first, a + 16, b + 4000, 24), ""); // to the last byte
  // Signals, too.
  EXPECT_EQ(launch(first, buffers[0].getSignalAddress(0, 1, 0),
                   buffers[0].getSignalAddress(1, 0, 0), 4),
            "");
  // No element: no memory.
  EXPECT_EQ(launch(first, 0, 0, 0), "");
}

TEST_F(SymmetricArgumentsTest, WrongSide) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  uint64_t a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  EXPECT_EQ(launch(first, b, b),
            "x: expected this rank's part of a symmetric buffer, got " +
                hex(b) + " in the part of its peer, rank 1");
  EXPECT_EQ(launch(first, a, a + 8),
            "y: expected a peer's part of a symmetric buffer, got " +
                hex(a + 8) + " in the part of this rank, 0");
  // Arguments that are right for one rank are wrong for the other.
  EXPECT_EQ(launch(second, a, b),
            "x: expected this rank's part of a symmetric buffer, got " +
                hex(a) + " in the part of its peer, rank 0");
  EXPECT_EQ(fake::countLaunches(), 0u);
}

TEST_F(SymmetricArgumentsTest, PlainMemory) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  auto memory = Buffer::allocate(first, kBytes);
  ASSERT_TRUE(memory);
  EXPECT_EQ(launch(first, buffers[0].getAddress(0), memory->getAddress()),
            "y: expected a peer's part of a symmetric buffer, got " +
                hex(memory->getAddress()) +
                " in none; SymmetricBuffer::adopt takes memory that something "
                "else shares");
  EXPECT_EQ(launch(first, memory->getAddress(), buffers[0].getAddress(1))
                .find("x: expected this rank's part of a symmetric buffer, got "
                      "0x"),
            0u);
  // A byte before a part, and a byte after it.
  uint64_t b = buffers[0].getAddress(1);
  EXPECT_NE(launch(first, buffers[0].getAddress(0), b - 4, 1), "");
  EXPECT_NE(launch(first, buffers[0].getAddress(0), b + kBytes - 4, 2), "");
  // No buffer at all.
  buffers.clear();
  EXPECT_NE(launch(first, b, b), "");
}

TEST_F(SymmetricArgumentsTest, BeyondTheMapping) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  uint64_t a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  EXPECT_EQ(launch(first, a, b + 256, 1024),
            "y: expected at most 3840 bytes at " + hex(b + 256) +
                ", which is 256 bytes into the part of rank 1, got 4096");
  EXPECT_EQ(launch(first, a, b, 1028),
            "x: expected at most 4096 bytes at " + hex(a) +
                ", which is 0 bytes into the part of rank 0, got 4112");
  // Counters are no part of the memory, and memory none of the counters: 2
  // ranks have 2 signals of 8 bytes.
  uint64_t counters = buffers[0].getSignalAddress(1, 0, 0);
  EXPECT_EQ(launch(first, a, counters, 8), "");
  EXPECT_EQ(launch(first, a, counters, 12),
            "y: expected at most 32 bytes at " + hex(counters) +
                ", which is 0 bytes into the part of rank 1, got 48");
}

TEST_F(SymmetricArgumentsTest, LivesAsLongAsTheBuffer) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  uint64_t a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  ASSERT_EQ(launch(first, a, b), "");
  // The second rank's object is no concern of the first one's.
  buffers.pop_back();
  EXPECT_EQ(launch(first, a, b), "");
  EXPECT_NE(launch(second, b, a), "");
  SymmetricBuffer moved = std::move(buffers[0]);
  EXPECT_EQ(launch(first, a, b), "");
  {
    SymmetricBuffer gone = std::move(moved);
  }
  EXPECT_NE(launch(first, a, b), "");
}

TEST_F(SymmetricArgumentsTest, AdoptedMemory) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  auto mine = Buffer::allocate(first, kBytes);
  auto theirs = Buffer::allocate(second, kBytes);
  ASSERT_TRUE(mine && theirs);
  uint64_t x = mine->getAddress(), y = theirs->getAddress();
  ASSERT_NE(launch(first, x, y), "");
  auto adopted = SymmetricBuffer::adopt(comms[0], {x, y}, kBytes);
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_EQ(launch(first, x, y), "");
  EXPECT_EQ(launch(first, x, y, kBytes / 4), "");
  EXPECT_NE(launch(first, x, y, kBytes / 4 + 4), "");
  EXPECT_NE(launch(first, y, x), "");
  // Memory within a buffer: the further of the two counts.
  uint64_t a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  auto part = SymmetricBuffer::adopt(comms[0], {a + 64, b + 64}, 128);
  ASSERT_TRUE(part);
  EXPECT_EQ(launch(first, a + 64, b + 64, 256), "");
}

TEST_F(SymmetricArgumentsTest, RanksOfOneGPU) {
  setDevices(1);
  Context first = makeContext(0), second = makeContext(0);
  Context stranger = makeContext(0);
  connect({first, second});
  uint64_t a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  // Objects tell the ranks apart that share the driver's context.
  EXPECT_EQ(launch(first, a, b), "");
  EXPECT_NE(launch(first, b, a), "");
  EXPECT_EQ(launch(second, b, a), "");
  // One that is no rank may mean either.
  EXPECT_EQ(launch(stranger, a, b), "");
  EXPECT_EQ(launch(stranger, b, a), "");
  buffers.clear();
  connect({first, first});
  a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  EXPECT_EQ(launch(first, a, b), "");
  EXPECT_EQ(launch(first, b, a), "");
}

/// A rank without peers is its own.
TEST_F(SymmetricArgumentsTest, OneRank) {
  Context first = makeContext(0);
  connect({first});
  uint64_t a = buffers[0].getAddress(0);
  EXPECT_EQ(launch(first, a, a + 2048), "");
}

TEST_F(SymmetricArgumentsTest, Trust) {
  ContextOptions options;
  options.trustSymmetric = true;
  Context trusting = open(options);
  EXPECT_EQ(launch(trusting, 0x10000, 0x20000), "");
  EXPECT_NE(launch(makeContext(0), 0x10000, 0x20000), "");
}

TEST_F(SymmetricArgumentsTest, PreparedAndExplained) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  Kernel kernel = get(first);
  CopyArguments plain(64),
      good(64, buffers[0].getAddress(0), buffers[0].getAddress(1));
  EXPECT_EQ(getError(kernel.prepare(plain.list, 2)).find("x: expected this"),
            0u);
  EXPECT_EQ(getError(kernel.prepareVariant("copy_simple", plain.list, 2))
                .find("x: expected this"),
            0u);
  {
    Result<Launch> launch = kernel.prepare(good.list, 2);
    ASSERT_TRUE(launch) << launch.error().message;
    EXPECT_TRUE(launch->run());
  }
  // The choice of a variant depends on no buffer.
  auto reports = kernel.explain(plain.list, 2);
  ASSERT_TRUE(reports);
  EXPECT_TRUE((*reports)[0].accepted);
}

/// A multicast address is no rank's part: only multimem instructions access it.
TEST_F(SymmetricArgumentsTest, Multicast) {
  fake::Device device;
  device.attributes[CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED] = 1;
  fake::setDevices({device, device});
  Context first = makeContext(0), second = makeContext(1);
  CommOptions options;
  options.mailboxBytes = 0;
  options.allowMulticast = true;
  auto made = Comm::connectLocal({first, second}, options);
  ASSERT_TRUE(made) << made.error().message;
  comms = *made;
  allocate(kBytes);
  ASSERT_TRUE(SymmetricBuffer::openMulticast({&buffers[0], &buffers[1]}));
  uint64_t all = buffers[0].getMulticastAddress();
  uint64_t a = buffers[0].getAddress(0), b = buffers[0].getAddress(1);
  EXPECT_EQ(launch(first, a, all),
            "y: expected a peer's part of a symmetric buffer, got " + hex(all) +
                " in the multicast address of a buffer");
  EXPECT_NE(launch(first, all, b), "");
  EXPECT_EQ(launch(first, a, b), "");
  // A kernel that writes to all.
  package.emplace(writeAndOpen(setMember(
      makeManifest(), "/kernels/0/arguments/1/sharing", "\"multicast\"")));
  EXPECT_EQ(launch(first, a, all), "");
  EXPECT_EQ(launch(first, a, all + 16, kBytes / 4 - 4), "");
  EXPECT_EQ(launch(first, a, all + 16, kBytes / 4),
            "y: expected at most 4080 bytes at " + hex(all + 16) +
                ", which is 16 bytes into the multicast address of a buffer, "
                "got 4096");
  EXPECT_EQ(launch(first, a, b),
            "y: expected the multicast address of a symmetric buffer, got " +
                hex(b) + " in the part of its peer, rank 1");
  EXPECT_EQ(
      launch(first, a, buffers[1].getMulticastAddress())
          .find("y: expected the multicast address of a symmetric buffer, "
                "got 0x"),
      0u);
  buffers.clear();
  EXPECT_NE(launch(first, a, all), "");
}

/// A program's launches are checked, also by a plan that it has kept.
TEST_F(SymmetricArgumentsTest, Programs) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  Package twice =
      writeAndOpen(setMember(makeProgramManifest(),
                             "/kernels/0/arguments/1/sharing", "\"peer\""),
                   {{"constants.bin", makeConstants()}});
  {
    auto program = Program::get(first, twice, "twice");
    ASSERT_TRUE(program) << program.error().message;
    auto memory = Buffer::allocate(first, 2 * kBytes);
    ASSERT_TRUE(memory);
    constexpr int64_t kExtents[] = {64}, kResults[] = {2, 64};
    auto makeArguments = [&](uint64_t y) {
      return std::array<Argument, 3>{
          Argument::tensor(ElementType::F32, memory->getAddress(), 1, kExtents),
          Argument::scalar(ElementType::F32, 0),
          Argument::tensor(ElementType::F32, y, 2, kResults)};
    };
    auto good = makeArguments(buffers[0].getAddress(1));
    auto plain = makeArguments(memory->getAddress() + kBytes);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(getError(program->launch(good.data(), good.size())), "");
      EXPECT_EQ(getError(program->launch(plain.data(), plain.size()))
                    .find("y: expected a peer's part of a symmetric buffer"),
                0u);
    }
    EXPECT_EQ(getError(program->prepare(good.data(), good.size())), "");
    EXPECT_EQ(getError(program->prepare(plain.data(), plain.size()))
                  .find("y: expected a peer's part of a symmetric buffer"),
              0u);
  }
}

/// Many buffers, some of them within others.
TEST_F(SymmetricArgumentsTest, ManyBuffers) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  std::vector<std::vector<SymmetricBuffer>> more;
  std::vector<SymmetricBuffer> adopted;
  for (int i = 0; i < 20; ++i) {
    auto all = SymmetricBuffer::allocateAll(comms, kBytes, {0});
    ASSERT_TRUE(all);
    more.push_back(std::move(*all));
    for (uint64_t offset : {0, 64, 1024}) {
      auto part =
          SymmetricBuffer::adopt(comms[0],
                                 {more.back()[0].getAddress(0) + offset,
                                  more.back()[0].getAddress(1) + offset},
                                 16);
      ASSERT_TRUE(part);
      adopted.push_back(std::move(*part));
    }
  }
  for (const auto &ranks : more) {
    uint64_t a = ranks[0].getAddress(0), b = ranks[0].getAddress(1);
    for (uint64_t offset : {0, 64, 2048})
      EXPECT_EQ(launch(first, a + offset, b + offset, 512), "");
    EXPECT_NE(launch(first, a, b + 2064, 512), "");
  }
  more.clear(); // adopted parts stay
  uint64_t a = adopted[1].getAddress(0), b = adopted[1].getAddress(1);
  EXPECT_EQ(launch(first, a, b, 4), "");
  EXPECT_NE(launch(first, a, b, 8), "");
}

/// Launches of two threads while a third one makes and frees buffers.
TEST_F(SymmetricArgumentsTest, Threads) {
  Context first = makeContext(0), second = makeContext(1);
  connect({first, second});
  Kernel kernel = get(first);
  ASSERT_TRUE(kernel.loadAll());
  CopyArguments good(64, buffers[0].getAddress(0), buffers[0].getAddress(1));
  std::atomic<bool> isEnding = false;
  std::atomic<unsigned> bad = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!isEnding)
        bad += !kernel.launch(good.list, 2);
    });
  for (int i = 0; i < 200; ++i) {
    auto all = SymmetricBuffer::allocateAll(comms, kBytes);
    ASSERT_TRUE(all);
    CopyArguments own(64, (*all)[0].getAddress(0), (*all)[0].getAddress(1));
    bad += !kernel.launch(own.list, 2);
    all->clear();
    bad += kernel.launch(own.list, 2).has_value();
  }
  isEnding = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(bad, 0u);
}

} // namespace
