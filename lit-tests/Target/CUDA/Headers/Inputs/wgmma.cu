#include <carousel/device/wgmma.h>
#include <carousel/device/float16.h>
using namespace carousel;

// A base that both descriptors share, and a constant.
extern "C" __global__ void descriptors(uint64_t *out, uint32_t slot) {
  extern __shared__ __align__(1024) f16 tile[];
  out[0] = wgmma_descriptor<0x4000004000010000u>(tile, slot * 512);
  out[1] = wgmma_descriptor<0x4000004000010000u>(tile, slot * 512 + 2);
}

// The addition is before the fence, the product after the wait.
extern "C" __global__ void order(float *x) {
  vec<float, 2> sums = load<2>(x);
  sums = wgmma_fence(sums + sums);
  wgmma_commit();
  sums = wgmma_wait<0>(sums);
  store(sums * sums, x);
}

// Of several vectors.
extern "C" __global__ void several(f16 *x, float *y, uint32_t *z) {
  auto fenced = wgmma_fence(bit_cast<vec<uint32_t, 1>>(load<2>(x)), load<2>(y), load<3>(z));
  wgmma_fence();
  wgmma_commit();
  wgmma_wait<7>();
  auto waited = wgmma_wait<0>(result<0>(fenced), result<1>(fenced), result<2>(fenced));
  store(bit_cast<vec<f16, 2>>(result<0>(waited)), x);
  store(result<1>(waited), y);
  store(result<2>(waited), z);
}

// Each register of the sums is written before the fence.
extern "C" __global__ void renewed(float *x) {
  vec<float, 2> sums = wgmma_fence(wgmma_renew_sums(load<2>(x)));
  wgmma_commit();
  store(wgmma_wait<0>(sums), x);
}
