// A factor of multiply-adds that a loop takes from outside of it, and one that other threads compute, are left in shared
// memory. Threads read them where they multiply them, in loops along k. Each warp reads the rows that it has written, and
// rows of both products are in the same threads, so that no barrier of the CTA is in the loop.
// RUN: carousel-opt %s --carousel-distribute --canonicalize --cse | FileCheck %s

#gl = #gpu.address_space<global>
#nt = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
       iterator_types = ["parallel", "parallel", "reduction"]}
#nn = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
       iterator_types = ["parallel", "parallel", "reduction"]}
!x = memref<64x128xf32, #gl>
!w = memref<1024x128xf32, #gl>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @kept(
  // CHECK: vector.store %{{.+}}, %[[Q:[a-z_0-9]+]][%{{.+}}] {{.*}} : memref<8192xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK: gpu.barrier
  // CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<64xf32>) {
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.for %[[K:.+]] = %{{.+}} to %c128 step %c32 iter_args(%[[S:.+]] = %{{.+}}) -> (vector<16xf32>) {
  // CHECK: vector.load %[[Q]]
  // CHECK: math.fma
  // CHECK: scf.yield
  // CHECK-NOT: gpu.barrier
  // CHECK: carousel.barrier.warp
  // CHECK: vector.store %{{.+}}, %[[P:[a-z_0-9]+]][%{{.+}}] {{.*}} : memref<2048xf32, #gpu.address_space<workgroup>>
  // CHECK: carousel.barrier.warp
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.for %{{.+}} = %{{.+}} to %c32 step %c8 iter_args(%{{.+}} = %{{.+}}) -> (vector<64xf32>) {
  // CHECK: vector.load %[[P]]
  // CHECK: math.fma
  // CHECK-NOT: gpu.barrier
  // CHECK: carousel.pipeline
  gpu.func @kept(%x: !x, %k: !w, %v: !w, %y: !x) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x32xf32>
    %none = arith.constant dense<0.0> : vector<64x128xf32>
    %low = arith.constant dense<0xFF800000> : vector<64xf32>
    %q = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : !x, vector<64x128xf32>
    %all:2 = scf.for %j = %c0 to %c1024 step %c32 iter_args(%max = %low, %sum = %none) -> (vector<64xf32>, vector<64x128xf32>) {
      %a = vector.transfer_read %k[%j, %c0], %zero {in_bounds = [true, true]} : !w, vector<32x128xf32>
      %s = vector.contract #nt %q, %a, %zeros : vector<64x128xf32>, vector<32x128xf32> into vector<64x32xf32>
      %m = vector.multi_reduction <maximumf>, %s, %max [1] : vector<64x32xf32> to vector<64xf32>
      %p = math.exp2 %s : vector<64x32xf32>
      %b = vector.transfer_read %v[%j, %c0], %zero {in_bounds = [true, true]} : !w, vector<32x128xf32>
      %next = vector.contract #nn %p, %b, %sum : vector<64x32xf32>, vector<32x128xf32> into vector<64x128xf32>
      scf.yield %m, %next : vector<64xf32>, vector<64x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %column = vector.shape_cast %all#0 : vector<64xf32> to vector<64x1xf32>
    %rows = vector.broadcast %column : vector<64x1xf32> to vector<64x128xf32>
    %r = arith.mulf %all#1, %rows : vector<64x128xf32>
    vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, !x
    gpu.return
  }

  // Threads of a larger block have fewer registers, and a step as many factors as these hold.
  // CHECK-LABEL: gpu.func @few_registers(
  // CHECK: scf.for %{{.+}} = %{{.+}} to %c64 step %c16 iter_args(%{{.+}} = %{{.+}}) -> (vector<8xf32>) {
  gpu.func @few_registers(%x: memref<128x1024xf32, #gl>, %w: memref<1024x32xf32, #gl>, %y: memref<128x32xf32, #gl>) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [512]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant dense<0.0> : vector<128x32xf32>
    %sums = scf.for %j = %c0 to %c1024 step %c64 iter_args(%sum = %none) -> (vector<128x32xf32>) {
      %a = vector.transfer_read %x[%c0, %j], %zero {in_bounds = [true, true]} : memref<128x1024xf32, #gl>, vector<128x64xf32>
      %b = vector.transfer_read %w[%j, %c0], %zero {in_bounds = [true, true]} : memref<1024x32xf32, #gl>, vector<64x32xf32>
      %next = vector.contract #nn %a, %b, %sum : vector<128x64xf32>, vector<64x32xf32> into vector<128x32xf32>
      scf.yield %next : vector<128x32xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sums, %y[%c0, %c0] {in_bounds = [true, true]} : vector<128x32xf32>, memref<128x32xf32, #gl>
    gpu.return
  }
}
