//===- CopyRingTest.cpp - the copy ring's package on a device -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of 16 bytes to 4 GiB through every variant that the guards allow, with
// every byte compared. Also launches that the guards refuse.
//
//===----------------------------------------------------------------------===//

#include "GPUSupport.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

using namespace carousel;
using namespace carousel::gpu_test;
using runtime::Argument;
using runtime::ElementType;
using runtime::ErrorCode;
using runtime::Kernel;

namespace {

/// Arguments of `copy`: two vectors of `words` and the tickets.
struct Vectors {
  Vectors(int64_t words, size_t xShift = 0, size_t yShift = 0)
      : words(words), x(words * 4, xShift), y(words * 4, yShift), tickets(16) {
    x.fillRandom(words);
    tickets.fillZero();
  }
  std::array<Argument, 3> arguments() const {
    return {Argument::tensor(ElementType::F32, x.address(), 1, &words),
            Argument::tensor(ElementType::F32, y.address(), 1, &words),
            Argument::tensor(ElementType::I64, tickets.address(), 1, &two)};
  }
  /// Wrong bytes of y, and counters that weren't left zero.
  unsigned long long countWrong() const {
    uint64_t left[2];
    require(cudaMemcpy(left, tickets.data(), 16, cudaMemcpyDeviceToHost),
            "tickets");
    return y.countWrong(x) + (left[0] != 0) + (left[1] != 0);
  }
  int64_t words, two = 2;
  Memory x, y, tickets;
};

/// Arguments of `copy_2d`: matrices with a row pitch, in elements.
struct Matrices {
  Matrices(int64_t rows, int64_t columns, int64_t pitch, size_t shift = 0)
      : extents{rows, columns}, strides{pitch, 1}, x(rows * pitch * 4, shift),
        y(rows * pitch * 4, shift), tickets(16) {
    x.fillRandom(rows * pitch);
    tickets.fillZero();
  }
  std::array<Argument, 3> arguments() const {
    return {
        Argument::tensor(ElementType::F32, x.address(), 2, extents, strides),
        Argument::tensor(ElementType::F32, y.address(), 2, extents, strides),
        Argument::tensor(ElementType::I64, tickets.address(), 1, &two)};
  }
  unsigned long long countWrong() const {
    return y.countWrong(x, extents[0], extents[1] * 4, strides[0] * 4);
  }
  int64_t extents[2], strides[2], two = 2;
  Memory x, y, tickets;
};

Kernel getKernel(const char *name, const char *package = "copy_ring") {
  return require(Kernel::get(context(), openPackage(package), name));
}

/// Launches and returns the function that was chosen.
template <typename Data> std::string copy(const Kernel &kernel, Data &data) {
  auto arguments = data.arguments();
  auto launch = kernel.prepare(arguments.data(), arguments.size());
  if (!launch)
    return launch.error().message;
  auto status = launch->run();
  if (!status)
    return status.error().message;
  status = context().synchronize();
  return status ? launch->getVariant().function : status.error().message;
}

TEST(CopyRing, VectorsOfEverySize) {
  Kernel kernel = getKernel("copy");
  for (int64_t bytes = 16; bytes <= int64_t(4) << 30; bytes *= 2)
    for (int64_t more : {-20, -16, -4, 0, 4, 16, 20}) {
      // The largest size has one case for each variant: time.
      if (bytes + more <= 0 ||
          (bytes == int64_t(4) << 30 && more != 0 && more != -4))
        continue;
      Vectors data((bytes + more) / 4);
      EXPECT_EQ(copy(kernel, data),
                (bytes + more) % 16 == 0 ? "copy_1d" : "copy_elements")
          << bytes + more;
      EXPECT_EQ(data.countWrong(), 0u) << bytes + more;
    }
}

TEST(CopyRing, TileAndTicketBoundaries) {
  Kernel kernel = getKernel("copy");
  for (int64_t tickets : {1, 2, 131, 132, 133, 263, 264, 265, 1000})
    for (int64_t words : {-4096, -1024, -4, 0, 4, 1020, 1024, 1028, 4092}) {
      int64_t all = tickets * 4096 + words;
      if (all <= 0)
        continue;
      Vectors data(all);
      EXPECT_EQ(copy(kernel, data), "copy_1d") << all;
      EXPECT_EQ(data.countWrong(), 0u) << all;
    }
}

TEST(CopyRing, UnalignedVectorsGoElementByElement) {
  Kernel kernel = getKernel("copy");
  for (auto [x, y] : {std::pair{4, 0}, {0, 4}, {8, 12}}) {
    Vectors data(100000, x, y);
    EXPECT_EQ(copy(kernel, data), "copy_elements");
    EXPECT_EQ(data.countWrong(), 0u);
  }
  Vectors data(1 << 20, 16, 48);
  EXPECT_EQ(copy(kernel, data), "copy_1d");
  EXPECT_EQ(data.countWrong(), 0u);
}

TEST(CopyRing, EmptyVectorsLaunchNothing) {
  Kernel kernel = getKernel("copy");
  Vectors data(0);
  EXPECT_EQ(copy(kernel, data), "copy_1d");
  EXPECT_EQ(data.countWrong(), 0u);
}

TEST(CopyRing, RefusedVariantsSayWhy) {
  Kernel kernel = getKernel("copy");
  Vectors data(1001);
  auto arguments = data.arguments();
  auto launch =
      kernel.prepareVariant("copy_1d", arguments.data(), arguments.size());
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error().code, ErrorCode::NoVariant);
  EXPECT_NE(launch.error().message.find(
                "expected x.extent(0) to be a multiple of 4, got 1001"),
            std::string::npos)
      << launch.error().message;
}

