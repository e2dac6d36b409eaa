// A product of tf32 that sums along the rows of both factors has twice as many threads: these read single elements of tiles. One whose factors lie along k has as many as sums need.
// RUN: carousel-opt %s --carousel-specialize-blocks | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

gpu.module @kernels {
  // CHECK: gpu.func @rows_aligned{{.*}}block = [256]
  gpu.func @rows(%a: memref<32x128xf32, #gpu.address_space<global>>, %b: memref<32x128xf32, #gpu.address_space<global>>, %c: memref<128x128xf32, #gpu.address_space<global>>) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x128xf32, #gpu.address_space<global>>, vector<32x128xf32>
    %y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x128xf32, #gpu.address_space<global>>, vector<32x128xf32>
    %p = carousel.round_tf32 %x : vector<32x128xf32>
    %q = carousel.round_tf32 %y : vector<32x128xf32>
    %s = vector.contract {indexing_maps = [#km, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %p, %q, %zeros : vector<32x128xf32>, vector<32x128xf32> into vector<128x128xf32>
    vector.transfer_write %s, %c[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32, #gpu.address_space<global>>
    gpu.return
  }

  // CHECK: gpu.func @along_k_aligned{{.*}}block = [128]
  gpu.func @along_k(%a: memref<128x32xf32, #gpu.address_space<global>>, %b: memref<128x32xf32, #gpu.address_space<global>>, %c: memref<128x128xf32, #gpu.address_space<global>>) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<128x32xf32, #gpu.address_space<global>>, vector<128x32xf32>
    %y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<128x32xf32, #gpu.address_space<global>>, vector<128x32xf32>
    %p = carousel.round_tf32 %x : vector<128x32xf32>
    %q = carousel.round_tf32 %y : vector<128x32xf32>
    %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %p, %q, %zeros : vector<128x32xf32>, vector<128x32xf32> into vector<128x128xf32>
    vector.transfer_write %s, %c[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32, #gpu.address_space<global>>
    gpu.return
  }
}
