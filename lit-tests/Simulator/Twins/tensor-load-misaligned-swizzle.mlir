// Engine operations; swizzles go by address bits, so the tile is aligned to the swizzle's pattern.
// Wrong: the computed offset of the tile isn't.
// RUN: carousel-sim %s --kernel @right --arg x=zeros:8x32 --arg y=zeros:8x32 --expect y=zeros:8x32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=zeros:8x32 --arg y=zeros:8x32 --expect y=zeros:8x32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=zeros:8x32 --arg y=zeros:8x32 --expect-finding invalid-operand --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<8x32xs32, swizzle = b128>
!grid = memref<8x32xi32, #gl>
!row = vector<4xi32>
!box = memref<8x32xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!bytes = memref<?xi8, #ws>

gpu.module @twins {
  gpu.func @right(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1], shared = 4096>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %threads = gpu.block_dim x
    %pattern = arith.constant 1024 : index
    %offset = arith.muli %threads, %pattern : index
    %bytes = gpu.dynamic_shared_memory : !bytes
    %tile = memref.view %bytes[%offset][] : !bytes to !box
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %full[], 1024 : !barrier
    carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %full[]
        : !map, !box, !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = vector.load %tile[%c0, %c0] : !box, !row
    vector.store %v, %y[%c0, %c0] : !grid, !row
    gpu.return
  }

  gpu.func @wrong(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1], shared = 4096>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %threads = gpu.block_dim x
    %pattern = arith.constant 64 : index
    %offset = arith.muli %threads, %pattern : index
    %bytes = gpu.dynamic_shared_memory : !bytes
    %tile = memref.view %bytes[%offset][] : !bytes to !box
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %full[], 1024 : !barrier
    carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %full[]
        : !map, !box, !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = vector.load %tile[%c0, %c0] : !box, !row
    vector.store %v, %y[%c0, %c0] : !grid, !row
    gpu.return
  }
}
