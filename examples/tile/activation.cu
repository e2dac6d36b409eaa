// An activation for activation.mlir, in CUDA C++: what a user writes. Its type is that of the
// declaration there; `extern "C"` may be left out.

__device__ float activation(float x) {
  constexpr float kSlope = 0.0625f; // a leaky ReLU
  return x < 0 ? x * kSlope : x;
}
