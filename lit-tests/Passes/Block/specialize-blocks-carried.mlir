// Of vectors that a loop carries, a thread has fewer elements the more there are: they all stay in registers.
// RUN: carousel-opt %s --carousel-specialize-blocks | FileCheck %s

#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}

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

  // More than registers of a thread can be for: a thread has one element of each.
  // CHECK: gpu.func @thirty_seven_aligned{{.*}}block = [1024]
  gpu.func @thirty_seven(%a: memref<1024xf32, #gpu.address_space<global>>, %c: memref<1024xf32, #gpu.address_space<global>>, %n: index) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<1024xf32>
    %s:37 = scf.for %i = %c0 to %n step %c1 iter_args(%a0 = %zeros, %a1 = %zeros, %a2 = %zeros, %a3 = %zeros, %a4 = %zeros, %a5 = %zeros, %a6 = %zeros, %a7 = %zeros, %a8 = %zeros, %a9 = %zeros, %a10 = %zeros, %a11 = %zeros, %a12 = %zeros, %a13 = %zeros, %a14 = %zeros, %a15 = %zeros, %a16 = %zeros, %a17 = %zeros, %a18 = %zeros, %a19 = %zeros, %a20 = %zeros, %a21 = %zeros, %a22 = %zeros, %a23 = %zeros, %a24 = %zeros, %a25 = %zeros, %a26 = %zeros, %a27 = %zeros, %a28 = %zeros, %a29 = %zeros, %a30 = %zeros, %a31 = %zeros, %a32 = %zeros, %a33 = %zeros, %a34 = %zeros, %a35 = %zeros, %a36 = %zeros) -> (vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>) {
      %x = vector.transfer_read %a[%c0], %zero {in_bounds = [true]} : memref<1024xf32, #gpu.address_space<global>>, vector<1024xf32>
      %u = arith.addf %a36, %x : vector<1024xf32>
      scf.yield %u, %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a31, %a32, %a33, %a34, %a35 : vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>, vector<1024xf32>
    }
    vector.transfer_write %s#0, %c[%c0] {in_bounds = [true]} : vector<1024xf32>, memref<1024xf32, #gpu.address_space<global>>
    gpu.return
  }

  // The threads of products follow from these.
  // CHECK: gpu.func @products_aligned{{.*}}block = [256]
  gpu.func @products(%x: memref<4096x4096xbf16, #gpu.address_space<global>>, %w: memref<4096x4096xbf16, #gpu.address_space<global>>, %z: memref<4096x4096xf32, #gpu.address_space<global>>) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [16, 32]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant dense<0.0> : vector<128x64xf32>
    %p = gpu.block_id x
    %q = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%q)
    %j0 = affine.apply affine_map<(d) -> (d * 256 + 0)>(%p)
    %j1 = affine.apply affine_map<(d) -> (d * 256 + 64)>(%p)
    %j2 = affine.apply affine_map<(d) -> (d * 256 + 128)>(%p)
    %j3 = affine.apply affine_map<(d) -> (d * 256 + 192)>(%p)
    %r:4 = scf.for %d = %c0 to %c4096 step %c64 iter_args(%a0 = %zero, %a1 = %zero, %a2 = %zero, %a3 = %zero) -> (vector<128x64xf32>, vector<128x64xf32>, vector<128x64xf32>, vector<128x64xf32>) {
      %v = vector.transfer_read %x[%i, %d], %pad {in_bounds = [true, true]} : memref<4096x4096xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
      %w0 = vector.transfer_read %w[%d, %j0], %pad {in_bounds = [true, true]} : memref<4096x4096xbf16, #gpu.address_space<global>>, vector<64x64xbf16>
      %s0 = vector.contract #product %v, %w0, %a0 : vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>
      %w1 = vector.transfer_read %w[%d, %j1], %pad {in_bounds = [true, true]} : memref<4096x4096xbf16, #gpu.address_space<global>>, vector<64x64xbf16>
      %s1 = vector.contract #product %v, %w1, %a1 : vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>
      %w2 = vector.transfer_read %w[%d, %j2], %pad {in_bounds = [true, true]} : memref<4096x4096xbf16, #gpu.address_space<global>>, vector<64x64xbf16>
      %s2 = vector.contract #product %v, %w2, %a2 : vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>
      %w3 = vector.transfer_read %w[%d, %j3], %pad {in_bounds = [true, true]} : memref<4096x4096xbf16, #gpu.address_space<global>>, vector<64x64xbf16>
      %s3 = vector.contract #product %v, %w3, %a3 : vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>
      scf.yield %s0, %s1, %s2, %s3 : vector<128x64xf32>, vector<128x64xf32>, vector<128x64xf32>, vector<128x64xf32>
    }
    vector.transfer_write %r#0, %z[%i, %j0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<4096x4096xf32, #gpu.address_space<global>>
    vector.transfer_write %r#1, %z[%i, %j1] {in_bounds = [true, true]} : vector<128x64xf32>, memref<4096x4096xf32, #gpu.address_space<global>>
    vector.transfer_write %r#2, %z[%i, %j2] {in_bounds = [true, true]} : vector<128x64xf32>, memref<4096x4096xf32, #gpu.address_space<global>>
    vector.transfer_write %r#3, %z[%i, %j3] {in_bounds = [true, true]} : vector<128x64xf32>, memref<4096x4096xf32, #gpu.address_space<global>>
    gpu.return
  }
}
