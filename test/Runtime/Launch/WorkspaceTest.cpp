//===- WorkspaceTest.cpp - workspaces of kernels --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory that a launch gets, when it is zeroed and when it isn't, and
// cooperative launches. FailedKernelTest.cpp tests failures.
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"
#include "OrderedManifest.h"

#include "carousel_runtime.h"

#include <cstring>
#include <mutex>
#include <set>
#include <thread>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

void expectSuccess(const Status &status) {
  EXPECT_TRUE(status) << status.error().message;
}

void expectError(const Status &status, ErrorCode code,
                 const std::string &message) {
  ASSERT_FALSE(status) << message;
  EXPECT_EQ(status.error().code, code);
  EXPECT_EQ(status.error().message, message);
}

class WorkspaceTest : public KernelFixture {
protected:
  void SetUp() override {
    KernelFixture::SetUp();
    fake::setParameterSizes("ordered_tma", {8, 8, 8, 8, 8, 8, 8, 128});
    // Leaves marks, which a memset would wipe away. A device runs the kernels
    // of a stream one after another, the fake one in the threads that launch.
    fake::setKernel("ordered_tma", [this](const fake::Launch &launch, void **) {
      std::lock_guard<std::mutex> lock(mutex);
      auto *marks = launch.get<uint32_t *>(2);
      for (int64_t i = 0; i < launch.get<int64_t>(3); ++i)
        ++marks[i];
    });
  }

  /// The launch's pointer to the semaphores.
  static uint64_t getSemaphores(size_t launch) {
    return fake::getLaunches().at(launch).get<uint64_t>(2);
  }
  static uint32_t getMark(size_t launch, size_t index = 0) {
    return reinterpret_cast<uint32_t *>(getSemaphores(launch))[index];
  }

private:
  std::mutex mutex;
};

class OrderedArguments {
public:
  explicit OrderedArguments(int64_t n) : extent(n) {
    list[0] = Argument::tensor(ElementType::F32, 0x10000, 1, &extent);
  }
  OrderedArguments(const OrderedArguments &) = delete;
  OrderedArguments &operator=(const OrderedArguments &) = delete;
  int64_t extent;
  Argument list[1];
};

TEST_F(WorkspaceTest, ParametersAndMaps) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000);
  CUstream stream = fake::makeStream();
  expectSuccess(kernel.launch(arguments.list, 1, stream));
  fake::Launch launch = fake::getLaunches().at(0);
  EXPECT_EQ(launch.function, "ordered_tma");
  EXPECT_TRUE(launch.cooperative);
  EXPECT_FALSE(launch.hasCluster);
  EXPECT_EQ(launch.grid[0], 8u);
  EXPECT_EQ(launch.get<int64_t>(3), 8);
  EXPECT_EQ(launch.get<int64_t>(5), 1000);
  EXPECT_EQ(launch.get<int64_t>(6), 64);
  uint64_t semaphores = launch.get<uint64_t>(2), sums = launch.get<uint64_t>(4);
  EXPECT_EQ(semaphores % 256, 0u);
  EXPECT_EQ(sums % 256, 0u);
  EXPECT_NE(semaphores, sums);
  EXPECT_EQ(launch.get<fake::EncodedMap>(7).address, sums + 256);
  EXPECT_EQ(fake::getAllocatedBytes(), 8u * 4 + 1000 * 64 * 4);
  EXPECT_EQ(fake::countCalls("cuMemsetD8Async"), 2u);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(reinterpret_cast<float *>(sums)[i], 0.0f);
}

TEST_F(WorkspaceTest, LaterLaunchesFindWhatEarlierOnesLeft) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000), smaller(128);
  for (int i = 0; i < 10; ++i)
    expectSuccess(kernel.launch(arguments.list, 1));
  expectSuccess(kernel.launch(smaller.list, 1));
  EXPECT_EQ(getMark(0), 11u);
  EXPECT_EQ(getMark(0, 7), 10u);
  std::set<uint64_t> addresses, maps;
  for (size_t i = 0; i < 11; ++i) {
    addresses.insert(getSemaphores(i));
    maps.insert(fake::getLaunches()[i].get<fake::EncodedMap>(7).address);
  }
  EXPECT_EQ(addresses.size(), 1u);
  EXPECT_EQ(maps.size(), 1u);
  EXPECT_EQ(fake::countCalls("cuMemAlloc"), 2u);
  EXPECT_EQ(fake::countCalls("cuMemsetD8Async"), 2u);
  // One map is of the first size, which had to wait for its address, and one of
  // the second.
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 2u);
}

