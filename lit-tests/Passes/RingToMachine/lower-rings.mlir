// The lowering of rings, barriers and roles.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-lower-rings),canonicalize,cse)' | FileCheck %s --check-prefix=SM80
// A second run finds nothing to do.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' -o %t.twice
// RUN: diff %t.once %t.twice

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<3 x !tile>

gpu.module @kernels {
  // A slot's number and parity, and waits for the slot with the other parity.
  // CHECK-LABEL: gpu.func @phases
  // CHECK: %[[BYTES:.*]] = memref.alloc() {alignment = 16 : i64} : memref<12288xi8,
  // CHECK: %[[FULL:.*]] = memref.alloc() : memref<3x!carousel.mbarrier,
  // CHECK: %[[EMPTY:.*]] = memref.alloc() : memref<3x!carousel.mbarrier,
  // CHECK: %[[ID:.*]] = gpu.thread_id x
  // CHECK: %[[THREAD:.*]] = arith.index_cast %[[ID]] : index to i32
  // CHECK: %[[LEADER:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
  // CHECK: scf.if %[[LEADER]] {
  // CHECK-COUNT-3: carousel.mbarrier.init %[[FULL]][{{.*}}], 1
  // CHECK-COUNT-3: carousel.mbarrier.init %[[EMPTY]][{{.*}}], 4
  // CHECK-NEXT: carousel.fence.mbarrier_init
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // SM80-LABEL: gpu.func @phases
  // SM80-NOT: carousel.fence
  // SM80: gpu.barrier
  gpu.func @phases(%x: !vector, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !ring
    // CHECK-DAG: %[[USE:.*]] = gpu.block_id x
    // CHECK-DAG: %[[K:.*]] = arith.index_cast %[[USE]] : index to i32
    // CHECK-DAG: %[[ROUND:.*]] = arith.divui %[[K]], %c3_i32
    // CHECK-DAG: %[[REST:.*]] = arith.remui %[[K]], %c3_i32
    // CHECK-DAG: %[[SLOT:.*]] = arith.index_cast %[[REST]] : i32 to index
    // CHECK-DAG: %[[PARITY:.*]] = arith.trunci %[[ROUND]] : i32 to i1
    // CHECK-DAG: %[[FREED:.*]] = arith.xori %[[PARITY]], %true
    %k = gpu.block_id x
    // CHECK: scf.if %[[LEADER]] {
    // CHECK-NEXT: carousel.mbarrier.wait %[[EMPTY]][%[[SLOT]]] parity %[[FREED]]
    // CHECK-NEXT: %[[SHIFT:.*]] = arith.muli %[[SLOT]], %c4096
    // CHECK-NEXT: %[[TILE:.*]] = memref.view %[[BYTES]][%[[SHIFT]]][] : {{.*}} to memref<1024xf32,
    // CHECK-NEXT: carousel.mbarrier.arrive_expect_tx %[[FULL]][%[[SLOT]]], 4096
    // CHECK-NEXT: carousel.bulk.load %{{.*}}[%{{.*}}] to %[[TILE]][%c0], 4096 signals %[[FULL]][%[[SLOT]]]
    // CHECK-NEXT: }
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile in_bounds engine<bulk> : !vector, !tile
    }
    // CHECK-NEXT: carousel.mbarrier.wait %[[FULL]][%[[SLOT]]] parity %[[PARITY]]
    carousel.ring.wait %ring[%k] : !ring
    // CHECK-NEXT: carousel.barrier.warp
    // CHECK: scf.if %{{.*}} {
    // CHECK-NEXT: carousel.mbarrier.arrive %[[EMPTY]][%[[SLOT]]]
    // CHECK-NEXT: }
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // Slots are padded to what the map of their tile wants; the map is prefetched.
  // CHECK-LABEL: gpu.func @aligned_slots
  // CHECK: memref.alloc() {alignment = 1024 : i64} : memref<2048xi8,
  // CHECK: carousel.tensor_map.prefetch %{{.*}} space(param)
  // CHECK: carousel.mbarrier.arrive_expect_tx %{{.*}}, 512
  // CHECK: carousel.tensor.load %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}}[%c0, %c0]
  gpu.func @aligned_slots(%x: memref<?x?xf32, #gl>, %map: !carousel.tensor_map<4x32xf32, swizzle = b128>, %i: index)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !carousel.ring<2 x memref<4x32xf32, #ws>>
    carousel.ring.produce %ring[%i] : !carousel.ring<2 x memref<4x32xf32, #ws>> {
      %tile = carousel.ring.tile %ring[%i], 0 : !carousel.ring<2 x memref<4x32xf32, #ws>> -> memref<4x32xf32, #ws>
      carousel.ring.load %x[%i, %i] to %tile swizzle(b128) engine<tensor> map %map
          : memref<?x?xf32, #gl>, memref<4x32xf32, #ws>, !carousel.tensor_map<4x32xf32, swizzle = b128>
    }
    gpu.return
  }

  // Bytes are told where they are issued, under the same condition; the arrival is not.
  // CHECK-LABEL: gpu.func @conditional
  // CHECK: carousel.mbarrier.init %{{.*}}, 1
  // CHECK: scf.if
  // CHECK: scf.if %{{.*}} {
  // CHECK: carousel.mbarrier.expect_tx %[[FULL:.*]][%{{.*}}], 4096
  // CHECK-NEXT: carousel.bulk.load
  // CHECK-NEXT: }
  // CHECK-NEXT: carousel.mbarrier.arrive %[[FULL]]
  gpu.func @conditional(%x: !vector, %i: index, %k: index, %c: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%k] : !ring {
      scf.if %c {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile in_bounds engine<bulk> : !vector, !tile
      }
    }
    gpu.return
  }

  // One thread, every thread with its cp.async and every warp with its stores arrive; all wait for the slot.
  // CHECK-LABEL: gpu.func @all_engines
  // CHECK: carousel.mbarrier.init %[[FULL:.*]][{{.*}}], 133
  // CHECK: scf.if
  // CHECK: carousel.mbarrier.wait %[[EMPTY:.*]][
  // CHECK: carousel.mbarrier.arrive_expect_tx %[[FULL]][%{{.*}}], 4096
  // CHECK: carousel.bulk.load
  // CHECK: }
  // CHECK-NEXT: carousel.mbarrier.wait %[[EMPTY]][
  // CHECK-NOT: scf.if
  // CHECK: carousel.cp_async.copy cg %{{.*}}, 16 :
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<2xf32>
  // CHECK: carousel.cp_async.mbarrier_arrive %[[FULL]][%{{.*}}] noinc
  // CHECK-NEXT: carousel.barrier.warp
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: carousel.mbarrier.arrive %[[FULL]]
  gpu.func @all_engines(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !carousel.ring<3 x !tile, !tile, !tile>
    carousel.ring.produce %ring[%k] : !carousel.ring<3 x !tile, !tile, !tile> {
      %a = carousel.ring.tile %ring[%k], 0 : !carousel.ring<3 x !tile, !tile, !tile> -> !tile
      %b = carousel.ring.tile %ring[%k], 1 : !carousel.ring<3 x !tile, !tile, !tile> -> !tile
      %c = carousel.ring.tile %ring[%k], 2 : !carousel.ring<3 x !tile, !tile, !tile> -> !tile
      carousel.ring.load %x[%i] to %a in_bounds engine<bulk> : !vector, !tile
      carousel.ring.load %x[%i] to %b in_bounds engine<cp_async, width = 16> : !vector, !tile
      carousel.ring.load %x[%i] to %c in_bounds engine<vector, width = 8> : !vector, !tile
    }
    carousel.ring.release %ring[%k] : !carousel.ring<3 x !tile, !tile, !tile>
    gpu.return
  }

  // A block that isn't made of whole warps: each thread arrives.
  // CHECK-LABEL: gpu.func @part_of_warp
  // CHECK: %[[FULL:.*]] = memref.alloc() : memref<3x!carousel.mbarrier,
  // CHECK: %[[EMPTY:.*]] = memref.alloc() : memref<3x!carousel.mbarrier,
  // CHECK-COUNT-3: carousel.mbarrier.init %[[FULL]][{{.*}}], 40
  // CHECK-COUNT-3: carousel.mbarrier.init %[[EMPTY]][{{.*}}], 40
  // CHECK-NOT: carousel.barrier.warp
  // CHECK: carousel.mbarrier.arrive %[[FULL]]
  // CHECK-NOT: carousel.barrier.warp
  // CHECK: carousel.mbarrier.arrive %[[EMPTY]]
  gpu.func @part_of_warp(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 5, 4, 2>} {
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile in_bounds engine<vector, width = 16> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    %v = memref.load %tile[%i] : !tile
    memref.store %v, %x[%i] : !vector
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // A row of barriers for each warp, and the warp's own lane.
  // CHECK-LABEL: gpu.func @warps
  // CHECK: %[[FULL:.*]] = memref.alloc() : memref<4x3x!carousel.mbarrier,
  // CHECK: %[[WARP_I32:.*]] = arith.divui %{{.*}}, %c32_i32
  // CHECK: %[[WARP:.*]] = arith.index_cast %[[WARP_I32]]
  // CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
  // CHECK: %[[LEADER:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
  // CHECK: scf.if %[[LEADER]]
  // CHECK: carousel.bulk.load {{.*}} signals %[[FULL]][%[[WARP]], %{{.*}}]
  // CHECK: carousel.mbarrier.wait %[[FULL]][%[[WARP]], %{{.*}}]
  // CHECK-NEXT: carousel.barrier.warp
  // CHECK-NEXT: gpu.return
  gpu.func @warps(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create scope(warp) release(warp_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile scope(warp) in_bounds engine<bulk> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // The kernel starts with what 128 threads with 40 registers and 256 with 232 have each, on the average.
  // CHECK-LABEL: gpu.func @roles
  // CHECK-SAME: nvvm.maxnreg = 168 : i32
  // CHECK: %[[PRODUCES:.*]] = arith.cmpi uge, %[[THREAD:.*]], %c256_i32
  // CHECK: scf.if %[[PRODUCES]] {
  // CHECK-NEXT: carousel.set_max_registers dec 40
  // CHECK-NEXT: carousel.barrier.sync 1 threads(128)
  // CHECK-NEXT: scf.if %[[LEADER:.*]] {
  // CHECK: carousel.mbarrier.arrive_expect_tx
  // CHECK: } else {
  // CHECK-NEXT: carousel.set_max_registers inc 232
  // CHECK-NEXT: carousel.barrier.sync 2 threads(256)
  // CHECK-NEXT: carousel.barrier.sync %[[ID:.*]] threads(128)
  // CHECK-NEXT: }
  // SM80-LABEL: gpu.func @roles
  // SM80-NOT: nvvm.maxnreg
  // SM80-NOT: set_max_registers
  // SM80: carousel.barrier.sync 2
  gpu.func @roles(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>} {
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(128) registers(40) {
      carousel.ring.sync
      carousel.ring.produce %ring[%k] : !ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile in_bounds engine<bulk> : !vector, !tile
      }
    } consumer threads(256) registers(232) {
      carousel.ring.sync
      carousel.ring.sync scope(warpgroup)
    }
    gpu.return
  }

  // Groups count submits, whatever is in them; the same thread commits and waits.
  // CHECK-LABEL: gpu.func @groups
  // CHECK: scf.if %[[LEADER:.*]] {
  // CHECK: carousel.bulk.store
  // CHECK-NEXT: carousel.bulk.commit_group
  // CHECK-NEXT: carousel.bulk.commit_group
  // CHECK-NEXT: }
  // CHECK: vector.store
  // CHECK: scf.if %[[LEADER]] {
  // CHECK-NEXT: carousel.bulk.wait_group read 1
  // CHECK-NEXT: }
  gpu.func @groups(%x: !vector, %i: index, %tile: !tile) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %tile to %x[%i] in_bounds engine<bulk> : !tile, !vector
    }
    carousel.ring.submit {
      carousel.ring.store %tile to %x[%i] in_bounds engine<vector, width = 16> : !tile, !vector
    }
    carousel.ring.wait_stores read 1
    gpu.return
  }

  // Stores that the threads make have nothing to wait for, and no groups.
  // CHECK-LABEL: gpu.func @no_groups
  // CHECK-NOT: carousel.bulk
  // CHECK: gpu.return
  gpu.func @no_groups(%x: !vector, %i: index, %tile: !tile) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %tile to %x[%i] in_bounds engine<vector, width = 16> : !tile, !vector
    }
    carousel.ring.wait_stores complete 0
    gpu.return
  }

  // The policy is made once, at the kernel's top; what threads copy has none.
  // CHECK-LABEL: gpu.func @cache
  // CHECK: %[[POLICY:.*]] = carousel.cache_policy.fractional evict_first
  // CHECK-NOT: carousel.cache_policy
  // CHECK: carousel.bulk.load {{.*}} cache %[[POLICY]]
  // CHECK-NOT: cache %[[POLICY]]
  // CHECK: gpu.return
  gpu.func @cache(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !carousel.ring<3 x !tile, !tile, !tile>
    carousel.ring.produce %ring[%k] : !carousel.ring<3 x !tile, !tile, !tile> {
      %a = carousel.ring.tile %ring[%k], 0 : !carousel.ring<3 x !tile, !tile, !tile> -> !tile
      %b = carousel.ring.tile %ring[%k], 1 : !carousel.ring<3 x !tile, !tile, !tile> -> !tile
      %c = carousel.ring.tile %ring[%k], 2 : !carousel.ring<3 x !tile, !tile, !tile> -> !tile
      carousel.ring.load %x[%i] to %a in_bounds cache(evict_first) engine<bulk> : !vector, !tile
      carousel.ring.load %x[%i] to %b in_bounds cache(evict_first) engine<cp_async, width = 16> : !vector, !tile
      carousel.ring.load %x[%i] to %c in_bounds cache(evict_first) engine<vector, width = 8> : !vector, !tile
    }
    gpu.return
  }
}
