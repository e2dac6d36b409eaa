// What lanes of a warp do together, and what kernels take as parameters.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;

struct Row {
  const float *data;
  int length;
  double scale;
  short step;
};

// A struct with padding in its middle and at its end, beside numbers.
extern "C" __global__ void sum_row(Row row, float *y, char bias) {
  double sum = 0;
  for (int i = threadIdx.x; i < row.length; i += 32)
    sum += row.data[i * row.step] * row.scale;
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_xor_sync(~0u, sum, by);
  if (threadIdx.x == 0)
    *y = float(sum) + bias;
}

// The lanes with a key find each other, and their first one counts for all.
extern "C" __global__ void count_keys(const int *keys, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lanes = __ballot_sync(~0u, i < n);
  if (i >= n)
    return;
  unsigned same = __match_any_sync(lanes, keys[i]);
  if ((threadIdx.x & 31) == __ffs(same) - 1)
    atomicAdd(counts + keys[i], __popc(same));
}

// Sums, bounds and bits by redux and by groups of 8 lanes.
extern "C" __global__ void reduce_lanes(const int *x, int *y) {
  int value = x[threadIdx.x];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::tiled_partition<8>(warp);
  int sum = cg::reduce(warp, value, cg::plus<int>());
  int least = __reduce_min_sync(~0u, value);
  unsigned bits = __reduce_or_sync(~0u, unsigned(value));
  int most = cg::reduce(part, value, cg::greater<int>());
  int all = __all_sync(~0u, value > -1000), any = part.any(value == 7);
  int pred;
  __match_all_sync(~0u, value & 0, &pred);
  y[threadIdx.x * 4] = sum;
  y[threadIdx.x * 4 + 1] = least;
  y[threadIdx.x * 4 + 2] = int(bits);
  y[threadIdx.x * 4 + 3] = most * 8 + all * 4 + any * 2 + pred;
}

// Two halves of a warp at different barriers of their own.
extern "C" __global__ void diverge(const int *x, int *y) {
  int i = threadIdx.x, value = x[i];
  if (i % 32 < 16) {
    for (int by = 1; by < 16; by *= 2) {
      int other = __shfl_up_sync(0xffff, value, by, 16);
      if (i % 16 >= by)
        value += other;
    }
  } else {
    value = __shfl_down_sync(0xffff0000, value, 3, 16);
  }
  __syncwarp();
  y[i] = value + __shfl_sync(~0u, value, 5);
}

// A product by the fragments of nvcuda::wmma, with an epilogue on the fragment.
extern "C" __global__ void product(const half *a, const half *b, float *c,
                                   float scale) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sums;
  fill_fragment(sums, 0.0f);
  for (int k = 0; k < 64; k += 16) {
    load_matrix_sync(left, a + k, 64);
    load_matrix_sync(right, b + k, 64);
    mma_sync(sums, left, right, sums);
  }
  for (int i = 0; i < sums.num_elements; ++i)
    sums.x[i] *= scale;
  store_matrix_sync(c, sums, 16, mem_row_major);
}

extern "C" __global__ void product_of_bytes(const signed char *a,
                                            const signed char *b, int *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 32, 8, 16, signed char, row_major> left;
  fragment<matrix_b, 32, 8, 16, signed char, row_major> right;
  fragment<accumulator, 32, 8, 16, int> sums;
  __shared__ int tile[32 * 8];
  fill_fragment(sums, 1);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 8);
  mma_sync(sums, left, right, sums);
  store_matrix_sync(tile, sums, 8, mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    c[i] = tile[i];
}

__constant__ float kTable[4] = {1.0f, 0.5f, 0.25f, 0.125f};
__device__ int calls;
__device__ float halve(float x) { return x * 0.5f; }
__device__ float square(float x) { return x * x; }
__device__ float (*const kFunctions[2])(float) = {halve, square};

// Calls by address, constants, local memory by a variable index, and a
// variable of the device.
extern "C" __global__ void call_by_address(const float *x, float *y) {
  int i = threadIdx.x;
  float kept[8];
  for (int j = 0; j < 8; ++j)
    kept[(j * 3 + i) & 7] = x[(i + j) & 63] * kTable[j & 3];
  y[i] = kFunctions[i & 1](kept[(i * 5) & 7]);
  atomicAdd(&calls, 1);
}

// Pairs of f16, a stencil in dynamic shared memory, and a cluster whose CTAs
// read each other's edges.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    stencil(const half2 *x, half2 *y) {
  extern __shared__ half2 tile[];
  cg::cluster_group cluster = cg::this_cluster();
  int i = threadIdx.x, count = blockDim.x;
  tile[i] = x[blockIdx.x * count + i];
  cluster.sync();
  const half2 *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  half2 next = i + 1 < count ? tile[i + 1] : other[0];
  y[blockIdx.x * count + i] = __hfma2(next, __float2half2_rn(2.0f), tile[i]);
  cluster.sync();
}

struct Weights {
  float values[4];
};

// An element of a parameter that only the run knows.
extern "C" __global__ void weigh(const __grid_constant__ Weights weights,
                                 const float *x, float *y) {
  int i = threadIdx.x;
  y[i] = x[i] * weights.values[i * 7 & 3];
}
