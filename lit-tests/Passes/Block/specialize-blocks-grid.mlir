// A launch has up to 65535 CTAs along y and z. So loops' programs are numbered along x where the extents aren't constants, in
// the order that they had. Other programs, constants, clusters, scalars and differences keep the grid of their author. So
// do programs that a CTA executes together, which --carousel-batch-programs couldn't find in quotients.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-specialize-blocks{variants=false}))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-specialize-blocks,carousel-stream-rows,carousel-batch-programs))' | FileCheck %s --check-prefix=TOGETHER

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

  // CHECK-LABEL: gpu.func @scalars
  // CHECK-SAME: grid = [scalar(2), scalar(3)]
  gpu.func @scalars(%a: !m, %b: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"b", out>}, %m: index, %n: index)
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [scalar(2), scalar(3)], block = [128]>} {
    %c1 = arith.constant 1 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    scf.for %i = %x to %m step %c1 {
      %v = memref.load %a[%i, %y, %x] : !m
      memref.store %v, %b[%x] : memref<?xf32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @difference
  // CHECK-SAME: grid = [extent(0, 2), ceildiv(extent(0, 1) - 2, 4)]
  gpu.func @difference(%a: !m, %b: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"b", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [extent(0, 2), ceildiv(extent(0, 1) - 2, 4)], block = [128]>} {
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

  // TOGETHER-LABEL: gpu.func @together
  // TOGETHER-SAME: grid = [ceildiv(extent(0, 1), 16), extent(0, 0)]
  // TOGETHER: %[[ID:.*]] = gpu.block_id x
  // TOGETHER: %[[ROW:.*]] = arith.muli %[[ID]], %{{.*}} : index
  // TOGETHER: %[[MATRIX:.*]] = gpu.block_id y
  // TOGETHER: vector.transfer_read %{{.*}}[%[[MATRIX]], %[[ROW]], %{{.*}}], %{{.*}} vector<16x64xf32>
  gpu.func @together(%x: !m, %steps: index, %y: !m {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 2)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 1), extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %h = gpu.block_id y
    %v = vector.transfer_read %x[%h, %i, %c0], %none : !m, vector<64xf32>
    %r = scf.for %j = %c0 to %steps step %c1 iter_args(%s = %v) -> (vector<64xf32>) {
      %e = math.exp %s : vector<64xf32>
      %sum = vector.multi_reduction <add>, %e, %none [0] : vector<64xf32> to f32
      %all = vector.broadcast %sum : f32 to vector<64xf32>
      %t = arith.divf %e, %all : vector<64xf32>
      scf.yield %t : vector<64xf32>
    }
    vector.transfer_write %r, %y[%h, %i, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // Numbers of the block come first here, and the grid has no third dimension.
  // CHECK-LABEL: gpu.func @first
  // CHECK-SAME: grid = [extent(0, 2) * extent(0, 1)]
  // CHECK: scf.for
  gpu.func @first(%a: !m, %b: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"b", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [extent(0, 2), extent(0, 1)], block = [128]>} {
    %x = gpu.block_id x
    %y = gpu.block_id y
    %z = gpu.block_id z
    %d = gpu.grid_dim z
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %n = memref.dim %a, %c0 : !m
    %sum = scf.for %i = %c0 to %n step %d iter_args(%s = %none) -> (f32) {
      %v = memref.load %a[%i, %y, %x] : !m
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    %at = arith.addi %x, %z : index
    memref.store %sum, %b[%at] : memref<?xf32, #gl>
    gpu.return
  }
}
