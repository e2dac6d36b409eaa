// Agents and proxies; a tensor map that the device wrote is acquired before a copy uses it.
// Wrong: the acquire stands after the copy's issue.
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x4 --arg y=empty:4x4 --arg storage=zeros:128 --expect y=iota:4x4 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x4 --arg y=empty:4x4 --arg storage=zeros:128 --expect y=iota:4x4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:4x4 --arg y=empty:4x4 --arg storage=zeros:128 --expect-finding stale-tensor-map --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xs32>
!grid = memref<4x4xi32, #gl>
!row = vector<4x4xi32>
!box = memref<4x4xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!storage = memref<128xi8, #gl>
!maps = memref<!map, #gl>
!maps_local = memref<!map, #ws>
!bytes = memref<128xi8, #ws>
!words = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %storage: !storage {carousel.argument = #carousel.argument<"storage">})
      workgroup(%bytes: !bytes {llvm.align = 128 : i64},
                %tile: !box {llvm.align = 128 : i64},
                %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %stride = arith.constant 16 : i64
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %maps = memref.view %storage[%c0][] : !storage to !maps
    %local = memref.view %bytes[%c0][] : !bytes to !maps_local
    %words = memref.view %bytes[%c0][] : !bytes to !words
    memref.store %zero, %words[%thread] : !words
    carousel.barrier.warp
    scf.if %is_first {
      %pointer = memref.extract_aligned_pointer_as_index %x : !grid -> index
      %address = arith.index_cast %pointer : index to i64
      carousel.tensor_map.replace global_address of %local[] with %address : !maps_local, i64
      carousel.tensor_map.replace rank of %local[] with %one : !maps_local, i32
      carousel.tensor_map.replace box_dim dim(0) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace box_dim dim(1) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace global_dim dim(0) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace global_dim dim(1) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace global_stride dim(0) of %local[] with %stride : !maps_local, i64
      carousel.tensor_map.replace element_stride dim(0) of %local[] with %one : !maps_local, i32
      carousel.tensor_map.replace element_stride dim(1) of %local[] with %one : !maps_local, i32
      carousel.tensor_map.replace elemtype of %local[] literal 3 : !maps_local
      carousel.tensor_map.replace interleave_layout of %local[] literal 0 : !maps_local
      carousel.tensor_map.replace swizzle_mode of %local[] literal 0 : !maps_local
      carousel.tensor_map.replace fill_mode of %local[] literal 0 : !maps_local
    }
    carousel.barrier.warp
    carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu) : !maps_local, !maps
    carousel.barrier.warp
    %map = carousel.tensor_map.get %maps[] : !maps -> !map
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.fence.tensor_map_acquire %map gpu : !map
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %full[]
          : !map, !box, !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0, %c0] : !box, !row
      vector.store %v, %y[%c0, %c0] : !grid, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %storage: !storage {carousel.argument = #carousel.argument<"storage">})
      workgroup(%bytes: !bytes {llvm.align = 128 : i64},
                %tile: !box {llvm.align = 128 : i64},
                %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %stride = arith.constant 16 : i64
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %maps = memref.view %storage[%c0][] : !storage to !maps
    %local = memref.view %bytes[%c0][] : !bytes to !maps_local
    %words = memref.view %bytes[%c0][] : !bytes to !words
    memref.store %zero, %words[%thread] : !words
    carousel.barrier.warp
    scf.if %is_first {
      %pointer = memref.extract_aligned_pointer_as_index %x : !grid -> index
      %address = arith.index_cast %pointer : index to i64
      carousel.tensor_map.replace global_address of %local[] with %address : !maps_local, i64
      carousel.tensor_map.replace rank of %local[] with %one : !maps_local, i32
      carousel.tensor_map.replace box_dim dim(0) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace box_dim dim(1) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace global_dim dim(0) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace global_dim dim(1) of %local[] with %four : !maps_local, i32
      carousel.tensor_map.replace global_stride dim(0) of %local[] with %stride : !maps_local, i64
      carousel.tensor_map.replace element_stride dim(0) of %local[] with %one : !maps_local, i32
      carousel.tensor_map.replace element_stride dim(1) of %local[] with %one : !maps_local, i32
      carousel.tensor_map.replace elemtype of %local[] literal 3 : !maps_local
      carousel.tensor_map.replace interleave_layout of %local[] literal 0 : !maps_local
      carousel.tensor_map.replace swizzle_mode of %local[] literal 0 : !maps_local
      carousel.tensor_map.replace fill_mode of %local[] literal 0 : !maps_local
    }
    carousel.barrier.warp
    carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu) : !maps_local, !maps
    carousel.barrier.warp
    %map = carousel.tensor_map.get %maps[] : !maps -> !map
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %full[]
          : !map, !box, !barrier
      carousel.fence.tensor_map_acquire %map gpu : !map
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0, %c0] : !box, !row
      vector.store %v, %y[%c0, %c0] : !grid, !row
    }
    gpu.return
  }
}
