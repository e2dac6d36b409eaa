// Column sums that CTAs accumulate in a workspace, by tickets and turns in workspaces: the same at the tile phase and
// lowered, where engines reach the box through a map that is made of the workspace. Counters are left zero.
// RUN: carousel-sim %s --kernel @sums --arg x=iota:40x300 --arg y=empty:300 --arg split=3 --reference @expected --expect semaphores=zeros:2 --expect tickets=zeros:[] --schedules 2
// RUN: carousel-sim %s --kernel @sums --then @sums --arg x=iota:40x300 --arg y=empty:300 --arg split=3 --reference @expected --expect semaphores=zeros:2 --expect tickets=zeros:[] --multiprocessors 1 --resident 1

// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' -o %t.90.mlir
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_80})' -o %t.80.mlir
// RUN: FileCheck %s < %t.90.mlir
// RUN: carousel-sim %t.90.mlir --kernel @sums --then @sums --arg x=iota:40x300 --arg y=empty:300 --arg split=3 --reference @expected --expect semaphores=zeros:2 --expect tickets=zeros:[] --schedules 2
// RUN: carousel-sim %t.80.mlir --chip sm_80 --kernel @sums --then @sums --arg x=iota:40x300 --arg y=empty:300 --arg split=3 --reference @expected --expect semaphores=zeros:2 --expect tickets=zeros:[]

// CHECK-LABEL: gpu.func @sums
// CHECK-SAME: carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 1), 256)]>
// CHECK-SAME: carousel.encode = #carousel.encode<argument = 5
// CHECK: carousel.tensor.reduce

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!box = memref<?x256xf32, #gl>
!sums = memref<1x256xf32, #ws>

gpu.module @m {
  gpu.func @sums(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: memref<?xi32, #gl> {
        carousel.argument = #carousel.argument<"semaphores">,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 1), 256)]>},
      %tickets: memref<i32, #gl> {
        carousel.argument = #carousel.argument<"tickets">, carousel.workspace = #carousel.workspace<[]>},
      %work: !box {
        carousel.argument = #carousel.argument<"work">,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 1), 256)]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 1), 256) * scalar(2)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %ticket = carousel.grid.ticket %tickets[] of %blocks : memref<i32, #gl>
    %segment = arith.divui %ticket, %split : index
    %turn = arith.remui %ticket, %split : index
    %column = arith.muli %segment, %c256 : index
    %mine = arith.addi %column, %thread : index
    %is_in = arith.cmpi ult, %mine, %columns : index
    %part = arith.ceildivui %rows, %split : index
    %begin = arith.muli %turn, %part : index
    %open_end = arith.addi %begin, %part : index
    %end = arith.minui %open_end, %rows : index
    %tile = memref.alloc() {alignment = 128 : i64} : !sums
    %sum = scf.if %is_in -> (f32) {
      %s = scf.for %row = %begin to %end step %c1 iter_args(%acc = %zero) -> (f32) {
        %v = memref.load %x[%row, %mine] : !matrix
        %next = arith.addf %acc, %v : f32
        scf.yield %next : f32
      }
      scf.yield %s : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %sum, %tile[%c0, %thread] : !sums
    carousel.serialize %semaphores[%segment] turn %turn of %split (%first, %last) {
      carousel.accumulate %tile into %work[%segment, %c0] reduce<add f32> first(%first) last(%last) : !sums, !box
      carousel.pass_turn
    } : memref<?xi32, #gl>
    %next_turn = arith.addi %turn, %c1 : index
    %is_last = arith.cmpi eq, %next_turn, %split : index
    %writes = arith.andi %is_last, %is_in : i1
    scf.if %writes {
      %v = memref.load %tile[%c0, %thread] : !sums
      memref.store %v, %y[%mine] : !vector
    }
    gpu.return
  }
}

// Sums of small integers, which are exact in any order.
func.func @expected(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>, %split: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %j = %c0 to %columns step %c1 {
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
  }
  return
}
