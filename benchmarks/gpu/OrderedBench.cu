//===- OrderedBench.cu - turns beside hand-written ones and cuBLAS --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: ordered-bench PACKAGES [reductions | products]. Times the ordered reduction of tiles of
// 128x128 f32 by transfers, by registers and unordered, with turns by tickets and
// by block ids, beside hand-written kernels where CAROUSEL_PEER_REDUCE names their source; then split-K products
// of skinny shapes beside cuBLAS. Ways take turns, so that a change of the clock
// meets all of them; the outputs are set before each launch, outside of what is
// timed.
//
//===----------------------------------------------------------------------===//

#ifdef CAROUSEL_PEER_REDUCE
#define main peer_main
#include CAROUSEL_PEER_REDUCE
#undef main
#undef CK
#endif

#include "OrderedCases.h"

#include <cublas_v2.h>

#include <cmath>
#include <functional>
#include <string>

using namespace carousel;
using namespace carousel::gpu_test;
using runtime::ElementType;

namespace {

struct Way {
  std::string name;
  std::function<void()> before, work;
  std::vector<float> milliseconds;
};

void takeTurns(std::vector<Way> &ways, int rounds) {
  for (int round = -2; round < rounds; ++round)
    for (Way &way : ways) {
      float taken = time(
          1, [&] { way.before(), keepBusy(); }, way.work)[0];
      if (round >= 0)
        way.milliseconds.push_back(taken);
    }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Microseconds of each way to reduce.
struct ReductionWays {
  float registers, transfers, pieces;
  float registersInOrder, transfersInOrder, piecesInOrder, unordered;
  float classic, tma, peerUnordered; ///< NaN without hand-written kernels
};

void print(int64_t tiles, int64_t split, const ReductionWays &us) {
  std::printf("%5d %5d | %9.2f %9.2f %5.2f %7.2f | %9.2f %9.2f %5.2f %7.2f | "
              "%9.2f | %9.2f %9.2f %9.2f | %6.2f %6.2f %6.2f\n",
              int(tiles), int(split), us.registers, us.transfers,
              us.registers / us.transfers, us.pieces, us.registersInOrder,
              us.transfersInOrder, us.registersInOrder / us.transfersInOrder,
              us.piecesInOrder, us.unordered, us.classic, us.tma,
              us.peerUnordered, us.transfersInOrder / us.tma,
              us.piecesInOrder / us.tma, us.unordered / us.peerUnordered);
}

void timeReductions() {
  constexpr int64_t kMostTiles = 128;
  std::printf(
      "ordered reduction of 128x128 f32 tiles, us, median of 41\n"
      "              turns by tickets                  | turns by block ids     "
      "           |           | hand-written, by block ids    | ratios to these\n"
      "%5s %5s | %9s %9s %5s %7s | %9s %9s %5s %7s | %9s | %9s %9s %9s | %6s "
      "%6s %6s\n",
      "tiles", "split", "registers", "transfers", "ratio", "pieces",
      "registers", "transfers", "ratio", "pieces", "unordered", "classic",
      "TMA", "unordered", "TMA", "pieces", "unord.");
#ifdef CAROUSEL_PEER_REDUCE
  float *out;
  int *semaphores;
  require(cudaMalloc(&out, kMostTiles * N * sizeof *out), "memory");
  require(cudaMalloc(&semaphores, kMostTiles * sizeof *semaphores), "memory");
  require(cudaMemset(semaphores, 0, kMostTiles * sizeof *semaphores),
          "memory");
  for (auto kernel : {k<1>, k<2>})
    require(cudaFuncSetAttribute(
                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, N * 4),
            "hand-written");
#endif
  const char *inOrder = "ordered_reduction_in_order";
  for (int64_t tiles : {1, 8, 32, 128})
    for (int64_t split : {2, 4, 8, 16}) {
      std::vector<std::unique_ptr<OrderedCase>> cases;
      std::vector<Way> ways;
      auto add = [&](const char *package, const char *kernel) {
        auto &test = *cases.emplace_back(
            std::make_unique<OrderedCase>(package, kernel));
        test.scalar("split", split);
        test.tensor("y", ElementType::F32, {tiles * 128, 128});
        ways.push_back({kernel,
                        [&] {
                          require(cudaMemsetAsync(test.memory("y").data(), 0,
                                                  test.memory("y").size()),
                                  "memory");
                        },
                        [&] { test.launch(); },
                        {}});
      };
      add("ordered_reduction", "by_registers");
      add("ordered_reduction", "by_transfers");
      add("ordered_reduction", "by_pieces");
      add(inOrder, "by_registers");
      add(inOrder, "by_transfers");
      add(inOrder, "by_pieces");
      add("ordered_reduction", "unordered");
#ifdef CAROUSEL_PEER_REDUCE
      auto clear = [&] {
        require(cudaMemsetAsync(out, 0, tiles * N * sizeof *out), "memory");
      };
      int grid = static_cast<int>(tiles * split);
      int t = static_cast<int>(tiles), s = static_cast<int>(split);
      ways.push_back(
          {"classic", clear,
           [=] { k<0><<<grid, T>>>(out, semaphores, t, s); }, {}});
      ways.push_back(
          {"TMA", clear,
           [=] { k<1><<<grid, T, N * 4>>>(out, semaphores, t, s); }, {}});
      ways.push_back(
          {"unordered", clear,
           [=] { k<2><<<grid, T, N * 4>>>(out, semaphores, t, s); }, {}});
#endif
      takeTurns(ways, 41);
      auto us = [&](size_t way) {
        return way < ways.size() ? median(ways[way].milliseconds) : NAN;
      };
      print(tiles, split,
            {us(0), us(1), us(2), us(3), us(4), us(5), us(6), us(7), us(8),
             us(9)});
    }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return;
  std::fprintf(stderr, "cuBLAS: %s\n", cublasGetStatusString(status));
  std::exit(1);
}

void timeProduct(cublasHandle_t cublas, const char *kernel, ElementType element,
                 cudaDataType type, int64_t m, int64_t n, int64_t k) {
  std::vector<int64_t> splits = {1, 4, 8, 16, 32, 64};
  std::vector<std::unique_ptr<OrderedCase>> cases;
  std::vector<Way> ways;
  auto nothing = [] {};
  for (int64_t split : splits) {
    auto &test =
        *cases.emplace_back(std::make_unique<OrderedCase>("split_k", kernel));
    test.scalar("split", split);
    test.tensor("a", element, {m, k}, 1);
    test.tensor("b", element, {k, n}, 2);
    test.tensor("bias", element, {n}, 3);
    test.tensor("c", element, {m, n});
    ways.push_back({"", nothing, [&] { test.launch(); }, {}});
  }
  OrderedCase &operands = *cases.front();
  Memory result(m * n * runtime::getBytes(element));
  float one = 1, zero = 0;
  ways.push_back({"cuBLAS", nothing,
                  [&] {
                    // Row-major: the transposed product.
                    check(cublasGemmEx(
                        cublas, CUBLAS_OP_N, CUBLAS_OP_N, int(n), int(m),
                        int(k), &one, operands.memory("b").data(), type, int(n),
                        operands.memory("a").data(), type, int(k), &zero,
                        result.data(), type, int(n), CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT));
                  },
                  {}});
  takeTurns(ways, 15);
  int sms = context().getDevice().multiprocessors, kilohertz = 0;
  require(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0),
          "clock");
  // 128 fused multiply-adds a cycle and multiprocessor.
  double limit = double(m) * n * k / (128.0 * sms * kilohertz) * 1e3;
  std::printf("%-12s %4d,%5d,%6d |", kernel, int(m), int(n), int(k));
  float best = 1e30f;
  for (size_t i = 0; i < splits.size(); ++i) {
    float us = median(ways[i].milliseconds);
    best = std::min(best, us);
    std::printf(" %9.1f", us);
  }
  float peer = median(ways.back().milliseconds);
  std::printf(" | %9.1f %9.1f | %6.2f %6.2f\n", peer, limit, best / peer,
              best / limit);
}

void timeProducts() {
  cublasHandle_t cublas;
  check(cublasCreate(&cublas));
  std::printf("\nsplit-K products, us, median of 15, by split; cuBLAS with "
              "tensor cores (f32: without TF32); the limit is that of fused "
              "multiply-adds\n");
  std::printf("%-12s %17s | %9s %9s %9s %9s %9s %9s | %9s %9s | %6s %6s\n", "",
              "M,N,K", "1", "4", "8", "16", "32", "64", "cuBLAS", "limit",
              "ratio", "of lim");
  for (auto [m, n, k] : {std::array<int64_t, 3>{256, 256, 131072},
                         std::array<int64_t, 3>{128, 4096, 16384},
                         std::array<int64_t, 3>{64, 64, 262144}}) {
    timeProduct(cublas, "split_k_f32", ElementType::F32, CUDA_R_32F, m, n, k);
    timeProduct(cublas, "split_k_bf16", ElementType::BF16, CUDA_R_16BF, m, n, k);
    timeProduct(cublas, "split_k_f16", ElementType::F16, CUDA_R_16F, m, n, k);
  }
  check(cublasDestroy(cublas));
}

} // namespace

int main(int argc, char **argv) {
  setPackages(std::min(argc, 2), argv);
  std::string only = argc > 2 ? argv[2] : "";
  if (only != "products")
    timeReductions();
  if (only != "reductions")
    timeProducts();
  return 0;
}
