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

// Of several vectors, narrow elements are in registers of 32 bits.
extern "C" __global__ void several(f16 *x, uint8_t *y) {
  auto fenced = wgmma_fence(load<2>(x), load<4>(y), load<1>(reinterpret_cast<float *>(y)));
  wgmma_fence();
  wgmma_commit();
  wgmma_wait<7>();
  auto waited = wgmma_wait<0>(result<0>(fenced), result<1>(fenced), result<2>(fenced));
  store(result<0>(waited), x);
  store(result<1>(waited), y);
}
