// What turns and tickets promise beside the sums: reductions of one turn into one box are done one after the other, in their
// order; reductions of two kinds have an order; a tile is zero where the box is outside, also if the first turn is the last one;
// a ticket that no producer needs stays behind what comes before it.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --
// DEFINE: %{variants} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s --
// DEFINE: %{all} = --policy all --schedules 8
// RUN: carousel-sim %s --kernel @in_one_box --arg w=zeros:64 --arg s=zeros:1 --out w=%t.w.npy --quiet
// RUN: %{variants} --kernel @in_one_box --arg w=zeros:64 --arg s=zeros:1 --expect w=%t.w.npy %{all}
// RUN: carousel-sim %s --kernel @two_kinds --arg v=zeros:64 --out v=%t.v.npy --quiet
// RUN: %{lowered} --kernel @two_kinds --arg v=zeros:64 --expect v=%t.v.npy %{all}
// RUN: carousel-sim %s --kernel @one_turn --arg w=empty:40 --arg out=empty:64 --arg s=zeros:1 --out out=%t.o.npy --quiet
// RUN: %{variants} --kernel @one_turn --arg w=empty:40 --arg out=empty:64 --arg s=zeros:1 --expect out=%t.o.npy %{all}
// RUN: carousel-sim %s --kernel @last_cta --arg x=iota:512 --arg w=zeros:384 --arg y=empty:128 --arg tk=zeros:1 --out y=%t.y.npy --quiet
// RUN: %{variants} --kernel @last_cta --arg x=iota:512 --arg w=zeros:384 --arg y=empty:128 --arg tk=zeros:1 --expect y=%t.y.npy --expect tk=zeros:1 --policy all --schedules 2

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!box = memref<?xf32, #gl>
!box_i32 = memref<?xi32, #gl>
!counters = memref<?xi32, #gl>
!tile = memref<64xf32, #ws>
!tile_i32 = memref<64xi32, #ws>
!tile_128 = memref<128xf32, #ws>

gpu.module @kernels {
  gpu.func @in_one_box(%w: !box {carousel.argument = #carousel.argument<"w", inout>},
      %s: !counters {carousel.argument = #carousel.argument<"s", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>, carousel.coresident} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %no = arith.constant false
    %t = gpu.thread_id x
    %f = arith.constant -1.0e8 : f32
    %g = arith.constant 1.0e8 : f32
    %h = arith.constant 1.0 : f32
    memref.store %f, %a[%t] : !tile
    memref.store %g, %b[%t] : !tile
    memref.store %h, %c[%t] : !tile
    carousel.serialize %s[%c0] turn %c0 of %c1 (%first, %last) {
      carousel.accumulate %a into %w[%c0] reduce<add f32> first(%first) : !tile, !box
      carousel.accumulate %b into %w[%c0] reduce<add f32> first(%no) : !tile, !box
      carousel.accumulate %c into %w[%c0] reduce<add f32> first(%no) : !tile, !box
    } : !counters
    gpu.return
  }

  gpu.func @two_kinds(%v: !box_i32 {carousel.argument = #carousel.argument<"v", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %a = memref.alloc() : !tile_i32
    %b = memref.alloc() : !tile_i32
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %f = arith.constant 7 : i32
    %g = arith.constant 3 : i32
    memref.store %f, %a[%t] : !tile_i32
    memref.store %g, %b[%t] : !tile_i32
    carousel.store %a to %v[%c0] reduce<add s32> : !tile_i32, !box_i32
    carousel.store %b to %v[%c0] reduce<min s32> : !tile_i32, !box_i32
    gpu.return
  }

  gpu.func @one_turn(%w: !box {carousel.argument = #carousel.argument<"w", inout>},
      %out: !box {carousel.argument = #carousel.argument<"out", out>},
      %s: !counters {carousel.argument = #carousel.argument<"s", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>, carousel.coresident} {
    %tile = memref.alloc() : !tile
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %f = arith.constant 7.0 : f32
    memref.store %f, %tile[%t] : !tile
    carousel.serialize %s[%c0] turn %c0 of %c1 (%first, %last) {
      carousel.accumulate %tile into %w[%c0] reduce<add f32> first(%first) last(%last) scheme(registers) : !tile, !box
    } : !counters
    %v = memref.load %tile[%t] : !tile
    memref.store %v, %out[%t] : !box
    gpu.return
  }

  gpu.func @last_cta(%x: !box {carousel.argument = #carousel.argument<"x", in>},
      %w: !box {carousel.argument = #carousel.argument<"w", inout>},
      %y: !box {carousel.argument = #carousel.argument<"y", out>},
      %tk: !counters {carousel.argument = #carousel.argument<"tk", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [128]>} {
    %tile = memref.alloc() : !tile_128
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %g = gpu.grid_dim x
    %blk = gpu.block_id x
    %n = memref.dim %x, %c0 : !box
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %n step %c128 iter_args(%acc = %zero) -> f32 {
        carousel.load %x[%i] to %tile : !box, !tile_128
        %v = memref.load %tile[%t] : !tile_128
        %s = arith.addf %v, %acc : f32
        scf.yield %s : f32
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    %o = arith.muli %blk, %c128 : index
    %p = arith.addi %o, %t : index
    memref.store %sum, %w[%p] : !box
    gpu.barrier
    carousel.fence.thread release gpu
    %k = carousel.grid.ticket %tk[%c0] of %g : !counters
    %k1 = arith.addi %k, %c1 : index
    %islast = arith.cmpi eq, %k1, %g : index
    scf.if %islast {
      carousel.fence.thread acquire gpu
      gpu.barrier
      %total = scf.for %j = %c0 to %g step %c1 iter_args(%acc = %zero) -> f32 {
        %q0 = arith.muli %j, %c128 : index
        %q = arith.addi %q0, %t : index
        %v = memref.load %w[%q] : !box
        %s = arith.addf %v, %acc : f32
        scf.yield %s : f32
      }
      memref.store %total, %y[%t] : !box
    }
    gpu.return
  }
}
