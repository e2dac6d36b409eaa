// Threads copy rows that begin at any element by aligned granules of 16 bytes: two are read and shifted for each that is written.
// RUN: carousel-opt %s -o %t.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings,carousel-allocate-shared,carousel-verify-machine))'
// RUN: FileCheck %s < %t.mlir
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:10x130@131x1 --arg y=zeros:10x130@133x1 --expect y=iota:10x130@133x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:9x127@130x1 --arg y=zeros:9x127 --expect y=iota:9x127 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:26x213 --arg y=zeros:26x213 --expect y=iota:26x213 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:16x213@217x1 --arg y=zeros:16x213 --expect y=iota:16x213 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:8x128@132x1 --arg y=zeros:8x128 --expect y=iota:8x128 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:7x57 --arg y=zeros:7x57@58x1 --expect y=iota:7x57@58x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:3x1@9x1 --arg y=zeros:3x1 --expect y=iota:3x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:0x5 --arg y=zeros:0x5 --expect y=iota:0x5 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @shifted --arg x=iota:9x75 --arg y=zeros:9x75 --expect y=iota:9x75 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @in_place --arg x=iota:9x75 --expect x=iota:9x75 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @bytes --arg x=iota:5x101 --arg y=zeros:5x101 --expect y=iota:5x101 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @bytes --arg x=iota:4x64@66x1 --arg y=zeros:4x64@68x1 --expect y=iota:4x64@68x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @words --arg x=iota:5x37 --arg y=zeros:5x37 --expect y=iota:5x37 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @doubles --arg x=iota:5x37 --arg y=zeros:5x37 --expect y=iota:5x37 --policy all --schedules 2

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile = memref<8x64xbf16, #ws>
!byte_matrix = memref<?x?xi8, strided<[?, 1]>, #gl>
!byte_tile = memref<2x64xi8, #ws>
!word_matrix = memref<?x?xf32, strided<[?, 1]>, #gl>
!word_tile = memref<2x16xf32, #ws>
!double_matrix = memref<?x?xf64, strided<[?, 1]>, #gl>
!double_tile = memref<2x16xf64, #ws>

gpu.module @misaligned {
  // A thread stores other elements of the tile than it has loaded, so that a barrier releases the slot.
  // CHECK-LABEL: gpu.func @copy
  // CHECK: memref.extract_aligned_pointer_as_index %arg0
  // In the interior nothing is checked: all is read before the first store.
  // CHECK: scf.if
  // CHECK-COUNT-4: vector.load %arg0{{.*}} {alignment = 16 : i64}
  // CHECK: arith.shrui {{.*}} : i64
  // CHECK: vector.store {{.*}} {alignment = 16 : i64} : {{.*}}workgroup
  // CHECK: scf.if {{.*}} -> (vector<4xi32>, vector<4xi32>)
  // CHECK-COUNT-2: vector.load %arg0{{.*}} {alignment = 16 : i64}
  // CHECK: arith.shrui {{.*}} : i64
  // CHECK: vector.store {{.*}} {alignment = 16 : i64} : {{.*}}workgroup
  // CHECK: carousel.mbarrier.wait
  // CHECK: memref.extract_aligned_pointer_as_index %arg1
  // CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}workgroup
  // CHECK: vector.store {{.*}}, %arg1{{.*}} {alignment = 16 : i64}
  // CHECK: gpu.barrier
  // CHECK: gpu.return
  gpu.func @copy(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %m = memref.dim %x, %c0 : !matrix
    %n = memref.dim %x, %c1 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %c0 to %m step %c8 {
      scf.for %j = %c0 to %n step %c64 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 2> : !matrix, !tile
        carousel.store %a to %y[%i, %j] engine<vector, width = 2> : !tile, !matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    }
    gpu.return
  }

  // Boxes that begin before the memref. Stores have none.
  // CHECK-LABEL: gpu.func @shifted
  // CHECK: vector.load %arg0{{.*}} {alignment = 16 : i64}
  // CHECK: gpu.return
  gpu.func @shifted(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c-3 = arith.constant -3 : index
    %c-5 = arith.constant -5 : index
    %t = gpu.thread_id x
    %m = memref.dim %x, %c0 : !matrix
    %n = memref.dim %x, %c1 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %c-3 to %m step %c8 {
      scf.for %j = %c-5 to %n step %c64 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 2> : !matrix, !tile
        %column = arith.addi %j, %t : index
        scf.for %r = %c0 to %c8 step %c1 {
          %row = arith.addi %i, %r : index
          %is_row = arith.cmpi ult, %row, %m : index
          %is_column = arith.cmpi ult, %column, %n : index
          %is_inside = arith.andi %is_row, %is_column : i1
          %v = memref.load %a[%r, %t] : !tile
          scf.if %is_inside {
            memref.store %v, %y[%row, %column] : !matrix
          }
        }
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    }
    gpu.return
  }

  // Other threads may write what is next to the box: the granules that are read are inside of it.
  // CHECK-LABEL: gpu.func @in_place
  gpu.func @in_place(%x: !matrix {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %b = gpu.block_id x
    %first = arith.muli %b, %c64 : index
    %m = memref.dim %x, %c0 : !matrix
    %n = memref.dim %x, %c1 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %c0 to %m step %c8 {
      scf.for %j = %first to %n step %c128 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 2> : !matrix, !tile
        carousel.store %a to %x[%i, %j] engine<vector, width = 2> : !tile, !matrix
      }
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @bytes
  // CHECK: vector<16xi8>
  gpu.func @bytes(%x: !byte_matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !byte_matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %m = memref.dim %x, %c0 : !byte_matrix
    %n = memref.dim %x, %c1 : !byte_matrix
    %a = memref.alloc() : !byte_tile
    scf.for %i = %c0 to %m step %c2 {
      scf.for %j = %c0 to %n step %c64 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 1> : !byte_matrix, !byte_tile
        carousel.store %a to %y[%i, %j] engine<vector, width = 1> : !byte_tile, !byte_matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    }
    gpu.return
  }

  // Whole words: the shift selects words only.
  // CHECK-LABEL: gpu.func @words
  // CHECK-NOT: arith.shrui {{.*}} : i64
  // CHECK: gpu.return
  gpu.func @words(%x: !word_matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !word_matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %m = memref.dim %x, %c0 : !word_matrix
    %n = memref.dim %x, %c1 : !word_matrix
    %a = memref.alloc() : !word_tile
    scf.for %i = %c0 to %m step %c2 {
      scf.for %j = %c0 to %n step %c16 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 4> : !word_matrix, !word_tile
        carousel.store %a to %y[%i, %j] engine<vector, width = 4> : !word_tile, !word_matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @doubles
  // CHECK: vector<2xf64>
  gpu.func @doubles(%x: !double_matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !double_matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %m = memref.dim %x, %c0 : !double_matrix
    %n = memref.dim %x, %c1 : !double_matrix
    %a = memref.alloc() : !double_tile
    scf.for %i = %c0 to %m step %c2 {
      scf.for %j = %c0 to %n step %c16 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 8> : !double_matrix, !double_tile
        carousel.store %a to %y[%i, %j] engine<vector, width = 8> : !double_tile, !double_matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    }
    gpu.return
  }
}
