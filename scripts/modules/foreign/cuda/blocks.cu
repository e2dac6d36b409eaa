// Sums, scans, sorts and histograms of CUB: of blocks, of warps, of the device.
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

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

extern "C" __global__ void histogram(const unsigned char *x, int *counts,
                                     int n) {
  using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 16>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ int bins[16];
  unsigned char values[4];
  for (int i = 0; i < 4; ++i) {
    int at = (blockIdx.x * 128 + threadIdx.x) * 4 + i;
    values[i] = at < n ? x[at] : 15;
  }
  Histogram(storage).Histogram(values, bins);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(counts + threadIdx.x, bins[threadIdx.x]);
}

// The largest pair of each 8 lanes, by a functor on structs.
struct Pair {
  int key;
  float value;
};
struct Larger {
  __device__ Pair operator()(const Pair &a, const Pair &b) const {
    return a.value < b.value ? b : a;
  }
};
extern "C" __global__ void find_largest(const float *x, int *keys) {
  using Reduce = cub::WarpReduce<Pair, 8>;
  __shared__ typename Reduce::TempStorage storage[16];
  Pair mine = {int(threadIdx.x), x[threadIdx.x]};
  Pair best = Reduce(storage[threadIdx.x / 8]).Reduce(mine, Larger());
  if (threadIdx.x % 8 == 0)
    keys[threadIdx.x / 8] = best.key;
}

// CUB's own kernels: their names and parameters are those of its templates.
void launchAll() {
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, (const float *)0, (float *)0, 0);
  cub::DeviceScan::InclusiveSum(nullptr, bytes, (const int *)0, (int *)0, 0);
}
