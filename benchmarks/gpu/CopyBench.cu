//===- CopyBench.cu - the copy ring beside what else copies ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: copy-bench PACKAGES. Copies 2 GiB of random bytes by cudaMemcpyAsync,
// cub::DeviceTransform, a hand-written ring in CUDA (where CAROUSEL_PEER_RING
// names its source) and the package's two kernels. The ways take turns, so that
// a change of the clock meets all of them, and the device is kept busy until a
// copy is queued, so that the host's time isn't in it. What each way copies is
// compared before and after.
//
//===----------------------------------------------------------------------===//

#ifdef CAROUSEL_PEER_RING
#define main peer_main
#include CAROUSEL_PEER_RING
#undef main
#undef CK
#endif

#include "GPUSupport.h"

#include <cub/device/device_transform.cuh>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <vector>

using namespace carousel;
using namespace carousel::gpu_test;
using runtime::Argument;
using runtime::ElementType;

namespace {

constexpr size_t kBytes = size_t(2) << 30;
constexpr int kRounds = 41;

/// Long enough for the host to queue a copy and its events.
__global__ void keepBusy() {
  for (int i = 0; i < 50; ++i)
    __nanosleep(1000);
}

struct Identity {
  __host__ __device__ uint4 operator()(uint4 value) const { return value; }
};

struct Way {
  const char *name;
  std::function<void()> copy;
  std::vector<float> milliseconds;
  unsigned long long wrong = 0;
};

float quantile(std::vector<float> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * (values.size() - 1) + 0.5)];
}

} // namespace

int main(int argc, char **argv) {
  setPackages(argc, argv);
  runtime::Package package = openPackage("copy_ring");
  auto vectors = require(runtime::Kernel::get(context(), package, "copy"));
  auto matrices = require(runtime::Kernel::get(context(), package, "copy_2d"));

  Memory x(kBytes), y(kBytes), tickets(16);
  x.fillRandom(1);
  tickets.fillZero();
  int64_t words = kBytes / 4, two = 2, extents[] = {65536, 8192};
  Argument counters = Argument::tensor(ElementType::I64, tickets.address(), 1, &two);
  std::array<Argument, 3> flat = {Argument::tensor(ElementType::F32, x.address(), 1, &words),
                                  Argument::tensor(ElementType::F32, y.address(), 1, &words),
                                  counters};
  std::array<Argument, 3> square = {Argument::tensor(ElementType::F32, x.address(), 2, extents),
                                    Argument::tensor(ElementType::F32, y.address(), 2, extents),
                                    counters};
  auto elements = require(vectors.prepareVariant("copy_elements", flat.data(), flat.size()));

  std::vector<Way> ways;
  ways.push_back({"cudaMemcpyAsync", [&] {
                    require(cudaMemcpyAsync(y.data(), x.data(), kBytes, cudaMemcpyDeviceToDevice),
                            "cudaMemcpyAsync");
                  }});
  ways.push_back({"cub::DeviceTransform", [&] {
                    require(cub::DeviceTransform::Transform(
                                reinterpret_cast<uint4 *>(x.data()),
                                reinterpret_cast<uint4 *>(y.data()),
                                static_cast<long long>(kBytes / 16), Identity{}),
                            "cub::DeviceTransform");
                  }});
#ifdef CAROUSEL_PEER_RING
  // The best of its own sweep: four slots of 4 KiB, four CTAs per SM.
  require(cudaFuncSetAttribute(ring_copy<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384),
          "hand-written ring");
  ways.push_back({"hand-written ring", [&] {
                    int sms = context().getDevice().multiprocessors;
                    ring_copy<4><<<4 * sms, 32, 16384>>>(
                        reinterpret_cast<const char *>(x.data()),
                        reinterpret_cast<char *>(y.data()), kBytes, 4096);
                    require(cudaGetLastError(), "hand-written ring");
                  }});
#endif
  auto launched = [](runtime::Status status) {
    require(status ? runtime::Result<int>(0) : tl::make_unexpected(status.error()));
  };
  ways.push_back({"carousel copy_1d", [&] { launched(vectors.launch(flat.data(), flat.size())); }});
  ways.push_back(
      {"carousel copy_2d", [&] { launched(matrices.launch(square.data(), square.size())); }});
  ways.push_back({"carousel copy_elements", [&] { launched(elements.run()); }});

  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "event");
  require(cudaEventCreate(&end), "event");
  auto compare = [&] {
    for (Way &way : ways) {
      y.fillCanary();
      way.copy();
      way.wrong += y.countWrong(x);
    }
  };
  compare();
  for (int round = 0; round < kRounds; ++round)
    for (Way &way : ways) {
      keepBusy<<<1, 1>>>();
      require(cudaGetLastError(), "keepBusy");
      require(cudaEventRecord(begin), "event");
      way.copy();
      require(cudaEventRecord(end), "event");
      require(cudaEventSynchronize(end), "timing");
      float milliseconds;
      require(cudaEventElapsedTime(&milliseconds, begin, end), "timing");
      way.milliseconds.push_back(milliseconds);
    }
  compare();

  float best = 1e30f;
  for (Way &way : ways)
    if (way.name[0] != 'c' || way.name[1] != 'a') // not ours
      best = std::min(best, quantile(way.milliseconds, 0.5));
  std::printf("copy of 2 GiB on %s, median of %d, ways taking turns\n",
              context().getDevice().name.c_str(), kRounds);
  std::printf("%-24s %9s %9s %9s %8s %16s %6s\n", "", "us", "p10", "p90", "GB/s",
              "of the best peer", "wrong");
  bool failed = false;
  for (Way &way : ways) {
    float median = quantile(way.milliseconds, 0.5);
    std::printf("%-24s %9.1f %9.1f %9.1f %8.0f %16.3f %6llu\n", way.name, 1e3 * median,
                1e3 * quantile(way.milliseconds, 0.1), 1e3 * quantile(way.milliseconds, 0.9),
                2.0 * kBytes / median / 1e6, best / median, way.wrong);
    failed |= way.wrong != 0;
  }
  return failed;
}
