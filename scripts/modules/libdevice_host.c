//===- libdevice_host.c - libdevice's functions on the host ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program that scripts/cuda/math-accuracy links with libdevice's bitcode. It
// defines the intrinsics of NVVM that libdevice calls. Approximate instructions
// give the correctly rounded result, or a neighbour `moved` units from it.
//
//   host FUNCTION f16|bf16|f32 MOVED   applies the function to stdin's values
//   host FUNCTION all MOVED            prints the largest error for f32, in
//                                      units, and the bits of its argument
//
//===----------------------------------------------------------------------===//

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

static int moved;

/// Results that are exact stay, so that zeros and infinities do.
static float approximate(double exact) {
  float result = (float)exact;
  if (!moved || result == exact || isnan(exact))
    return result;
  for (int i = 0; i < abs(moved); ++i)
    result = nextafterf(result, moved < 0 ? -INFINITY : INFINITY);
  return exact > 0 ? fmaxf(result, 0) : result;
}

static float flush(float value) {
  return fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

static float round_to(int mode, float a, float b, float c) {
  fesetround(mode);
  volatile float x = a;
  volatile float result = fmaf(x, b, c);
  fesetround(FE_TONEAREST);
  return result;
}

#define INTRINSIC(NAME) __asm__("carousel.nvvm." NAME)
// Kernels don't flush subnormals, and have exact roots: the answers of
// __nvvm_reflect. Whatever libdevice would call otherwise ends the program.
#define CALLED(ID, NAME, PARAMETERS, VALUE)                                    \
  float ID PARAMETERS INTRINSIC(NAME);                                         \
  float ID PARAMETERS { return VALUE; }
#define NOT_CALLED(ID, NAME, PARAMETERS)                                       \
  float ID PARAMETERS INTRINSIC(NAME);                                         \
  float ID PARAMETERS { abort(); }

CALLED(fma_rn, "fma.rn.f", (float a, float b, float c), fmaf(a, b, c))
CALLED(fma_rm, "fma.rm.f", (float a, float b, float c),
       round_to(FE_DOWNWARD, a, b, c))
CALLED(add_rz, "add.rz.f", (float a, float b), round_to(FE_TOWARDZERO, a, 1, b))
CALLED(mul_rn, "mul.rn.f", (float a, float b), a *b)
CALLED(saturate, "saturate.f", (float a), a > 0 ? fminf(a, 1) : 0)
CALLED(nearest, "round.f", (float a), rintf(a))
CALLED(magnitude, "fabs.f32", (float a), fabsf(a))
CALLED(root, "sqrt.rn.f", (float a), sqrtf(a))
CALLED(power, "ex2.approx.f32", (float a), approximate(exp2(a)))
CALLED(power_ftz, "ex2.approx.ftz.f32", (float a),
       flush(approximate(exp2(flush(a)))))
CALLED(reciprocal_root, "rsqrt.approx.f", (float a), approximate(1 / sqrt(a)))

NOT_CALLED(fma_rn_ftz, "fma.rn.ftz.f", (float a, float b, float c))
NOT_CALLED(fma_rm_ftz, "fma.rm.ftz.f", (float a, float b, float c))
NOT_CALLED(add_rz_ftz, "add.rz.ftz.f", (float a, float b))
NOT_CALLED(mul_rn_ftz, "mul.rn.ftz.f", (float a, float b))
NOT_CALLED(saturate_ftz, "saturate.ftz.f", (float a))
NOT_CALLED(magnitude_ftz, "fabs.ftz.f32", (float a))
NOT_CALLED(root_ftz, "sqrt.rn.ftz.f", (float a))
NOT_CALLED(root_approx, "sqrt.approx.f", (float a))
NOT_CALLED(root_approx_ftz, "sqrt.approx.ftz.f", (float a))
NOT_CALLED(reciprocal_root_ftz, "rsqrt.approx.ftz.f", (float a))

int32_t to_int(float a) INTRINSIC("f2i.rn");
int32_t to_int(float a) { return (int32_t)rintf(a); }
int32_t to_int_ftz(float a) INTRINSIC("f2i.rn.ftz");
int32_t to_int_ftz(float a) { abort(); }

float reciprocal(float a) __asm__("carousel.rcp.approx.ftz.f32");
float reciprocal(float a) { return flush(approximate(1 / (double)flush(a))); }

/// As in a kernel: no flushing, exact roots.
int reflect(const char *what) __asm__("__nvvm_reflect");
int reflect(const char *what) { return !strncmp(what, "__CUDA_PREC_", 12); }

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static double rsqrt(double x) { return 1 / sqrt(x); }

#define FUNCTIONS(OF)                                                          \
  OF(cos)                                                                      \
  OF(erf)                                                                      \
  OF(exp)                                                                      \
  OF(exp2)                                                                     \
  OF(expm1)                                                                    \
  OF(log)                                                                      \
  OF(log10)                                                                    \
  OF(log1p)                                                                    \
  OF(log2)                                                                     \
  OF(rsqrt)                                                                    \
  OF(sin)                                                                      \
  OF(sqrt)                                                                     \
  OF(tanh)

#define DECLARE(NAME) float __nv_##NAME##f(float);
FUNCTIONS(DECLARE)

struct function {
  const char *name;
  float (*device)(float);
  double (*reference)(double);
};
#define LIST(NAME) {#NAME, __nv_##NAME##f, NAME},
static const struct function functions[] = {FUNCTIONS(LIST)};

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static uint32_t get_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// To the nearest even, as the device's conversion.
static uint16_t to_bfloat(float value) {
  uint32_t bits = get_bits(value);
  return isnan(value) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static int apply(const struct function *function, const char *type) {
  if (!strcmp(type, "f32")) {
    float value;
    while (fread(&value, sizeof value, 1, stdin)) {
      value = function->device(value);
      fwrite(&value, sizeof value, 1, stdout);
    }
    return 0;
  }
  int is_half = !strcmp(type, "f16");
  uint16_t bits;
  while (fread(&bits, sizeof bits, 1, stdin)) {
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    float value = function->device(is_half ? (float)half
                                           : from_bits((uint32_t)bits << 16));
    half = (_Float16)value;
    bits = to_bfloat(value);
    if (is_half)
      memcpy(&bits, &half, sizeof half);
    fwrite(&bits, sizeof bits, 1, stdout);
  }
  return 0;
}

/// As math_functions.py measures it.
static double measure(float got, double exact) {
  if (isnan(got) || isnan(exact))
    return isnan(got) && isnan(exact) ? 0 : INFINITY;
  if (isinf(exact) && got == exact)
    return 0;
  if (got == 0 && signbit(got) != signbit(exact))
    return INFINITY;
  int exponent = exact == 0 ? -126 : isinf(exact) ? 127 : ilogb(exact);
  exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
  double result = fmin(fmax(got, -0x1p128), 0x1p128);
  return fabs(result - fmin(fmax(exact, -0x1p128), 0x1p128)) /
         ldexp(1, exponent - 23);
}

static int scan(const struct function *function) {
  double worst = -1;
  uint32_t at = 0, bits = 0;
  do {
    float value = from_bits(bits);
    double error = measure(function->device(value), function->reference(value));
    if (error > worst) {
      worst = error;
      at = bits;
    }
  } while (++bits);
  printf("%f 0x%08x\n", worst, at);
  return 0;
}

int main(int count, char **words) {
  if (count != 4)
    return 2;
  moved = atoi(words[3]);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
    if (!strcmp(functions[i].name, words[1]))
      return strcmp(words[2], "all") ? apply(&functions[i], words[2])
                                     : scan(&functions[i]);
  return 2;
}
