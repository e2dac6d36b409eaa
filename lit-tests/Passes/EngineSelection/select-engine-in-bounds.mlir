// Transfers whose boxes are provably inside their memref are marked in_bounds, so that nothing is checked when they are issued.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine{variants=false}))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a prefer-engine=bulk})' | FileCheck %s --check-prefix=LOWERED

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!rows = memref<?x1024xbf16, #gl>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!tile = memref<1024xbf16, #ws>
!part = memref<256xbf16, #ws>
gpu.module @m {
  // Rows up to the extent, whole rows: no comparison with an extent and no part of a row remains.
  // CHECK-LABEL: gpu.func @whole_rows
  // CHECK: carousel.load {{.*}} in_bounds
  // CHECK: carousel.store {{.*}} in_bounds
  // LOWERED-LABEL: gpu.func @whole_rows_tma
  // LOWERED-NOT: carousel.mbarrier.expect_tx
  // LOWERED-NOT: vector.store %cst
  // LOWERED: gpu.return
  gpu.func @whole_rows(%x: !rows {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %g = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !rows
    %a = memref.alloc() : !tile
    scf.for %i = %b to %n step %g {
      carousel.load %x[%i, %c0] to %a : !rows, !tile
      carousel.store %a to %x[%i, %c0] : !tile, !rows
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // A loop over the columns of a static row, by a step that divides it.
  // CHECK-LABEL: gpu.func @parts
  // CHECK: carousel.load {{.*}} in_bounds
  gpu.func @parts(%x: !rows {carousel.argument = #carousel.argument<"x", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %n = memref.dim %x, %c0 : !rows
    %a = memref.alloc() : !part
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c1024 step %c256 {
        carousel.load %x[%i, %j] to %a : !rows, !part
      }
    }
    gpu.return
  }

  // The step doesn't divide the row; rows of another memref; a dynamic row; a loop that begins before 0; two rows at a time.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK-NOT: in_bounds
  // CHECK: gpu.return
  gpu.func @unknown(%x: !rows {carousel.argument = #carousel.argument<"x", in>}, %y: !rows {carousel.argument = #carousel.argument<"y", in>},
                    %z: !matrix {carousel.argument = #carousel.argument<"z", in>}, %first: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c192 = arith.constant 192 : index
    %c1024 = arith.constant 1024 : index
    %n = memref.dim %x, %c0 : !rows
    %m = memref.dim %z, %c0 : !matrix
    %a = memref.alloc() : !tile
    %p = memref.alloc() : !part
    %q = memref.alloc() : memref<2x1024xbf16, #ws>
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c1024 step %c192 {
        carousel.load %x[%i, %j] to %p : !rows, !part
      }
      carousel.load %y[%i, %c0] to %a : !rows, !tile
    }
    scf.for %i = %c0 to %m step %c1 {
      carousel.load %z[%i, %c0] to %a : !matrix, !tile
    }
    scf.for %i = %first to %n step %c1 {
      carousel.load %x[%i, %c0] to %a : !rows, !tile
    }
    scf.for %i = %c0 to %n step %c2 {
      carousel.load %x[%i, %c0] to %q : !rows, memref<2x1024xbf16, #ws>
    }
    gpu.return
  }

  // A load in bounds has no fill; what asks for NaN keeps its checks.
  // CHECK-LABEL: gpu.func @nan
  // CHECK-NOT: in_bounds
  // CHECK: fill(nan)
  gpu.func @nan(%x: !rows {carousel.argument = #carousel.argument<"x", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : !rows
    %a = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      carousel.load %x[%i, %c0] to %a fill(nan) : !rows, !tile
    }
    gpu.return
  }
}
