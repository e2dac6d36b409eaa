// The kernel of ../allocate-shared.mlir with its tiles in the same bytes, and without one of the ops
// that keep them apart.
#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!bytes = memref<?xi8, #ws>

gpu.module @wrong [#nvvm.target<chip = "sm_90a">] {
  // No fence between what threads wrote and what the engine loads.
  gpu.func @no_fence(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64], shared = 264>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %c256 = arith.constant 256 : index
    %false = arith.constant false
    %bytes = gpu.dynamic_shared_memory : !bytes
    %full = memref.view %bytes[%c256][] : !bytes to !barrier
    %reversed = memref.view %bytes[%c0][] : !bytes to !tile
    %loaded = memref.view %bytes[%c0][] : !bytes to !tile
    %stored = memref.view %bytes[%c0][] : !bytes to !tile
    %rotated = memref.view %bytes[%c0][] : !bytes to !tile
    %thread = gpu.thread_id x
    %mirror = arith.subi %c63, %thread : index
    %leads = arith.cmpi eq, %thread, %c0 : index
    scf.if %leads {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    %own = memref.load %x[%thread] : !vector
    %twice = arith.addi %own, %own : i32
    memref.store %twice, %reversed[%thread] : !tile
    gpu.barrier
    %other = memref.load %reversed[%mirror] : !tile
    gpu.barrier
    scf.if %leads {
      carousel.mbarrier.arrive_expect_tx %full[], 256 : !barrier
      carousel.bulk.load %x[%c0] to %loaded[%c0], 256 signals %full[] : !vector, !tile, !barrier
    }
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %arrived = memref.load %loaded[%mirror] : !tile
    %sum = arith.addi %other, %arrived : i32
    gpu.barrier
    memref.store %sum, %stored[%thread] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %leads {
      carousel.bulk.store %stored[%c0] to %y[%c0], 256 : !tile, !vector
      carousel.bulk.commit_group
    }
    carousel.bulk.wait_group read 0
    gpu.barrier
    memref.store %sum, %rotated[%mirror] : !tile
    gpu.barrier
    %last = memref.load %rotated[%thread] : !tile
    memref.store %last, %z[%thread] : !vector
    carousel.bulk.wait_group read 0
    gpu.return
  }

  // No barrier between loads by one thread and a store by another.
  gpu.func @no_barrier(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64], shared = 264>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %c256 = arith.constant 256 : index
    %false = arith.constant false
    %bytes = gpu.dynamic_shared_memory : !bytes
    %full = memref.view %bytes[%c256][] : !bytes to !barrier
    %reversed = memref.view %bytes[%c0][] : !bytes to !tile
    %loaded = memref.view %bytes[%c0][] : !bytes to !tile
    %stored = memref.view %bytes[%c0][] : !bytes to !tile
    %rotated = memref.view %bytes[%c0][] : !bytes to !tile
    %thread = gpu.thread_id x
    %mirror = arith.subi %c63, %thread : index
    %leads = arith.cmpi eq, %thread, %c0 : index
    scf.if %leads {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    %own = memref.load %x[%thread] : !vector
    %twice = arith.addi %own, %own : i32
    memref.store %twice, %reversed[%thread] : !tile
    gpu.barrier
    %other = memref.load %reversed[%mirror] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %leads {
      carousel.mbarrier.arrive_expect_tx %full[], 256 : !barrier
      carousel.bulk.load %x[%c0] to %loaded[%c0], 256 signals %full[] : !vector, !tile, !barrier
    }
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %arrived = memref.load %loaded[%mirror] : !tile
    %sum = arith.addi %other, %arrived : i32
    memref.store %sum, %stored[%thread] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %leads {
      carousel.bulk.store %stored[%c0] to %y[%c0], 256 : !tile, !vector
      carousel.bulk.commit_group
    }
    carousel.bulk.wait_group read 0
    gpu.barrier
    memref.store %sum, %rotated[%mirror] : !tile
    gpu.barrier
    %last = memref.load %rotated[%thread] : !tile
    memref.store %last, %z[%thread] : !vector
    carousel.bulk.wait_group read 0
    gpu.return
  }

  // No wait for the engine that reads the bytes which threads then write.
  gpu.func @no_wait(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64], shared = 264>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %c256 = arith.constant 256 : index
    %false = arith.constant false
    %bytes = gpu.dynamic_shared_memory : !bytes
    %full = memref.view %bytes[%c256][] : !bytes to !barrier
    %reversed = memref.view %bytes[%c0][] : !bytes to !tile
    %loaded = memref.view %bytes[%c0][] : !bytes to !tile
    %stored = memref.view %bytes[%c0][] : !bytes to !tile
    %rotated = memref.view %bytes[%c0][] : !bytes to !tile
    %thread = gpu.thread_id x
    %mirror = arith.subi %c63, %thread : index
    %leads = arith.cmpi eq, %thread, %c0 : index
    scf.if %leads {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    %own = memref.load %x[%thread] : !vector
    %twice = arith.addi %own, %own : i32
    memref.store %twice, %reversed[%thread] : !tile
    gpu.barrier
    %other = memref.load %reversed[%mirror] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %leads {
      carousel.mbarrier.arrive_expect_tx %full[], 256 : !barrier
      carousel.bulk.load %x[%c0] to %loaded[%c0], 256 signals %full[] : !vector, !tile, !barrier
    }
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %arrived = memref.load %loaded[%mirror] : !tile
    %sum = arith.addi %other, %arrived : i32
    gpu.barrier
    memref.store %sum, %stored[%thread] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %leads {
      carousel.bulk.store %stored[%c0] to %y[%c0], 256 : !tile, !vector
      carousel.bulk.commit_group
    }
    gpu.barrier
    memref.store %sum, %rotated[%mirror] : !tile
    gpu.barrier
    %last = memref.load %rotated[%thread] : !tile
    memref.store %last, %z[%thread] : !vector
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
