// An activation for activation.mlir, in CUDA C++, as a user writes it. Its type is that of the
// declaration there; `extern "C"` is optional.

__device__ float activation(float x) {
  constexpr float kSlope = 0.0625f; // a leaky ReLU
  return x < 0 ? x * kSlope : x;
}
