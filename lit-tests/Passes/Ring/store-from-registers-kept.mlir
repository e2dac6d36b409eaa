// Stores that stay in shared memory, each with its reason.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-store-from-registers))' --remark-format=emitRemark --remarks-filter=carousel-store-from-registers --verify-diagnostics -o /dev/null

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<512xf32, #ws>

gpu.module @kept [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @reduces(%y: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      memref.store %v, %tile[%thread] : !tile
      // expected-remark @below {{store by shared, given: it reduces}}
      carousel.store %tile to %y[%i] reduce<add f32> engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  gpu.func @multicast(%y: !vector {carousel.multicast}, %v: f32) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      memref.store %v, %tile[%thread] : !tile
      // expected-remark @below {{store by shared, given: its memref is a multicast address}}
      carousel.store %tile to %y[%i] engine<vector, width = 4> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  gpu.func @read_again(%y: !vector, %z: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      memref.store %v, %tile[%thread] : !tile
      gpu.barrier
      %w = memref.load %tile[%c0] : !tile
      memref.store %w, %z[%i] : !vector
      // expected-remark @below {{store by shared, given: its tile is accessed by 'memref.load'}}
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  gpu.func @part(%y: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      memref.store %v, %tile[%thread] : !tile
      // expected-remark @below {{it isn't visible that each iteration writes the whole tile}}
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  gpu.func @in_place(%y: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      carousel.load %y[%i] to %in engine<bulk> : !vector, !tile
      %w = memref.load %in[%thread] : !tile
      %u = arith.addf %w, %v : f32
      memref.store %u, %tile[%thread] : !tile
      // expected-remark @below {{its memref is also accessed by 'carousel.load'}}
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  gpu.func @published(%y: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      memref.store %v, %tile[%thread] : !tile
      // expected-remark @below {{the kernel has 'carousel.fence.thread', which orders stores}}
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
      gpu.barrier
      carousel.fence.thread release gpu
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  // What the previous grid writes must not be stored over before it has ended.
  gpu.func @dependent(%y: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      memref.store %v, %tile[%thread] : !tile
      carousel.grid.dependency_wait
      // expected-remark @below {{the kernel has 'carousel.grid.dependency_wait', which orders stores}}
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  gpu.func @offset_behind(%y: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      memref.store %v, %tile[%thread] : !tile
      %o = arith.addi %i, %c512 : index
      // expected-remark @below {{its offsets are computed after its tile is written}}
      carousel.store %tile to %y[%o] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  // Lanes that write 16 bytes each, 64 bytes apart, would move each sector for half of its bytes.
  gpu.func @apart(%y: !vector, %v: vector<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %low = arith.remui %thread, %c32 : index
    %high = arith.divui %thread, %c32 : index
    %a = arith.muli %low, %c16 : index
    %b = arith.muli %high, %c4 : index
    %j = arith.addi %a, %b : index
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      vector.store %v, %tile[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
      // expected-remark @below {{store by shared, 1 writes: its warps don't write whole sectors of aligned memory}}
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  gpu.func @while(%y: !vector, %v: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    %end = scf.while (%i = %c0) : (index) -> index {
      memref.store %v, %tile[%thread] : !tile
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      // expected-remark @below {{store by shared, given: its tile is written by 'memref.store' elsewhere than before it in the loop}}
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
      %next = arith.addi %i, %c512 : index
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }
}
