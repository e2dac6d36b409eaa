// bulk.store: bytes from any element to any element, a literal or a value; with a cache policy; with
// a mask of bytes.
// RUN: carousel-sim %s --kernel @store --arg y=zeros:16 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @masked --chip sm_100a --arg y=zeros:48 --reference @expected_masked --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<4x8xf32, #ws>

gpu.module @m {
  // The tile is 1, 2, 3...; [1, 4..7] goes to y[4..7], [2, 0..7] to y[8..15].
  gpu.func @store(%y: memref<16xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %size = arith.constant 32 : i32
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %row = arith.divui %t, %c8 : index
    %column = arith.remui %t, %c8 : index
    %t_i32 = arith.index_cast %t : index to i32
    %t_f32 = arith.sitofp %t_i32 : i32 to f32
    %v = arith.addf %t_f32, %one : f32
    memref.store %v, %tile[%row, %column] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %policy = carousel.cache_policy.fractional evict_last
      carousel.bulk.store %tile[%c1, %c4] to %y[%c4], 16 cache %policy
          : !tile, memref<16xf32, #gl>
      carousel.bulk.store %tile[%c2, %c0] to %y[%c8], %size : !tile, memref<16xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }

  // 48 bytes of 1, 2, 3...: bytes 0, 3 and 15 of each 16 are written.
  gpu.func @masked(%y: memref<48xi8, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%tile: memref<48xi8, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c48 = arith.constant 48 : index
    %mask = arith.constant 0x8009 : i16
    %t = gpu.thread_id x
    %inside = arith.cmpi ult, %t, %c48 : index
    scf.if %inside {
      %next = arith.addi %t, %c1 : index
      %v = arith.index_cast %next : index to i8
      memref.store %v, %tile[%t] : memref<48xi8, #ws>
    }
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.bulk.store %tile[%c0] to %y[%c0], 48 mask %mask
          : memref<48xi8, #ws>, memref<48xi8, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }
}

func.func @expected(%y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 13.0, 14.0, 15.0, 16.0,
                             17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0]> : vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

func.func @expected_masked(%y: memref<48xi8>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16,
                             17, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32,
                             33, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48]> : vector<48xi8>
  vector.store %v, %y[%c0] : memref<48xi8>, vector<48xi8>
  return
}
