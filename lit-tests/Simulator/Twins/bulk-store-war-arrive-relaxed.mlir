// Decided by the text of the ISA; war: an arrive releases a tile when a bulk store has read it.
// Wrong: the arrive is relaxed, and orders nothing.
// RUN: carousel-sim %s --kernel @right --arg y=empty:32 --expect y=iota:32 --schedules 30
// RUN: carousel-sim %s --kernel @right --arg y=empty:32 --expect y=iota:32 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:32 --expect-finding engine-race --schedules 20 | FileCheck %s
// CHECK: note: mend it with release semantics, or carousel.fence.thread release cta before it, at the arrive by CTA 0, thread 0, at {{.*}}: it is relaxed

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %free: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %writes = arith.cmpi uge, %thread, %c32 : index
    %i = arith.subi %thread, %c32 : index
    scf.if %is_first {
      carousel.mbarrier.init %free[], 1 : !barrier
    }
    scf.if %writes {
      %v = arith.index_cast %i : index to i32
      memref.store %v, %tile[%i] : !tile
      carousel.fence.proxy async_shared_cta
    }
    gpu.barrier
    scf.if %is_first {
      carousel.bulk.store %tile[%c0] to %y[%c0], 128 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
      carousel.mbarrier.arrive %free[] : !barrier
    }
    scf.if %writes {
      carousel.mbarrier.wait %free[] parity %false : !barrier
      memref.store %zero, %tile[%i] : !tile
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %free: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %writes = arith.cmpi uge, %thread, %c32 : index
    %i = arith.subi %thread, %c32 : index
    scf.if %is_first {
      carousel.mbarrier.init %free[], 1 : !barrier
    }
    scf.if %writes {
      %v = arith.index_cast %i : index to i32
      memref.store %v, %tile[%i] : !tile
      carousel.fence.proxy async_shared_cta
    }
    gpu.barrier
    scf.if %is_first {
      carousel.bulk.store %tile[%c0] to %y[%c0], 128 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
      carousel.mbarrier.arrive %free[] semantics(relaxed) : !barrier
    }
    scf.if %writes {
      carousel.mbarrier.wait %free[] parity %false : !barrier
      memref.store %zero, %tile[%i] : !tile
    }
    gpu.return
  }
}
