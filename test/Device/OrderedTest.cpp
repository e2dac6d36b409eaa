//===- OrderedTest.cpp - turns, workspaces and recovery from a trap -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of ordered.mlir, whose semaphore and scratch memory the runtime
// allocates and zeroes once: many launches, from two streams at once, and one
// that traps in the middle of its turns. After a trap only a new process works,
// which is this program with another filter.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Kernel.h"

#include "Context/ContextImpl.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

using namespace carousel::runtime;

namespace {

constexpr uint32_t kThreads = 32;
constexpr int64_t kNever = int64_t(1) << 40; // no turn is as large
std::string packages;

using Values = std::array<uint32_t, kThreads>;

/// Changes y as a launch of the kernel does.
void addLaunch(Values &y, uint32_t blocks) {
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    uint32_t work = 0;
    for (uint32_t block = blocks; block-- > 0;)
      work = work * 31 + block + thread;
    y[thread] = y[thread] * 7 + work;
  }
}

/// Its value; ends the test's program where there is none.
template <typename T> T require(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  return std::move(*result);
}

/// A kernel in a context of its own, with a stream and a y.
class Ordered {
public:
  explicit Ordered(Context context)
      : context(context),
        package(require(Package::open(packages + "/ordered"))),
        kernel(require(Kernel::get(context, package, "ordered"))),
        y(require(Buffer::allocate(context, sizeof(Values)))) {
    expectSuccess(y.fill(0));
    expectSuccess(context.synchronize());
  }

  static void expectSuccess(const Status &status) {
    EXPECT_TRUE(status) << status.error().message;
  }

  std::array<Argument, 3> makeArguments(const Buffer &to, int64_t blocks,
                                        int64_t wrong = kNever) const {
    return {Argument::tensor(ElementType::I32, to.getAddress(), 1, &extent),
            Argument::index(blocks), Argument::index(wrong)};
  }
  Status launch(const Buffer &to, int64_t blocks, Stream stream = nullptr,
                int64_t wrong = kNever) const {
    auto arguments = makeArguments(to, blocks, wrong);
    return kernel.launch(arguments.data(), arguments.size(), stream);
  }
  Values get(const Buffer &from) const {
    Values values = {};
    expectSuccess(from.download(values.data(), sizeof(values)));
    expectSuccess(context.synchronize());
    return values;
  }
  int64_t getBlocks() const { return context.getDevice().multiprocessors; }

  Context context;
  Package package;
  Kernel kernel;
  Buffer y;
  int64_t extent = kThreads;
};

class OwnStream {
public:
  explicit OwnStream(const Context &context) : impl(context.getImpl()) {
    CurrentContext current(impl);
    Ordered::expectSuccess(
        impl.check(impl.driver->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                   "cuStreamCreate"));
  }
  ~OwnStream() {
    CurrentContext current(impl);
    impl.driver->cuStreamDestroy(stream);
  }
  Stream get() const { return stream; }

private:
  Context::Impl &impl;
  CUstream stream = nullptr;
};

TEST(OrderedTest, ManyLaunchesWithoutZeroing) {
  Ordered ordered(require(Context::create()));
  Values want = {};
  // Grids of other sizes wait at the same semaphore.
  for (int i = 0; i < 500; ++i) {
    int64_t blocks = 1 + i * 7 % ordered.getBlocks();
    Ordered::expectSuccess(ordered.launch(ordered.y, blocks));
    addLaunch(want, uint32_t(blocks));
  }
  EXPECT_EQ(ordered.get(ordered.y), want);
}

