//===- OrderedRepeat.cu - the same bits, launch after launch --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: ordered-repeat PACKAGES [LAUNCHES]. Launches each example whose CTAs
// take turns LAUNCHES times (10,000), by PTX and by CUDA C++, with splits from 1
// to 16. Outputs are overwritten before each launch, semaphores and counters
// never: they are the runtime's. The first result is compared with a reference, all others with the
// first one, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "OrderedCases.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <functional>

using namespace carousel;
using namespace carousel::gpu_test;
using runtime::ElementType;
using Via = runtime::LoadOptions::Via;

namespace {

int launches = 10000;
bool failed = false;

template <typename T> std::vector<T> fetch(const Memory &memory) {
  std::vector<T> values(memory.size() / sizeof(T));
  require(cudaMemcpy(values.data(), memory.data(), memory.size(),
                     cudaMemcpyDeviceToHost),
          "copy");
  return values;
}

/// Launches and compares; `check` says how many elements of the first result are
/// wrong.
void repeat(OrderedCase &test, const std::string &label,
            const std::vector<std::string> &outputs,
            const std::function<unsigned long long()> &check) {
  unsigned long long *different;
  require(cudaMalloc(&different, sizeof *different), "memory");
  require(cudaMemset(different, 0, sizeof *different), "memory");
  std::map<std::string, std::unique_ptr<Memory>> first;
  unsigned long long wrong = 0;
  for (int launch = 0; launch < launches; ++launch) {
    for (const std::string &output : outputs)
      require(cudaMemsetAsync(test.memory(output).data(), 0xff,
                              test.memory(output).size()),
              "memory");
    test.launch();
    for (const std::string &output : outputs) {
      Memory &result = test.memory(output);
      std::unique_ptr<Memory> &expected = first[output];
      if (expected) {
        countDifferences(result, *expected, different);
        continue;
      }
      expected = std::make_unique<Memory>(result.size());
      require(cudaMemcpy(expected->data(), result.data(), result.size(),
                         cudaMemcpyDeviceToDevice),
              "copy");
    }
    if (launch == 0)
      wrong = check();
  }
  unsigned long long count;
  require(cudaMemcpy(&count, different, sizeof count, cudaMemcpyDeviceToHost),
          "copy");
  require(cudaFree(different), "memory");
  std::printf("%-34s %8d %10llu %10llu\n", label.c_str(), launches, wrong,
              count);
  std::fflush(stdout);
  failed |= wrong != 0 || count != 0;
}

std::string describe(const OrderedCase &test, int64_t split, Via via) {
  return test.getName() + ", split " + std::to_string(split) +
         (via == Via::CUDA ? ", CUDA C++" : ", PTX");
}

//===----------------------------------------------------------------------===//
// The cases
//===----------------------------------------------------------------------===//

float makeValue(int64_t tile, int64_t part, int64_t element) {
  uint32_t hash =
      static_cast<uint32_t>(tile * 131071 + part * 8191 + element) *
      2654435761u;
  return static_cast<float>(hash >> 16) * (1.0f / 65536) - 0.5f;
}

void testReduction(const char *kernel, int64_t split, Via via) {
  constexpr int64_t kTiles = 8, kElements = 128 * 128;
  runtime::LoadOptions options;
  options.via = via;
  OrderedCase test("ordered_reduction", kernel, options);
  test.scalar("split", split);
  test.tensor("y", ElementType::F32, {kTiles * 128, 128});
  repeat(test, describe(test, split, via), {"y"}, [&] {
    std::vector<float> y = fetch<float>(test.memory("y"));
    unsigned long long wrong = 0;
    for (int64_t i = 0; i < kTiles * kElements; ++i) {
      float sum = makeValue(i / kElements, 0, i % kElements);
      for (int64_t part = 1; part < split; ++part)
        sum += makeValue(i / kElements, part, i % kElements);
      wrong += y[i] != sum;
    }
    return wrong;
  });
}

/// Rows or columns of numbers in [-1, 1), within what n additions may lose.
void testSums(bool ofColumns, int64_t split, Via via) {
  int64_t rows = ofColumns ? 3001 : 37, columns = ofColumns ? 1000 : 70000;
  runtime::LoadOptions options;
  options.via = via;
  OrderedCase test("split_sums", ofColumns ? "column_sum" : "long_row_sum",
                   options);
  int64_t sums = ofColumns ? columns : rows, n = ofColumns ? rows : columns;
  test.scalar("split", split);
  test.tensor("x", ElementType::F32, {rows, columns}, 1);
  test.tensor("y", ElementType::F32, {sums});
  repeat(test, describe(test, split, via), {"y"}, [&] {
    std::vector<float> x = fetch<float>(test.memory("x")),
                       y = fetch<float>(test.memory("y"));
    unsigned long long wrong = 0;
    for (int64_t i = 0; i < sums; ++i) {
      double sum = 0, size = 0;
      for (int64_t j = 0; j < n; ++j) {
        double v = ofColumns ? x[j * columns + i] : x[i * columns + j];
        sum += v;
        size += std::fabs(v);
      }
      wrong += !(std::fabs(y[i] - sum) <= n * std::ldexp(size, -24));
    }
    return wrong;
  });
}

void testHistogram(int64_t split, Via via) {
  constexpr int64_t kCount = 1000003;
  runtime::LoadOptions options;
  options.via = via;
  OrderedCase test("histogram", "histogram", options);
  test.scalar("split", split);
  test.tensor("x", ElementType::I32, {kCount}, 1);
  for (const char *name : {"counts", "least", "greatest", "bits"})
    test.tensor(name, ElementType::I32, {256});
  repeat(test, describe(test, split, via),
         {"counts", "least", "greatest", "bits"}, [&] {
           std::vector<int32_t> counts(256), least(256, INT32_MAX),
               greatest(256, INT32_MIN), bits(256);
           for (int32_t v : fetch<int32_t>(test.memory("x"))) {
             int bin = v & 255;
             ++counts[bin];
             least[bin] = std::min(least[bin], v);
             greatest[bin] = std::max(greatest[bin], v);
             bits[bin] |= v;
           }
           return (unsigned long long)(
               (fetch<int32_t>(test.memory("counts")) != counts) +
               (fetch<int32_t>(test.memory("least")) != least) +
               (fetch<int32_t>(test.memory("greatest")) != greatest) +
               (fetch<int32_t>(test.memory("bits")) != bits));
         });
}

/// One thread an element: the product in f64, and how large its terms are.
template <typename T>
__global__ void multiply(const T *a, const T *b, const T *bias, const T *c,
                         int64_t m, int64_t n, int64_t k, double part,
                         double round, unsigned long long *wrong) {
  int64_t at = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (at >= m * n)
    return;
  int64_t i = at / n, j = at % n;
  double sum = 0, size = 0;
  for (int64_t p = 0; p < k; ++p) {
    double product =
        double(float(a[i * k + p])) * double(float(b[p * n + j]));
    sum += product;
    size += fabs(product);
  }
  sum += float(bias[j]);
  double want = sum > 0 ? sum : 0, got = float(c[at]);
  // k products and sums of f32, a rounding of the sum in each turn, and one of
  // the result.
  double most = (k + 1) * size * ldexp(1.0, -24) + part * size +
                round * fabs(want);
  if (!(fabs(got - want) <= most))
    atomicAdd(wrong, 1ull);
}

template <typename T>
void testProduct(const char *kernel, ElementType element,
                 ElementType workElement, int64_t split, Via via) {
  int64_t m = 200, n = 136, k = 3001;
  if (element != ElementType::F32)
    k = 3000; // rows of bf16 at multiples of 16 bytes, so that engines can
  if (element == ElementType::F16)
    k = 600; // sums of f16 lose digits
  runtime::LoadOptions options;
  options.via = via;
  OrderedCase test("split_k", kernel, options);
  test.scalar("split", split);
  test.tensor("a", element, {m, k}, 1);
  test.tensor("b", element, {k, n}, 2);
  test.tensor("bias", element, {n}, 3);
  test.tensor("c", element, {m, n});
  repeat(test, describe(test, split, via), {"c"}, [&] {
    unsigned long long *wrong, count;
    require(cudaMalloc(&wrong, sizeof *wrong), "memory");
    require(cudaMemset(wrong, 0, sizeof *wrong), "memory");
    auto data = [&](const char *name) {
      return reinterpret_cast<const T *>(test.memory(name).data());
    };
    double part = workElement == ElementType::F16 ? split * std::ldexp(1, -11)
                                                  : 0,
           round = element == ElementType::F32    ? 0
                   : element == ElementType::BF16 ? std::ldexp(1, -8)
                                                  : std::ldexp(1, -11);
    multiply<T><<<static_cast<unsigned>((m * n + 127) / 128), 128>>>(
        data("a"), data("b"), data("bias"), data("c"), m, n, k, part, round,
        wrong);
    require(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost),
            "copy");
    require(cudaFree(wrong), "memory");
    return count;
  });
}

} // namespace

int main(int argc, char **argv) {
  setPackages(argc, argv);
  if (argc > 2)
    launches = std::atoi(argv[2]);
  std::printf("%-34s %8s %10s %10s\n", "", "launches", "wrong", "different");
  for (Via via : {Via::PTX, Via::CUDA})
    for (int64_t split : {1, 2, 5, 16}) {
      testReduction("by_transfers", split, via);
      testReduction("by_pieces", split, via);
      testReduction("by_registers", split, via);
      testSums(/*ofColumns=*/true, split, via);
      testSums(/*ofColumns=*/false, split, via);
      testHistogram(split, via);
      testProduct<float>("split_k_f32", ElementType::F32, ElementType::F32,
                         split, via);
      testProduct<__nv_bfloat16>("split_k_bf16", ElementType::BF16,
                                 ElementType::F32, split, via);
      testProduct<__half>("split_k_f16", ElementType::F16, ElementType::F16,
                          split, via);
    }
  return failed;
}
