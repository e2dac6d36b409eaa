// Variants for launches in which no load meets a store of an earlier iteration.
// RUN: carousel-opt %s --carousel-guard-boxes --remarks-filter-passed=carousel-guard-boxes --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// A second run finds nothing to add.
// RUN: carousel-opt %s --carousel-guard-boxes -o %t.once.mlir
// RUN: carousel-opt %t.once.mlir --carousel-guard-boxes | diff %t.once.mlir -

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!rows = memref<?x?xf32, #gl>
!tile = memref<128xf32, #ws>

gpu.module @guards [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // DOC-EXAMPLE: --carousel-guard-boxes
  // CHECK-LABEL: gpu.func @shift_apart
  // CHECK-SAME: carousel.variant = #carousel.variant<kernel = "shift", guards = [range(max(scalar(2), ceildiv(scalar(1), 128) * -128 - scalar(2)), 0, 9223372036854775807)]>
  // CHECK: carousel.load
  // CHECK-LABEL: gpu.func @shift(
  // CHECK-SAME: carousel.variant = #carousel.variant<kernel = "shift">
  // expected-remark @below {{variant @shift_apart for launches with: #carousel.guard<range(max(scalar(2),}}
  gpu.func @shift(%x: !global, %n: index, %s: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      %from = arith.addi %i, %s : index
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      carousel.store %in to %x[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The first half to the second one: apart if the half is a multiple of the tile. Other guards stay.
  // CHECK-LABEL: gpu.func @second_half_apart
  // CHECK-SAME: guards = [aligned(0, 16), range({{.*}}floordiv(extent(0, 0), 2){{.*}}, 0, 9223372036854775807)]
  // CHECK-LABEL: gpu.func @second_half(
  // CHECK-SAME: guards = [aligned(0, 16)]>
  // expected-remark @below {{variant @second_half_apart}}
  gpu.func @second_half(%x: !global) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, carousel.variant = #carousel.variant<kernel = "halves", guards = [aligned(0, 16)]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %blocks = gpu.grid_dim x
    %block = gpu.block_id x
    %n = memref.dim %x, %c0 : !global
    %half = arith.divui %n, %c2 : index
    %first = arith.muli %block, %c128 : index
    %step = arith.muli %blocks, %c128 : index
    %in = memref.alloc() : !tile
    scf.for %i = %first to %half step %step {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %to = arith.addi %i, %half : index
      carousel.store %in to %x[%to] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Rows in any dimension: one row or column must be another one, in an argument that may be the same.
  // CHECK-LABEL: gpu.func @rows_apart
  // CHECK-SAME: guards = [range(max({{.*}}scalar(2){{.*}}scalar(3){{.*}}), 0, 9223372036854775807)]
  // expected-remark @below {{variant @rows_apart}}
  gpu.func @rows(%x: !rows, %y: !rows {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}, %from: index, %to: index, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%from, %i] to %in engine<bulk> : !rows, !tile
      %next = arith.addi %i, %c1 : index
      carousel.store %in to %y[%to, %next] engine<bulk> : !tile, !rows
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Producers take no notice of stores, so the boxes of each loop around must be apart, too.
  // CHECK-LABEL: gpu.func @nest_apart
  // CHECK-SAME: guards = [range(max({{.*}}scalar(3) - 1, {{.*}}), 0, 9223372036854775807), range(max({{.*}}scalar(2) * -1 - scalar(3){{.*}}), 0, 9223372036854775807), range({{.*}}, 0, 9223372036854775807)]>
  // expected-remark @below {{variant @nest_apart}}
  gpu.func @nest(%x: !rows, %n: index, %m: index, %s: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %row = %c0 to %m step %c1 {
      %other = arith.addi %row, %s : index
      scf.for %i = %c0 to %n step %c128 {
        %next = arith.addi %i, %s : index
        carousel.load %x[%other, %next] to %in engine<bulk> : !rows, !tile
        carousel.store %in to %x[%row, %i] engine<bulk> : !tile, !rows
      } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    }
    gpu.return
  }

  // What the launch doesn't know: a number from memory.
  // CHECK-NOT: @indirect_apart
  // CHECK: gpu.func @indirect(
  gpu.func @indirect(%x: !global, %n: index, %p: memref<?xindex, #gl>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %s = memref.load %p[%c0] : memref<?xindex, #gl>
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      %from = arith.addi %i, %s : index
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      carousel.store %in to %x[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // A condition that no launch meets.
  // CHECK-NOT: @never_apart
  // CHECK: gpu.func @never(
  gpu.func @never(%x: !global) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %c1024 step %c64 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      carousel.store %in to %x[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // A load that has no ring in any case: its tile is read before it is loaded.
  // CHECK-NOT: @useless_apart
  // CHECK: gpu.func @useless(
  gpu.func @useless(%x: !global, %y: memref<128xf32, #gl>, %n: index, %s: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      %v = memref.load %in[%thread] : !tile
      memref.store %v, %out[%thread] : !tile
      %from = arith.addi %i, %s : index
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      carousel.store %out to %x[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Without engines the next passes refuse the kernel.
  // CHECK-NOT: @unready_apart
  // CHECK: gpu.func @unready(
  gpu.func @unready(%x: !global, %n: index, %s: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      %from = arith.addi %i, %s : index
      carousel.load %x[%from] to %in : !global, !tile
      carousel.store %in to %x[%i] : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
