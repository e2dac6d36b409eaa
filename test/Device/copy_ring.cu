//===- copy_ring.cu - runs examples/machine/copy_ring.mlir on a GPU -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: copy_ring PTX. Loads the PTX of copy_ring.mlir, copies random data of many extents
// with both kernels, compares every byte and the bytes behind the end, and times a copy of
// 2 GiB against cudaMemcpyAsync. Exit status 1 on any mismatch.
//
//===----------------------------------------------------------------------===//

#include "DeviceSupport.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr unsigned kThreads = 64;
constexpr unsigned kDynamicShared = 4 * 64 * 64 * sizeof(float);
constexpr unsigned kCtasPerSM = 3;
constexpr uint32_t kCanary = 0xdeadbeef;
constexpr size_t kCanaryWords = 4096;

__device__ uint32_t mix(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdull;
  value ^= value >> 33;
  return static_cast<uint32_t>(value * 0xc4ceb9fe1a85ec53ull >> 32);
}

__global__ void fillRandom(uint32_t *data, size_t words, uint64_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < words;
       i += size_t(gridDim.x) * blockDim.x)
    data[i] = mix(i + seed);
}

__global__ void fillCanary(uint32_t *data, size_t words) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < words;
       i += size_t(gridDim.x) * blockDim.x)
    data[i] = kCanary;
}

/// Counts words that differ from the source, and canaries that were overwritten.
__global__ void countWrong(const uint32_t *x, const uint32_t *y, size_t words, size_t all,
                           unsigned long long *wrong) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < all;
       i += size_t(gridDim.x) * blockDim.x)
    if (y[i] != (i < words ? x[i] : kCanary))
      atomicAdd(wrong, 1ull);
}

struct Buffers {
  explicit Buffers(size_t words) : words(words), all(words + kCanaryWords) {
    check(cudaMalloc(&x, words * 4), "cudaMalloc");
    check(cudaMalloc(&y, all * 4), "cudaMalloc");
    check(cudaMalloc(&wrong, sizeof(*wrong)), "cudaMalloc");
    fillRandom<<<1024, 256>>>(x, words, words);
    fillCanary<<<1024, 256>>>(y, all);
    check(cudaMemset(wrong, 0, sizeof(*wrong)), "cudaMemset");
  }
  ~Buffers() {
    cudaFree(x);
    cudaFree(y);
    cudaFree(wrong);
  }
  unsigned long long count() {
    countWrong<<<1024, 256>>>(x, y, words, all, wrong);
    unsigned long long result;
    check(cudaMemcpy(&result, wrong, sizeof(result), cudaMemcpyDeviceToHost), "compare");
    return result;
  }
  size_t words, all;
  uint32_t *x = nullptr, *y = nullptr;
  unsigned long long *wrong = nullptr;
};

void launch(CUfunction kernel, unsigned grid, void **arguments) {
  check(cuLaunchKernel(kernel, grid, 1, 1, kThreads, 1, 1, kDynamicShared, nullptr, arguments,
                       nullptr),
        "cuLaunchKernel");
}

void launch1D(CUfunction kernel, unsigned grid, Buffers &b) {
  uint64_t extent = b.words;
  void *arguments[] = {&b.x, &extent, &b.y, &extent};
  launch(kernel, grid, arguments);
}

CUtensorMap encode(void *data, uint64_t rows, uint64_t columns) {
  CUtensorMap map;
  cuuint64_t dims[] = {columns, rows}, strides[] = {columns * 4};
  cuuint32_t box[] = {64, 64}, steps[] = {1, 1};
  auto *entry = getDriverFunction<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  check(entry(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, dims, strides, box, steps,
              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
              CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled");
  return map;
}

void launch2D(CUfunction kernel, unsigned grid, Buffers &b, uint64_t rows, uint64_t columns) {
  CUtensorMap source = encode(b.x, rows, columns), destination = encode(b.y, rows, columns);
  void *arguments[] = {&source, &destination, &rows, &columns};
  launch(kernel, grid, arguments);
}

template <typename Function> double medianMicroseconds(Function &&function) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<double> times;
  for (int i = 0; i < 25; ++i) {
    cudaEventRecord(begin);
    function();
    cudaEventRecord(end);
    check(cudaEventSynchronize(end), "timing");
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, begin, end);
    times.push_back(1e3 * milliseconds);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: copy_ring PTX\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  if (!file) {
    std::fprintf(stderr, "can't read '%s'\n", argv[1]);
    return 2;
  }
  std::stringstream text;
  text << file.rdbuf();
  check(cudaFree(nullptr), "context");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "device");
  unsigned sms = properties.multiProcessorCount;

  CUmodule module;
  CUfunction copy1D, copy2D;
  check(cuModuleLoadData(&module, text.str().c_str()), "cuModuleLoadData");
  check(cuModuleGetFunction(&copy1D, module, "copy_1d"), "copy_1d");
  check(cuModuleGetFunction(&copy2D, module, "copy_2d"), "copy_2d");
  for (CUfunction kernel : {copy1D, copy2D})
    check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             kDynamicShared),
          "shared memory");

  int cases = 0, failures = 0;
  auto report = [&](const std::string &name, unsigned long long wrong) {
    ++cases;
    failures += wrong != 0;
    if (wrong != 0)
      std::printf("FAIL %s: %llu words wrong\n", name.c_str(), wrong);
  };
  for (size_t words : {4ul, 8ul, 4092ul, 4096ul, 4100ul, 12288ul, 20484ul, 1048588ul, 16777216ul,
                       100000004ul})
    for (unsigned grid : {1u, 7u, sms, kCtasPerSM * sms}) {
      Buffers b(words);
      launch1D(copy1D, grid, b);
      report("copy_1d " + std::to_string(words) + " grid " + std::to_string(grid), b.count());
    }
  struct Shape {
    uint64_t rows, columns;
  };
  for (Shape s : {Shape{1, 4}, {1, 64}, {64, 64}, {65, 68}, {63, 60}, {100, 132}, {1000, 516},
                  {4097, 4}, {3, 65536}, {8192, 8192}})
    for (unsigned grid : {1u, 7u, sms, kCtasPerSM * sms}) {
      Buffers b(s.rows * s.columns);
      launch2D(copy2D, grid, b, s.rows, s.columns);
      report("copy_2d " + std::to_string(s.rows) + "x" + std::to_string(s.columns) + " grid " +
                 std::to_string(grid),
             b.count());
    }
  std::printf("%s: %d cases, %d failed\n", properties.name, cases, failures);

  // 2 GiB: far larger than any L2.
  Buffers big(size_t(1) << 29);
  double bytes = 2.0 * 4.0 * big.words;
  double ring = medianMicroseconds([&] { launch1D(copy1D, kCtasPerSM * sms, big); });
  report("copy_1d 2 GiB", big.count());
  double box = medianMicroseconds(
      [&] { launch2D(copy2D, kCtasPerSM * sms, big, size_t(1) << 16, size_t(1) << 13); });
  report("copy_2d 2 GiB", big.count());
  double memcpy = medianMicroseconds(
      [&] { cudaMemcpyAsync(big.y, big.x, 4 * big.words, cudaMemcpyDeviceToDevice); });
  std::printf("%-16s %10s %8s %8s\n", "copy of 2 GiB", "us", "GB/s", "ratio");
  for (auto [name, time] : {std::pair{"cudaMemcpyAsync", memcpy}, {"copy_1d", ring},
                            {"copy_2d", box}})
    std::printf("%-16s %10.1f %8.0f %8.3f\n", name, time, bytes / time / 1e3, memcpy / time);
  return failures != 0;
}
