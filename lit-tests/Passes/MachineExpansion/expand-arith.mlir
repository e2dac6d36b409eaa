// carousel-expand-arith: divisions that round, the least and most of floats, powers of integers and classes of floats;
// the least and most of integers are intrinsics of LLVM and stay.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-expand-arith)))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @numbers
  // CHECK-NOT: ceildiv
  // CHECK-NOT: floordiv
  // CHECK: arith.divui
  // CHECK: arith.divsi
  // CHECK: arith.minsi
  // CHECK: arith.maxui
  // CHECK: gpu.return
  gpu.func @numbers(%a: index, %b: index, %out: memref<4xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %up = arith.ceildivui %a, %b : index
    %down = arith.floordivsi %a, %b : index
    %least = arith.minsi %a, %b : index
    %most = arith.maxui %a, %b : index
    memref.store %up, %out[%c0] : memref<4xindex>
    memref.store %down, %out[%c1] : memref<4xindex>
    memref.store %least, %out[%c2] : memref<4xindex>
    memref.store %most, %out[%c3] : memref<4xindex>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @floats
  // CHECK-NOT: arith.m
  // CHECK: arith.cmpf
  // CHECK: arith.select
  // CHECK-NOT: arith.m
  // CHECK: gpu.return
  gpu.func @floats(%a: vector<4xf32>, %a2: vector<4xf32>, %b: f16, %b2: f16, %out: memref<4xf32>, %other: memref<f16>) kernel {
    %c0 = arith.constant 0 : index
    %most = arith.maximumf %a, %a2 : vector<4xf32>
    %least = arith.minnumf %b, %b2 : f16
    vector.store %most, %out[%c0] : memref<4xf32>, vector<4xf32>
    memref.store %least, %other[] : memref<f16>
    gpu.return
  }

  // The inverse of a negative exponent's base is taken where there is one; a loop squares.
  // CHECK-LABEL: gpu.func @powers
  // CHECK-SAME: (%[[B:.+]]: i32, %[[E:.+]]: i32
  // CHECK-NOT: math.ipowi
  // CHECK: %[[NEGATIVE:.+]] = arith.cmpi slt, %[[E]]
  // CHECK: scf.if %[[NEGATIVE]]
  // CHECK: arith.divsi %{{.+}}, %[[B]]
  // CHECK: scf.while
  // CHECK-NOT: math.ipowi
  // CHECK: gpu.return
  gpu.func @powers(%b: i32, %e: i32, %out: memref<i32>) kernel {
    %p = math.ipowi %b, %e : i32
    memref.store %p, %out[] : memref<i32>
    gpu.return
  }

  // The least normal number is that of the type.
  // CHECK-LABEL: gpu.func @classes
  // CHECK-NOT: math.isnormal
  // CHECK: %[[A:.+]] = math.absf %{{.+}} : vector<4xf8E5M2>
  // CHECK: arith.cmpf ole, %[[A]], %{{.+}} : vector<4xf8E5M2>
  // CHECK: arith.cmpf oge, %[[A]], %{{.+}} : vector<4xf8E5M2>
  // CHECK: gpu.return
  gpu.func @classes(%v: vector<4xf8E5M2>, %out: memref<4xi1>) kernel {
    %c0 = arith.constant 0 : index
    %n = math.isnormal %v : vector<4xf8E5M2>
    vector.store %n, %out[%c0] : memref<4xi1>, vector<4xi1>
    gpu.return
  }
}
