// Indices that kernels compute from memory are asserted to be inside; those of blocks, loops and extents aren't.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-inline-functions,carousel-check-indices))' | FileCheck %s

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#t = #carousel.argument<"table", in>
#y = #carousel.argument<"y", out>
!m = memref<?x?xf32, strided<[?, 1]>, #gl>
!n = memref<?xi32, #gl>
!table = memref<?x?xi32, #gl>
!own = memref<?xi32, strided<[1], offset: ?>, #gl>

gpu.module @m {
  // DOC-EXAMPLE: --carousel-check-indices
  // CHECK-LABEL: gpu.func @elements
  // CHECK-SAME: (%[[X:.*]]: memref<?x?xf32, {{.*}}, %[[T:.*]]: memref<?xi32
  // CHECK-NOT: cf.assert
  // CHECK: %[[N32:.*]] = memref.load %[[T]]
  // CHECK: %[[N:.*]] = arith.index_cast %[[N32]]
  // CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[X]], %{{.*}}
  // CHECK-DAG: %[[LOW:.*]] = arith.cmpi sge, %[[N]], %{{.*}} : index
  // CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %[[N]], %[[ROWS]] : index
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
  // CHECK: cf.assert %[[INSIDE]], "expected an index inside of dimension 0 of 'x'"
  // CHECK-NEXT: vector.transfer_read %[[X]][%[[N]]
  // CHECK: cf.assert %{{.*}}, "expected an index inside of dimension 0 of 'x'"
  // CHECK-NEXT: memref.load %[[X]]
  // CHECK: cf.assert %{{.*}}, "expected an index inside of dimension 0 of 'y'"
  // CHECK-NEXT: vector.transfer_write
  // CHECK-NOT: cf.assert
  // CHECK: vector.transfer_write
  // CHECK: gpu.return
  gpu.func @elements(%x: !m {carousel.argument = #x}, %t: !n {carousel.argument = #t}, %y: !m {carousel.argument = #y}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %n32 = memref.load %t[%i] : !n
    %n = arith.index_cast %n32 : i32 to index
    %v = vector.transfer_read %x[%n, %c0], %pad : !m, vector<64xf32>
    // A row of a box may be outside.
    %box = vector.transfer_read %x[%n, %c0], %pad : !m, vector<2x64xf32>
    %e = memref.load %x[%n, %c0] : !m
    %w = vector.broadcast %e : f32 to vector<64xf32>
    %sum = arith.addf %v, %w : vector<64xf32>
    vector.transfer_write %sum, %y[%n, %c0] : vector<64xf32>, !m
    vector.transfer_write %sum, %y[%i, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // What a loop carries, and bounds that memory holds.
  // CHECK-LABEL: gpu.func @carried
  // CHECK: cf.assert %{{.*}}, "expected an index inside of dimension 0 of 'table'"
  // CHECK-NEXT: memref.load
  // CHECK: cf.assert %{{.*}}, "expected an index inside of dimension 0 of 'table'"
  // CHECK-NEXT: memref.store
  gpu.func @carried(%t: !n {carousel.argument = #carousel.argument<"table", inout>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %all = memref.dim %t, %c0 : !n
    %last = scf.for %i = %c0 to %all step %c1 iter_args(%at = %c0) -> (index) {
      %v = memref.load %t[%at] : !n
      %next = arith.index_cast %v : i32 to index
      scf.yield %next : index
    }
    scf.for %i = %c0 to %last step %c1 {
      memref.store %one, %t[%i] : !n
    }
    gpu.return
  }

  func.func private @view(%t: !table, %i: index, %n: index) -> !own {
    %own = memref.subview %t[%i, 0] [1, %n] [1, 1] : !table to !own
    return %own : !own
  }

  // Views, and the numbers of rows, one by one.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME: %[[X:.*]]: memref<?x?xf32, {{.*}}, %[[T:.*]]: memref<?x?xi32, {{.*}}, %[[N:.*]]: memref<?xi32
  // CHECK: %[[LENGTH:.*]] = arith.index_cast
  // CHECK: %[[NONE:.*]] = arith.cmpi sge, %[[LENGTH]], %{{.*}} : index
  // CHECK: %[[END:.*]] = arith.addi %{{.*}}, %[[LENGTH]] : index
  // CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[END]], %{{.*}} : index
  // CHECK: %[[BOTH:.*]] = arith.andi %[[NONE]], %[[FITS]]
  // CHECK: cf.assert %[[BOTH]], "expected a view that ends inside of dimension 1 of 'table'"
  // CHECK-NEXT: %[[OWN:.*]] = memref.subview
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[I]] : index
  // CHECK: %[[NUMBER32:.*]] = scf.if
  // CHECK: memref.load %[[OWN]][%[[AT]]]
  // CHECK: %[[NUMBER:.*]] = arith.index_cast %[[NUMBER32]]
  // CHECK: arith.cmpi sge, %[[NUMBER]], %{{.*}} : index
  // CHECK: arith.cmpi slt, %[[NUMBER]], %{{.*}} : index
  // CHECK: cf.assert %{{.*}}, "expected the number of a row of 'x', or -1 for none"
  // CHECK: vector.transfer_read
  gpu.func @rows(%x: !m {carousel.argument = #x}, %t: !table {carousel.argument = #t},
                 %n: !n {carousel.argument = #carousel.argument<"lengths", in>}, %y: !m {carousel.argument = #y}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(2, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %n32 = memref.load %n[%i] : !n
    %length = arith.index_cast %n32 : i32 to index
    %own = func.call @view(%t, %i, %length) : (!table, index, index) -> !own
    %rows = carousel.rows %x[%own] : !m, !own
    %v = vector.transfer_read %rows[%c0, %c0], %pad : !m, vector<4x64xf32>
    vector.transfer_write %v, %y[%i, %c0] : vector<4x64xf32>, !m
    gpu.return
  }

  // Indices of elements, where the mask holds. A vector of the kernel's own coordinates isn't from memory.
  // CHECK-LABEL: gpu.func @gathered
  // CHECK: %[[WANTED:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<64xi1>, vector<64xi64>
  // CHECK-DAG: vector.multi_reduction <minsi>, %[[WANTED]]
  // CHECK-DAG: vector.multi_reduction <maxsi>, %[[WANTED]]
  // CHECK: cf.assert %{{.*}}, "expected indices of elements of 'x'"
  // CHECK-NEXT: vector.gather
  // CHECK-NOT: cf.assert
  // CHECK: vector.gather
  gpu.func @gathered(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #carousel.argument<"n", in>},
                     %y: !m {carousel.argument = #y}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(2, 0)]>} {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %i = gpu.block_id x
    %count = memref.dim %n, %c0 : !n
    %mask = vector.create_mask %count : vector<64xi1>
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %at = vector.transfer_read %n[%c0], %none : !n, vector<64xi32>
    %v = vector.gather %x[%c0, %c0] [%at], %mask, %zeros : !m, vector<64xi32>, vector<64xi1>, vector<64xf32> into vector<64xf32>
    %steps = vector.step : vector<64xindex>
    %w = vector.gather %x[%c0, %c0] [%steps], %mask, %v : !m, vector<64xindex>, vector<64xi1>, vector<64xf32> into vector<64xf32>
    vector.transfer_write %w, %y[%i, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // Tiles of the tile phase.
  // CHECK-LABEL: gpu.func @tiles
  // CHECK: cf.assert %{{.*}}, "expected the number of a row of 'x', or -1 for none"
  // CHECK: carousel.load
  gpu.func @tiles(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #carousel.argument<"n", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %rows = carousel.rows %x[%n] : !m, !n
    %tile = memref.alloc() : memref<8x64xf32, #gpu.address_space<workgroup>>
    carousel.load %rows[%c0, %c0] to %tile : !m, memref<8x64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
