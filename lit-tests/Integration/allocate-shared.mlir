// A kernel of four phases, each with a tile of its own, in the bytes of one: with what
// --carousel-allocate-shared inserts it computes the same, without a finding. Its wrong twins in
// Inputs/allocate-shared-wrong.mlir each lack one thing that was inserted.
// RUN: carousel-opt %s --carousel-allocate-shared -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: carousel-sim %s --arg x=iota:64 --arg y=empty:64 --arg z=empty:64 --reference @expected --policy all --schedules 20
// RUN: carousel-sim %t.mlir --arg x=iota:64 --arg y=empty:64 --arg z=empty:64 --reference @expected --policy all --schedules 20
// RUN: carousel-sim %t.mlir --arg x=iota:64 --arg y=empty:64 --arg z=empty:64 --reference @expected --strict --schedules 20
// RUN: carousel-opt %t.mlir --carousel-lower-to-nvvm -o /dev/null

// RUN: carousel-sim %S/Inputs/allocate-shared-wrong.mlir --kernel @no_fence --arg x=iota:64 --arg y=empty:64 --arg z=empty:64 --expect-finding missing-proxy-fence --policy all --schedules 20
// RUN: carousel-sim %S/Inputs/allocate-shared-wrong.mlir --kernel @no_barrier --arg x=iota:64 --arg y=empty:64 --arg z=empty:64 --expect-finding data-race --policy all --schedules 20
// RUN: carousel-sim %S/Inputs/allocate-shared-wrong.mlir --kernel @no_wait --arg x=iota:64 --arg y=empty:64 --arg z=empty:64 --expect-finding engine-race --policy all --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

// 256 bytes of tiles, 8 of a barrier.
// CHECK: shared = 264>
// CHECK: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: gpu.barrier
// CHECK: carousel.bulk.load
// CHECK: carousel.mbarrier.wait
// CHECK: gpu.barrier
// CHECK: carousel.bulk.commit_group
// CHECK: carousel.bulk.wait_group read 0
// CHECK-NEXT: gpu.barrier
// CHECK: gpu.return
gpu.module @phases [#nvvm.target<chip = "sm_90a">] {
  gpu.func @phases(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                   %y: !vector {carousel.argument = #carousel.argument<"y", out>},
                   %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %false = arith.constant false
    %full = memref.alloc() : !barrier
    %reversed = memref.alloc() : !tile
    %loaded = memref.alloc() : !tile
    %stored = memref.alloc() : !tile
    %rotated = memref.alloc() : !tile
    %thread = gpu.thread_id x
    %mirror = arith.subi %c63, %thread : index
    %leads = arith.cmpi eq, %thread, %c0 : index
    scf.if %leads {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }

    // Threads exchange values.
    %own = memref.load %x[%thread] : !vector
    %twice = arith.addi %own, %own : i32
    memref.store %twice, %reversed[%thread] : !tile
    gpu.barrier
    %other = memref.load %reversed[%mirror] : !tile

    // An engine loads.
    scf.if %leads {
      carousel.mbarrier.arrive_expect_tx %full[], 256 : !barrier
      carousel.bulk.load %x[%c0] to %loaded[%c0], 256 signals %full[] : !vector, !tile, !barrier
    }
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %arrived = memref.load %loaded[%mirror] : !tile
    %sum = arith.addi %other, %arrived : i32

    // An engine stores.
    memref.store %sum, %stored[%thread] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %leads {
      carousel.bulk.store %stored[%c0] to %y[%c0], 256 : !tile, !vector
      carousel.bulk.commit_group
    }

    // Threads exchange values again.
    memref.store %sum, %rotated[%mirror] : !tile
    gpu.barrier
    %last = memref.load %rotated[%thread] : !tile
    memref.store %last, %z[%thread] : !vector
    carousel.bulk.wait_group read 0
    gpu.return
  }
}

// y is three times x reversed, z that reversed again.
func.func @expected(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %three = arith.constant 3 : i32
  scf.for %i = %c0 to %c64 step %c1 {
    %mirror = arith.subi %c63, %i : index
    %v = memref.load %x[%mirror] : memref<64xi32>
    %w = arith.muli %v, %three : i32
    memref.store %w, %y[%i] : memref<64xi32>
    memref.store %w, %z[%mirror] : memref<64xi32>
  }
  return
}
