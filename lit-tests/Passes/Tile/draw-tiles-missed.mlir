// Why iterations can't be drawn. The loop stays, without the request.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-draw-tiles))' --remarks-filter=carousel-draw-tiles --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// CHECK-NOT: scf.while
// CHECK-NOT: tiles =

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>
!sums = memref<1xf32, #ws>
!counters = memref<?xi32, #gl>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @no_launch(%x: !v, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: its kernel has no carousel.launch}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @grid(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4, 2], block = [128]>} {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: the grid has 2 dimensions}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @other_tickets(%x: !v, %n: index, %counters: !counters) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %ticket = carousel.grid.ticket %counters[%c0] of %blocks : !counters
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride: the kernel has 'carousel.grid.ticket'}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = auto>}
    gpu.return
  }
  gpu.func @inner(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c1 = arith.constant 1 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    scf.for %k = %c1 to %n step %c1 {
      // expected-remark @below {{tiles by stride, as asked for: it stands in 'scf.for'}}
      scf.for %i = %block to %n step %blocks {
        carousel.load %x[%i] to %t : !v, !tile
      } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    }
    gpu.return
  }
  gpu.func @carries(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: it carries values}}
    %sum = scf.for %i = %block to %n step %blocks iter_args(%a = %zero) -> (f32) {
      carousel.load %x[%i] to %t : !v, !tile
      %v = memref.load %t[%thread] : !tile
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @bounds(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c128 = arith.constant 128 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %step = arith.muli %blocks, %c128 : index
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: it doesn't begin at block_id x and advance by grid_dim x, both times one constant}}
    scf.for %i = %block to %n step %step {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @end(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %end = arith.addi %n, %block : index
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: its end depends on the block's number}}
    scf.for %i = %block to %end step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @block_in_it(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c8 = arith.constant 8 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %offset = arith.muli %block, %c8 : index
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: 'carousel.load' in it depends on the block's number}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%offset] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @block_before(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %kept = memref.alloc() : !tile
    %t = memref.alloc() : !tile
    carousel.load %x[%block] to %kept : !v, !tile
    // expected-remark @below {{tiles by stride, as asked for: 'memref.load' in it depends on the block's number}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
      %v = memref.load %kept[%thread] : !tile
      %at = arith.addi %i, %thread : index
      memref.store %v, %x[%at] : !v
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @used_behind(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: a buffer that it writes is accessed outside by 'memref.load'}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    %v = memref.load %t[%thread] : !tile
    memref.store %v, %x[%thread] : !v
    gpu.return
  }
  // A sum of all earlier iterations of the CTA.
  gpu.func @accumulates(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    %sum = memref.alloc() : !sums
    // expected-remark @below {{tiles by stride, as asked for: it isn't visible that 'memref.load' finds nothing of an earlier iteration in its buffer}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
      %v = memref.load %t[%c0] : !tile
      %old = memref.load %sum[%c0] : !sums
      %new = arith.addf %old, %v : f32
      memref.store %new, %sum[%c0] : !sums
      memref.store %new, %x[%i] : !v
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @two(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    %u = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: the kernel has 2 loops with such a request}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    // expected-remark @below {{tiles by stride: the kernel has 2 loops with such a request}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %u : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = auto>}
    gpu.return
  }

  // What the loop reads was chosen by the block's number, although no value of the loop's is one: through a tile that is
  // read before the loop, and through the branch that writes it.
  gpu.func @tile_of_block(%x: !v, %s: !v, %y: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %own = arith.muli %block, %c128 : index
    %s_tile = memref.alloc() : !tile
    carousel.load %s[%own] to %s_tile : !v, !tile
    %v = memref.load %s_tile[%thread] : !tile
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: 'memref.store' in it depends on the block's number}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
      memref.store %v, %y[%i] : !v
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @branch_of_block(%x: !v, %a: f32, %b: f32, %y: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %s = memref.alloc() : !tile
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      memref.store %a, %s[%thread] : !tile
    } else {
      memref.store %b, %s[%thread] : !tile
    }
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: 'memref.load' in it depends on the block's number}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
      %v = memref.load %s[%thread] : !tile
      memref.store %v, %y[%i] : !v
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  gpu.func @call(%x: !v, %y: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride, as asked for: the kernel calls @number, which may use the block's number}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
      %v = func.call @number() : () -> f32
      memref.store %v, %y[%i] : !v
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    gpu.return
  }
  func.func private @number() -> f32 {
    %block = gpu.block_id x
    %i = arith.index_cast %block : index to i32
    %v = arith.sitofp %i : i32 to f32
    func.return %v : f32
  }
  gpu.func @specialized(%x: !v, %n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride: mode = specialized is asked for}}
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t : !v, !tile
    } {carousel.pipeline = #carousel.pipeline<mode = specialized, tiles = auto>}
    gpu.return
  }

  // The analysis of stores can't tell rows and columns of different tiles apart.
  gpu.func @divided(%x: memref<?x?xf32, #gl>, %y: memref<?x?xf32, #gl>, %n: index, %columns: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride: no offset of a store is the loop's number, times or plus another, so each store would wait for the one before it}}
    scf.for %i = %block to %n step %blocks {
      %row = arith.divui %i, %columns : index
      %rest = arith.remui %i, %columns : index
      %column = arith.muli %rest, %c128 : index
      carousel.load %x[%row, %column] to %t : memref<?x?xf32, #gl>, !tile
      carousel.store %t to %y[%row, %column] : !tile, memref<?x?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<tiles = auto>}
    gpu.return
  }
}
