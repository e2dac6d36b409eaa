//===- LaunchBench.cpp - what a launch costs the host ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: launch-bench PACKAGES. Host time per launch of a copy of 16 bytes, in
// bursts that fit the driver's queue: by cuLaunchKernelEx with everything
// ready, by Launch::run and by Kernel::launch, which checks the arguments,
// chooses the variant and looks its tensor maps up each time.
//
//===----------------------------------------------------------------------===//

#include "GPUSupport.h"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

using namespace carousel;
using namespace carousel::gpu_test;
using runtime::Argument;
using runtime::ElementType;

namespace {

constexpr int kBurst = 200, kRounds = 300;

struct Way {
  const char *name;
  std::function<void()> launch;
  std::vector<double> nanoseconds;
};

void require(CUresult status, const char *what) {
  if (status == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s: error %d\n", what, status);
  std::exit(1);
}

void require(runtime::Status status) {
  if (status)
    return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

double time(const std::function<void()> &launch, CUstream stream) {
  gpu_test::require(cudaStreamSynchronize(stream), "burst");
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kBurst; ++i)
    launch();
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - begin).count() / kBurst;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The kernel of a cubin that the package holds, for the driver alone.
CUfunction load(const runtime::Package &package, const char *function,
                unsigned shared) {
  const auto &images = package.getManifest().modules[0].images;
  for (size_t i = 0; i < images.size(); ++i) {
    if (images[i].kind != runtime::Image::Kind::Cubin)
      continue;
    std::string contents(package.getContents(0, i));
    CUmodule module;
    CUfunction result;
    require(cuModuleLoadData(&module, contents.data()), "cuModuleLoadData");
    require(cuModuleGetFunction(&result, module, function),
            "cuModuleGetFunction");
    require(cuFuncSetAttribute(result,
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               shared),
            "cuFuncSetAttribute");
    return result;
  }
  std::fprintf(stderr, "the package has no cubin\n");
  std::exit(1);
}

/// Prints a table of the ways, each against the first. A launch that doesn't
/// copy `x` to `y` ends the program.
void report(const char *title, std::vector<Way> &ways, CUstream stream,
            const Memory &x, Memory &y) {
  for (Way &way : ways) {
    y.fillCanary();
    gpu_test::require(cudaDeviceSynchronize(), "fill");
    time(way.launch, stream);
    gpu_test::require(cudaStreamSynchronize(stream), "burst");
    if (y.countWrong(x) == 0)
      continue;
    std::fprintf(stderr, "%s, %s: wrong results\n", title, way.name);
    std::exit(1);
  }
  for (int round = 0; round < kRounds; ++round)
    for (Way &way : ways)
      way.nanoseconds.push_back(time(way.launch, stream));
  std::printf("%-28s %9s %14s\n", title, "ns", "over the first");
  double first = median(ways[0].nanoseconds);
  for (Way &way : ways)
    std::printf("  %-26s %9.0f %14.0f\n", way.name, median(way.nanoseconds),
                median(way.nanoseconds) - first);
}

} // namespace

int main(int argc, char **argv) {
  setPackages(argc, argv);
  runtime::Package package = openPackage("copy_ring");
  auto vectors =
      gpu_test::require(runtime::Kernel::get(context(), package, "copy"));
  auto matrices =
      gpu_test::require(runtime::Kernel::get(context(), package, "copy_2d"));
  gpu_test::require(cudaSetDevice(context().getDevice().ordinal), "device");
  cudaStream_t stream;
  gpu_test::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                    "stream");

  Memory x(16), y(16), tickets(16);
  x.fillRandom(1);
  tickets.fillZero();
  int64_t words = 4, two = 2, extents[] = {1, 4};
  Argument counters =
      Argument::tensor(ElementType::I64, tickets.address(), 1, &two);
  std::array<Argument, 3> flat = {
      Argument::tensor(ElementType::F32, x.address(), 1, &words),
      Argument::tensor(ElementType::F32, y.address(), 1, &words), counters};
  std::array<Argument, 3> square = {
      Argument::tensor(ElementType::F32, x.address(), 2, extents),
      Argument::tensor(ElementType::F32, y.address(), 2, extents), counters};