TEST(CopyRing, MatricesOfManyShapes) {
  Kernel kernel = getKernel("copy_2d");
  struct Shape {
    int64_t rows, columns, pitch;
  };
  for (Shape s : {Shape{1, 4, 4},
                  {2, 8, 12},
                  {1, 64, 64},
                  {64, 64, 64},
                  {65, 68, 68},
                  {63, 60, 64},
                  {100, 132, 136},
                  {1000, 516, 520},
                  {4097, 4, 8},
                  {3, 65536, 65536},
                  {77, 1000, 1024},
                  {8192, 8192, 8192},
                  {65536, 8192, 8192},
                  {131072, 8192, 8192}}) {
    Matrices data(s.rows, s.columns, s.pitch);
    EXPECT_EQ(copy(kernel, data), "copy_2d") << s.rows << "x" << s.columns;
    EXPECT_EQ(data.countWrong(), 0u)
        << s.rows << "x" << s.columns << " pitch " << s.pitch;
  }
}

TEST(CopyRing, MatricesThatNoMapDescribes) {
  Kernel kernel = getKernel("copy_2d");
  Matrices stride(10, 8, 10);
  EXPECT_NE(copy(kernel, stride).find("multiples of 16 bytes, got 40"),
            std::string::npos)
      << copy(kernel, stride);
  // A store would write up to the next multiple of 16 bytes.
  Matrices rows(10, 13, 16);
  EXPECT_NE(copy(kernel, rows)
                .find("expected x.extent(1) to be a multiple of 4, got 13"),
            std::string::npos)
      << copy(kernel, rows);
  Matrices address(10, 12, 12, 4);
  EXPECT_NE(copy(kernel, address)
                .find("expected an address at a multiple of 16 bytes, got"),
            std::string::npos)
      << copy(kernel, address);
}

TEST(CopyRing, EveryRouteToACubin) {
  for (const char *package : {"copy_ring", "copy_ring_ptx", "copy_ring_32"}) {
    Kernel kernel = getKernel("copy", package);
    Vectors data(1 << 20);
    EXPECT_EQ(copy(kernel, data), "copy_1d") << package;
    EXPECT_EQ(data.countWrong(), 0u) << package;
  }
}

