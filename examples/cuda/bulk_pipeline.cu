//===- bulk_pipeline.cu - a ring of bulk copies, by hand ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = factor * x, for n a multiple of 4. One thread keeps a ring of two slots
// full with bulk copies; the others compute. Needs sm_90:
//   nvcc -std=c++17 -arch=sm_90 -I runtime/device bulk_pipeline.cu && ./a.out
//
//===----------------------------------------------------------------------===//

#include <carousel/device/bulk.h>
#include <carousel/device/elect.h>
#include <carousel/device/fence.h>
#include <carousel/device/mbarrier.h>
#include <carousel/device/vector.h>

using namespace carousel;

constexpr int kSlots = 2;
constexpr int kTile = 2048; // elements
constexpr int kConsumers = 128;
constexpr int kThreads = kConsumers + 32;

extern "C" __global__ void __launch_bounds__(kThreads)
    scale(const float *x, float *y, float factor, int n) {
  __shared__ alignas(128) float tiles[kSlots][kTile];
  __shared__ mbarrier full[kSlots], empty[kSlots];

  if (threadIdx.x == 0) {
    for (int slot = 0; slot < kSlots; ++slot) {
      mbarrier_init(&full[slot], 1);
      mbarrier_init(&empty[slot], kConsumers);
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  const bool is_producer = threadIdx.x >= kConsumers;
  if (is_producer && !elect())
    return;

  int turn = 0;
  for (int first = blockIdx.x * kTile; first < n;
       first += gridDim.x * kTile, ++turn) {
    const int slot = turn % kSlots;
    const uint32_t phase = turn / kSlots % 2;
    const int elements = n - first < kTile ? n - first : kTile;

    if (is_producer) {
      // The first turn of a slot waits for the phase before phase 0, which
      // counts as complete: the slot is empty.
      mbarrier_wait(&empty[slot], phase ^ 1);
      const uint32_t bytes = elements * sizeof(float);
      mbarrier_arrive_expect_tx(&full[slot], bytes);
      bulk_load(x + first, tiles[slot], bytes, &full[slot]);
      continue;
    }

    mbarrier_wait(&full[slot], phase);
    for (int i = threadIdx.x * 4; i < elements; i += kConsumers * 4) {
      vec<float, 4> values = load<4, 16>(&tiles[slot][i]);
      store<16>(values * broadcast<4>(factor), y + first + i);
    }
    // Each consumer hands the slot back when it has read its part.
    mbarrier_arrive(&empty[slot]);
  }
}

#ifndef __CUDACC_RTC__
#include <cstdio>

int main() {
  constexpr int n = 1000 * 1000;
  float *x = nullptr, *y = nullptr;
  if (cudaMallocManaged(&x, n * sizeof(float)) != cudaSuccess ||
      cudaMallocManaged(&y, n * sizeof(float)) != cudaSuccess)
    return std::puts("expected a GPU with managed memory"), 1;
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 1000);
  scale<<<128, kThreads>>>(x, y, 0.5f, n);
  if (cudaError_t error = cudaDeviceSynchronize())
    return std::puts(cudaGetErrorString(error)), 1;
  for (int i = 0; i < n; ++i)
    if (y[i] != 0.5f * x[i])
      return std::printf("y[%d] is %g\n", i, y[i]), 1;
  std::puts("right");
  return 0;
}
#endif
