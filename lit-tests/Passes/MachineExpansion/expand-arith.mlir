// carousel-expand-arith: divisions that round, and the least and most of floats; those of integers are intrinsics of LLVM and stay.
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
}
