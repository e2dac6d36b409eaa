// carousel-expand-float8: instructions on pairs where the target has them, integer arithmetic elsewhere.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-expand-float8))' | FileCheck %s --check-prefixes=CHECK,NATIVE
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_89},carousel-expand-float8))' | FileCheck %s --check-prefixes=CHECK,NATIVE
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_86},carousel-expand-float8))' | FileCheck %s --check-prefixes=CHECK,INTEGERS
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-float8{use-integers=true}))' | FileCheck %s --check-prefixes=CHECK,INTEGERS
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-float8{use-integers=true as-bytes=true}))' | FileCheck %s --check-prefix=BYTES

// BYTES-LABEL: gpu.module
// BYTES-NOT: f8E

gpu.module @conversions {
  // CHECK-LABEL: func @to_float
  // DOC-EXAMPLE: --carousel-attach-target=chip=sm_90a --carousel-expand-float8
  func.func @to_float(%a: vector<4xf8E4M3FN>) -> vector<4xf32> {
    // NATIVE: %[[WORDS:.+]] = vector.bitcast %{{.+}} : vector<4xf8E4M3FN> to vector<2xi16>
    // NATIVE-COUNT-2: nvvm.convert.f8x2.to.f16x2 {{.+}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
    // NATIVE: arith.extf %{{.+}} : vector<4xf16> to vector<4xf32>
    // INTEGERS-NOT: nvvm
    // INTEGERS: arith.mulf
    // INTEGERS: arith.select
    %v = arith.extf %a : vector<4xf8E4M3FN> to vector<4xf32>
    return %v : vector<4xf32>
  }

  // The upper half of an f16.
  // CHECK-LABEL: func @upper_half
  func.func @upper_half(%a: f8E5M2) -> f16 {
    // NATIVE: nvvm.convert.f8x2.to.f16x2 {{.+}}(f8E5M2)
    // INTEGERS: %[[BYTE:.+]] = arith.bitcast %{{.+}} : f8E5M2 to i8
    // INTEGERS: arith.extui %[[BYTE]] : i8 to i16
    // INTEGERS: arith.shli
    // INTEGERS: arith.bitcast %{{.+}} : i16 to f16
    %v = arith.extf %a : f8E5M2 to f16
    return %v : f16
  }

  // What the instruction saturates goes on to the next encoding.
  // CHECK-LABEL: func @from_float
  func.func @from_float(%a: vector<3xf32>) -> vector<3xf8E5M2> {
    // NATIVE-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.+}} {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E5M2)
    // NATIVE: vector.shuffle
    // INTEGERS-NOT: nvvm
    // INTEGERS: arith.minui
    %v = arith.truncf %a : vector<3xf32> to vector<3xf8E5M2>
    return %v : vector<3xf8E5M2>
  }

  // CHECK-LABEL: func @from_half
  func.func @from_half(%a: vector<2x2xf16>) -> vector<2x2xf8E4M3FN> {
    // NATIVE-COUNT-2: nvvm.convert.f16x2.to.f8x2 {{.+}} : vector<2xf16> -> i16(f8E4M3FN)
    // INTEGERS: arith.extf %{{.+}} : vector<2x2xf16> to vector<2x2xf32>
    %v = arith.truncf %a : vector<2x2xf16> to vector<2x2xf8E4M3FN>
    return %v : vector<2x2xf8E4M3FN>
  }

  // What would be rounded to more than 448 becomes NaN before the instruction, which keeps it.
  // CHECK-LABEL: func @beyond
  func.func @beyond(%a: vector<2xf32>) -> vector<2xf8E4M3FN> {
    // NATIVE: %[[MAGNITUDE:.+]] = math.absf
    // NATIVE: %[[BEYOND:.+]] = arith.cmpf ogt, %[[MAGNITUDE]], %{{.+}} : vector<2xf32>
    // NATIVE: arith.select %[[BEYOND]], %{{.+}}, %arg0
    // NATIVE: %[[WORD:.+]] = nvvm.convert.f32x2.to.f8x2
    // NATIVE-NEXT: vector.from_elements %[[WORD]]
    %v = arith.truncf %a : vector<2xf32> to vector<2xf8E4M3FN>
    return %v : vector<2xf8E4M3FN>
  }

  // The instruction saturates at the bounds.
  // CHECK-LABEL: func @clamped
  func.func @clamped(%a: vector<2xf32>) -> vector<2xf8E4M3FN> {
    // NATIVE-NOT: arith.cmpf
    // NATIVE: %[[FIRST:.+]] = vector.extract %arg0[0]
    // NATIVE: %[[SECOND:.+]] = vector.extract %arg0[1]
    // NATIVE: nvvm.convert.f32x2.to.f8x2 %[[SECOND]], %[[FIRST]]
    // INTEGERS: arith.minimumf
    // INTEGERS: arith.maximumf
    %most = arith.constant dense<448.0> : vector<2xf32>
    %least = arith.constant dense<-448.0> : vector<2xf32>
    %below = arith.minimumf %a, %most : vector<2xf32>
    %within = arith.maximumf %below, %least : vector<2xf32>
    %v = arith.truncf %within : vector<2xf32> to vector<2xf8E4M3FN>
    return %v : vector<2xf8E4M3FN>
  }

  // A power isn't negative, and other bounds stay. A NaN would become the bound.
  // CHECK-LABEL: func @bounded
  func.func @bounded(%a: vector<2xf32>) -> (vector<2xf8E4M3FN>, vector<2xf8E5M2>) {
    // NATIVE-NOT: arith.cmp
    // NATIVE: %[[BELOW:.+]] = arith.minimumf
    // NATIVE: vector.extract %[[BELOW]][0]
    // NATIVE: nvvm.convert.f32x2.to.f8x2 {{.+}} : i16(f8E4M3FN)
    // NATIVE-NOT: arith.cmp
    // NATIVE: %[[NUMBERS:.+]] = arith.minnumf
    // NATIVE: vector.extract %[[NUMBERS]][0]
    // NATIVE: nvvm.convert.f32x2.to.f8x2 {{.+}} : i16(f8E5M2)
    %p = math.exp2 %a : vector<2xf32>
    %c256 = arith.constant dense<256.0> : vector<2xf32>
    %below = arith.minimumf %p, %c256 : vector<2xf32>
    %v = arith.truncf %below : vector<2xf32> to vector<2xf8E4M3FN>
    %c57344 = arith.constant dense<57344.0> : vector<2xf32>
    %numbers = arith.minnumf %p, %c57344 : vector<2xf32>
    %w = arith.truncf %numbers : vector<2xf32> to vector<2xf8E5M2>
    return %v, %w : vector<2xf8E4M3FN>, vector<2xf8E5M2>
  }

  // One bound isn't enough, and neither is one beyond the format.
  // CHECK-LABEL: func @one_bound
  func.func @one_bound(%a: vector<2xf32>) -> (vector<2xf8E4M3FN>, vector<2xf8E4M3FN>) {
    // NATIVE: arith.cmpf ogt
    // NATIVE: arith.cmpf ogt
    %most = arith.constant dense<448.0> : vector<2xf32>
    %below = arith.minimumf %a, %most : vector<2xf32>
    %v = arith.truncf %below : vector<2xf32> to vector<2xf8E4M3FN>
    %p = math.exp2 %a : vector<2xf32>
    %c465 = arith.constant dense<465.0> : vector<2xf32>
    %beyond = arith.minimumf %p, %c465 : vector<2xf32>
    %w = arith.truncf %beyond : vector<2xf32> to vector<2xf8E4M3FN>
    return %v, %w : vector<2xf8E4M3FN>, vector<2xf8E4M3FN>
  }

  // Rounded to odd before.
  // CHECK-LABEL: func @from_double
  func.func @from_double(%a: f64) -> f8E4M3FN {
    // CHECK: %[[NEAREST:.+]] = arith.truncf %{{.+}} : f64 to f32
    // CHECK: %[[INEXACT:.+]] = arith.cmpf one
    // CHECK: arith.ori
    %v = arith.truncf %a : f64 to f8E4M3FN
    return %v : f8E4M3FN
  }

  // Each op rounds.
  // CHECK-LABEL: func @arithmetic
  func.func @arithmetic(%a: f8E5M2, %b: f8E5M2) -> i1 {
    // CHECK: arith.addf %{{.+}} : f32
    // CHECK-NOT: arith.mulf {{.+}} : f8E5M2
    // CHECK: math.sqrt %{{.+}} : f32
    // CHECK: arith.cmpf olt, %{{.+}}, %{{.+}} : f32
    %sum = arith.addf %a, %b : f8E5M2
    %root = math.sqrt %sum : f8E5M2
    %less = arith.cmpf olt, %root, %b : f8E5M2
    return %less : i1
  }

  // Moves stay, and other formats.
  // CHECK-LABEL: func @moves
  func.func @moves(%x: memref<4xf8E4M3FN>, %i: index, %p: i1) -> f8E4M3FN {
    // CHECK: memref.load %{{.+}} : memref<4xf8E4M3FN>
    // CHECK: arith.constant 1.000000e+00 : f8E4M3FN
    // CHECK: arith.select %{{.+}} : f8E4M3FN
    %v = memref.load %x[%i] : memref<4xf8E4M3FN>
    %one = arith.constant 1.0 : f8E4M3FN
    %r = arith.select %p, %v, %one : f8E4M3FN
    return %r : f8E4M3FN
  }
}
