// tensor_map.replace, copy_fence, get, and the fences of descriptors: one that is made field by field
// from zeros and copied to global memory serves after its fences; so does it once changed in place.
// RUN: carousel-sim %s --kernel @k --arg x=iota:8x4 --arg d=zeros:256 --arg y=empty:32 --expect y=iota:32 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<1x!carousel.mbarrier, #ws>
!map = !carousel.tensor_map<4x4xf32>
!local = memref<1x!map, #ws>
!maps = memref<2x!map, #gl>
!tile = memref<16xf32, #ws>
!x = memref<8x4xf32, #gl>
!y = memref<32xf32, #gl>

gpu.module @m {
  // x is said to have four rows, which are loaded, then eight, of which the others are.
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %d: memref<256xi8, #gl> {carousel.argument = #carousel.argument<"d", inout>},
              %y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32], shared = 128>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %eight = arith.constant 8 : i32
    %pitch = arith.constant 16 : i64
    %phase0 = arith.constant false
    %phase1 = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %words = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<32xi32, #ws>
    %local = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !local
    %maps = memref.view %d[%c0][] : memref<256xi8, #gl> to !maps
    memref.store %zero, %words[%t] : memref<32xi32, #ws>
    carousel.barrier.warp
    scf.if %first {
      %base = memref.extract_aligned_pointer_as_index %x : !x -> index
      %address = arith.index_cast %base : index to i64
      carousel.tensor_map.replace global_address of %local[%c0] with %address : !local, i64
      carousel.tensor_map.replace rank of %local[%c0] with %one : !local, i32
      carousel.tensor_map.replace box_dim dim(0) of %local[%c0] with %four : !local, i32
      carousel.tensor_map.replace box_dim dim(1) of %local[%c0] with %four : !local, i32
      carousel.tensor_map.replace global_dim dim(0) of %local[%c0] with %four : !local, i32
      carousel.tensor_map.replace global_dim dim(1) of %local[%c0] with %four : !local, i32
      carousel.tensor_map.replace global_stride dim(0) of %local[%c0] with %pitch : !local, i64
      carousel.tensor_map.replace element_stride dim(0) of %local[%c0] with %one : !local, i32
      carousel.tensor_map.replace element_stride dim(1) of %local[%c0] with %one : !local, i32
      carousel.tensor_map.replace elemtype of %local[%c0] literal 7 : !local
      carousel.tensor_map.replace interleave_layout of %local[%c0] literal 0 : !local
      carousel.tensor_map.replace swizzle_mode of %local[%c0] literal 0 : !local
      carousel.tensor_map.replace fill_mode of %local[%c0] literal 0 : !local
    }
    carousel.barrier.warp
    carousel.tensor_map.copy_fence %local[%c0] to %maps[%c1] scope(gpu) : !local, !maps
    %map = carousel.tensor_map.get %maps[%c1] : !maps -> !map
    carousel.fence.tensor_map_acquire %map gpu : !map
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 64 : !bar
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0] signals %bar[%c0]
          : !map, !tile, !bar
      carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
      %v = vector.load %tile[%c0] : !tile, vector<16xf32>
      vector.store %v, %y[%c0] : !y, vector<16xf32>

      carousel.tensor_map.replace global_dim dim(1) of %maps[%c1] with %eight : !maps, i32
      carousel.fence.tensor_map_release gpu
      carousel.fence.tensor_map_acquire %map gpu : !map
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 64 : !bar
      carousel.tensor.load %map[%four, %zero] to %tile[%c0] signals %bar[%c0]
          : !map, !tile, !bar
      carousel.mbarrier.wait %bar[%c0] parity %phase1 : !bar
      %w = vector.load %tile[%c0] : !tile, vector<16xf32>
      vector.store %w, %y[%c16] : !y, vector<16xf32>
    }
    gpu.return
  }
}
