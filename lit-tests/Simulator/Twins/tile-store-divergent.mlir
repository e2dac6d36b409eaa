// Tile phase: all threads of the scope make the transfer.
// Wrong: only the first does.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding barrier-divergence --allow-finding deadlock --allow-finding unwritten-read --allow-finding data-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    %takes_part = arith.cmpi uge, %thread, %c0 : index
    scf.if %takes_part {
      carousel.store %tile to %y[%c0] : !tile, !vector
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    %takes_part = arith.cmpi eq, %thread, %c0 : index
    scf.if %takes_part {
      carousel.store %tile to %y[%c0] : !tile, !vector
    }
    gpu.return
  }
}
