// Rows that end within a granule of bulk copies, in boxes of several rows and in single rows, loaded and stored: the lanes of the
// issuing warp copy the ends, and fill. The engines are given, since engine selection takes tensor copies for such boxes.
// RUN: carousel-opt %s -o %t.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings,carousel-allocate-shared,carousel-verify-machine))'
// RUN: FileCheck %s < %t.mlir
// RUN: carousel-sim %t.mlir --kernel @moving --arg x=iota:21x75@80x1 --arg y=zeros:21x75@80x1 --expect y=iota:21x75@80x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @moving --arg x=iota:16x128 --arg y=zeros:16x128 --expect y=iota:16x128 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @moving --arg x=iota:3x1@8x1 --arg y=zeros:3x1@8x1 --expect y=iota:3x1@8x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @fixed --arg x=iota:21x59@64x1 --arg y=zeros:21x59@64x1 --expect y=iota:21x59@64x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @fixed --arg x=iota:13x64 --arg y=zeros:13x64 --expect y=iota:13x64 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @fixed --arg x=iota:9x3@8x1 --arg y=zeros:9x3@8x1 --expect y=iota:9x3@8x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @bytes --arg x=iota:6x37@48x1 --arg y=zeros:6x37@48x1 --expect y=iota:6x37@48x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @bytes --arg x=iota:5x64 --arg y=zeros:5x64 --expect y=iota:5x64 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @row_ends --arg x=iota:6x10@12x1 --arg y=zeros:6x10@12x1 --expect y=iota:6x10@12x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @row_ends --arg x=iota:7x9@12x1 --arg y=zeros:7x9@12x1 --expect y=iota:7x9@12x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @row_ends --arg x=iota:3x4 --arg y=zeros:3x4 --expect y=iota:3x4 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @conditional --arg x=iota:12x59@64x1 --arg y=zeros:12x59@64x1 --expect y=iota:12x59@64x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @warps --arg x=iota:21x59@64x1 --arg y=zeros:21x59@64x1 --expect y=iota:21x59@64x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @copied --arg x=iota:5x251@256x1 --arg y=zeros:5x251@256x1 --expect y=iota:5x251@256x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @copied --arg x=iota:4x256 --arg y=zeros:4x256 --expect y=iota:4x256 --policy all --schedules 1

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!tile = memref<8x64xbf16, #ws>
!row = memref<256xbf16, #ws>
!slices = memref<2x8x64xbf16, #ws>
!slice = memref<8x64xbf16, strided<[64, 1], offset: ?>, #ws>
!byte_matrix = memref<?x?xi8, strided<[?, 1]>, #gl>
!byte_tile = memref<2x64xi8, #ws>
!word_matrix = memref<?x?xf32, strided<[?, 1]>, #gl>
!word_tile = memref<2x10xf32, strided<[12, 1]>, #ws>