TEST_F(WorkspaceTest, StreamsHaveTheirOwn) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000);
  CUstream streams[] = {nullptr, fake::makeStream(), fake::makeStream(),
                        CU_STREAM_PER_THREAD};
  for (int i = 0; i < 3; ++i)
    for (CUstream stream : streams)
      expectSuccess(kernel.launch(arguments.list, 1, stream));
  // The default stream's other name.
  expectSuccess(kernel.launch(arguments.list, 1, CU_STREAM_LEGACY));
  std::thread([&] {
    expectSuccess(kernel.launch(arguments.list, 1, CU_STREAM_PER_THREAD));
    expectSuccess(kernel.launch(arguments.list, 1, streams[1]));
  }).join();
  std::set<uint64_t> addresses;
  for (size_t i = 0; i < 12; ++i)
    addresses.insert(getSemaphores(i));
  EXPECT_EQ(addresses.size(), 4u);
  EXPECT_EQ(getSemaphores(12), getSemaphores(0));
  EXPECT_EQ(addresses.count(getSemaphores(13)), 0u);
  EXPECT_EQ(getSemaphores(14), getSemaphores(1));
}

/// More than a thread remembers.
TEST_F(WorkspaceTest, ManyStreamsHaveTheirOwn) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000);
  std::vector<CUstream> streams(200);
  for (CUstream &stream : streams)
    stream = fake::makeStream();
  for (int i = 0; i < 2; ++i)
    for (CUstream stream : streams)
      expectSuccess(kernel.launch(arguments.list, 1, stream));
  std::map<uint64_t, CUstream> owners;
  for (const fake::Launch &launch : fake::getLaunches()) {
    for (size_t parameter : {2, 4}) {
      uint64_t address = launch.get<uint64_t>(parameter);
      EXPECT_EQ(owners.emplace(address, launch.stream).first->second,
                launch.stream);
    }
    EXPECT_EQ(launch.get<fake::EncodedMap>(7).address,
              launch.get<uint64_t>(4) + 256);
  }
  EXPECT_EQ(owners.size(), 400u);
  EXPECT_EQ(fake::countAllocations(), 400u);
}

TEST_F(WorkspaceTest, KernelsHaveTheirOwn) {
  {
    Context context = open();
    Package package = writeAndOpen(makeOrderedManifest());
    OrderedArguments arguments(1000);
    Result<Kernel> first = Kernel::get(context, package, "ordered"),
                   second = Kernel::get(context, package, "ordered");
    ASSERT_TRUE(first && second);
    Kernel copy = *first; // the same one
    expectSuccess(first->launch(arguments.list, 1));
    expectSuccess(second->launch(arguments.list, 1));
    expectSuccess(copy.launch(arguments.list, 1));
    EXPECT_NE(getSemaphores(0), getSemaphores(1));
    EXPECT_EQ(getSemaphores(0), getSemaphores(2));
    EXPECT_EQ(getMark(0), 2u);
    EXPECT_EQ(getMark(1), 1u);
    EXPECT_EQ(fake::countAllocations(), 4u);
  }
  EXPECT_EQ(fake::countAllocations(), 0u);
}

/// Memory that another thread may still launch with stays until the kernel
/// goes.
TEST_F(WorkspaceTest, Growth) {
  {
    Kernel kernel = getKernel("ordered", makeOrderedManifest());
    OrderedArguments small(1000), large(10000), between(15000);
    expectSuccess(kernel.launch(small.list, 1));
    expectSuccess(kernel.launch(large.list, 1));
    EXPECT_NE(getSemaphores(0), getSemaphores(1));
    EXPECT_EQ(getMark(0), 1u);
    EXPECT_EQ(getMark(1), 1u);
    expectSuccess(kernel.launch(small.list, 1));
    EXPECT_EQ(getSemaphores(2), getSemaphores(1));
    EXPECT_EQ(fake::countAllocations(), 4u);
    // Twice as much as before at least.
    expectSuccess(kernel.launch(between.list, 1));
    OrderedArguments last(20000);
    expectSuccess(kernel.launch(last.list, 1));
    EXPECT_EQ(getSemaphores(4), getSemaphores(3));
    EXPECT_EQ(fake::countAllocations(), 6u);
  }
  EXPECT_EQ(fake::countAllocations(), 0u);
}

TEST_F(WorkspaceTest, HandlesOfStreamsThatAreGone) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000);
  CUstream stream = fake::makeStream();
  expectSuccess(kernel.launch(arguments.list, 1, stream));
  expectSuccess(kernel.launch(arguments.list, 1, stream));
  EXPECT_EQ(getMark(1), 2u);
  fake::replaceStream(stream);
  expectSuccess(kernel.launch(arguments.list, 1, stream));
  EXPECT_EQ(getMark(2), 1u);
  EXPECT_EQ(fake::countAllocations(), 2u);
}

