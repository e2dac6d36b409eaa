// CTAs that take turns repeatedly. Either CTAs draw work by tickets, so that none waits for a CTA
// that hasn't started. Or each takes every grid_dim'th part, and all CTAs are co-resident.
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @drawn --reference @reference --grid 3 --arg split=5 --arg x=iota:40x256 --arg y=empty:256 --arg semaphores=zeros:4 --arg tickets=zeros:1 --expect semaphores=zeros:4 --expect tickets=zeros:1 --multiprocessors 1 --resident 1 --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @drawn --reference @reference --grid 5 --arg split=4 --arg x=iota:70x256 --arg y=empty:256 --arg semaphores=zeros:4 --arg tickets=zeros:1 --expect semaphores=zeros:4 --expect tickets=zeros:1 --multiprocessors 2 --resident 1 --policy all --schedules 2

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!matrix = memref<?x256xf32, #gl>
!counters = memref<?xi32, #gl>
!tile = memref<8x64xf32, #ws>
!sums = memref<64xf32, #ws>

gpu.module @kernels {
  // y[j] = the sum of column j of x; a segment is 64 columns.
  gpu.func @drawn(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %split: index {carousel.argument = #carousel.argument<"split", in>},
                  %semaphores: !counters {carousel.argument = #carousel.argument<"semaphores", inout>},
                  %tickets: !counters {carousel.argument = #carousel.argument<"tickets", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !matrix
    %pieces = arith.muli %split, %c4 : index
    // Each CTA draws one that it finds no work for.
    %all = arith.addi %pieces, %blocks : index
    %tiles = arith.ceildivui %rows, %c8 : index
    %part_tiles = arith.ceildivui %tiles, %split : index
    %part = arith.muli %part_tiles, %c8 : index
    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %sums = memref.alloc() {alignment = 128 : i64} : !sums
    scf.while : () -> () {
      %ticket = carousel.grid.ticket %tickets[%c0] of %all : !counters
      %exists = arith.cmpi ult, %ticket, %pieces : index
      scf.if %exists {
        %segment = arith.remui %ticket, %c4 : index
        %turn = arith.divui %ticket, %c4 : index
        %column = arith.muli %segment, %c64 : index
        %begin = arith.muli %turn, %part : index
        %open_end = arith.addi %begin, %part : index
        %end = arith.minui %open_end, %rows : index
        %sum = scf.for %row = %begin to %end step %c8 iter_args(%acc = %zero) -> (f32) {
          carousel.load %x[%row, %column] to %xs : !matrix, !tile
          %next = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %acc) -> (f32) {
            %v = memref.load %xs[%i, %thread] : !tile
            %added = arith.addf %s, %v : f32
            scf.yield %added : f32
          }
          scf.yield %next : f32
        } {carousel.pipeline = #carousel.pipeline<stages = 2>}
        memref.store %sum, %sums[%thread] : !sums
        carousel.serialize %semaphores[%segment] turn %turn of %split (%first, %last) {
          carousel.accumulate %sums into %y[%column] reduce<add f32> first(%first) : !sums, !vector
        } : !counters
      }
      scf.condition(%exists)
    } do {
      scf.yield
    }
    gpu.return
  }
}

func.func @reference(%x: memref<?x256xf32>, %y: memref<?xf32>, %split: index,
                     %semaphores: memref<?xi32>, %tickets: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x256xf32>
  scf.for %j = %c0 to %c256 step %c1 {
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x256xf32>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
  }
  return
}
