// While loops over tiles that a counter gives: loads run ahead of the counter's last value, and the tickets that they need are drawn ahead.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered
// DEFINE: %{drawn} = --reference @scaled --policy all --arg x=random:23x128:1 --arg y=zeros:23x128 --arg tickets=zeros:1 --expect tickets=zeros:1
// RUN: carousel-sim %s --kernel @drawn %{drawn}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @drawn %{drawn} --schedules 3
// RUN: %{lowered} %s --chip sm_90a -- --kernel @drawn %{drawn} --schedules 3 --grid 1
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @drawn %{drawn} --schedules 3 --grid 29 --multiprocessors 2 --resident 1
// RUN: sed 's/stages = 4/stages = 2/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- --kernel @drawn %{drawn} --schedules 3
// RUN: sed 's/stages = 4/stages = 1/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_90a -- --kernel @drawn %{drawn} --schedules 3
// RUN: sed 's/stages = 4/stages = 4, release = cta_barrier/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- --kernel @drawn %{drawn} --schedules 3
// RUN: sed 's/stages = 4/stages = 4, mode = specialized/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_90a -- --kernel @drawn %{drawn} --schedules 3
// RUN: carousel-sim %s --kernel @drawn_in_condition %{drawn}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @drawn_in_condition %{drawn} --schedules 3
// RUN: %{lowered} %s --chip sm_90a -- --kernel @drawn_in_condition %{drawn} --schedules 3 --grid 29
// DEFINE: %{listed} = --reference @summed --policy all --arg x=iota:23x128 --arg b=iota:23x64 --arg next=iota:40 --arg y=zeros:23x128 --arg sums=zeros:128 --grid 1
// RUN: carousel-sim %s --kernel @listed %{listed}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @listed %{listed} --schedules 3
// RUN: sed 's/stages = \[4, 2\]/stages = [2, 3]/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_90a -- --kernel @listed %{listed} --schedules 3
// DEFINE: %{gathered} = --reference @gather_reference --policy all --arg table=random:11x128:1 --arg index=iota:92 --arg y=zeros:23x128 --arg tickets=zeros:1 --expect tickets=zeros:1
// RUN: carousel-sim %s --kernel @gathered %{gathered}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @gathered %{gathered} --schedules 3
// DEFINE: %{nested} = --reference @scaled_twice --policy all --arg x=random:9x128:1 --arg y=zeros:9x128
// RUN: carousel-sim %s --kernel @nested %{nested}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @nested %{nested} --schedules 3

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x128xf32, #gl>
!half = memref<?x64xf32, #gl>
!vector = memref<?xf32, #gl>
!numbers = memref<?xi32, #gl>
!tile = memref<128xf32, #ws>
!half_tile = memref<64xf32, #ws>
!ids = memref<4xi32, #ws>

