// Barriers, pipelines, bulk copies and atomics of libcu++.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void stream(const float *x, float *y, int n) {
  __shared__ alignas(16) float tile[2][128];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(block, &state);
  auto load = [&](int t) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, tile[t & 1], x + t * 128,
                       cuda::aligned_size_t<16>(512), pipe);
    pipe.producer_commit();
  };
  load(0);
  for (int t = 0; t < n / 128; ++t) {
    if (t + 1 < n / 128)
      load(t + 1);
    pipe.consumer_wait();
    y[t * 128 + threadIdx.x] = tile[t & 1][threadIdx.x];
    pipe.consumer_release();
  }
}

extern "C" __global__ void count(int *x) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(x[0]).fetch_add(1);
  auto active = cg::coalesced_threads();
  if (active.thread_rank() == 0)
    atomicAdd(x + 1, active.size());
}

// Half of the threads write, and the others read, by two barriers in turns.
extern "C" __global__ void hand_over(const float *x, float *y, int rounds) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ float tile[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full, empty;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&full, 128);
    init(&empty, 128);
  }
  block.sync();
  int i = threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    if (i < 64) {
      if (round > 0)
        empty.arrive_and_wait();
      tile[i] = x[round * 64 + i];
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      y[round * 64 + i - 64] = tile[127 - i] + 1;
      if (round + 1 < rounds)
        (void)empty.arrive();
    }
  }
}

// A bulk copy that completes on a barrier of libcu++, and one back.
extern "C" __global__ void copy_bulk(const float *x, float *y) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(128) float tile[256];
  __shared__ Barrier full;
  int i = threadIdx.x;
  if (i == 0) {
    init(&full, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (i == 0) {
    cuda::device::memcpy_async_tx(tile, x + blockIdx.x * 256,
                                  cuda::aligned_size_t<16>(sizeof(tile)), full);
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
  } else {
    token = full.arrive();
  }
  full.wait(std::move(token));
  for (int j = i; j < 256; j += blockDim.x)
    tile[j] *= 2;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (i == 0) {
    cuda::device::experimental::cp_async_bulk_shared_to_global(
        y + blockIdx.x * 256, tile, sizeof(tile));
    cuda::device::experimental::cp_async_bulk_commit_group();
    cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
  }
}
