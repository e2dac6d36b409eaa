// cp_async.mbarrier_arrive: arrives when the thread's earlier copies have landed. With `noinc` the
// arrive is one that the init counted; without, it first raises the pending arrivals by one.
// RUN: carousel-sim %s --kernel @noinc --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @inc --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @nothing --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<64xf32, #gl>
!tile = memref<64xf32, #ws>
!bar = memref<1x!carousel.mbarrier, #ws>

gpu.module @m {
  // 16 threads, 16 arrivals. Each then uses what another one copied.
  gpu.func @noinc(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                  %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c15 = arith.constant 15 : index
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 16 : !bar
    }
    gpu.barrier
    %i = arith.muli %t, %c4 : index
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 : !x, !tile
    carousel.cp_async.mbarrier_arrive %bar[%c0] noinc : !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %other = arith.xori %t, %c15 : index
    %j = arith.muli %other, %c4 : index
    %v = vector.load %tile[%j] : !tile, vector<4xf32>
    vector.store %v, %y[%j] : !x, vector<4xf32>
    gpu.return
  }

  // The same with arrives that are neutral: the 16 arrivals are those of the threads.
  gpu.func @inc(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c15 = arith.constant 15 : index
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 16 : !bar
    }
    gpu.barrier
    %i = arith.muli %t, %c4 : index
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 : !x, !tile
    carousel.cp_async.mbarrier_arrive %bar[%c0] : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %other = arith.xori %t, %c15 : index
    %j = arith.muli %other, %c4 : index
    %v = vector.load %tile[%j] : !tile, vector<4xf32>
    vector.store %v, %y[%j] : !x, vector<4xf32>
    gpu.return
  }

  // With no copy to wait for. The init counts 4: one of the noinc form, three ordinary ones; the
  // other form is neutral. y = is the phase over before and after the last arrival.
  gpu.func @nothing(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 4 : !bar
    carousel.cp_async.mbarrier_arrive %bar[%c0] : !bar
    carousel.cp_async.mbarrier_arrive %bar[%c0] noinc : !bar
    carousel.mbarrier.arrive %bar[%c0], 2 : !bar
    %before = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    // The arrives of cp.async may come later.
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %after = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    %b0 = arith.extui %before : i1 to i32
    %b1 = arith.extui %after : i1 to i32
    memref.store %b0, %y[%c0] : memref<2xi32, #gl>
    memref.store %b1, %y[%c1] : memref<2xi32, #gl>
    gpu.return
  }
}
