// carousel-raise-to-transfers raises copies between global and shared memory to transfers of tiles, which pass verify-tile.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers,carousel-verify-tile))' | FileCheck %s --implicit-check-not=vector.transfer --implicit-check-not=memref.copy --implicit-check-not=linalg.copy --implicit-check-not=nvgpu
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers))' --remarks-filter-passed=carousel-raise-to-transfers --remarks-filter-analyse=carousel-raise-to-transfers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// A second run finds nothing.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers))' -o %t.twice
// RUN: diff %t.once %t.twice

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!x2 = memref<?x?xf32, #gl>
!t1 = memref<1024xf32, #ws>
!t2 = memref<64x32xf32, #ws>

gpu.module @kernels {
  // A copy of a subview: the memref behind it, at the subview's offsets. Any block will do.
  // CHECK-LABEL: gpu.func @copy
  // CHECK-SAME: (%[[X:.*]]: memref<?x?xf32, {{.*}}>, %[[I:.*]]: index, %[[J:.*]]: index) workgroup(%[[TILE:.*]] :
  // CHECK: carousel.load %[[X]][%[[I]], %[[J]]] to %[[TILE]] in_bounds
  // CHECK: gpu.barrier
  // CHECK: carousel.store %[[TILE]] to %[[X]][%[[J]], %[[I]]] in_bounds
  // REMARK: remark: [Passed] RaiseToTransfers | Category:carousel-raise-to-transfers | Function=copy | Remark="'memref.copy' to a tile: 1 move in every thread: 64x32 elements from [%{{.*}}, %{{.*}}] in bounds"
  gpu.func @copy(%x: !x2, %i: index, %j: index) workgroup(%tile: !t2) kernel {
    %in = memref.subview %x[%i, %j] [64, 32] [1, 1]
        : !x2 to memref<64x32xf32, strided<[?, 1], offset: ?>, #gl>
    memref.copy %in, %tile : memref<64x32xf32, strided<[?, 1], offset: ?>, #gl> to !t2
    gpu.barrier
    %out = memref.subview %x[%j, %i] [64, 32] [1, 1]
        : !x2 to memref<64x32xf32, strided<[?, 1], offset: ?>, #gl>
    linalg.copy ins(%tile : !t2) outs(%out : memref<64x32xf32, strided<[?, 1], offset: ?>, #gl>)
    gpu.return
  }

  // A dimension that the subview drops in front is one of the global memref's leading ones.
  // CHECK-LABEL: gpu.func @rank_reduced
  // CHECK: carousel.load %{{.*}}[%[[I:.*]], %[[I]], %c0{{.*}}] to %{{.*}} in_bounds : memref<?x?x32xf32
  gpu.func @rank_reduced(%x: memref<?x?x32xf32, #gl>, %i: index) workgroup(%tile: !t2) kernel {
    %in = memref.subview %x[%i, %i, 0] [1, 64, 32] [1, 1, 1]
        : memref<?x?x32xf32, #gl> to memref<64x32xf32, strided<[32, 1], offset: ?>, #gl>
    memref.copy %in, %tile : memref<64x32xf32, strided<[32, 1], offset: ?>, #gl> to !t2
    gpu.return
  }

  // One that it drops in between stays with the view.
  // CHECK-LABEL: gpu.func @dropped_between
  // CHECK: %[[VIEW:.*]] = memref.subview %{{.*}}[0, %{{.*}}, 0] [%{{.*}}, 1, 32] [1, 1, 1]
  // CHECK: carousel.load %[[VIEW]][%{{.*}}, %c0{{.*}}] to %{{.*}} in_bounds
  // REMARK: [Analysis] RaiseToTransfers {{.*}} Function=dropped_between | Remark="a view leaves out 1 dimensions that the tile doesn't have"
  gpu.func @dropped_between(%x: memref<?x?x32xf32, #gl>, %i: index) workgroup(%tile: !t2) kernel {
    %in = memref.subview %x[%i, %i, 0] [64, 1, 32] [1, 1, 1]
        : memref<?x?x32xf32, #gl> to memref<64x32xf32, strided<[?, 1], offset: ?>, #gl>
    memref.copy %in, %tile : memref<64x32xf32, strided<[?, 1], offset: ?>, #gl> to !t2
    gpu.return
  }

  // A subview with strides is not looked through.
  // CHECK-LABEL: gpu.func @strided
  // CHECK: %[[VIEW:.*]] = memref.subview
  // CHECK: carousel.load %[[VIEW]][%c0{{.*}}] to %{{.*}} in_bounds
  // REMARK: [Analysis] RaiseToTransfers {{.*}} Function=strided | Remark="the transfer's global memref is a view that can't be looked through"
  // DOC-EXAMPLE: --carousel-raise-to-transfers
  gpu.func @strided(%x: !x1, %i: index) workgroup(%tile: !t1) kernel {
    %in = memref.subview %x[%i] [1024] [2] : !x1 to memref<1024xf32, strided<[2], offset: ?>, #gl>
    memref.copy %in, %tile : memref<1024xf32, strided<[2], offset: ?>, #gl> to !t1
    gpu.return
  }

  // A store of min(1024, extent - offset) elements is one that is clipped.
  // CHECK-LABEL: gpu.func @clamped_store
  // CHECK-SAME: (%[[X:.*]]: memref<?xf32, {{.*}}>, %[[I:.*]]: index) workgroup(%[[TILE:.*]] :
  // CHECK: carousel.store %[[TILE]] to %[[X]][%[[I]]] : memref<1024xf32
  gpu.func @clamped_store(%x: !x1, %i: index) workgroup(%tile: !t1) kernel {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !x1
    %size = affine.min affine_map<(d0)[s0] -> (1024, s0 - d0)>(%i)[%n]
    %in = memref.subview %tile[0] [%size] [1] : !t1 to memref<?xf32, strided<[1]>, #ws>
    %out = memref.subview %x[%i] [%size] [1] : !x1 to memref<?xf32, strided<[1], offset: ?>, #gl>
    memref.copy %in, %out : memref<?xf32, strided<[1]>, #ws> to memref<?xf32, strided<[1], offset: ?>, #gl>
    gpu.return
  }

  // Of a size that nobody can relate to the memref's, the view is what it is clipped to.
  // CHECK-LABEL: gpu.func @sized_store
  // CHECK-SAME: %{{.*}}: memref<?xf32, {{.*}}>, %{{.*}}: index, %{{.*}}: index) workgroup(%[[TILE:.*]] :
  // CHECK: %[[VIEW:.*]] = memref.subview
  // CHECK: carousel.store %[[TILE]] to %[[VIEW]][%c0{{.*}}] : memref<1024xf32
  gpu.func @sized_store(%x: !x1, %i: index, %size: index) workgroup(%tile: !t1) kernel {
    %in = memref.subview %tile[0] [%size] [1] : !t1 to memref<?xf32, strided<[1]>, #ws>
    %out = memref.subview %x[%i] [%size] [1] : !x1 to memref<?xf32, strided<[1], offset: ?>, #gl>
    memref.copy %in, %out : memref<?xf32, strided<[1]>, #ws> to memref<?xf32, strided<[1], offset: ?>, #gl>
    gpu.return
  }

  // A loop over the elements of the threads, whose reads may leave the memref: zero fill.
  // CHECK-LABEL: gpu.func @loop
  // CHECK-SAME: (%[[X:.*]]: memref<?xf32, {{.*}}>, %[[I:.*]]: index) workgroup(%[[TILE:.*]] :
  // CHECK-NOT: scf.for
  // CHECK: carousel.load %[[X]][%[[I]]] to %[[TILE]] : memref<?xf32
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[X]][%[[I]]] : memref<1024xf32
  // CHECK-NEXT: gpu.return
  // REMARK: Function=loop | Remark="'vector.transfer_write' to a tile: 1 move in each of 128 threads: 1024 elements from [%{{.*}}]"
  gpu.func @loop(%x: !x1, %i: index) workgroup(%tile: !t1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %mine = arith.muli %thread, %c4 : index
    scf.for %j = %mine to %c1024 step %c512 {
      %k = arith.addi %i, %j : index
      %v = vector.transfer_read %x[%k], %zero : !x1, vector<4xf32>
      vector.transfer_write %v, %tile[%j] {in_bounds = [true]} : vector<4xf32>, !t1
    }
    gpu.barrier
    scf.for %j = %mine to %c1024 step %c512 {
      %k = arith.addi %i, %j : index
      %v = vector.transfer_read %tile[%j], %zero {in_bounds = [true]} : !t1, vector<4xf32>
      vector.transfer_write %v, %x[%k] : vector<4xf32>, !x1
    }
    gpu.return
  }

  // Each thread copies everything; looking at one of them is enough.
  // CHECK-LABEL: gpu.func @redundant
  // CHECK-NOT: scf.for
  // CHECK: carousel.load
  // REMARK: Function=redundant | Remark="'memref.store' to a tile: 1 move in every thread: 2048 elements from [0] in bounds"
  gpu.func @redundant(%x: !x1) workgroup(%tile: memref<2048xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2048 = arith.constant 2048 : index
    scf.for %j = %c0 to %c2048 step %c1 {
      %v = memref.load %x[%j] : !x1
      memref.store %v, %tile[%j] : memref<2048xf32, #ws>
    }
    gpu.return
  }

  // Straight-line code of two parts, with both tiles' parts interleaved: one transfer each.
  // CHECK-LABEL: gpu.func @straight
  // CHECK-SAME: workgroup(%[[A:.*]] : memref<64x32xf32, {{.*}}>, %[[B:.*]] : memref<64x32xf32,
  // CHECK-COUNT-1: carousel.load %{{.*}}[%{{.*}}, %{{.*}}] to %[[A]] in_bounds
  // CHECK-COUNT-1: carousel.load %{{.*}}[%{{.*}}, %{{.*}}] to %[[B]] in_bounds
  // CHECK-NOT: carousel.load
  // REMARK: Function=straight | Remark="'vector.store' to a tile: 2 moves in each of 256 threads: 64x32 elements
  gpu.func @straight(%x: !x2, %y: !x2, %i: index, %j: index)
      workgroup(%a: !t2, %b: !t2) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %thread = gpu.thread_id x
    %row = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%thread)
    %col = affine.apply affine_map<(d0) -> (d0 mod 8 * 4)>(%thread)
    %row2 = affine.apply affine_map<(d0) -> (d0 floordiv 8 + 32)>(%thread)
    %gc = arith.addi %j, %col : index
    %gr = arith.addi %i, %row : index
    %gr2 = arith.addi %i, %row2 : index
    %v0 = vector.load %x[%gr, %gc] : !x2, vector<4xf32>
    %w0 = vector.load %y[%gr, %gc] : !x2, vector<4xf32>
    %v1 = vector.load %x[%gr2, %gc] : !x2, vector<4xf32>
    vector.store %v0, %a[%row, %col] : !t2, vector<4xf32>
    vector.store %w0, %b[%row, %col] : !t2, vector<4xf32>
    %w1 = vector.load %y[%gr2, %gc] : !x2, vector<4xf32>
    vector.store %v1, %a[%row2, %col] : !t2, vector<4xf32>
    vector.store %w1, %b[%row2, %col] : !t2, vector<4xf32>
    gpu.return
  }

  // Single elements, by a block of two dimensions, under a condition on the thread.
  // CHECK-LABEL: gpu.func @scalars
  // CHECK-NOT: scf.if
  // CHECK: carousel.load %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} in_bounds
  gpu.func @scalars(%x: !x2, %i: index, %j: index) workgroup(%tile: memref<8x16xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 32, 8, 1>} {
    %c16 = arith.constant 16 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %r = arith.addi %ty, %i : index
    %c = arith.addi %tx, %j : index
    %is_used = arith.cmpi ult, %tx, %c16 : index
    scf.if %is_used {
      %v = memref.load %x[%r, %c] : !x2
      memref.store %v, %tile[%ty, %tx] : memref<8x16xf32, #ws>
    }
    gpu.return
  }

  // What MLIR's mapping to threads makes: subviews of the thread's own on both sides.
  // CHECK-LABEL: gpu.func @thread_views
  // CHECK-SAME: (%[[X:.*]]: memref<?x32xf32, {{.*}}>, %[[I:.*]]: index) workgroup(%[[TILE:.*]] :
  // CHECK-NEXT: %[[C0:.*]] = arith.constant 0
  // CHECK-NEXT: carousel.load %[[X]][%[[I]], %[[C0]]] to %[[TILE]] in_bounds
  // CHECK-NEXT: gpu.return
  gpu.func @thread_views(%x: memref<?x32xf32, #gl>, %i: index) workgroup(%tile: !t2) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %thread = gpu.thread_id x
    %k = arith.addi %i, %thread : index
    %from = memref.subview %x[%k, 0] [1, 32] [1, 1]
        : memref<?x32xf32, #gl> to memref<1x32xf32, strided<[32, 1], offset: ?>, #gl>
    %to = memref.subview %tile[%thread, 0] [1, 32] [1, 1]
        : !t2 to memref<1x32xf32, strided<[32, 1], offset: ?>, #ws>
    memref.copy %from, %to : memref<1x32xf32, strided<[32, 1], offset: ?>, #gl>
      to memref<1x32xf32, strided<[32, 1], offset: ?>, #ws>
    gpu.return
  }

  // A subview of clamped extent ends where its memref does, or behind the tile.
  // CHECK-LABEL: gpu.func @clamped_view
  // CHECK-SAME: (%[[X:.*]]: memref<?x32xf32, {{.*}}>, %[[I:.*]]: index) workgroup(%[[TILE:.*]] :
  // CHECK: carousel.load %[[X]][%[[I]], %{{.*}}] to %[[TILE]] :
  gpu.func @clamped_view(%x: memref<?x32xf32, #gl>, %i: index) workgroup(%tile: !t2) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : memref<?x32xf32, #gl>
    %size = affine.min affine_map<()[s0, s1] -> (s1 - s0, 64)>()[%i, %n]
    %in = memref.subview %x[%i, 0] [%size, 32] [1, 1]
        : memref<?x32xf32, #gl> to memref<?x32xf32, strided<[32, 1], offset: ?>, #gl>
    %v = vector.transfer_read %in[%thread, %c0], %zero {in_bounds = [false, true]}
        : memref<?x32xf32, strided<[32, 1], offset: ?>, #gl>, vector<1x32xf32>
    vector.transfer_write %v, %tile[%thread, %c0] {in_bounds = [true, true]} : vector<1x32xf32>, !t2
    gpu.return
  }

  // A slot of a buffer of several: a view of it, whose number is the same in all threads.
  // CHECK-LABEL: gpu.func @slot
  // CHECK: %[[SLOT:.*]] = memref.subview %{{.*}}[%{{.*}}, 0] [1, 128] [1, 1]
  // CHECK: carousel.load %{{.*}}[%{{.*}}] to %[[SLOT]] in_bounds
  // CHECK: memref.subview %{{.*}}[2, 0] [1, 128] [1, 1]
  // CHECK: carousel.load
  gpu.func @slot(%x: !x1, %n: index) workgroup(%tiles: memref<3x128xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      %base = arith.muli %i, %c128 : index
      %slot = arith.remui %i, %c3 : index
      %k = arith.addi %base, %thread : index
      %v = memref.load %x[%k] : !x1
      memref.store %v, %tiles[%slot, %thread] : memref<3x128xf32, #ws>
      gpu.barrier
    }
    %w = memref.load %x[%thread] : !x1
    memref.store %w, %tiles[%c2, %thread] : memref<3x128xf32, #ws>
    gpu.return
  }

  // Read into registers before a barrier, written behind it; nothing in between writes %x.
  // CHECK-LABEL: gpu.func @barrier_between
  // CHECK: gpu.barrier
  // CHECK-NEXT: carousel.load
  // CHECK-NEXT: gpu.barrier
  gpu.func @barrier_between(%x: !x1, %i: index) workgroup(%tile: memref<128xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %k = arith.addi %thread, %i : index
    %v = memref.load %x[%k] : !x1
    gpu.barrier
    memref.store %v, %tile[%thread] : memref<128xf32, #ws>
    gpu.barrier
    gpu.return
  }

  // The row comes from memory, from a place that is the same in all threads.
  // CHECK-LABEL: gpu.func @gathered
  // CHECK: %[[ROW:.*]] = memref.load
  // CHECK: carousel.load %{{.*}}[%[[ROW]], %c0{{.*}}] to
  gpu.func @gathered(%x: !x2, %rows: memref<?xindex, #gl>) workgroup(%tile: memref<128xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %row = memref.load %rows[%block] : memref<?xindex, #gl>
    %v = memref.load %x[%row, %thread] : !x2
    memref.store %v, %tile[%thread] : memref<128xf32, #ws>
    gpu.return
  }

  // Two ends of a tile that aren't a box together.
  // CHECK-LABEL: gpu.func @ends
  // CHECK: memref.subview %{{.*}}[0] [128] [1]
  // CHECK: carousel.load
  // CHECK: memref.subview %{{.*}}[896] [128] [1]
  // CHECK: carousel.load
  gpu.func @ends(%x: !x1) workgroup(%tile: !t1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c896 = arith.constant 896 : index
    %thread = gpu.thread_id x
    %last = arith.addi %thread, %c896 : index
    %v = memref.load %x[%thread] : !x1
    memref.store %v, %tile[%thread] : !t1
    %w = memref.load %x[%last] : !x1
    memref.store %w, %tile[%last] : !t1
    gpu.return
  }

  // Asynchronous copies: group and wait go with them.
  // CHECK-LABEL: gpu.func @async
  // CHECK: carousel.load %{{.*}}[%{{.*}}] to %[[A:.*]] in_bounds
  // CHECK-NEXT: carousel.load %{{.*}}[%{{.*}}] to %[[B:.*]] in_bounds
  // CHECK-NEXT: gpu.barrier
  gpu.func @async(%x: !x1, %y: !x1, %i: index)
      workgroup(%a: memref<512xf32, #ws>, %b: memref<512xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %mine = arith.muli %thread, %c4 : index
    %k = arith.addi %i, %mine : index
    %0 = nvgpu.device_async_copy %x[%k], %a[%mine], 4 : !x1 to memref<512xf32, #ws>
    %1 = nvgpu.device_async_copy %y[%k], %b[%mine], 4, %c4 : !x1 to memref<512xf32, #ws>
    %group = nvgpu.device_async_create_group %0, %1
    nvgpu.device_async_wait %group {numGroups = 0 : i32}
    gpu.barrier
    gpu.return
  }
}
