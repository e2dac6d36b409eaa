// Upstream's patterns replace an scf.while whose arguments and results differ in order, or aren't used: it keeps its
// pipeline. A loop whose last transfer goes with a loop of no iterations has no pipeline any more.
// RUN: carousel-opt %s --carousel-lower="chip=sm_90a variants=false" --remarks-filter-passed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics -o /dev/null

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @while {
  gpu.func @order(%x: !global, %y: !global, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    %end:2 = scf.while (%sum = %zero, %i = %c0) : (f32, index) -> (index, f32) {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i, %sum : index, f32
    } do {
    ^bb0(%i: index, %sum: f32):
      carousel.load %x[%i] to %t : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %added = arith.addf %sum, %v : f32
      %next = arith.addi %i, %c1024 : index
      scf.yield %added, %next : f32, index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    memref.store %end#1, %y[%thread] : !global
    gpu.return
  }

  // Without results.
  gpu.func @unused(%x: !global, %y: !global, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    scf.while (%unused = %zero, %i = %c0) : (f32, index) -> () {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists)
    } do {
      carousel.load %x[%c0] to %t : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%thread] : !global
      %count = memref.load %x[%c0] : !global
      %next = arith.fptoui %count : f32 to i32
      %at = arith.index_cast %next : i32 to index
      scf.yield %v, %at : f32, index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // One value twice, and one that stays the same.
  gpu.func @twice(%x: !global, %y: !global, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    %end:4 = scf.while (%sum = %zero, %i = %c0, %step = %c1024) : (f32, index, index) -> (index, index, f32, index) {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i, %i, %sum, %step : index, index, f32, index
    } do {
    ^bb0(%i: index, %same: index, %sum: f32, %step: index):
      carousel.load %x[%i] to %t : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %added = arith.addf %sum, %v : f32
      %next = arith.addi %same, %step : index
      scf.yield %added, %next, %c1024 : f32, index, index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    memref.store %end#2, %y[%thread] : !global
    gpu.return
  }

  gpu.func @gone(%x: !global, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c0 step %c1 {
        carousel.load %x[%j] to %t scope(warp) : !global, !tile
      } {carousel.pipeline = #carousel.pipeline<scope = warp>}
      %v = memref.load %t[%c0] : !tile
      memref.store %v, %t[%c1] : !tile
    } {carousel.pipeline = #carousel.pipeline<stages = 2, scope = warp>}
    gpu.return
  }
}
