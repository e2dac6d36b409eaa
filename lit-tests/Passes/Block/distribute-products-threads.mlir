// Threads read factors of multiply-adds from their tile where they multiply them, in the order of k: whole factors would
// need more registers than a thread has, and the slot is released after the last read.
// RUN: carousel-opt %s --carousel-distribute | FileCheck %s

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#own = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
!x = memref<1024x1024xf32, #gl>
!w = memref<1024x64xf32, #gl>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // A thread has 4 x 4 sums. Each run of 4 along k serves four steps, and a step takes one run of columns.
  // CHECK-LABEL: gpu.func @where_multiplied(
  // CHECK-COUNT-2: carousel.load
  // CHECK-COUNT-5: vector.load
  // CHECK: math.fma
  // CHECK-NOT: math.fma
  // CHECK: vector.load
  // CHECK: math.fma
  gpu.func @where_multiplied(%x: !x, %w: !w, %y: !w) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32x64xf32>
    %v = scf.for %k = %c0 to %c1024 step %c32 iter_args(%sum = %zeros) -> (vector<32x64xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %zero : !x, vector<32x32xf32>
      %b = vector.transfer_read %w[%k, %c0], %zero : !w, vector<32x64xf32>
      %next = vector.contract #own %a, %b, %sum : vector<32x32xf32>, vector<32x64xf32> into vector<32x64xf32>
      scf.yield %next : vector<32x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %v, %y[%c0, %c0] : vector<32x64xf32>, !w
    gpu.return
  }

  // What is multiplied elsewhere, too, is read as a whole, and so is what an op takes before.
  // CHECK-LABEL: gpu.func @as_a_whole(
  // CHECK-NOT: math.fma
  // CHECK: arith.mulf
  // CHECK-NOT: math.fma
  // CHECK: arith.mulf
  // CHECK-NOT: vector.load
  // CHECK-COUNT-8: math.fma
  gpu.func @as_a_whole(%x: !x, %w: !w, %y: !w) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32x64xf32>
    %v = scf.for %k = %c0 to %c1024 step %c8 iter_args(%sum = %zeros) -> (vector<32x64xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %zero : !x, vector<32x8xf32>
      %twice = arith.mulf %a, %a : vector<32x8xf32>
      %b = vector.transfer_read %w[%k, %c0], %zero : !w, vector<8x64xf32>
      %more = arith.mulf %b, %b : vector<8x64xf32>
      %next = vector.contract #own %twice, %more, %sum : vector<32x8xf32>, vector<8x64xf32> into vector<32x64xf32>
      scf.yield %next : vector<32x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %v, %y[%c0, %c0] : vector<32x64xf32>, !w
    gpu.return
  }
}
