// Of vectors that a loop carries, a thread has fewer elements the more there are: they all stay in registers.
// RUN: carousel-opt %s --carousel-specialize-blocks | FileCheck %s

gpu.module @kernels {
  // CHECK: gpu.func @four_aligned{{.*}}block = [512]
  gpu.func @four(%a: memref<4096xf32, #gpu.address_space<global>>, %c: memref<4096xf32, #gpu.address_space<global>>, %n: index) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<4096xf32>
    %s:4 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zeros, %q = %zeros, %r = %zeros, %t = %zeros) -> (vector<4096xf32>, vector<4096xf32>, vector<4096xf32>, vector<4096xf32>) {
      %x = vector.transfer_read %a[%c0], %zero {in_bounds = [true]} : memref<4096xf32, #gpu.address_space<global>>, vector<4096xf32>
      %u = arith.addf %p, %x : vector<4096xf32>
      %v = arith.mulf %q, %x : vector<4096xf32>
      %w = arith.maximumf %r, %x : vector<4096xf32>
      %y = arith.minimumf %t, %x : vector<4096xf32>
      scf.yield %u, %v, %w, %y : vector<4096xf32>, vector<4096xf32>, vector<4096xf32>, vector<4096xf32>
    }
    %u = arith.addf %s#0, %s#1 : vector<4096xf32>
    %v = arith.addf %s#2, %s#3 : vector<4096xf32>
    %w = arith.addf %u, %v : vector<4096xf32>
    vector.transfer_write %w, %c[%c0] {in_bounds = [true]} : vector<4096xf32>, memref<4096xf32, #gpu.address_space<global>>
    gpu.return
  }

  // CHECK: gpu.func @one_aligned{{.*}}block = [128]
  gpu.func @one(%a: memref<4096xf32, #gpu.address_space<global>>, %c: memref<4096xf32, #gpu.address_space<global>>, %n: index) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<4096xf32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zeros) -> (vector<4096xf32>) {
      %x = vector.transfer_read %a[%c0], %zero {in_bounds = [true]} : memref<4096xf32, #gpu.address_space<global>>, vector<4096xf32>
      %u = arith.addf %p, %x : vector<4096xf32>
      scf.yield %u : vector<4096xf32>
    }
    vector.transfer_write %s, %c[%c0] {in_bounds = [true]} : vector<4096xf32>, memref<4096xf32, #gpu.address_space<global>>
    gpu.return
  }
}
