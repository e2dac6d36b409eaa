// The fence before an atomic that publishes to other CTAs has gpu scope.
// Wrong: it has the scope of its CTA.
// RUN: carousel-sim %s --kernel @right --arg x=zeros:256 --arg parts=random:256 --arg count=zeros:1 --arg y=empty:64 --expect y=zeros:64 --schedules 50
// RUN: carousel-sim %s --kernel @right --arg x=zeros:256 --arg parts=random:256 --arg count=zeros:1 --arg y=empty:64 --expect y=zeros:64 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg x=zeros:256 --arg parts=random:256 --arg count=zeros:1 --arg y=empty:64 --expect-finding data-race --schedules 20 | FileCheck %s
// CHECK: note: mend it with carousel.fence.thread release gpu before the atomic by CTA {{[0-3]}}, thread 0, at {{.*}}: the fence there has a narrower scope

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<256xi32, #gl>
!count = memref<1xi32, #gl>
!part = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>
!told = memref<1xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %parts: !vector {carousel.argument = #carousel.argument<"parts">},
                  %count: !count {carousel.argument = #carousel.argument<"count">},
                  %y: !part {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %tile = memref.alloc() : !tile
    %sum = memref.alloc() : !tile
    %told = memref.alloc() : !told
    %begin = arith.muli %block, %c64 : index
    carousel.load %x[%begin] to %tile : !vector, !tile
    carousel.store %tile to %parts[%begin] : !tile, !vector
    gpu.barrier
    scf.if %is_first {
      carousel.fence.thread release gpu
      %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, !count) -> i32
      carousel.fence.thread acquire gpu
      memref.store %old, %told[%c0] : !told
    }
    gpu.barrier
    %before = memref.load %told[%c0] : !told
    %is_last = arith.cmpi eq, %before, %three : i32
    memref.store %zero, %sum[%thread] : !tile
    scf.if %is_last {
      scf.for %i = %c0 to %c4 step %c1 {
        %from = arith.muli %i, %c64 : index
        carousel.load %parts[%from] to %tile : !vector, !tile
        %v = memref.load %tile[%thread] : !tile
        %s = memref.load %sum[%thread] : !tile
        %next = arith.addi %v, %s : i32
        memref.store %next, %sum[%thread] : !tile
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
      carousel.store %sum to %y[%c0] : !tile, !part
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %parts: !vector {carousel.argument = #carousel.argument<"parts">},
                  %count: !count {carousel.argument = #carousel.argument<"count">},
                  %y: !part {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %tile = memref.alloc() : !tile
    %sum = memref.alloc() : !tile
    %told = memref.alloc() : !told
    %begin = arith.muli %block, %c64 : index
    carousel.load %x[%begin] to %tile : !vector, !tile
    carousel.store %tile to %parts[%begin] : !tile, !vector
    gpu.barrier
    scf.if %is_first {
      carousel.fence.thread release cta
      %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, !count) -> i32
      carousel.fence.thread acquire gpu
      memref.store %old, %told[%c0] : !told
    }
    gpu.barrier
    %before = memref.load %told[%c0] : !told
    %is_last = arith.cmpi eq, %before, %three : i32
    memref.store %zero, %sum[%thread] : !tile
    scf.if %is_last {
      scf.for %i = %c0 to %c4 step %c1 {
        %from = arith.muli %i, %c64 : index
        carousel.load %parts[%from] to %tile : !vector, !tile
        %v = memref.load %tile[%thread] : !tile
        %s = memref.load %sum[%thread] : !tile
        %next = arith.addi %v, %s : i32
        memref.store %next, %sum[%thread] : !tile
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
      carousel.store %sum to %y[%c0] : !tile, !part
    }
    gpu.return
  }
}
