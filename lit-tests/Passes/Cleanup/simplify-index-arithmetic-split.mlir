// carousel-simplify-index-arithmetic, splitting: accesses of a swizzled tile have few bases, and constants.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic,canonicalize,cse)))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
!tile = memref<64x64xbf16, #ws>

gpu.module @splitting {
  // A lane's row is 8 * %thread / 8, of which the low bits flip pieces of 8 elements. Rows 0 and 8 further are a
  // sum, and columns 8 further flip bit 3.
  // CHECK-LABEL: gpu.func @swizzled
  // CHECK-SAME: %[[T:.*]]: memref<64x64xbf16
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
  // CHECK-DAG: %[[C1536:.*]] = arith.constant 1536 : index
  // CHECK: %[[LINE:.*]] = memref.reinterpret_cast %[[T]] to offset: [0], sizes: [4096], strides: [1]
  // CHECK: %[[BASE:.*]] = arith.xori
  // CHECK: %[[FLIPPED:.*]] = arith.xori %[[BASE]], %[[C8]]
  // CHECK-NOT: arith.xori
  // CHECK: memref.store %{{.*}}, %[[LINE]][%[[BASE]]]
  // CHECK: memref.store %{{.*}}, %[[LINE]][%[[FLIPPED]]]
  // CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[C512]] overflow<nsw, nuw>
  // CHECK: memref.store %{{.*}}, %[[LINE]][%[[AT]]]
  // CHECK: %[[AND:.*]] = arith.addi %[[FLIPPED]], %[[C512]] overflow<nsw, nuw>
  // CHECK: memref.store %{{.*}}, %[[LINE]][%[[AND]]]
  // CHECK: %[[LAST:.*]] = arith.addi %[[FLIPPED]], %[[C1536]] overflow<nsw, nuw>
  // CHECK: memref.store %{{.*}}, %[[LINE]][%[[LAST]]]
  gpu.func @swizzled(%t: !tile, %v: bf16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c8 = arith.constant 8 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %row = arith.divui %thread, %c4 : index
    %lane = arith.remui %thread, %c4 : index
    %column = arith.muli %lane, %c2 : index
    %key = arith.muli %row, %c8 : index
    %other = arith.addi %column, %c8 : index
    %at0 = arith.xori %column, %key : index
    %at1 = arith.xori %other, %key : index
    memref.store %v, %t[%row, %at0] : !tile
    memref.store %v, %t[%row, %at1] : !tile
    %row1 = arith.addi %row, %c8 : index
    memref.store %v, %t[%row1, %at0] : !tile
    memref.store %v, %t[%row1, %at1] : !tile
    %c16 = arith.constant 16 : index
    %row2 = arith.addi %row, %c16 : index
    memref.store %v, %t[%row2, %at0] : !tile
    memref.store %v, %t[%row2, %at1] : !tile
    %c24 = arith.constant 24 : index
    %row3 = arith.addi %row, %c24 : index
    memref.store %v, %t[%row3, %at0] : !tile
    memref.store %v, %t[%row3, %at1] : !tile
    gpu.return
  }

  // A row that may carry into the bits of others, and accesses that are few.
  // CHECK-LABEL: gpu.func @others
  // CHECK-NOT: memref.reinterpret_cast
  gpu.func @others(%t: !tile, %v: bf16, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %thread = gpu.thread_id x
    %next = arith.addi %thread, %c1 : index
    %key = arith.muli %thread, %c8 : index
    %at = arith.xori %key, %c8 : index
    %carried = arith.xori %next, %c8 : index
    memref.store %v, %t[%c1, %at] : !tile
    memref.store %v, %t[%c8, %at] : !tile
    memref.store %v, %t[%next, %carried] : !tile
    memref.store %v, %t[%n, %at] : !tile
    gpu.return
  }
}
