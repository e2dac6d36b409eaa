// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-draw-tiles))' --remarks-filter=carousel-draw-tiles --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!tile = memref<4096xf32, #ws>
!scale = memref<128xf32, #ws>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // A launch draws a ticket for each tile, and one that ends each CTA's loop. The name of the counter is free.
  // CHECK-LABEL: gpu.func @asked
  // CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32, {{[^>]*}}>> {carousel.argument = #carousel.argument<"tickets", in>}
  // CHECK-SAME: %[[COUNTER:[a-z0-9]+]]: memref<?xi32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"tickets1">, carousel.workspace = #carousel.workspace<[1]>}
  // CHECK: memref.alloc()
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: %[[SIZE:.*]] = arith.constant 4096 : index
  // CHECK: %[[EXTENT:.*]] = arith.maxsi %{{.*}}, %[[ZERO]]
  // CHECK: %[[TILES:.*]] = arith.ceildivui %[[EXTENT]], %[[SIZE]]
  // CHECK: %[[BLOCKS:.*]] = gpu.grid_dim x
  // CHECK: %[[TOTAL:.*]] = arith.addi %[[TILES]], %[[BLOCKS]]
  // CHECK: %[[FIRST:.*]] = carousel.grid.ticket %[[COUNTER]][%[[ZERO]]] of %[[TOTAL]]
  // CHECK: scf.while (%[[T:.*]] = %[[FIRST]]) : (index) -> index {
  // CHECK:   %[[EXISTS:.*]] = arith.cmpi slt, %[[T]], %[[TILES]]
  // CHECK:   scf.condition(%[[EXISTS]]) %[[T]]
  // CHECK: ^bb0(%[[T1:.*]]: index):
  // CHECK:   %[[AT:.*]] = arith.muli %[[T1]], %[[SIZE]]
  // CHECK:   carousel.load %[[X]][%[[AT]]]
  // CHECK:   carousel.store
  // CHECK:   %[[NEXT:.*]] = carousel.grid.ticket %[[COUNTER]][%[[ZERO]]] of %[[TOTAL]]
  // CHECK:   scf.yield %[[NEXT]]
  // CHECK: carousel.pipeline = #carousel.pipeline<stages = 4>
  // DOC-EXAMPLE: --carousel-draw-tiles
  gpu.func @asked(%x: !v {carousel.argument = #carousel.argument<"tickets", in>}, %y: !v) kernel
      attributes {carousel.launch = #carousel.launch<grid = [resident], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %c4096, %blocks : index
    %n = memref.dim %x, %c0 : !v
    %t = memref.alloc() : !tile
    // expected-remark @below {{tiles by tickets, as asked for: stride }}
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %t : !v, !tile
      carousel.store %t to %y[%i] : !tile, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 4, tiles = tickets>}
    gpu.return
  }

  // A copy only moves, so tickets are predicted faster. The scale is the same for all CTAs, and threads write the whole
  // tile that is stored.
  // CHECK-LABEL: gpu.func @chosen
  // CHECK: scf.while
  gpu.func @chosen(%x: !v, %s: !v, %y: !v) kernel
      attributes {carousel.launch = #carousel.launch<grid = [resident], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %mine = arith.muli %thread, %c4 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %n = memref.dim %x, %c0 : !v
    %scale = memref.alloc() : !scale
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    carousel.load %s[%c0] to %scale : !v, !scale
    // expected-remark @below {{tiles by tickets: stride }}
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in : !v, !tile
      %a = memref.load %scale[%thread] : !scale
      %all = vector.broadcast %a : f32 to vector<4xf32>
      scf.for %j = %mine to %c4096 step %c512 {
        %v = vector.load %in[%j] : !tile, vector<4xf32>
        %p = arith.mulf %v, %all : vector<4xf32>
        vector.store %p, %out[%j] : !tile, vector<4xf32>
      }
      carousel.store %out to %y[%i] : !tile, !v
    } {carousel.pipeline = #carousel.pipeline<tiles = auto>}
    gpu.return
  }

  // Arithmetic limits this one, so nothing is gained. It has the counter, since code for other chips may draw.
  // CHECK-LABEL: gpu.func @by_stride
  // CHECK-SAME: carousel.workspace = #carousel.workspace<[1]>
  // CHECK: scf.for
  // CHECK: carousel.pipeline = #carousel.pipeline<stages = 3>
  gpu.func @by_stride(%x: !v, %y: !v) kernel
      attributes {carousel.launch = #carousel.launch<grid = [resident], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() : !tile
    // expected-remark @below {{tiles by stride: stride }}
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in : !v, !tile
      scf.for %j = %thread to %c4096 step %c128 {
        %v = memref.load %in[%j] : !tile
        %w = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %v) -> (f32) {
          %b = math.erf %a : f32
          scf.yield %b : f32
        }
        %at = arith.addi %i, %j : index
        memref.store %w, %y[%at] : !v
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 3, tiles = auto>}
    gpu.return
  }
}
