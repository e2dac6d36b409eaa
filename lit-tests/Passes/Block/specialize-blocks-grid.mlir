// A launch has up to 65535 CTAs along y and z. So loops' programs are numbered along x where the extents aren't constants, in
// the order that they had. Other programs, constants and clusters keep the grid of their author.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-specialize-blocks{variants=false}))' | FileCheck %s

#gl = #gpu.address_space<global>
#program = #carousel.block_program<>
!m = memref<?x?x?xf32, #gl>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sums
  // CHECK-SAME: grid = [extent(0, 2) * extent(0, 1) * extent(0, 0)]
  // CHECK: %[[ID:.*]] = gpu.block_id x
  // CHECK: %[[X:.*]] = arith.remui %[[ID]], %[[EXTENT:.*]] : index
  // CHECK: %[[REST:.*]] = arith.divui %[[ID]], %[[EXTENT]] : index
  // CHECK: %[[Y:.*]] = arith.remui %[[REST]], %[[HEIGHT:.*]] : index
  // CHECK: %[[Z:.*]] = arith.divui %[[REST]], %[[HEIGHT]] : index
  // CHECK-NOT: gpu.block_id
  // CHECK-NOT: gpu.grid_dim
  // CHECK: memref.load %{{.*}}[%[[Z]], %[[Y]], %{{.*}}]
  gpu.func @sums(%a: !m, %b: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"b", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [extent(0, 2), extent(0, 1), extent(0, 0)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0.0 : f32
    %x = gpu.block_id x
    %y = gpu.block_id y
    %z = gpu.block_id z
    %width = gpu.grid_dim x
    %sum = scf.for %i = %c0 to %width step %c1 iter_args(%s = %none) -> (f32) {
      %v = memref.load %a[%z, %y, %i] : !m
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %b[%x] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @straight
  // CHECK-SAME: grid = [extent(0, 2), extent(0, 1)]
  // CHECK: gpu.block_id y
  gpu.func @straight(%a: !m, %b: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"b", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [extent(0, 2), extent(0, 1)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %v = memref.load %a[%c0, %y, %x] : !m
    memref.store %v, %b[%x] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @constant
  // CHECK-SAME: grid = [extent(0, 2), 16]
  // CHECK-LABEL: gpu.func @cluster
  // CHECK-SAME: grid = [extent(0, 2) * 2, extent(0, 1)]
  gpu.func @constant(%a: !m, %b: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"b", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [extent(0, 2), 16], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    scf.for %i = %c0 to %x step %c1 {
      %v = memref.load %a[%i, %y, %x] : !m
      memref.store %v, %b[%x] : memref<?xf32, #gl>
    }
    gpu.return
  }
  gpu.func @cluster(%a: !m, %b: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"b", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [extent(0, 2) * 2, extent(0, 1)], block = [128], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    scf.for %i = %c0 to %x step %c1 {
      %v = memref.load %a[%i, %y, %x] : !m
      memref.store %v, %b[%x] : memref<?xf32, #gl>
    }
    gpu.return
  }
}
