// Declared effects: pure ops are merged, hoisted, and erased if their result is unused.
// RUN: carousel-opt %s --cse --canonicalize --loop-invariant-code-motion --cse --canonicalize | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// CHECK-LABEL: func @pure_merged
// CHECK: %[[RANK:.+]] = carousel.cluster.rank
// CHECK: %[[SIZE:.+]] = carousel.cluster.size
// CHECK: %[[FRACTIONAL:.+]] = carousel.cache_policy.fractional
// CHECK: %[[RANGE:.+]] = carousel.cache_policy.range
// CHECK: %[[CONVERTED:.+]] = carousel.cache_policy.convert
// CHECK: %[[MAP:.+]] = carousel.tensor_map.get
// CHECK: call @ranks(%[[RANK]], %[[RANK]], %[[SIZE]], %[[SIZE]])
// CHECK: call @policies(%[[FRACTIONAL]], %[[FRACTIONAL]], %[[RANGE]], %[[RANGE]], %[[CONVERTED]], %[[CONVERTED]])
// CHECK: call @maps(%[[MAP]], %[[MAP]])
func.func private @ranks(i32, i32, i32, i32)
func.func private @policies(i64, i64, i64, i64, i64, i64)
func.func private @maps(!carousel.tensor_map<4x4xf32>, !carousel.tensor_map<4x4xf32>)
func.func @pure_merged(%x: memref<?xf32, #gl>, %maps: memref<?x!carousel.tensor_map<4x4xf32>, #gl>,
                       %property: i64, %bytes: i32, %i: index) {
  %rank0 = carousel.cluster.rank
  %rank1 = carousel.cluster.rank
  %size0 = carousel.cluster.size
  %size1 = carousel.cluster.size
  %fractional0 = carousel.cache_policy.fractional evict_last
  %fractional1 = carousel.cache_policy.fractional evict_last
  %range0 = carousel.cache_policy.range evict_last %x[%i], %bytes, %bytes : memref<?xf32, #gl>
  %range1 = carousel.cache_policy.range evict_last %x[%i], %bytes, %bytes : memref<?xf32, #gl>
  %converted0 = carousel.cache_policy.convert %property
  %converted1 = carousel.cache_policy.convert %property
  %map0 = carousel.tensor_map.get %maps[%i]
      : memref<?x!carousel.tensor_map<4x4xf32>, #gl> -> !carousel.tensor_map<4x4xf32>
  %map1 = carousel.tensor_map.get %maps[%i]
      : memref<?x!carousel.tensor_map<4x4xf32>, #gl> -> !carousel.tensor_map<4x4xf32>
  call @ranks(%rank0, %rank1, %size0, %size1) : (i32, i32, i32, i32) -> ()
  call @policies(%fractional0, %fractional1, %range0, %range1, %converted0, %converted1)
      : (i64, i64, i64, i64, i64, i64) -> ()
  call @maps(%map0, %map1) : (!carousel.tensor_map<4x4xf32>, !carousel.tensor_map<4x4xf32>) -> ()
  return
}

// CHECK-LABEL: func @pure_addresses_merged
// CHECK: %[[PEER:.+]] = carousel.cluster.map_shared
// CHECK: %[[OWNER:.+]] = carousel.cluster.rank_of
// CHECK: %[[COUNT:.+]] = carousel.mbarrier.pending_count
// CHECK: return %[[PEER]], %[[PEER]], %[[OWNER]], %[[OWNER]], %[[COUNT]], %[[COUNT]]
func.func @pure_addresses_merged(%tile: memref<4xf32, #ws>, %rank: i32,
                                 %state: !carousel.mbarrier_state)
    -> (memref<4xf32, #cluster>, memref<4xf32, #cluster>, i32, i32, i32, i32) {
  %peer0 = carousel.cluster.map_shared %tile, %rank : memref<4xf32, #ws> to memref<4xf32, #cluster>
  %peer1 = carousel.cluster.map_shared %tile, %rank : memref<4xf32, #ws> to memref<4xf32, #cluster>
  %owner0 = carousel.cluster.rank_of %peer0 : memref<4xf32, #cluster>
  %owner1 = carousel.cluster.rank_of %peer1 : memref<4xf32, #cluster>
  %count0 = carousel.mbarrier.pending_count %state
  %count1 = carousel.mbarrier.pending_count %state
  return %peer0, %peer1, %owner0, %owner1, %count0, %count1
      : memref<4xf32, #cluster>, memref<4xf32, #cluster>, i32, i32, i32, i32
}

// CHECK-LABEL: func @pure_dead
// CHECK-NEXT: return
func.func @pure_dead(%tile: memref<4xf32, #ws>, %property: i64,
                     %maps: memref<?x!carousel.tensor_map<4x4xf32>, #gl>, %i: index) {
  %rank = carousel.cluster.rank
  %peer = carousel.cluster.map_shared %tile, %rank : memref<4xf32, #ws> to memref<4xf32, #cluster>
  %policy = carousel.cache_policy.fractional evict_last
  %converted = carousel.cache_policy.convert %property
  %map = carousel.tensor_map.get %maps[%i]
      : memref<?x!carousel.tensor_map<4x4xf32>, #gl> -> !carousel.tensor_map<4x4xf32>
  return
}

// CHECK-LABEL: func @pure_hoisted
// CHECK: carousel.cluster.rank
// CHECK: carousel.cluster.map_shared
// CHECK: carousel.cache_policy.fractional
// CHECK: scf.for
// CHECK-NEXT: carousel.bulk.copy_cluster
// CHECK-NEXT: carousel.bulk.load
func.func @pure_hoisted(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>,
                        %full: memref<!carousel.mbarrier, #ws>, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %rank = carousel.cluster.rank
    %peer = carousel.cluster.map_shared %tile, %rank
        : memref<4xf32, #ws> to memref<4xf32, #cluster>
    %peer_full = carousel.cluster.map_shared %full, %rank
        : memref<!carousel.mbarrier, #ws> to memref<!carousel.mbarrier, #cluster>
    %policy = carousel.cache_policy.fractional evict_last
    carousel.bulk.copy_cluster %tile[%c0] to %peer[%c0], 16 signals %peer_full[]
        : memref<4xf32, #ws>, memref<4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    carousel.bulk.load %x[%i] to %tile[%c0], 16 signals %full[] cache %policy
        : memref<?xf32, #gl>, memref<4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  }
  return
}

// CHECK-LABEL: func @rounded_once
// CHECK-SAME: (%[[NUMBER:.+]]: f32)
// CHECK: %[[ROUNDED:.+]] = carousel.round_tf32 %[[NUMBER]] : f32
// CHECK-NEXT: return %[[ROUNDED]], %[[ROUNDED]]
func.func @rounded_once(%number: f32) -> (f32, f32) {
  %once = carousel.round_tf32 %number : f32
  %again = carousel.round_tf32 %number : f32
  %twice = carousel.round_tf32 %again : f32
  return %once, %twice : f32, f32
}