  CUfunction function = load(package, "copy_1d", 49152);
  uint64_t px = x.address(), py = y.address(), pt = tickets.address(),
           extent = 4;
  void *parameters[] = {&px, &extent, &py, &extent, &pt};
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = 49152;
  config.hStream = stream;
  auto one = gpu_test::require(vectors.prepare(flat.data(), flat.size()));
  std::vector<Way> ways;
  ways.push_back(
      {"cuLaunchKernelEx", [&] {
         require(cuLaunchKernelEx(&config, function, parameters, nullptr),
                 "launch");
       }});
  ways.push_back({"Launch::run", [&] { require(one.run(stream)); }});
  ways.push_back({"Kernel::launch", [&] {
                    require(vectors.launch(flat.data(), flat.size(), stream));
                  }});
  report("copy, 5 parameters", ways, stream, x, y);

  CUfunction function2 = load(package, "copy_2d", 65536);
  CUtensorMap maps[2];
  cuuint64_t dims[] = {4, 1}, strides[] = {16};
  cuuint32_t box[] = {64, 64}, steps[] = {1, 1};
  for (int i = 0; i < 2; ++i)
    require(cuTensorMapEncodeTiled(&maps[i], CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
                                   i == 0 ? x.data() : y.data(), dims, strides,
                                   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_NONE,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "cuTensorMapEncodeTiled");
  uint64_t rows = 1, columns = 4, pitch = 4;
  void *parameters2[] = {&px,      &rows,  &columns, &pitch,   &py,     &rows,
                         &columns, &pitch, &pt,      &maps[0], &maps[1]};
  config.sharedMemBytes = 65536;
  auto map = gpu_test::require(matrices.prepare(square.data(), square.size()));
  std::vector<Way> mapped;
  mapped.push_back(
      {"cuLaunchKernelEx", [&] {
         require(cuLaunchKernelEx(&config, function2, parameters2, nullptr),
                 "launch");
       }});
  mapped.push_back({"Launch::run", [&] { require(map.run(stream)); }});
  mapped.push_back(
      {"Kernel::launch", [&] {
         require(matrices.launch(square.data(), square.size(), stream));
       }});
  report("copy_2d, 11 and 2 maps", mapped, stream, x, y);

  // Four threads on four streams: nothing of ours that they wait for. The
  // driver's own lock shows in the rows of cuLaunchKernelEx.
  for (bool raw : {true, false, true, false}) {
    std::atomic<int> ready = 0;
    std::vector<double> each(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        gpu_test::require(cudaSetDevice(context().getDevice().ordinal),
                          "device");
        cudaStream_t own;
        gpu_test::require(
            cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "stream");
        Memory counters(16);
        counters.fillZero();
        auto arguments = flat;
        arguments[2].data = counters.address();
        CUlaunchConfig mine = config;
        mine.sharedMemBytes = 49152;
        mine.hStream = own;
        uint64_t address = counters.address();
        void *values[] = {&px, &extent, &py, &extent, &address};
        ++ready;
        while (ready < 4)
          ;
        std::vector<double> times;
        for (int round = 0; round < kRounds / 4; ++round)
          times.push_back(time(
              [&] {
                if (raw)
                  require(cuLaunchKernelEx(&mine, function, values, nullptr),
                          "launch");
                else
                  require(
                      vectors.launch(arguments.data(), arguments.size(), own));
              },
              own));
        each[t] = median(times);
        cudaStreamDestroy(own);
      });
    for (std::thread &thread : threads)
      thread.join();
    std::printf("four threads, %-18s %7.0f %7.0f %7.0f %7.0f ns\n",
                raw ? "cuLaunchKernelEx" : "Kernel::launch", each[0], each[1],
                each[2], each[3]);
  }
  return 0;
}
