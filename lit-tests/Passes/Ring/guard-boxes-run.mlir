// Kernels that store into what they load from compute the same at the tile phase and lowered: with rings where the guard holds,
// and by the variant without it for all distances.
// DEFINE: %{chip} =
// DEFINE: %{lowered} = carousel-sim %t.%{chip}.mlir --policy all --schedules 2 --chip %{chip}
// RUN: carousel-opt %s -o %t.sm_90a.mlir --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})'
// RUN: carousel-opt %s -o %t.sm_80.mlir --pass-pipeline='builtin.module(carousel-lower{chip=sm_80})'

// By 0, a part of a tile, a tile and several.
// RUN: carousel-sim %s --kernel @shift --arg x=iota:1000 --arg s=0 --out x=%t.0.npy
// RUN: carousel-sim %s --kernel @shift --arg x=iota:1000 --arg s=20 --out x=%t.20.npy
// RUN: carousel-sim %s --kernel @shift --arg x=iota:1000 --arg s=64 --out x=%t.64.npy
// RUN: carousel-sim %s --kernel @shift --arg x=iota:1000 --arg s=-64 --out x=%t.-64.npy
// REDEFINE: %{chip} = sm_90a
// RUN: %{lowered} --kernel @shift_apart --arg x=iota:1000 --arg s=20 --expect x=%t.20.npy
// RUN: %{lowered} --kernel @shift_apart --arg x=iota:1000 --arg s=64 --expect x=%t.64.npy
// RUN: %{lowered} --kernel @shift_tma --arg x=iota:1000 --arg s=-64 --expect x=%t.-64.npy
// RUN: %{lowered} --kernel @shift --arg x=iota:1000 --arg s=20 --expect x=%t.20.npy
// REDEFINE: %{chip} = sm_80
// RUN: %{lowered} --kernel @shift_apart --arg x=iota:1000 --arg s=20 --expect x=%t.20.npy
// RUN: %{lowered} --kernel @shift_apart --arg x=iota:1000 --arg s=64 --expect x=%t.64.npy
// RUN: %{lowered} --kernel @shift --arg x=iota:1000 --arg s=-64 --expect x=%t.-64.npy

// Where the guard doesn't hold, the ring is wrong.
// RUN: carousel-sim %t.sm_80.mlir --kernel @shift_apart --arg x=iota:1000 --arg s=-64 --policy all --schedules 4 --expect-finding engine-race

// Two arguments that are the same memref, or two. In roles, producers take no notice of stores.
// RUN: carousel-sim %s --kernel @scale --arg x=iota:1000 --arg y=empty:1000 --out y=%t.y.npy
// RUN: carousel-sim %s --kernel @scale --arg x=iota:1000 --arg y=same:x --expect y=%t.y.npy --policy all --schedules 2
// REDEFINE: %{chip} = sm_90a
// RUN: %{lowered} --kernel @scale_tma --arg x=iota:1000 --arg y=same:x --expect y=%t.y.npy
// RUN: %{lowered} --kernel @scale_tma --arg x=iota:1000 --arg y=empty:1000 --expect y=%t.y.npy
// RUN: %{lowered} --kernel @scale --arg x=iota:1000 --arg y=same:x --expect y=%t.y.npy
// REDEFINE: %{chip} = sm_80
// RUN: %{lowered} --kernel @scale --arg x=iota:1000 --arg y=same:x --expect y=%t.y.npy

// An iteration that stores before it reads what it has loaded waits first.
// RUN: carousel-sim %s --kernel @swap --arg x=iota:1000 --arg y=empty:64 --out x=%t.swap.npy --out y=%t.sum.npy
// REDEFINE: %{chip} = sm_90a
// RUN: %{lowered} --kernel @swap_tma --arg x=iota:1000 --arg y=empty:64 --expect x=%t.swap.npy --expect y=%t.sum.npy
// RUN: %{lowered} --kernel @swap --arg x=iota:1000 --arg y=empty:64 --expect x=%t.swap.npy --expect y=%t.sum.npy
// REDEFINE: %{chip} = sm_80
// RUN: %{lowered} --kernel @swap --arg x=iota:1000 --arg y=empty:64 --expect x=%t.swap.npy --expect y=%t.sum.npy

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @in_place {
  gpu.func @shift(%x: !global {carousel.argument = #carousel.argument<"x", inout>}, %s: index {carousel.argument = #carousel.argument<"s">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %n = memref.dim %x, %c0 : !global
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c64 {
      %from = arith.addi %i, %s : index
      carousel.load %x[%from] to %in : !global, !tile
      %v = memref.load %in[%t] : !tile
      %u = arith.addi %v, %one : i32
      memref.store %u, %out[%t] : !tile
      carousel.store %out to %x[%i] : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
  gpu.func @scale(%x: !global {carousel.argument = #carousel.argument<"x", in>}, %y: !global {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c192 = arith.constant 192 : index
    %three = arith.constant 3 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = memref.dim %x, %c0 : !global
    %first = arith.muli %b, %c64 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    scf.for %i = %first to %n step %c192 {
      carousel.load %x[%i] to %in : !global, !tile
      %v = memref.load %in[%t] : !tile
      %u = arith.muli %v, %three : i32
      memref.store %u, %out[%t] : !tile
      carousel.store %out to %y[%i] : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }
  gpu.func @swap(%x: !global {carousel.argument = #carousel.argument<"x", inout>}, %y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %number = arith.index_cast %t : index to i32
    %n = memref.dim %x, %c0 : !global
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %sum = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (i32) {
      carousel.load %x[%i] to %in : !global, !tile
      memref.store %number, %out[%t] : !tile
      carousel.store %out to %x[%i] : !tile, !global
      %v = memref.load %in[%t] : !tile
      %u = arith.addi %s, %v : i32
      scf.yield %u : i32
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    memref.store %sum, %y[%t] : memref<64xi32, #gl>
    gpu.return
  }
}
