// Writes of a tile become writes of global memory, each with the bounds that the store clips.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-store-from-registers,canonicalize,cse))' | FileCheck %s
// A second time nothing is left to do.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-store-from-registers,canonicalize,cse))' -o %t.mlir
// RUN: carousel-opt %t.mlir --pass-pipeline='builtin.module(gpu.module(carousel-store-from-registers,canonicalize,cse))' | diff %t.mlir -

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xbf16, #gl>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile = memref<1024xbf16, #ws>
!rows = memref<4x256xbf16, #ws>

gpu.module @stores [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @vector
  // CHECK-NOT: memref.alloc
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to
  // CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[J:.*]] : index
  // CHECK: %[[LAST:.*]] = arith.addi %[[AT]], %c7 : index
  // CHECK: %[[WHOLE:.*]] = arith.cmpi slt, %[[LAST]], %[[N:.*]] : index
  // CHECK: scf.if %[[WHOLE]] {
  // CHECK: vector.store %{{.*}}, %{{.*}}[%[[AT]]] {alignment = 16 : i64} : memref<?xbf16, {{.*}}>, vector<8xbf16>
  // CHECK: } else {
  // CHECK: %[[COUNT:.*]] = arith.subi %[[N]], %[[AT]] : index
  // CHECK: arith.cmpi sgt, %[[COUNT]], %c0 : index
  // CHECK: arith.andi %[[COUNT]], %c4 : index
  // CHECK: vector.store %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
  // CHECK: arith.andi %[[COUNT]], %c2 : index
  // CHECK: vector.store %{{.*}} {alignment = 4 : i64} : {{.*}}, vector<2xbf16>
  // CHECK: arith.andi %[[COUNT]], %c1 : index
  // CHECK: memref.store
  // CHECK-NOT: memref.store
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  // DOC-EXAMPLE: --carousel-store-from-registers
  gpu.func @vector(%y: !vector, %v: vector<8xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1024 = arith.constant 1024 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %j = arith.muli %thread, %c8 : index
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      vector.store %v, %tile[%j] {alignment = 16 : i64} : !tile, vector<8xbf16>
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  // Rows are compared before columns, elements of 2 bytes one at a time.
  // CHECK-LABEL: gpu.func @rows
  // CHECK: %[[ROW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
  // CHECK: scf.if %[[ROW]] {
  // CHECK: %[[COLUMN:.*]] = arith.cmpi slt
  // CHECK: scf.if %[[COLUMN]] {
  // CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xbf16
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  gpu.func @rows(%y: !matrix, %v: bf16, %column: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %y, %c0 : !matrix
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !rows
    scf.for %i = %c0 to %n step %c4 {
      scf.for %row = %c0 to %c4 step %c1 {
        memref.store %v, %tile[%row, %thread] : !rows
      }
      carousel.store %tile to %y[%i, %column] engine<vector, width = 2> : !rows, !matrix
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  // A part of a granule is aligned to what the engine guarantees.
  // CHECK-LABEL: gpu.func @narrow
  // CHECK: vector.store %{{.*}} {alignment = 4 : i64}
  gpu.func @narrow(%y: !vector, %v: vector<8xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1024 = arith.constant 1024 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %j = arith.muli %thread, %c8 : index
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      vector.store %v, %tile[%j] {alignment = 16 : i64} : !tile, vector<8xbf16>
      carousel.store %tile to %y[%i] engine<vector, width = 4> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @forbidden
  // CHECK: carousel.store
  gpu.func @forbidden(%y: !vector, %v: vector<8xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1024 = arith.constant 1024 : index
    %n = memref.dim %y, %c0 : !vector
    %thread = gpu.thread_id x
    %j = arith.muli %thread, %c8 : index
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      vector.store %v, %tile[%j] {alignment = 16 : i64} : !tile, vector<8xbf16>
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stores = shared>}
    gpu.return
  }
}
