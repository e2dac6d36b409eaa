// Integers are unsigned; signs, bools, comparisons of floats and narrow floats are spelled out.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @arith {
  // CHECK-LABEL: extern "C" __global__ void integers(uint32_t *x, uint64_t *y, uint32_t a, uint32_t b, uint16_t s,
  // CHECK-NEXT:     uint8_t t) {
  // CHECK-NEXT:   x[0] = uint32_t(int32_t(a - 4) / int32_t(b));
  // CHECK-NEXT:   x[1] = uint32_t(int32_t(a & 0xfffffffcu) >> int32_t(b));
  // CHECK-NEXT:   x[2] = carousel::max_as<uint32_t>(carousel::min_as<int32_t>(a, b), b);
  // CHECK-NEXT:   y[0] = uint64_t(int32_t(a)) * uint64_t(b);
  // CHECK-NEXT:   x[3] = uint32_t(uint16_t(uint32_t(s) * uint32_t(s)));
  // CHECK-NEXT:   uint8_t n = t + t;
  // CHECK-NEXT:   x[4] = uint32_t(int8_t(n));
  // CHECK-NEXT:   x[5] = (a & 1) != 0 ? uint32_t(0xffffffffu) : 0;
  // CHECK-NEXT:   uint32_t lo = carousel::multiply_high<int32_t>(a, b);
  // CHECK-NEXT:   x[6] = carousel::multiply_low<uint32_t>(a, b) - lo;
  // CHECK-NEXT: }
  gpu.func @integers(%x: memref<16xi32, 1>, %y: memref<16xi64, 1>, %a: i32, %b: i32, %s: i16, %t: i8) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %low = arith.constant -4 : i32
    %0 = arith.addi %a, %low : i32
    %1 = arith.divsi %0, %b : i32
    memref.store %1, %x[%c0] : memref<16xi32, 1>
    %2 = arith.andi %a, %low : i32
    %3 = arith.shrsi %2, %b : i32
    memref.store %3, %x[%c1] : memref<16xi32, 1>
    %4 = arith.minsi %a, %b : i32
    %5 = arith.maxui %4, %b : i32
    memref.store %5, %x[%c2] : memref<16xi32, 1>
    %6 = arith.extsi %a : i32 to i64
    %7 = arith.extui %b : i32 to i64
    %8 = arith.muli %6, %7 : i64
    memref.store %8, %y[%c0] : memref<16xi64, 1>
    %9 = arith.muli %s, %s : i16
    %10 = arith.extui %9 : i16 to i32
    memref.store %10, %x[%c3] : memref<16xi32, 1>
    %11 = arith.addi %t, %t : i8
    %12 = arith.extsi %11 : i8 to i32
    memref.store %12, %x[%c4] : memref<16xi32, 1>
    %13 = arith.trunci %a : i32 to i1
    %14 = arith.extsi %13 : i1 to i32
    memref.store %14, %x[%c5] : memref<16xi32, 1>
    %lo, %hi = arith.mulsi_extended %a, %b : i32
    %15 = arith.subi %lo, %hi : i32
    memref.store %15, %x[%c6] : memref<16xi32, 1>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void bools(bool *x, bool p, bool q, float a, float b) {
  // CHECK-NEXT:   x[0] = !p && q;
  // CHECK-NEXT:   x[1] = !(a >= b) != (a < b || a > b);
  // CHECK-NEXT:   x[2] = a != a || b != b || q < p;
  // CHECK-NEXT: }
  gpu.func @bools(%x: memref<16xi1, 1>, %p: i1, %q: i1, %a: f32, %b: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %0 = arith.xori %p, %true : i1
    %1 = arith.andi %0, %q : i1
    memref.store %1, %x[%c0] : memref<16xi1, 1>
    %2 = arith.cmpf ult, %a, %b : f32
    %3 = arith.cmpf one, %a, %b : f32
    %4 = arith.xori %2, %3 : i1
    memref.store %4, %x[%c1] : memref<16xi1, 1>
    %5 = arith.cmpf uno, %a, %b : f32
    %6 = arith.cmpi slt, %p, %q : i1
    %7 = arith.ori %5, %6 : i1
    memref.store %7, %x[%c2] : memref<16xi1, 1>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void floats(float *x, carousel::f16 *h, float a, carousel::f16 n,
  // CHECK-NEXT:     carousel::bf16 b, uint32_t i) {
  // CHECK-NEXT:   x[0] = a * 0.333333343f + __uint_as_float(0x7fc00000);
  // CHECK-NEXT:   x[1] = fmaf(expf(a), a, 0.333333343f);
  // CHECK-NEXT:   x[2] = float(b) - float(int32_t(i));
  // CHECK-NEXT:   x[3] = -float(uint32_t(int32_t(a)));
  // CHECK-NEXT:   h[0] = carousel::tanh(n) + carousel::f16::from_bits(0x3800);
  // CHECK-NEXT:   x[0] = carousel::bit_cast<float>(i);
  // CHECK-NEXT:   h[1] = carousel::fma_in_float(n, n, carousel::f16::from_bits(0x3800));
  // CHECK-NEXT: }
  gpu.func @floats(%x: memref<16xf32, 1>, %h: memref<16xf16, 1>, %a: f32, %n: f16, %b: bf16, %i: i32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %third = arith.constant 0.333333343 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %half = arith.constant 0.5 : f16
    %0 = arith.mulf %a, %third : f32
    %1 = arith.addf %0, %nan : f32
    memref.store %1, %x[%c0] : memref<16xf32, 1>
    %2 = math.exp %a : f32
    %3 = math.fma %2, %a, %third : f32
    memref.store %3, %x[%c1] : memref<16xf32, 1>
    %4 = arith.extf %b : bf16 to f32
    %5 = arith.sitofp %i : i32 to f32
    %6 = arith.subf %4, %5 : f32
    memref.store %6, %x[%c2] : memref<16xf32, 1>
    %7 = arith.fptosi %a : f32 to i32
    %8 = arith.uitofp %7 : i32 to f32
    %9 = arith.negf %8 : f32
    memref.store %9, %x[%c3] : memref<16xf32, 1>
    %10 = math.tanh %n : f16
    %11 = arith.addf %10, %half : f16
    memref.store %11, %h[%c0] : memref<16xf16, 1>
    %12 = arith.bitcast %i : i32 to f32
    memref.store %12, %x[%c0] : memref<16xf32, 1>
    // libdevice has no narrow one.
    %13 = math.fma %n, %n, %half : f16
    memref.store %13, %h[%c1] : memref<16xf16, 1>
    gpu.return
  }
}