TEST(OrderedTest, TwoStreamsAtOnce) {
  Ordered ordered(require(Context::create()));
  Buffer other = require(Buffer::allocate(ordered.context, sizeof(Values)));
  Ordered::expectSuccess(other.fill(0));
  Ordered::expectSuccess(ordered.context.synchronize());
  const Buffer *outputs[] = {&ordered.y, &other};
  std::array<Values, 2> want = {};
  std::thread threads[2];
  for (int t = 0; t < 2; ++t)
    threads[t] = std::thread([&, t] {
      OwnStream stream(ordered.context);
      auto arguments = ordered.makeArguments(*outputs[t], ordered.getBlocks());
      Launch prepared =
          require(ordered.kernel.prepare(arguments.data(), arguments.size()));
      for (int i = 0; i < 400; ++i) {
        // In one order: they share y, not their workspaces.
        bool isPrepared = i % 5 == t;
        Ordered::expectSuccess(isPrepared ? prepared.run(stream.get())
                                          : ordered.launch(*outputs[t],
                                                           ordered.getBlocks(),
                                                           stream.get()));
        addLaunch(want[t], uint32_t(ordered.getBlocks()));
      }
      EXPECT_FALSE(prepared.run()) << "in another stream";
      Ordered::expectSuccess(ordered.context.synchronize(stream.get()));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < 2; ++t)
    EXPECT_EQ(ordered.get(*outputs[t]), want[t]) << t;
}

TEST(OrderedTest, GridsThatDoNotFit) {
  Ordered ordered(require(Context::create()));
  Status status = ordered.launch(ordered.y, 1000000);
  ASSERT_FALSE(status);
  std::printf("%s\n", status.error().message.c_str());
  EXPECT_NE(status.error().message.find("which the device holds at once"),
            std::string::npos);
  Ordered::expectSuccess(ordered.launch(ordered.y, 2));
  Ordered::expectSuccess(ordered.context.synchronize());
}

/// The failure of a kernel on the device, of which the error says `who`.
void expectFailed(const Status &status, const char *who = "ordered") {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::LaunchFailed)
      << status.error().message;
  EXPECT_NE(status.error().message.find(who), std::string::npos)
      << status.error().message;
}

/// Runs a test of this program in a new process, which must succeed.
void expectSuccessInNewProcess(const char *test) {
  std::string filter = std::string("--gtest_filter=") + test;
  char *const arguments[] = {const_cast<char *>("ordered-test"), filter.data(),
                             packages.data(), nullptr};
  std::fflush(nullptr);
  pid_t child = 0;
  int error = posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments,
                          environ);
  ASSERT_EQ(error, 0) << std::strerror(error);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// The last one: nothing works in this process afterwards.
TEST(OrderedTest, ANewProcessGoesOnAfterATrapInMidOrder) {
  {
    Ordered ordered(require(Context::create()));
    int64_t blocks = ordered.getBlocks();
    Ordered::expectSuccess(ordered.launch(ordered.y, blocks));
    Ordered::expectSuccess(
        ordered.launch(ordered.y, blocks, nullptr, /*wrong=*/blocks / 2));
    Status status = ordered.context.synchronize();
    expectFailed(status);
    if (!status)
      std::printf("%s\n", status.error().message.c_str());
    EXPECT_NE(ordered.context.describeExpiredWaits().find("turn"),
              std::string::npos);
    expectFailed(ordered.launch(ordered.y, blocks));
    expectFailed(ordered.y.fill(0));
    expectFailed(ordered.context.synchronize());
    EXPECT_FALSE(Buffer::allocate(ordered.context, 16));
  }

  {
    // A new context in this process fails with the same error; it may be that
    // of the call that makes it.
    Result<Context> context = Context::create();
    Status status;
    if (!context)
      status = tl::make_unexpected(context.error());
    else if (Result<Buffer> buffer = Buffer::allocate(*context, 16); !buffer)
      status = tl::make_unexpected(buffer.error());
    expectFailed(status, "failed on the device");
    if (!status)
      std::printf("a new context: %s\n", status.error().message.c_str());
  }

  expectSuccessInNewProcess("OrderedTest.ManyLaunchesWithoutZeroing");
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: ordered-test PACKAGES\n");
    return 2;
  }
  packages = argv[1];
  return RUN_ALL_TESTS();
}
