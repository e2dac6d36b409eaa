// CUDA's types, included before, convert to ours and back; maps of cuda.h are taken as they are.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <carousel/device/device.h>
using namespace carousel;
static_assert(sizeof(f16) == sizeof(__half) && alignof(f16) == alignof(__half));
static_assert(sizeof(bf16) == sizeof(__nv_bfloat16) && alignof(bf16) == alignof(__nv_bfloat16));
extern "C" __global__ void to_ours(const __half *x, const __nv_bfloat16 *y, f16 *u, bf16 *v) {
  *u = f16(*x) + f16(1);
  *v = bf16(*y) * static_cast<bf16>(2.5);
}
extern "C" __global__ void to_cuda(const f16 *x, const bf16 *y, __half *u, __nv_bfloat16 *v) {
  *u = *x;
  *v = static_cast<__nv_bfloat16>(*y);
}
