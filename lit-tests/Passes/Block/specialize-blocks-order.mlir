// The order in which CTAs go through programs whose loops read what one dimension of the grid selects, here the head.

// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks))' | FileCheck %s

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#program = #carousel.block_program<>
#heads_first = #carousel.launch<grid = [extent(0, 0), ceildiv(extent(0, 1), 128)]>
#rows_first = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)]>
!heads = memref<?x?x128xbf16, #gl>
!tile = vector<128x128xbf16>
!sums = vector<128x128xf32>
!result = memref<?x128xf32, #gl>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // Groups of as many heads as half of the L2 has room for, at most half of them and at least two programs for each CTA.
  // In every second group, from the last one on, the last rows come first.
  // CHECK-LABEL: gpu.func @causal(
  // CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?x?x128xbf16
  // CHECK-DAG: %[[HEADS:.*]] = memref.dim %[[K]], %c0
  // CHECK-DAG: %[[BLOCKS:.*]] = arith.maxsi
  // CHECK-DAG: %[[N:.*]] = memref.dim %[[K]], %c1
  // CHECK-DAG: %[[ROOM:.*]] = arith.constant 26214400 : index
  // CHECK: %[[FIT:.*]] = arith.divui %[[ROOM]], %{{.*}} : index
  // CHECK: %[[FITTING:.*]] = arith.minui %[[FIT]], %{{.*}} : index
  // CHECK: gpu.grid_dim x
  // CHECK: arith.ceildivui
  // CHECK: %[[MORE:.*]] = arith.maxui %[[FITTING]]
  // CHECK: %[[SIZE:.*]] = arith.minui %[[MORE]]
  // CHECK: %[[LAST:.*]] = arith.divui %{{.*}}, %[[SIZE]] : index
  // CHECK: scf.for %[[NUMBER:.*]] =
  // CHECK: %[[PROGRAMS:.*]] = arith.muli %{{.*}}, %[[SIZE]] : index
  // CHECK: %[[GROUP:.*]] = arith.divui %[[NUMBER]], %[[PROGRAMS]] : index
  // CHECK: %[[DIFFERENCE:.*]] = arith.xori %[[GROUP]], %[[LAST]] : index
  // CHECK: arith.trunci
  // CHECK: arith.subi
  // CHECK: %[[TURNED:.*]] = arith.subi
  // CHECK: arith.select %{{.*}}, %[[TURNED]]
  gpu.func @causal(%k: !heads, %y: !result) kernel
      attributes {carousel.block_program = #program, carousel.launch = #heads_first} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %end = arith.addi %i, %c128 : index
    %q = vector.transfer_read %k[%h, %i, %c0], %pad : !heads, !tile
    %all = scf.for %j = %c0 to %end step %c128 iter_args(%o = %zeros) -> (!sums) {
      %b = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #product %q, %b, %o : !tile, !tile into !sums
      scf.yield %s : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%i, %c0] : !sums, !result
    gpu.return
  }

  // The dimensions the other way round.
  // CHECK-LABEL: gpu.func @rows_first(
  // CHECK: arith.constant 26214400 : index
  // CHECK: scf.for
  // CHECK: arith.xori
  gpu.func @rows_first(%k: !heads, %y: !result) kernel
      attributes {carousel.block_program = #program, carousel.launch = #rows_first} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id y
    %block = gpu.block_id x
    %i = arith.muli %block, %c128 : index
    %end = arith.addi %i, %c128 : index
    %q = vector.transfer_read %k[%h, %i, %c0], %pad : !heads, !tile
    %all = scf.for %j = %c0 to %end step %c128 iter_args(%o = %zeros) -> (!sums) {
      %b = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #product %q, %b, %o : !tile, !tile into !sums
      scf.yield %s : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%i, %c0] : !sums, !result
    gpu.return
  }

  // Programs of equal length have the author's order.
  // CHECK-LABEL: gpu.func @equal(
  // CHECK: scf.for
  // CHECK-NOT: arith.xori
  // CHECK: gpu.return
  gpu.func @equal(%k: !heads, %y: !result) kernel
      attributes {carousel.block_program = #program, carousel.launch = #heads_first} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %q = vector.transfer_read %k[%h, %i, %c0], %pad : !heads, !tile
    %all = scf.for %j = %c0 to %n step %c128 iter_args(%o = %zeros) -> (!sums) {
      %b = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #product %q, %b, %o : !tile, !tile into !sums
      scf.yield %s : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%i, %c0] : !sums, !result
    gpu.return
  }

  // So have those that read in memory how long they are.
  // CHECK-LABEL: gpu.func @ranges(
  // CHECK: scf.for
  // CHECK-NOT: arith.xori
  // CHECK: gpu.return
  gpu.func @ranges(%k: !heads, %y: !result, %ends: memref<?xindex, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #heads_first} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %end = memref.load %ends[%block] : memref<?xindex, #gl>
    %q = vector.transfer_read %k[%h, %i, %c0], %pad : !heads, !tile
    %all = scf.for %j = %c0 to %end step %c128 iter_args(%o = %zeros) -> (!sums) {
      %b = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #product %q, %b, %o : !tile, !tile into !sums
      scf.yield %s : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%i, %c0] : !sums, !result
    gpu.return
  }
}
