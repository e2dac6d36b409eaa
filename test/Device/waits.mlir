// Kernels that wait for what never comes, for packages with bounded waits: scripts/device/device-waits runs
// them and compares what the runtime says.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!words = memref<?xi32, #gl>
!barriers = memref<4x!carousel.mbarrier, #ws>
!rows = memref<2x4x!carousel.mbarrier, #ws>

gpu.module @waits {

  // One thread of one CTA waits, for a barrier that nobody arrives at.
  gpu.func @one_thread(%y: !words {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[%c2], 1 : !barriers
    }
    gpu.barrier
    %is_fifth = arith.cmpi eq, %thread, %c5 : index
    %is_second = arith.cmpi eq, %block, %c1 : index
    %waits = arith.andi %is_fifth, %is_second : i1
    scf.if %waits {
      carousel.mbarrier.wait %full[%c2] parity %false label<barrier = "x full", role = consumer>
          : !barriers
    }
    gpu.return
  }

  // All threads of all CTAs wait at once: one of them is named.
  gpu.func @all_threads(%y: !words {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%empty: !rows) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms * 2], block = [32, 4, 2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %false = arith.constant false
    %true = arith.constant true
    %x = gpu.thread_id x
    %tail = gpu.thread_id y
    %last = gpu.thread_id z
    %xy = arith.addi %x, %tail : index
    %xyz = arith.addi %xy, %last : index
    %is_first = arith.cmpi eq, %xyz, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %empty[%c1, %c3], 1 : !rows
      carousel.mbarrier.arrive %empty[%c1, %c3] : !rows
    }
    gpu.barrier
    // The phase that has passed: nobody stays here.
    carousel.mbarrier.wait %empty[%c1, %c3] parity %false label<barrier = "passed"> : !rows
    carousel.mbarrier.wait %empty[%c1, %c3] parity %true label<barrier = "x empty", role = producer>
        : !rows
    gpu.return
  }

  gpu.func @by_state(%y: !words {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c3 = arith.constant 3 : index
    carousel.mbarrier.init %full[%c3], 2 : !barriers
    %state = carousel.mbarrier.arrive %full[%c3] : !barriers -> !carousel.mbarrier_state
    carousel.mbarrier.wait %full[%c3] state %state label<barrier = "x full"> : !barriers
    gpu.return
  }

  // A turn in global memory that is never given.
  gpu.func @turn(%y: !words {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c6 = arith.constant 6 : index
    %turn = arith.constant 11 : i32
    carousel.grid.serial_wait %y[%c6], %turn : !words
    gpu.return
  }

  // What arrives late, but within the bound: nothing is said, and the value arrives.
  gpu.func @late(%y: !words {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c20000 = arith.constant 20000 : index
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[%c0], 1 : !barriers
    }
    gpu.barrier
    %is_second = arith.cmpi eq, %thread, %c32 : index
    scf.if %is_second {
      scf.for %i = %c0 to %c20000 step %c1 {
        %old = memref.atomic_rmw addi %one, %y[%c1] : (i32, !words) -> i32
      }
      carousel.mbarrier.arrive %full[%c0] : !barriers
    }
    carousel.mbarrier.wait %full[%c0] parity %false label<barrier = "late"> : !barriers
    scf.if %is_first {
      %count = memref.load %y[%c1] : !words
      memref.store %count, %y[%c0] : !words
    }
    gpu.return
  }
}