TEST_F(WorkspaceTest, Threads) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  std::vector<std::thread> threads;
  CUstream streams[] = {fake::makeStream(), fake::makeStream()};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        OrderedArguments arguments(100 + 10 * i);
        expectSuccess(kernel.launch(arguments.list, 1, streams[t % 2]));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  std::map<uint64_t, CUstream> owners;
  for (const fake::Launch &launch : fake::getLaunches()) {
    auto [owner, isNew] =
        owners.emplace(launch.get<uint64_t>(2), launch.stream);
    EXPECT_EQ(owner->second, launch.stream);
  }
}

//===----------------------------------------------------------------------===//
// Prepared launches, and capture
//===----------------------------------------------------------------------===//

TEST_F(WorkspaceTest, PreparedLaunchesHaveTheirOwn) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000);
  expectSuccess(kernel.launch(arguments.list, 1));
  Result<Launch> first = kernel.prepare(arguments.list, 1),
                 second =
                     kernel.prepareVariant("ordered_tma", arguments.list, 1);
  ASSERT_TRUE(first && second);
  // Zeroed before anybody runs it.
  EXPECT_EQ(fake::countCalls("cuStreamSynchronize"), 2u);
  CUstream stream = fake::makeStream(), other = fake::makeStream();
  for (int i = 0; i < 3; ++i) {
    expectSuccess(first->run(stream));
    expectSuccess(second->run(other));
  }
  EXPECT_EQ(getMark(1), 3u);
  EXPECT_EQ(getMark(2), 3u);
  std::set<uint64_t> addresses = {getSemaphores(0), getSemaphores(1),
                                  getSemaphores(2)};
  EXPECT_EQ(addresses.size(), 3u);
  fake::Launch launch = fake::getLaunches()[1];
  EXPECT_EQ(launch.get<fake::EncodedMap>(7).address,
            launch.get<uint64_t>(4) + 256);
  EXPECT_TRUE(launch.cooperative);

  constexpr const char *kOtherStream =
      "expected 'ordered_tma' to run in the stream that this launch ran in "
      "first, since it has workspaces; prepare a launch for each stream";
  expectError(first->run(other), ErrorCode::InvalidArgument, kOtherStream);
  expectError(first->run(), ErrorCode::InvalidArgument, kOtherStream);
  expectSuccess(first->run(stream));
}

TEST_F(WorkspaceTest, Capture) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000), larger(5000);
  CUstream stream = fake::makeStream(), other = fake::makeStream();
  Result<Launch> prepared = kernel.prepare(arguments.list, 1);
  ASSERT_TRUE(prepared);
  expectSuccess(kernel.launch(arguments.list, 1, other));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  fake::clearCalls();
  expectSuccess(prepared->run(stream));
  constexpr const char *kNoLaunch =
      "expected a launch in the stream before it is captured, for the memory "
      "of "
      "its workspaces; or capture a prepared launch";
  expectError(kernel.launch(arguments.list, 1, stream),
              ErrorCode::InvalidArgument, kNoLaunch);
  EXPECT_EQ(fake::countCalls("cuMemAlloc"), 0u);
  // Another stream's is there, and grows, too.
  expectSuccess(kernel.launch(larger.list, 1, other));
  fake::setCapturing(other, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(kernel.launch(arguments.list, 1, other));
  EXPECT_TRUE(fake::getLaunches().back().captured);
  // A launch whose workspace has to grow is refused.
  OrderedArguments largest(30000);
  constexpr const char *kNoMemory =
      "semaphores: expected the memory of 'ordered' to be allocated before its "
      "stream is captured; launch it there before, or capture a prepared "
      "launch";
  expectError(kernel.launch(largest.list, 1, other), ErrorCode::InvalidArgument,
              kNoMemory);
  // A launch may be prepared meanwhile.
  EXPECT_TRUE(kernel.prepare(arguments.list, 1));
  expectSuccess(prepared->run(stream));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(WorkspaceTest, ArgumentsAreTheCallersOnly) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000);
  Argument three[] = {arguments.list[0], arguments.list[0], arguments.list[0]};
  expectError(kernel.launch(three, 3), ErrorCode::InvalidArgument,
              "expected 1 argument (x), got 3");
  EXPECT_TRUE(kernel.explain(arguments.list, 1));
  EXPECT_EQ(fake::countAllocations(), 0u);
  OrderedArguments huge(int64_t(1) << 60);
  expectError(kernel.launch(huge.list, 1), ErrorCode::InvalidArgument,
              "sums: expected a size in bytes below 2^63, got more");
  // An empty grid launches nothing, so nothing is allocated.
  OrderedArguments empty(0);
  expectSuccess(kernel.launch(empty.list, 1));
  EXPECT_EQ(fake::countAllocations(), 0u);
}