gpu.module @ends {
  // Columns in the loop: later loads of a slot may write the ends, so threads load them and a fence follows. All elements of a
  // row's end are read at once.
  // CHECK-LABEL: gpu.func @moving
  // CHECK: carousel.bulk.load
  // CHECK-COUNT-8: memref.load
  // CHECK: vector.from_elements
  // CHECK: carousel.fence.proxy async_shared_cta
  // CHECK: carousel.bulk.commit_group
  // CHECK: gpu.return
  gpu.func @moving(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %m = memref.dim %x, %c0 : !matrix
    %n = memref.dim %x, %c1 : !matrix
    %a = memref.alloc() : !tile
    %o = memref.alloc() : !tile
    scf.for %i = %c0 to %m step %c8 {
      scf.for %j = %c0 to %n step %c64 {
        carousel.load %x[%i, %j] to %a engine<bulk> : !matrix, !tile
        scf.for %r = %c0 to %c8 step %c1 {
          %v = memref.load %a[%r, %t] : !tile
          memref.store %v, %o[%r, %t] : !tile
        }
        carousel.store %o to %y[%i, %j] engine<bulk> : !tile, !matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    }
    gpu.return
  }

  // Rows always begin at column 0: no engine writes the granule in which they end, and one cp.async copies it.
  // CHECK-LABEL: gpu.func @fixed
  // CHECK: carousel.bulk.load
  // CHECK: carousel.cp_async.copy cg %{{.*}}, 16 valid
  // CHECK-NEXT: carousel.cp_async.mbarrier_arrive %{{[^ ]+}}[%{{[^ ]+}}] :
  // CHECK-NOT: vector.from_elements
  // CHECK: gpu.return
  gpu.func @fixed(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %m = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !tile
    %o = memref.alloc() : !tile
    scf.for %i = %c0 to %m step %c8 {
      carousel.load %x[%i, %c0] to %a engine<bulk> : !matrix, !tile
      scf.for %r = %c0 to %c8 step %c1 {
        %v = memref.load %a[%r, %t] : !tile
        memref.store %v, %o[%r, %t] : !tile
      }
      carousel.store %o to %y[%i, %c0] engine<bulk> : !tile, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @bytes
  // CHECK: carousel.cp_async.copy cg %{{.*}}, 16 valid
  gpu.func @bytes(%x: !byte_matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !byte_matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %m = memref.dim %x, %c0 : !byte_matrix
    %a = memref.alloc() : !byte_tile
    %o = memref.alloc() : !byte_tile
    scf.for %i = %c0 to %m step %c2 {
      carousel.load %x[%i, %c0] to %a engine<bulk> : !byte_matrix, !byte_tile
      scf.for %r = %c0 to %c2 step %c1 {
        %v = memref.load %a[%r, %t] : !byte_tile
        memref.store %v, %o[%r, %t] : !byte_tile
      }
      carousel.store %o to %y[%i, %c0] engine<bulk> : !byte_tile, !byte_matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // Rows of the tile aren't whole granules: threads copy two elements of each, of whole boxes as well.
  // CHECK-LABEL: gpu.func @row_ends
  gpu.func @row_ends(%x: !word_matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !word_matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c10 = arith.constant 10 : index
    %t = gpu.thread_id x
    %is_column = arith.cmpi ult, %t, %c10 : index
    %m = memref.dim %x, %c0 : !word_matrix
    %a = memref.alloc() : !word_tile
    %o = memref.alloc() : !word_tile
    scf.for %i = %c0 to %m step %c2 {
      carousel.load %x[%i, %c0] to %a engine<bulk> : !word_matrix, !word_tile
      scf.if %is_column {
        scf.for %r = %c0 to %c2 step %c1 {
          %v = memref.load %a[%r, %t] : !word_tile
          memref.store %v, %o[%r, %t] : !word_tile
        }
      }
      carousel.store %o to %y[%i, %c0] engine<bulk> : !word_tile, !word_matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @conditional
  gpu.func @conditional(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %m = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !tile
    %o = memref.alloc() : !tile
    scf.for %i = %c0 to %m step %c8 {
      carousel.load %x[%i, %c0] to %a engine<bulk> : !matrix, !tile
      scf.for %r = %c0 to %c8 step %c1 {
        %v = memref.load %a[%r, %t] : !tile
        memref.store %v, %o[%r, %t] : !tile
      }
      %exists = arith.cmpi ult, %i, %m : index
      scf.if %exists {
        carousel.store %o to %y[%i, %c0] engine<bulk> : !tile, !matrix
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @warps
  gpu.func @warps(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    %l = arith.remui %t, %c32 : index
    %first = arith.muli %w, %c8 : index
    %j = arith.muli %l, %c2 : index
    %m = memref.dim %x, %c0 : !matrix
    %as = memref.alloc() : !slices
    %os = memref.alloc() : !slices
    %a = memref.subview %as[%w, 0, 0] [1, 8, 64] [1, 1, 1] : !slices to !slice
    %o = memref.subview %os[%w, 0, 0] [1, 8, 64] [1, 1, 1] : !slices to !slice
    scf.for %i = %first to %m step %c16 {
      carousel.load %x[%i, %c0] to %a scope(warp) engine<bulk> : !matrix, !slice
      scf.for %r = %c0 to %c8 step %c1 {
        %v = vector.load %a[%r, %j] : !slice, vector<2xbf16>
        vector.store %v, %o[%r, %j] : !slice, vector<2xbf16>
      }
      carousel.store %o to %y[%i, %c0] scope(warp) engine<bulk> : !slice, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 2, scope = warp>}
    gpu.return
  }

  // In place: a bulk copy reads what cp.async would have written, with no place for a fence.
  // CHECK-LABEL: gpu.func @copied
  // CHECK-NOT: carousel.cp_async
  // CHECK: gpu.return
  gpu.func @copied(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !row
    scf.for %i = %c0 to %m step %c1 {
      carousel.load %x[%i, %c0] to %a engine<bulk> : !matrix, !row
      carousel.store %a to %y[%i, %c0] engine<bulk> : !row, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}
