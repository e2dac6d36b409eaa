// tensor.store: a box, of which what lies beyond the tensor isn't written; swizzled; scatter4 to four
// rows; im2col_no_offs to the pixels of an image.
// RUN: carousel-sim %s --kernel @tile --arg y=zeros:6x8 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @swizzled --arg y=zeros:8x32 --expect y=iota:8x32 --schedules 8
// RUN: carousel-sim %s --kernel @scatter4 --chip sm_100a --arg y=zeros:8x4 --reference @expected_scatter --schedules 8
// RUN: carousel-sim %s --kernel @im2col --arg y=zeros:2x3x3x4 --reference @expected_im2col --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<4x8xf32>
!swizzled = !carousel.tensor_map<8x32xf32, swizzle = b128>
!rows = !carousel.tensor_map<1x4xf32>
!image = !carousel.tensor_map<4x4xf32, mode = im2col, rank = 4, lower = [0, 0], upper = [-1, -1]>
!t48 = memref<4x8xf32, #ws>
!t16 = memref<16xf32, #ws>
!y68 = memref<6x8xf32, #gl>

gpu.module @m {
  // A box of 1, 2, 3... at [4, 4] of 6 x 8: a quarter of it is inside.
  gpu.func @tile(%y: !y68 {carousel.argument = #carousel.argument<"y", inout>},
                 %map: !map {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%tile: !t48 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %four = arith.constant 4 : i32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %before = arith.muli %ty, %c8 : index
    %i = arith.addi %before, %tx : index
    %next = arith.addi %i, %c1 : index
    %next_i32 = arith.index_cast %next : index to i32
    %v = arith.sitofp %next_i32 : i32 to f32
    memref.store %v, %tile[%ty, %tx] : !t48
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      %policy = carousel.cache_policy.fractional evict_first
      carousel.tensor.store %tile[%c0, %c0] to %map[%four, %four] mode(tile) cache %policy
          : !t48, !map
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }

  // Chunk c of row r is written at c ^ r.
  gpu.func @swizzled(%y: memref<8x32xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                     %map: !swizzled {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%tile: memref<8x32xf32, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32, 8]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %column = gpu.thread_id x
    %row = gpu.thread_id y
    %before = arith.muli %row, %c32 : index
    %i = arith.addi %before, %column : index
    %i_i32 = arith.index_cast %i : index to i32
    %v = arith.sitofp %i_i32 : i32 to f32
    %flip = arith.muli %row, %c4 : index
    %place = arith.xori %column, %flip : index
    memref.store %v, %tile[%row, %place] : memref<8x32xf32, #ws>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      carousel.tensor.store %tile[%c0, %c0] to %map[%zero, %zero]
          : memref<8x32xf32, #ws>, !swizzled
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }

  // To rows 6, 1, 8 and 3 of 8: the third is outside.
  gpu.func @scatter4(%y: memref<8x4xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                     %map: !rows {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%tile: !t16 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %r1 = arith.constant 1 : i32
    %r3 = arith.constant 3 : i32
    %r6 = arith.constant 6 : i32
    %r8 = arith.constant 8 : i32
    %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0,
                               9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : vector<16xf32>
    vector.store %v, %tile[%c0] : !t16, vector<16xf32>
    carousel.fence.proxy async_shared_cta
    carousel.tensor.store %tile[%c0] to %map[%r6, %r1, %r8, %r3, %zero] mode(scatter4)
        : !t16, !rows
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // Four pixels from [1, 0, 0] on, in a bounding box of 2x2 of an image of 3x3.
  gpu.func @im2col(%y: memref<2x3x3x4xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                   %map: !image {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%tile: !t16 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0,
                               9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : vector<16xf32>
    vector.store %v, %tile[%c0] : !t16, vector<16xf32>
    carousel.fence.proxy async_shared_cta
    carousel.tensor.store %tile[%c0] to %map[%one, %zero, %zero, %zero] mode(im2col_no_offs)
        : !t16, !image
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }
}

// y is zero before.
func.func @expected(%y: memref<6x8xf32>) {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %w = arith.constant dense<[9.0, 10.0, 11.0, 12.0]> : vector<4xf32>
  vector.store %v, %y[%c4, %c4] : memref<6x8xf32>, vector<4xf32>
  vector.store %w, %y[%c5, %c4] : memref<6x8xf32>, vector<4xf32>
  return
}

func.func @expected_scatter(%y: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %r1 = arith.constant 1 : index
  %r3 = arith.constant 3 : index
  %r6 = arith.constant 6 : index
  %v0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %v1 = arith.constant dense<[5.0, 6.0, 7.0, 8.0]> : vector<4xf32>
  %v3 = arith.constant dense<[13.0, 14.0, 15.0, 16.0]> : vector<4xf32>
  vector.store %v0, %y[%r6, %c0] : memref<8x4xf32>, vector<4xf32>
  vector.store %v1, %y[%r1, %c0] : memref<8x4xf32>, vector<4xf32>
  vector.store %v3, %y[%r3, %c0] : memref<8x4xf32>, vector<4xf32>
  return
}

func.func @expected_im2col(%y: memref<2x3x3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %v1 = arith.constant dense<[5.0, 6.0, 7.0, 8.0]> : vector<4xf32>
  %v2 = arith.constant dense<[9.0, 10.0, 11.0, 12.0]> : vector<4xf32>
  %v3 = arith.constant dense<[13.0, 14.0, 15.0, 16.0]> : vector<4xf32>
  vector.store %v0, %y[%c1, %c0, %c0, %c0] : memref<2x3x3x4xf32>, vector<4xf32>
  vector.store %v1, %y[%c1, %c0, %c1, %c0] : memref<2x3x3x4xf32>, vector<4xf32>
  vector.store %v2, %y[%c1, %c1, %c0, %c0] : memref<2x3x3x4xf32>, vector<4xf32>
  vector.store %v3, %y[%c1, %c1, %c1, %c0] : memref<2x3x3x4xf32>, vector<4xf32>
  return
}