TEST_F(WorkspaceTest, NoMemory) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  OrderedArguments arguments(1000);
  fake::failNext("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, /*skip=*/1);
  expectError(kernel.launch(arguments.list, 1), ErrorCode::OutOfMemory,
              "sums: cuMemAlloc of 256000 bytes failed: out of memory "
              "(CUDA_ERROR_OUT_OF_MEMORY)");
  EXPECT_EQ(fake::countLaunches(), 0u);
  expectSuccess(kernel.launch(arguments.list, 1));
  EXPECT_EQ(getMark(0), 1u);
}

TEST_F(WorkspaceTest, CooperativeGridsFit) {
  Kernel kernel = getKernel("ordered", makeOrderedManifest());
  fake::setOccupancy("ordered_tma", 3);
  OrderedArguments fits(128 * 396), larger(128 * 397);
  expectSuccess(kernel.launch(fits.list, 1));
  constexpr const char *kTooLarge =
      "ordered_tma: expected a grid of at most 396 blocks, which the device "
      "holds at once, got 397 (397 x 1 x 1)";
  fake::clearCalls();
  expectError(kernel.launch(larger.list, 1), ErrorCode::InvalidArgument,
              kTooLarge);
  EXPECT_EQ(fake::countCalls("cuMemAlloc"), 0u);
  Result<Launch> prepared = kernel.prepare(larger.list, 1);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message, kTooLarge);
  // The driver knows of others that use the device.
  fake::failNext("cuLaunchKernelEx", CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  expectError(kernel.launch(fits.list, 1), ErrorCode::DriverError,
              "ordered_tma: expected a grid that is on the device at once, got "
              "396 x 1 x 1 blocks");
}

TEST_F(WorkspaceTest, CooperativeClusters) {
  std::string manifest = setMember(
      makeOrderedManifest(), "/kernels/0/variants/0/cluster", "[4, 1, 1]");
  Kernel kernel = getKernel("ordered", manifest);
  fake::setOccupancy("ordered_tma", 1);
  OrderedArguments fits(128 * 132), larger(128 * 136);
  expectSuccess(kernel.launch(fits.list, 1));
  EXPECT_TRUE(fake::getLaunches().at(0).cooperative);
  EXPECT_TRUE(fake::getLaunches()[0].hasCluster);
  EXPECT_FALSE(kernel.launch(larger.list, 1));
  EXPECT_EQ(fake::countLaunches(), 1u);
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

TEST_F(WorkspaceTest, FromC) {
  carousel_context_options options;
  carousel_context_options_init(&options, sizeof(options));
  options.driver = CAROUSEL_FAKE_DRIVER;
  options.cache_bytes = 0;
  carousel_context *context = nullptr;
  ASSERT_EQ(carousel_context_create(&options, &context), CAROUSEL_OK);
  std::string path = writeAndOpen(makeOrderedManifest()).getDirectory();
  carousel_package *package = nullptr;
  ASSERT_EQ(carousel_package_open(path.c_str(), &package), CAROUSEL_OK);
  size_t count = 0;
  EXPECT_EQ(carousel_package_argument_count(package, 0, &count), CAROUSEL_OK);
  EXPECT_EQ(count, 1u);
  carousel_argument_info info = {};
  info.size = sizeof(info);
  EXPECT_EQ(carousel_package_argument(package, 0, 1, &info),
            CAROUSEL_INVALID_ARGUMENT);
  carousel_kernel *kernel = nullptr;
  ASSERT_EQ(carousel_kernel_get(context, package, "ordered", &kernel),
            CAROUSEL_OK);
  int64_t extent = 1000;
  carousel_argument x = {};
  x.kind = CAROUSEL_TENSOR;
  x.element = CAROUSEL_F32;
  x.rank = 1;
  x.data = 0x10000;
  x.extents = &extent;
  EXPECT_EQ(carousel_kernel_launch(kernel, &x, 1, nullptr), CAROUSEL_OK)
      << carousel_last_error();
  EXPECT_EQ(getMark(0), 1u);
  carousel_kernel_release(kernel);
  carousel_package_close(package);
  carousel_context_destroy(context);
}

} // namespace