TEST(CopyRing, ManyThreadsAndStreams) {
  Kernel kernel = getKernel("copy");
  Kernel matrix = getKernel("copy_2d");
  std::vector<std::thread> threads;
  std::vector<int> failures(8, 0);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      cudaStream_t stream;
      require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
              "stream");
      for (int round = 0; round < 20; ++round) {
        Vectors a((round * 8 + t + 1) * 4000);
        Matrices b(100 + t, 200 + 4 * round, 200 + 4 * round);
        require(cudaDeviceSynchronize(), "fill");
        auto one = a.arguments();
        auto two = b.arguments();
        for (int i = 0; i < 10; ++i) {
          failures[t] += !kernel.launch(one.data(), one.size(), stream);
          failures[t] += !matrix.launch(two.data(), two.size(), stream);
        }
        failures[t] += !context().synchronize(stream);
        failures[t] += a.countWrong() != 0 || b.countWrong() != 0;
      }
      cudaStreamDestroy(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, std::vector<int>(8, 0));
}

TEST(CopyRing, GraphsReplay) {
  Kernel kernel = getKernel("copy");
  Kernel matrix = getKernel("copy_2d");
  ASSERT_TRUE(kernel.loadAll());
  ASSERT_TRUE(matrix.loadAll());
  Vectors a(1 << 22);
  Matrices b(500, 500, 500);
  auto one = a.arguments();
  auto two = b.arguments();
  cudaStream_t stream;
  require(cudaStreamCreate(&stream), "stream");
  require(cudaDeviceSynchronize(), "fill");
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal),
          "capture");
  auto first = kernel.launch(one.data(), one.size(), stream);
  auto second = matrix.launch(two.data(), two.size(), stream);
  // Calls of other threads don't disturb the capture, nor it them.
  std::thread([] {
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(runtime::Buffer::allocate(context(), 1 << 20));
      auto loaded = getKernel("copy", "copy_ring_32").loadAll();
      ASSERT_TRUE(loaded) << loaded.error().message;
    }
  }).join();
  require(cudaStreamEndCapture(stream, &graph), "capture");
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE(a.countWrong(), 0u) << "a captured launch ran";
  require(cudaGraphInstantiate(&executable, graph, 0), "graph");
  for (int i = 0; i < 3; ++i) {
    a.y.fillCanary();
    b.y.fillCanary();
    require(cudaGraphLaunch(executable, stream), "replay");
    require(cudaStreamSynchronize(stream), "replay");
    EXPECT_EQ(a.countWrong(), 0u);
    EXPECT_EQ(b.countWrong(), 0u);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

/// Runs last: afterwards the context is lost.
TEST(CopyRingZ, FailuresOnTheDeviceNameTheKernel) {
  Kernel kernel = getKernel("copy");
  Vectors data(1 << 20);
  auto arguments = data.arguments();
  ASSERT_TRUE(kernel.launch(arguments.data(), arguments.size()));
  ASSERT_TRUE(context().synchronize());
  arguments[0].data = 0x100;
  auto launched = kernel.launch(arguments.data(), arguments.size());
  ASSERT_TRUE(launched) << launched.error().message;
  require(cudaDeviceSynchronize() == cudaErrorIllegalAddress ? cudaSuccess
                                                             : cudaErrorUnknown,
          "expected an illegal address");
  arguments = data.arguments();
  auto next = kernel.launch(arguments.data(), arguments.size());
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::LaunchFailed);
  EXPECT_NE(next.error().message.find("copy_1d"), std::string::npos)
      << next.error().message;
  EXPECT_NE(next.error().message.find("illegal"), std::string::npos)
      << next.error().message;
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  setPackages(argc, argv);
  return RUN_ALL_TESTS();
}
