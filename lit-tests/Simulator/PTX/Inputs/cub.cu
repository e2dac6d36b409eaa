// Sums, scans and sorts of CUB, and a pipeline of libcu++.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/atomic>
#include <cuda/pipeline>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void reduce(const float *x, float *y, int n) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int i = blockIdx.x * 128 + threadIdx.x;
  float sum = Reduce(storage).Sum(i < n ? x[i] : 0.0f);
  if (threadIdx.x == 0)
    atomicAdd(y, sum);
}

extern "C" __global__ void scan(const int *x, int *y) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  int sum;
  Scan(storage).InclusiveSum(x[threadIdx.x], sum);
  y[threadIdx.x] = sum - x[threadIdx.x];
}

extern "C" __global__ void sort(const int *x, int *y) {
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  __shared__ typename Sort::TempStorage storage;
  // From the largest to the smallest.
  int keys[2] = {255 - x[threadIdx.x * 2], 255 - x[threadIdx.x * 2 + 1]};
  Sort(storage).Sort(keys);
  y[threadIdx.x * 2] = keys[0];
  y[threadIdx.x * 2 + 1] = keys[1];
}

extern "C" __global__ void pipe(const float *x, float *y, int n) {
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
