// Blocks have threads enough for what lives at once: sums that a loop carries beside those that it computes, and indices
// of 64 bits beside sums.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks{variants=false}))' | FileCheck %s

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [1]>
!matrix = memref<?x128xbf16, #gl>
!tile = vector<128x128xbf16>
!sums = vector<128x128xf32>

gpu.module @products {
  // A product alone has 128 sums in a thread.
  // CHECK-LABEL: gpu.func @one(
  // CHECK-SAME: block = [128]
  gpu.func @one(%q: !matrix, %y: memref<?x128xf32, #gl>, %n: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %all = scf.for %j = %c0 to %n step %c128 iter_args(%o = %zeros) -> (!sums) {
      %a = vector.transfer_read %q[%j, %c0], %pad : !matrix, !tile
      %b = vector.transfer_read %q[%c0, %c0], %pad : !matrix, !tile
      %s = vector.contract #product %a, %b, %o : !tile, !tile into !sums
      scf.yield %s : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%c0, %c0] : !sums, memref<?x128xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @two(
  // CHECK-SAME: block = [256]
  gpu.func @two(%q: !matrix, %y: memref<?x128xf32, #gl>, %n: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %all = scf.for %j = %c0 to %n step %c128 iter_args(%o = %zeros) -> (!sums) {
      %a = vector.transfer_read %q[%j, %c0], %pad : !matrix, !tile
      %b = vector.transfer_read %q[%c0, %c0], %pad : !matrix, !tile
      %s = vector.contract #product %a, %b, %zeros : !tile, !tile into !sums
      %e = math.exp %s : !sums
      %p = arith.truncf %e : !sums to !tile
      %c = vector.transfer_read %q[%j, %c0], %pad : !matrix, !tile
      %t = vector.contract #product %p, %c, %o : !tile, !tile into !sums
      %m = arith.addf %t, %e : !sums
      scf.yield %m : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%c0, %c0] : !sums, memref<?x128xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @indices(
  // CHECK-SAME: block = [256]
  gpu.func @indices(%q: !matrix, %i: memref<?x128xindex, #gl>, %t: memref<?xf32, #gl>, %y: memref<?x128xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %mask = arith.constant dense<true> : vector<128x128xi1>
    %a = vector.transfer_read %q[%c0, %c0], %zero : !matrix, !tile
    %s = vector.contract #product %a, %a, %zeros : !tile, !tile into !sums
    %at = vector.transfer_read %i[%c0, %c0], %c0 : memref<?x128xindex, #gl>, vector<128x128xindex>
    %g = vector.gather %t[%c0] [%at], %mask, %zeros
        : memref<?xf32, #gl>, vector<128x128xindex>, vector<128x128xi1>, !sums into !sums
    %v = arith.addf %s, %g : !sums
    vector.transfer_write %v, %y[%c0, %c0] : !sums, memref<?x128xf32, #gl>
    gpu.return
  }

  // Threads read factors in shared memory if these are more than the registers that a block of so many has for each.
  // CHECK-LABEL: gpu.func @rows(
  // CHECK-SAME: block = [512]
  gpu.func @rows(%x: memref<128x128xf32, #gl>, %y: memref<128x32xf32, #gl>, %z: memref<32x128xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %a = vector.transfer_read %y[%c0, %c0], %pad : memref<128x32xf32, #gl>, vector<128x32xf32>
    %b = vector.transfer_read %z[%c0, %c0], %pad : memref<32x128xf32, #gl>, vector<32x128xf32>
    %c = math.exp %a : vector<128x32xf32>
    %s = vector.contract #product %c, %b, %zeros : vector<128x32xf32>, vector<32x128xf32> into vector<128x128xf32>
    vector.transfer_write %s, %x[%c0, %c0] : vector<128x128xf32>, memref<128x128xf32, #gl>
    gpu.return
  }
}

gpu.module @chip [#nvvm.target<chip = "sm_90a">] {
  // Also larger ones than a loop's, as far as the chip's shared memory has room.
  // CHECK-LABEL: gpu.func @large_factor(
  // CHECK-SAME: block = [512]
  gpu.func @large_factor(%x: memref<32x128xi32, #gl>, %y: memref<32x128xi32, #gl>, %z: memref<128x128xi32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : vector<32x128xi32>
    %a = vector.transfer_read %y[%c0, %c0], %pad : memref<32x128xi32, #gl>, vector<32x128xi32>
    %b = vector.transfer_read %z[%c0, %c0], %pad : memref<128x128xi32, #gl>, vector<128x128xi32>
    %s = vector.contract #product %a, %b, %zeros : vector<32x128xi32>, vector<128x128xi32> into vector<32x128xi32>
    vector.transfer_write %s, %x[%c0, %c0] : vector<32x128xi32>, memref<32x128xi32, #gl>
    gpu.return
  }
}
