#include <carousel/device/float16.h>
#include <carousel/device/vector.h>
using namespace carousel;
__shared__ alignas(16) float tile[256];

extern "C" __global__ void copy_16(const float *x, float *y) { store<16>(load<4, 16>(x), y); }
extern "C" __global__ void copy_8(const float *x, float *y) { store<8>(load<4, 8>(x), y); }
extern "C" __global__ void copy_4(const float *x, float *y) { store(load<4>(x), y); }
extern "C" __global__ void copy_three(const float *x, float *y) { store<16>(load<3, 16>(x), y); }
extern "C" __global__ void copy_halves(const f16 *x, f16 *y) { store<16>(load<8, 16>(x), y); }
extern "C" __global__ void copy_bytes(const int8_t *x, int8_t *y) { store<4>(load<8, 4>(x), y); }
extern "C" __global__ void copy_doubles(const double *x, double *y) { store<16>(load<4, 16>(x), y); }
extern "C" __global__ void copy_shared(const float *x) {
  store<16>(load<4, 16>(&tile[128]), &tile[threadIdx.x * 4]);
}
extern "C" __global__ void add_pairs(const bf16 *x, bf16 *y) { store<8>(load<4, 8>(x) + load<4, 8>(y), y); }
extern "C" __global__ void masked(const float *x, float *y, int n) {
  vec<bool, 2> mask = first_lanes<2>(n);
  store(load(x, mask, broadcast<2>(7.0f)), y, mask);
}

// The compiler computes these.
extern "C" __global__ void constants(int *y) {
  vec<int, 4> a{{1, 2, 3, 4}}, b{{40, 30, 20, 10}};
  y[0] = shuffle<5, 0>(a, b)[0] * 100 + shuffle<5, 0>(a, b)[1];
  y[1] = fold([](int p, int q) { return p * 10 + q; }, a);
  y[2] = fold([](int p, int q) { return p * 10 + q; }, 9, a);
  y[3] = fold([](int p, int q) { return p + q; }, select(a > b / broadcast<4>(10), a, -b));
  y[4] = extract_slice<1, 2>(a)[1] * 10 + insert_slice<2>(vec<int, 2>{{5, 6}}, a)[3];
  y[5] = fold([](int p, int q) { return p + q; }, convert<int>(convert<uint8_t>(b * b)));
  y[6] = insert(50, a, 2)[2] + step<int, 4>()[3];
  y[7] = fold([](bool p, bool q) { return p && q; }, !(a != a) & (a == a));
  y[8] = bit_cast<int>(vec<int16_t, 2>{{1, 2}});
  y[9] = map([](int p, float q) { return p + q; }, a, convert<float>(b))[1] == 32.0f;
  y[10] = static_cast<int>(sizeof(vec<float, 3>) * 100 + alignof(vec<f16, 8>));
  y[11] = fold([](int p, int q) { return p ^ q; }, (a << b % a) | (b >> a));
}
