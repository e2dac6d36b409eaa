// Remarks report the requests of a pipeline that aren't met, and describe each ring correctly.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer))' --remark-format=emitRemark --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --verify-diagnostics -o /dev/null

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @remarks [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @specialized(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, by producers}}
    // expected-remark @below {{no peeled epilogue: producers have no iterations without loads}}
    // expected-remark @below {{prefetch 2 without effect: producers run ahead as far as there are slots}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 2, mode = specialized, epilogue = peeled>}
    gpu.return
  }

  gpu.func @not_ahead(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 0}}
    // expected-remark @below {{no peeled epilogue: no loads run ahead}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 0, epilogue = peeled>}
    gpu.return
  }

  gpu.func @far(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 8, prefetch 7}}
    // expected-remark @below {{prefetch 7 instead of 100: the ring has 8 stages}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<prefetch = 100>}
    gpu.return
  }

  // Consumers would execute the fence, and producers load without it what another CTA publishes.
  gpu.func @taken_over(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    carousel.fence.thread acquire gpu
    gpu.barrier
    // expected-remark @below {{loads ringed: 1, stages 3, prefetch 1}}
    // expected-remark @below {{unified instead of specialized: the kernel has 'carousel.fence.thread', after which it may read what other CTAs have written}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }

  // Behind the wait the grid before has written what producers would load without it.
  gpu.func @after_grid(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    carousel.grid.dependency_wait
    // expected-remark @below {{loads ringed: 1, stages 3, prefetch 1}}
    // expected-remark @below {{unified instead of specialized: the kernel has 'carousel.grid.dependency_wait', which may write the memref that is loaded from}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }

  gpu.func @deep(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 1, 1, 64>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id z
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    // expected-remark @below {{unified instead of specialized: a block of 1 x 1 x 64 can't be extended by 32 threads}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    gpu.return
  }

  gpu.func @outer(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{no rings: its transfers belong to an inner loop with carousel.pipeline}}
    scf.for %j = %c0 to %n step %c4096 {
      %end = arith.addi %j, %c4096 : index
      // expected-remark @below {{loads ringed: 1, stages 3, prefetch 2}}
      scf.for %i = %j to %end step %c1024 {
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
        %v = memref.load %t[%thread] : !tile
        memref.store %v, %y[%i] : !global
      } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 2>}
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}
