// tensor.reduce: each kind into a row of a tensor, by the element type of the map; clipped as a
// store is; im2col_no_offs.
// RUN: carousel-sim %s --kernel @kinds --arg y=empty:8x4 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @clipped --arg y=iota:2x8 --reference @expected_clipped --schedules 8
// RUN: carousel-sim %s --kernel @im2col --arg y=iota:1x2x2x4 --reference @expected_im2col --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!u32 = !carousel.tensor_map<1x4xu32>
!s32 = !carousel.tensor_map<1x4xs32>
!f32 = !carousel.tensor_map<2x8xf32>
!image = !carousel.tensor_map<4x4xf32, mode = im2col, rank = 4, lower = [0, 0], upper = [0, 0]>
!y84 = memref<8x4xi32, #gl>
!w = memref<4xi32, #ws>
!f = memref<16xf32, #ws>

gpu.module @m {
  // Rows 0 to 7: add, min u32, min s32, max u32, inc, dec, and, xor.
  gpu.func @kinds(%y: !y84 {carousel.argument = #carousel.argument<"y", out>},
                  %u: !u32 {carousel.encode = #carousel.encode<argument = 0>},
                  %s: !s32 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%w: !w {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %r0 = arith.constant 0 : i32
    %r1 = arith.constant 1 : i32
    %r2 = arith.constant 2 : i32
    %r3 = arith.constant 3 : i32
    %r4 = arith.constant 4 : i32
    %r5 = arith.constant 5 : i32
    %r6 = arith.constant 6 : i32
    %r7 = arith.constant 7 : i32
    %before = arith.constant dense<[0, 5, 7, -1]> : vector<4xi32>
    scf.for %i = %c0 to %c8 step %c1 {
      vector.store %before, %y[%i, %c0] : !y84, vector<4xi32>
    }
    %source = arith.constant dense<[3, 6, -2, 6]> : vector<4xi32>
    vector.store %source, %w[%c0] : !w, vector<4xi32>
    carousel.fence.proxy async
    %policy = carousel.cache_policy.fractional evict_first
    carousel.tensor.reduce add %w[%c0] to %u[%r0, %r0] : !w, !u32
    carousel.tensor.reduce min %w[%c0] to %u[%r1, %r0] cache %policy : !w, !u32
    carousel.tensor.reduce min %w[%c0] to %s[%r2, %r0] : !w, !s32
    carousel.tensor.reduce max %w[%c0] to %u[%r3, %r0] : !w, !u32
    carousel.tensor.reduce inc %w[%c0] to %u[%r4, %r0] : !w, !u32
    carousel.tensor.reduce dec %w[%c0] to %u[%r5, %r0] : !w, !u32
    carousel.tensor.reduce and %w[%c0] to %u[%r6, %r0] : !w, !u32
    carousel.tensor.reduce xor %w[%c0] to %u[%r7, %r0] : !w, !u32
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // A box of 100s at [1, 4] of 2 x 8.
  gpu.func @clipped(%y: memref<2x8xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                    %map: !f32 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%f: !f {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %hundred = arith.constant dense<100.0> : vector<16xf32>
    vector.store %hundred, %f[%c0] : !f, vector<16xf32>
    carousel.fence.proxy async_shared_cta
    carousel.tensor.reduce add %f[%c0] to %map[%one, %four] : !f, !f32
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // Ten, twenty, thirty, forty... to the pixels of an image.
  gpu.func @im2col(%y: memref<1x2x2x4xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                   %map: !image {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%f: !f {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %v = arith.constant dense<[10.0, 10.0, 10.0, 10.0, 20.0, 20.0, 20.0, 20.0,
                               30.0, 30.0, 30.0, 30.0, 40.0, 40.0, 40.0, 40.0]> : vector<16xf32>
    vector.store %v, %f[%c0] : !f, vector<16xf32>
    carousel.fence.proxy async_shared_cta
    carousel.tensor.reduce add %f[%c0] to %map[%zero, %zero, %zero, %zero] mode(im2col_no_offs)
        : !f, !image
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }
}

func.func @expected(%y: memref<8x4xi32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<8x4xi32> into memref<32xi32>
  // inc is x >= s ? 0 : x + 1, dec is x == 0 or x > s ? s : x - 1.
  %v = arith.constant dense<[3, 11, 5, 5,  0, 5, 7, 6,  0, 5, -2, -1,  3, 6, -2, -1,
                             1, 6, 8, 0,   3, 4, 6, 6,  0, 4, 6, 6,    3, 3, -7, -7]> : vector<32xi32>
  vector.store %v, %flat[%c0] : memref<32xi32>, vector<32xi32>
  return
}

func.func @expected_clipped(%y: memref<2x8xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant dense<[112.0, 113.0, 114.0, 115.0]> : vector<4xf32>
  vector.store %v, %y[%c1, %c4] : memref<2x8xf32>, vector<4xf32>
  return
}

func.func @expected_im2col(%y: memref<1x2x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1, 2, 3]] : memref<1x2x2x4xf32> into memref<16xf32>
  %v = arith.constant dense<[10.0, 11.0, 12.0, 13.0, 24.0, 25.0, 26.0, 27.0,
                             38.0, 39.0, 40.0, 41.0, 52.0, 53.0, 54.0, 55.0]> : vector<16xf32>
  vector.store %v, %flat[%c0] : memref<16xf32>, vector<16xf32>
  return
}
