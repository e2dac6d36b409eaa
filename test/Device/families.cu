//===- families.cu - what each family of ops does on a GPU ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: families PTX. Runs the kernels of families.mlir on small integers held as floats, so that
// every sum is exact, and compares each word with a reference computed here. Exit status 1 on any
// mismatch.
//
//===----------------------------------------------------------------------===//

#include "DeviceSupport.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// A buffer on the device with its extent, as kernels take them.
template <typename T> struct Buffer {
  explicit Buffer(const std::vector<T> &values) : extent(values.size()) {
    check(cudaMalloc(&data, values.size() * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  ~Buffer() { cudaFree(data); }
  std::vector<T> get() const {
    std::vector<T> values(extent);
    check(cudaMemcpy(values.data(), data, extent * sizeof(T), cudaMemcpyDeviceToHost), "results");
    return values;
  }
  T *data = nullptr;
  uint64_t extent;
};

/// Small integers in an order that no mistake preserves.
template <typename T> std::vector<T> makeValues(size_t count, unsigned seed = 1) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>((i * 7919 + seed * 104729) % 4093);
  return values;
}

CUmodule module;
int failures = 0;

void launch(const char *name, unsigned grid, unsigned block, std::vector<void *> arguments) {
  CUfunction kernel;
  check(cuModuleGetFunction(&kernel, module, name), name);
  check(cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 0, nullptr, arguments.data(), nullptr),
        name);
  check(cudaDeviceSynchronize(), name);
}

template <typename T>
void expect(const char *name, const std::vector<T> &found, const std::vector<T> &wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    if (found[i] != wanted[i]) {
      std::printf("FAIL %s[%zu]: %g, expected %g\n", name, i, double(found[i]), double(wanted[i]));
      ++failures;
      return;
    }
  std::printf("ok   %s\n", name);
}

/// Extents and box innermost first, as the driver takes them.
CUtensorMap encodeTiled(float *data, std::vector<cuuint64_t> dims, std::vector<cuuint32_t> box) {
  auto *encode = getDriverFunction<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  std::vector<cuuint64_t> strides;
  cuuint64_t stride = sizeof(float);
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    strides.push_back(stride *= dims[i]);
  std::vector<cuuint32_t> steps(dims.size(), 1);
  CUtensorMap map;
  check(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, dims.size(), data, dims.data(),
               strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled");
  return map;
}

void testTensorOrder() {
  constexpr int D = 5, H = 7, W = 12;
  auto values = makeValues<float>(D * H * W);
  Buffer<float> x(values), y(std::vector<float>(64, -1));
  CUtensorMap map = encodeTiled(x.data, {W, H, D}, {8, 4, 2});
  launch("tensor_order", 1, 64, {&map, &y.data, &y.extent});
  std::vector<float> wanted;
  for (int d = 0; d < 2; ++d)
    for (int h = 0; h < 4; ++h)
      for (int w = 0; w < 8; ++w)
        // The box begins at [1, 2, 8]; beyond the tensor is zero.
        wanted.push_back(8 + w < W ? values[((1 + d) * H + 2 + h) * W + 8 + w] : 0);
  expect("tensor_order", y.get(), wanted);
}

void testIm2Col() {
  constexpr int N = 2, H = 6, W = 7, C = 8;
  auto values = makeValues<float>(N * H * W * C);
  Buffer<float> x(values), y(std::vector<float>(128, -1));
  auto *encode = getDriverFunction<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  cuuint64_t dims[] = {C, W, H, N}, strides[] = {C * 4, W * C * 4, H * W * C * 4};
  int lower[] = {0, 0}, upper[] = {-2, -2};
  cuuint32_t steps[] = {1, 1, 1, 1};
  CUtensorMap map;
  check(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, x.data, dims, strides, lower, upper,
               /*channelsPerPixel=*/8, /*pixelsPerColumn=*/16, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeIm2col");
  launch("im2col_order", 1, 128, {&map, &y.data, &y.extent});
  // A filter of 3x3: its origin runs over (H - 2) x (W - 2) pixels of image 1, shifted by [1, 2].
  std::vector<float> wanted;
  for (int pixel = 0; pixel < 16; ++pixel)
    for (int c = 0; c < C; ++c)
      wanted.push_back(
          values[((H + pixel / (W - 2) + 1) * W + pixel % (W - 2) + 2) * C + c]);
  expect("im2col_order", y.get(), wanted);
}

void testReductions() {
  constexpr int ROWS = 16, COLUMNS = 32;
  auto xs = makeValues<float>(128), ys = makeValues<float>(128, 2);
  auto zs = makeValues<float>(ROWS * COLUMNS, 3);
  auto ms = makeValues<int32_t>(128, 4);
  Buffer<float> x(xs), y(ys), z(zs);
  Buffer<int32_t> m(ms);
  CUtensorMap map = encodeTiled(z.data, {COLUMNS, ROWS}, {16, 8});
  launch("reductions", 1, 128, {&x.data, &x.extent, &y.data, &y.extent, &map, &m.data, &m.extent});
  for (int i = 0; i < 128; ++i) {
    ys[i] += xs[i];
    ms[i] = std::max(ms[i], static_cast<int32_t>(xs[i]));
    int row = i / 16 + 12, column = i % 16 + 24;
    if (row < ROWS && column < COLUMNS) // what is outside is clipped
      zs[row * COLUMNS + column] += xs[i];
  }
  expect("bulk.reduce add f32", y.get(), ys);
  expect("tensor.reduce add", z.get(), zs);
  expect("bulk.reduce max s32", m.get(), ms);
}

void testExchange() {
  Buffer<float> y(std::vector<float>(16, -1));
  Buffer<int32_t> ranks(std::vector<int32_t>(2, -1));
  launch("exchange", 2, 32, {&y.data, &y.extent, &ranks.data, &ranks.extent});
  std::vector<float> wanted(16, -1);
  for (int rank = 0; rank < 2; ++rank) {
    float other = 1 - rank;
    float values[] = {other + 10, other + 10, other + 100, 7.0f + rank};
    std::copy(values, values + 4, wanted.begin() + 7 * rank);
  }
  expect("st_async, bulk.copy_cluster, red_async", y.get(), wanted);
  expect("cluster.rank_of", ranks.get(), {1, 0});
}

void testMulticast() {
  auto xs = makeValues<float>(64);
  Buffer<float> x(xs), y(std::vector<float>(128, -1));
  launch("multicast", 2, 64, {&x.data, &x.extent, &y.data, &y.extent});
  std::vector<float> wanted = xs;
  wanted.insert(wanted.end(), xs.begin(), xs.end());
  expect("bulk.load multicast", y.get(), wanted);
}

void testCpAsync() {
  auto xs = makeValues<float>(64);
  Buffer<float> x(xs), y(std::vector<float>(64, -1));
  launch("cp_async", 1, 16, {&x.data, &x.extent, &y.data, &y.extent});
  xs[62] = xs[63] = 0;
  expect("cp_async.copy valid, mbarrier_arrive noinc", y.get(), xs);
}

void testReplace() {
  auto xs = makeValues<float>(128), others = makeValues<float>(128, 5);
  Buffer<float> x(xs), other(others), y(std::vector<float>(128, -1));
  CUtensorMap map = encodeTiled(x.data, {16, 8}, {16, 8});
  CUtensorMap *maps;
  check(cudaMalloc(&maps, 2 * sizeof(map)), "cudaMalloc");
  check(cudaMemcpy(maps, &map, sizeof(map), cudaMemcpyHostToDevice), "cudaMemcpy");
  launch("replace", 1, 32, {&maps, &other.data, &y.data, &y.extent});
  expect("tensor_map.replace, copy_fence, get", y.get(), others);
  cudaFree(maps);
}

void testTurns() {
  constexpr int CTAS = 20;
  for (int round = 0; round < 50; ++round) {
    Buffer<int32_t> semaphore({0});
    Buffer<float> y({1});
    launch("turns", CTAS, 1, {&semaphore.data, &y.data, &y.extent});
    float wanted = 1;
    for (int block = CTAS - 1; block >= 0; --block)
      wanted = 2 * wanted + block;
    if (round == 49 || y.get()[0] != wanted) {
      expect("grid.serial_wait, serial_release", y.get(), {wanted});
      return;
    }
  }
}

void testStates() {
  auto xs = makeValues<float>(64);
  Buffer<float> x(xs), y(std::vector<float>(64, -1));
  launch("states", 1, 64, {&x.data, &x.extent, &y.data, &y.extent});
  std::vector<float> wanted(64);
  for (int i = 0; i < 64; ++i)
    wanted[i] = xs[i ^ 32];
  expect("arrive, arrive_drop, wait by state", y.get(), wanted);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: families PTX\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  if (!file) {
    std::fprintf(stderr, "can't read '%s'\n", argv[1]);
    return 2;
  }
  std::stringstream text;
  text << file.rdbuf();
  // One process a test: a kernel that faults takes its context with it.
  int failed = 0, tests = 0;
  for (auto *test : {testTensorOrder, testIm2Col, testReductions, testExchange, testMulticast,
                     testCpAsync, testReplace, testTurns, testStates}) {
    ++tests;
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      check(cudaFree(nullptr), "context");
      check(cuModuleLoadData(&module, text.str().c_str()), "cuModuleLoadData");
      test();
      std::fflush(stdout);
      _exit(failures != 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  std::printf("%d tests, %d failed\n", tests, failed);
  return failed != 0;
}