gpu.module @kernels {
  // y[t] = 2 x[t]: CTAs draw tiles while there are any.
  gpu.func @drawn(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %tickets: !numbers {carousel.argument = #carousel.argument<"tickets", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %two = arith.constant 2.0 : f32
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !matrix
    // Each CTA draws one that it finds no work for.
    %all = arith.addi %n, %blocks : index
    %in = memref.alloc() {alignment = 128 : i64} : !tile
    %out = memref.alloc() {alignment = 128 : i64} : !tile
    %first = carousel.grid.ticket %tickets[%c0] of %all : !numbers
    scf.while (%t = %first) : (index) -> index {
      %exists = arith.cmpi ult, %t, %n : index
      scf.condition(%exists) %t : index
    } do {
    ^bb0(%t: index):
      carousel.load %x[%t, %c0] to %in : !matrix, !tile
      scf.for %j = %thread to %c128 step %threads {
        %v = memref.load %in[%j] : !tile
        %w = arith.mulf %v, %two : f32
        memref.store %w, %out[%j] : !tile
      }
      carousel.store %out to %y[%t, %c0] : !tile, !matrix
      %next = carousel.grid.ticket %tickets[%c0] of %all : !numbers
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The same, with the ticket drawn in the condition.
  gpu.func @drawn_in_condition(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %tickets: !numbers {carousel.argument = #carousel.argument<"tickets", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %two = arith.constant 2.0 : f32
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !matrix
    %all = arith.addi %n, %blocks : index
    %in = memref.alloc() {alignment = 128 : i64} : !tile
    %tile = scf.while : () -> index {
      %t = carousel.grid.ticket %tickets[%c0] of %all : !numbers
      %exists = arith.cmpi ult, %t, %n : index
      scf.condition(%exists) %t : index
    } do {
    ^bb0(%t: index):
      carousel.load %x[%t, %c0] to %in : !matrix, !tile
      scf.for %j = %thread to %c128 step %threads {
        %v = memref.load %in[%j] : !tile
        %w = arith.mulf %v, %two : f32
        memref.store %w, %y[%t, %j] : !matrix
      }
      scf.yield
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // y[t] = x[t] + b[t] for t = 0, then next[t] + 2, ...: a list in memory that the kernel doesn't write. The loop also
  // carries the sum of the elements, and leaves the tile after the last one.
  gpu.func @listed(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %b: !half {carousel.argument = #carousel.argument<"b", in>},
      %next: !numbers {carousel.argument = #carousel.argument<"next", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %sums: !vector {carousel.argument = #carousel.argument<"sums", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !matrix
    %in = memref.alloc() {alignment = 128 : i64} : !tile
    %bias = memref.alloc() {alignment = 128 : i64} : !half_tile
    %end:2 = scf.while (%sum = %zero, %t = %c0) : (f32, index) -> (index, f32) {
      %exists = arith.cmpi ult, %t, %n : index
      scf.condition(%exists) %t, %sum : index, f32
    } do {
    ^bb0(%t: index, %sum: f32):
      carousel.load %x[%t, %c0] to %in : !matrix, !tile
      carousel.load %b[%t, %c0] to %bias : !half, !half_tile
      %v = memref.load %in[%thread] : !tile
      %half = arith.remui %thread, %c64 : index
      %w = memref.load %bias[%half] : !half_tile
      %r = arith.addf %v, %w : f32
      memref.store %r, %y[%t, %thread] : !matrix
      %added = arith.addf %sum, %r : f32
      %link = memref.load %next[%t] : !numbers
      %linked = arith.index_cast %link : i32 to index
      %following = arith.addi %linked, %c2 : index
      scf.yield %added, %following : f32, index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = [4, 2]>}
    %last = arith.index_cast %end#0 : index to i32
    %last_f32 = arith.sitofp %last : i32 to f32
    %total = arith.addf %end#1, %last_f32 : f32
    memref.store %total, %sums[%thread] : !vector
    gpu.return
  }

  // y[t] = table[index[4 t] mod rows]: tiles are drawn, and the index tile is loaded further ahead than the row.
  gpu.func @gathered(
      %table: !matrix {carousel.argument = #carousel.argument<"table", in>},
      %index: !numbers {carousel.argument = #carousel.argument<"index", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %tickets: !numbers {carousel.argument = #carousel.argument<"tickets", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %blocks = gpu.grid_dim x
    %rows = memref.dim %table, %c0 : !matrix
    %n = memref.dim %y, %c0 : !matrix
    %all = arith.addi %n, %blocks : index
    %ids = memref.alloc() {alignment = 128 : i64} : !ids
    %in = memref.alloc() {alignment = 128 : i64} : !tile
    %tile = scf.while : () -> index {
      %t = carousel.grid.ticket %tickets[%c0] of %all : !numbers
      %exists = arith.cmpi ult, %t, %n : index
      scf.condition(%exists) %t : index
    } do {
    ^bb0(%t: index):
      %at = arith.muli %t, %c4 : index
      carousel.load %index[%at] to %ids : !numbers, !ids
      %id32 = memref.load %ids[%c0] : !ids
      %id = arith.index_cast %id32 : i32 to index
      %r = arith.remui %id, %rows : index
      carousel.load %table[%r, %c0] to %in : !matrix, !tile
      carousel.store %in to %y[%t, %c0] : !tile, !matrix
      scf.yield
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // y[t] = 2 x[t], twice: the while loop is executed again, with a static stride.
  gpu.func @nested(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %two = arith.constant 2.0 : f32
    %n = memref.dim %x, %c0 : !matrix
    %in = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %round = %c0 to %c2 step %c1 {
      %end = scf.while (%t = %block) : (index) -> index {
        %exists = arith.cmpi ult, %t, %n : index
        scf.condition(%exists) %t : index
      } do {
      ^bb0(%t: index):
        carousel.load %x[%t, %c0] to %in : !matrix, !tile
        scf.for %j = %thread to %c128 step %threads {
          %v = memref.load %in[%j] : !tile
          %w = arith.mulf %v, %two : f32
          memref.store %w, %y[%t, %j] : !matrix
        }
        %next = arith.addi %t, %blocks : index
        scf.yield %next : index
      } attributes {carousel.pipeline = #carousel.pipeline<stages = 5>}
    }
    gpu.return
  }
}

func.func @scaled(%x: memref<?x128xf32>, %y: memref<?x128xf32>, %tickets: memref<?xi32>) {
  func.call @scaled_twice(%x, %y) : (memref<?x128xf32>, memref<?x128xf32>) -> ()
  return
}

func.func @scaled_twice(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?x128xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c128 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x128xf32>
      %w = arith.mulf %v, %two : f32
      memref.store %w, %y[%i, %j] : memref<?x128xf32>
    }
  }
  return
}

func.func @summed(%x: memref<?x128xf32>, %b: memref<?x64xf32>, %next: memref<?xi32>, %y: memref<?x128xf32>,
                  %sums: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %x, %c0 : memref<?x128xf32>
  %pairs = arith.addi %n, %c1 : index
  %count = arith.divui %pairs, %c2 : index
  %after = arith.muli %count, %c2 : index
  %after_i32 = arith.index_cast %after : index to i32
  %after_f32 = arith.sitofp %after_i32 : i32 to f32
  %zero = arith.constant 0.0 : f32
  scf.for %j = %c0 to %c128 step %c1 {
    %half = arith.remui %j, %c64 : index
    %sum = scf.for %t = %c0 to %n step %c2 iter_args(%acc = %zero) -> f32 {
      %v = memref.load %x[%t, %j] : memref<?x128xf32>
      %w = memref.load %b[%t, %half] : memref<?x64xf32>
      %r = arith.addf %v, %w : f32
      memref.store %r, %y[%t, %j] : memref<?x128xf32>
      %added = arith.addf %acc, %r : f32
      scf.yield %added : f32
    }
    %total = arith.addf %sum, %after_f32 : f32
    memref.store %total, %sums[%j] : memref<?xf32>
  }
  return
}

func.func @gather_reference(%table: memref<?x128xf32>, %index: memref<?xi32>, %y: memref<?x128xf32>,
                            %tickets: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %table, %c0 : memref<?x128xf32>
  %n = memref.dim %y, %c0 : memref<?x128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %at = arith.muli %i, %c4 : index
    %id32 = memref.load %index[%at] : memref<?xi32>
    %id = arith.index_cast %id32 : i32 to index
    %r = arith.remui %id, %rows : index
    scf.for %j = %c0 to %c128 step %c1 {
      %v = memref.load %table[%r, %j] : memref<?x128xf32>
      memref.store %v, %y[%i, %j] : memref<?x128xf32>
    }
  }
  return
}
