// The lowering of each engine's transfers, with clipping and filling.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' | FileCheck %s
// CHECK: #[[ROLLED:.*]] = #llvm.loop_annotation<unroll = #loop_unroll>

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, #gl>
!tile = memref<256xf32, #ws>
!rows = memref<8x16xf32, #ws>
!none = !carousel.ring<1>

gpu.module @kernels {
  // One question for both loads, and one sum of bytes, by the first thread. Its warp copies less than a granule element by
  // element, fills the rest by granules, and meets before and behind that; only then the thread arrives.
  // CHECK-LABEL: gpu.func @bulk_load
  // CHECK: %[[LEADER:.*]] = arith.cmpi eq
  // CHECK: %[[ISSUING:.*]] = arith.cmpi ult, %{{.*}}, %c32_i32
  // CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
  // CHECK: scf.if %[[ISSUING]] {
  // CHECK: %[[A_INSIDE:.*]] = arith.cmpi sle
  // CHECK: %[[B_INSIDE:.*]] = arith.cmpi sle
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[A_INSIDE]], %[[B_INSIDE]]
  // CHECK-NEXT: %[[ISSUES:.*]] = arith.andi %[[LEADER]], %[[INSIDE]]
  // CHECK-NEXT: scf.if %[[ISSUES]] {
  // CHECK-NEXT: carousel.mbarrier.arrive_expect_tx %[[FULL:.*]][%c0], 2048
  // CHECK-NEXT: carousel.bulk.load %{{.*}}, 1024 signals
  // CHECK-NEXT: carousel.bulk.load %{{.*}}, 1024 signals
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[OUTSIDE:.*]] = arith.xori %[[INSIDE]], %true
  // CHECK-NEXT: scf.if %[[OUTSIDE]] {
  // CHECK-NEXT: carousel.barrier.warp
  // CHECK: %[[REST:.*]] = arith.subi
  // CHECK: %[[BELOW:.*]] = arith.minsi %[[REST]], %c256
  // CHECK: %[[COUNT:.*]] = arith.maxsi %[[BELOW]], %c0
  // CHECK: %[[PREFIX:.*]] = arith.andi %[[COUNT]], %c-4
  // CHECK: %[[BYTES:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: %[[ENDS:.*]] = arith.cmpi ne, %[[COUNT]], %[[PREFIX]]
  // CHECK-NEXT: scf.if %[[LEADER]]
  // CHECK-NEXT: scf.if %{{.*}} {
  // CHECK-NEXT: carousel.mbarrier.expect_tx %[[FULL]][%c0], %[[BYTES]]
  // CHECK-NEXT: carousel.bulk.load %{{.*}}, %[[BYTES]] signals
  // CHECK: scf.if %[[ENDS]]
  // CHECK: %[[LESS:.*]] = arith.subi %[[COUNT]], %[[PREFIX]]
  // CHECK: %[[VALID:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: carousel.cp_async.copy cg %{{.*}} to %{{.*}}[%[[PREFIX]]], 16 valid %[[VALID]]
  // CHECK-NEXT: carousel.cp_async.mbarrier_arrive %[[FULL]][%c0] :
  // CHECK: %[[UP:.*]] = arith.addi %[[COUNT]], %c3
  // CHECK-NEXT: %[[EDGE:.*]] = arith.andi %[[UP]], %c-4
  // CHECK-NEXT: %[[L:.*]] = arith.index_cast %[[LANE]]
  // CHECK-NEXT: %[[L4:.*]] = arith.muli %[[L]], %c4
  // CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[EDGE]], %[[L4]]
  // CHECK-NEXT: scf.for %[[AT:.*]] = %[[BEHIND]] to %c256 step %c128 {
  // CHECK-NEXT: vector.store %{{.*}}, %{{.*}}[%[[AT]]] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
  // CHECK-NEXT: } {llvm.loop_annotation = #[[ROLLED]]}
  // CHECK: carousel.bulk.load
  // CHECK: vector.store
  // CHECK: carousel.barrier.warp
  // CHECK-NEXT: scf.if %[[LEADER]] {
  // CHECK-NEXT: carousel.mbarrier.arrive %[[FULL]]
  gpu.func @bulk_load(%x: !vector, %y: !vector, %a: !tile, %b: !tile) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.block_id x
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%i] to %a engine<bulk> : !vector, !tile
      carousel.ring.load %y[%i] to %b engine<bulk> : !vector, !tile
    }
    gpu.return
  }

  // Without whole warps the issuing thread fills by itself, by granules as well.
  // CHECK-LABEL: gpu.func @bulk_load_alone
  // CHECK: %[[ALONE:.*]] = arith.cmpi eq
  // CHECK: scf.if %[[ALONE]] {
  // CHECK-NOT: carousel.barrier.warp
  // CHECK: %[[PREFIX:.*]] = arith.andi %{{.*}}, %c-4
  // CHECK: carousel.cp_async.copy cg %{{.*}} to %{{.*}}[%[[PREFIX]]], 16 valid
  // CHECK: %[[EDGE:.*]] = arith.andi %{{.*}}, %c-4
  // CHECK: scf.for %{{.*}} = %[[EDGE]] to %c256 step %c4 {
  // CHECK-NEXT: vector.store
  // CHECK: carousel.mbarrier.arrive %
  // CHECK: gpu.return
  gpu.func @bulk_load_alone(%x: !vector, %a: !tile) kernel
      attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.block_id x
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%i] to %a engine<bulk> : !vector, !tile
    }
    gpu.return
  }

  // Where an offset may be negative, both ends are asked for; NaN is what is filled.
  // CHECK-LABEL: gpu.func @bulk_before
  // CHECK-DAG: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
  // CHECK-DAG: arith.cmpi sge, %[[I:arg[0-9]]], %c0
  // CHECK-DAG: arith.cmpi sle
  // CHECK: scf.yield %[[NAN]]
  gpu.func @bulk_before(%x: !vector, %a: !tile, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%i] to %a fill(nan) engine<bulk> : !vector, !tile
    }
    gpu.return
  }

  // Row by row; a store doesn't begin before its memref. The warp stores the ends of all rows, and the leader's later operations
  // come after them.
  // CHECK-LABEL: gpu.func @bulk_store_rows
  // CHECK-NOT: arith.cmpi sge
  // CHECK: scf.for %[[ROW:.*]] = %c0 to %c8
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %{{.*}}, %[[ROW]]
  // CHECK-NEXT: carousel.bulk.store %{{.*}}[%[[ROW]], %c0] to %{{.*}}[%[[AT]], %{{.*}}], 64
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: carousel.bulk.store
  // CHECK: carousel.bulk.commit_group
  // CHECK-NEXT: }
  // CHECK: scf.for %{{.*}} = %[[LANE:.*]] to %c32 step %c32 {
  // CHECK: memref.load
  // CHECK-NEXT: memref.store
  // CHECK: carousel.barrier.warp
  gpu.func @bulk_store_rows(%x: !matrix, %a: !rows, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i, %i] engine<bulk> : !rows, !matrix
    }
    gpu.return
  }

  // Whole inner dimensions are one with the outer one: two copies of 4 x 8 x 16 elements.
  // CHECK-LABEL: gpu.func @joined_dimensions
  // CHECK: memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2, 3]] : memref<?x?x8x16xf32, {{.*}}> into memref<?x?xf32,
  // CHECK-COUNT-2: carousel.bulk.store %{{.*}}, 2048 :
  // CHECK-NOT: carousel.bulk.store
  // CHECK: gpu.return
  gpu.func @joined_dimensions(%x: memref<?x?x8x16xf32, #gl>, %a: memref<2x4x8x16xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i, %i, %c0, %c0] in_bounds engine<bulk>
          : memref<2x4x8x16xf32, #ws>, memref<?x?x8x16xf32, #gl>
    }
    gpu.return
  }

  // In bounds, but two elements behind the last granule; lanes store them before the arrival.
  // CHECK-LABEL: gpu.func @row_end
  // CHECK: carousel.mbarrier.expect_tx %[[FULL:.*]][%c0], 32
  // CHECK-NEXT: carousel.bulk.load %{{.*}}, 32 signals
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c10 step %c32 {
  // CHECK: memref.store
  // CHECK: carousel.barrier.warp
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: carousel.mbarrier.arrive %[[FULL]]
  gpu.func @row_end(%x: !vector, %a: memref<10xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%i] to %a in_bounds engine<bulk> : !vector, memref<10xf32, #ws>
    }
    gpu.return
  }

  // Consecutive threads take consecutive pieces: 32 pieces for 20 threads. A piece that ends within the memref has its
  // bytes counted, one outside reads nothing, from an address that is one.
  // CHECK-LABEL: gpu.func @pieces
  // CHECK: %[[TID:.*]] = gpu.thread_id x
  // CHECK: %[[THREAD:.*]] = arith.index_cast %[[TID]] : index to i32
  // CHECK: scf.if
  // CHECK: %[[ROW:.*]] = arith.divui %[[THREAD]], %c4_i32
  // CHECK: arith.select %{{.*}}, %{{.*}}, %c0 : index
  // CHECK: %[[VALID:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[VALID]], %c0_i32
  // CHECK-COUNT-2: arith.select %[[SOME]], %{{.*}}, %c0 : index
  // CHECK: carousel.cp_async.copy cg %{{.*}}, 16 valid %[[VALID]]
  // CHECK: %[[SECOND:.*]] = arith.addi %[[THREAD]], %c20_i32
  // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[SECOND]], %c32_i32
  // CHECK: scf.if %[[EXISTS]]
  // CHECK: carousel.cp_async.copy cg
  gpu.func @pieces(%x: !matrix, %a: !rows) kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %i = gpu.block_id x
    %j = arith.muli %i, %c16 : index
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%i, %j] to %a engine<cp_async, width = 16> : !matrix, !rows
    }
    gpu.return
  }

  // A piece might begin before the memref and end within it: then the thread reads the elements that are inside, all at once,
  // stores the piece, and arrives for that as well.
  // CHECK-LABEL: gpu.func @split_pieces
  // CHECK: carousel.mbarrier.init %{{.*}}, 33
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: carousel.cp_async.copy cg %{{.*}}, 16 :
  // CHECK-NEXT: } else {
  // CHECK-COUNT-4: memref.load
  // CHECK: %[[PIECE:.*]] = vector.from_elements
  // CHECK-NEXT: vector.store %[[PIECE]], %{{.*}} {alignment = 16 : i64}
  // CHECK-NEXT: } else {
  // CHECK-NEXT: vector.store %cst
  // CHECK: carousel.cp_async.mbarrier_arrive
  // CHECK: carousel.mbarrier.arrive
  gpu.func @split_pieces(%x: !vector, %a: memref<128xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%i] to %a engine<cp_async, width = 16> : !vector, memref<128xf32, #ws>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @vector_store
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: %[[V:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
  // CHECK-NEXT: vector.store %[[V]], %{{.*}} {alignment = 16 : i64}
  // CHECK-NEXT: } else {
  // CHECK: scf.if %{{.*}} {
  // CHECK: %[[P:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
  // CHECK-COUNT-4: vector.extract %[[P]]
  gpu.func @vector_store(%x: !vector, %a: memref<128xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] engine<vector, width = 16> : memref<128xf32, #ws>, !vector
    }
    gpu.return
  }

  // Elements with strides between them, one at a time.
  // CHECK-LABEL: gpu.func @strided
  // CHECK: memref.load
  // CHECK-NEXT: memref.store
  gpu.func @strided(%x: memref<?xf32, strided<[?]>, #gl>, %a: memref<32xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] in_bounds engine<vector, width = 4>
          : memref<32xf32, #ws>, memref<?xf32, strided<[?]>, #gl>
    }
    gpu.return
  }

  // Whole granules by the engine, the rest by atomics.
  // CHECK-LABEL: gpu.func @reductions
  // CHECK: carousel.bulk.reduce max s32 %{{.*}}, 1024 :
  // CHECK: carousel.bulk.reduce max s32
  // CHECK: memref.atomic_rmw maxs
  gpu.func @reductions(%x: memref<?xi32, #gl>, %a: memref<256xi32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] reduce<max s32> engine<bulk> : memref<256xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @atomics
  // CHECK: memref.atomic_rmw addf
  // CHECK: memref.atomic_rmw minnumf
  // CHECK: memref.atomic_rmw minu
  // CHECK: memref.generic_atomic_rmw
  // CHECK: arith.cmpi uge
  gpu.func @atomics(%x: memref<?xi32, #gl>, %a: memref<32xi32, #ws>, %y: memref<?xf16, #gl>, %b: memref<32xf16, #ws>,
                    %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %b to %y[%i] in_bounds reduce<add f16> engine<vector, width = 2>
          : memref<32xf16, #ws>, memref<?xf16, #gl>
      carousel.ring.store %b to %y[%i] in_bounds reduce<min f16> engine<vector, width = 2>
          : memref<32xf16, #ws>, memref<?xf16, #gl>
      carousel.ring.store %a to %x[%i] in_bounds reduce<min u32> engine<vector, width = 4>
          : memref<32xi32, #ws>, memref<?xi32, #gl>
      carousel.ring.store %a to %x[%i] in_bounds reduce<inc u32> engine<vector, width = 4>
          : memref<32xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // Boxes in the order of their grid, one behind the other in the tile. The engine fills and clips.
  // CHECK-LABEL: gpu.func @boxes
  // CHECK: carousel.mbarrier.arrive_expect_tx %{{.*}}, 2048
  // CHECK: carousel.tensor.load %{{.*}}[%[[ROW:.*]], %[[COLUMN:.*]]] to %{{.*}}[%c0, %c0]
  // CHECK: %[[RIGHT:.*]] = arith.addi %[[COLUMN]], %c16_i32
  // CHECK-NEXT: carousel.tensor.load %{{.*}}[%[[ROW]], %[[RIGHT]]] to %{{.*}}[%c4, %c0]
  // CHECK: %[[DOWN:.*]] = arith.addi %[[ROW]], %c8_i32
  // CHECK-NEXT: carousel.tensor.load %{{.*}}[%[[DOWN]], %[[COLUMN]]] to %{{.*}}[%c8, %c0]
  // CHECK-NEXT: carousel.tensor.load %{{.*}}[%[[DOWN]], %[[RIGHT]]] to %{{.*}}[%c12, %c0]
  gpu.func @boxes(%x: !matrix, %a: memref<16x32xf32, #ws>, %map: !carousel.tensor_map<8x16xf32>, %i: index,
                  %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%i, %j] to %a engine<tensor> map %map
          : !matrix, memref<16x32xf32, #ws>, !carousel.tensor_map<8x16xf32>
    }
    gpu.return
  }
}
