// Round trip of fences, barriers, clusters and grids in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// CHECK-LABEL: func @fence_thread
// DOC-EXAMPLE: carousel.fence.thread
func.func @fence_thread() {
  // CHECK: carousel.fence.thread acq_rel gpu
  carousel.fence.thread acq_rel gpu
  // CHECK: carousel.fence.thread acquire cta
  carousel.fence.thread acquire cta
  // CHECK: carousel.fence.thread release cluster
  carousel.fence.thread release cluster
  // CHECK: carousel.fence.thread sc sys
  carousel.fence.thread sc sys
  return
}

// CHECK-LABEL: func @fence_proxy
// DOC-EXAMPLE: carousel.fence.proxy
func.func @fence_proxy() {
  // CHECK: carousel.fence.proxy async_shared_cta
  carousel.fence.proxy async_shared_cta
  // CHECK: carousel.fence.proxy alias
  carousel.fence.proxy alias
  // CHECK: carousel.fence.proxy async{{$}}
  carousel.fence.proxy async
  // CHECK: carousel.fence.proxy async_global
  carousel.fence.proxy async_global
  // CHECK: carousel.fence.proxy async_shared_cluster
  carousel.fence.proxy async_shared_cluster
  return
}

// CHECK-LABEL: func @fence_others
// DOC-EXAMPLE: carousel.fence.mbarrier_init, carousel.fence.proxy_sync_restrict
// DOC-EXAMPLE: carousel.fence.sync_restrict, carousel.fence.tensor_map_acquire
// DOC-EXAMPLE: carousel.fence.tensor_map_release
func.func @fence_others(%map: !carousel.tensor_map<64x32xf32>) {
  // CHECK: carousel.fence.mbarrier_init
  carousel.fence.mbarrier_init
  // CHECK: carousel.fence.sync_restrict release
  carousel.fence.sync_restrict release
  // CHECK: carousel.fence.sync_restrict acquire
  carousel.fence.sync_restrict acquire
  // CHECK: carousel.fence.proxy_sync_restrict acquire
  carousel.fence.proxy_sync_restrict acquire
  // CHECK: carousel.fence.proxy_sync_restrict release
  carousel.fence.proxy_sync_restrict release
  // CHECK: carousel.fence.tensor_map_release gpu
  carousel.fence.tensor_map_release gpu
  // CHECK: carousel.fence.tensor_map_release cta
  carousel.fence.tensor_map_release cta
  // CHECK: carousel.fence.tensor_map_acquire %[[MAP:.+]] gpu : !carousel.tensor_map<64x32xf32>
  carousel.fence.tensor_map_acquire %map gpu : !carousel.tensor_map<64x32xf32>
  // CHECK: carousel.fence.tensor_map_acquire %[[MAP]] sys : !carousel.tensor_map<64x32xf32>
  carousel.fence.tensor_map_acquire %map sys : !carousel.tensor_map<64x32xf32>
  return
}

// CHECK-LABEL: func @elect
// CHECK-SAME: (%[[MASK:.+]]: i32)
// DOC-EXAMPLE: carousel.elect
func.func @elect(%mask: i32) {
  // CHECK: %{{.+}} = carousel.elect{{$}}
  %elected = carousel.elect
  // CHECK: %{{.+}} = carousel.elect mask %[[MASK]]
  %0 = carousel.elect mask %mask
  return
}

// CHECK-LABEL: func @named_barriers
// CHECK-SAME: (%[[ID:.+]]: i32)
// DOC-EXAMPLE: carousel.barrier.arrive, carousel.barrier.sync
func.func @named_barriers(%id: i32) {
  // CHECK: carousel.barrier.sync 1 threads(128)
  carousel.barrier.sync 1 threads(128)
  // CHECK: carousel.barrier.sync 0{{$}}
  carousel.barrier.sync 0
  // CHECK: carousel.barrier.sync %[[ID]] threads(1024) unaligned
  carousel.barrier.sync %id threads(1024) unaligned
  // CHECK: carousel.barrier.sync 15 unaligned
  carousel.barrier.sync 15 unaligned
  // CHECK: carousel.barrier.arrive 1 threads(128)
  carousel.barrier.arrive 1 threads(128)
  // CHECK: carousel.barrier.arrive %[[ID]] threads(32) unaligned
  carousel.barrier.arrive %id threads(32) unaligned
  return
}

// CHECK-LABEL: func @warp_barrier
// CHECK-SAME: (%[[MASK:.+]]: i32)
// DOC-EXAMPLE: carousel.barrier.warp
func.func @warp_barrier(%mask: i32) {
  // CHECK: carousel.barrier.warp{{$}}
  carousel.barrier.warp
  // CHECK: carousel.barrier.warp mask %[[MASK]]
  carousel.barrier.warp mask %mask
  return
}

// CHECK-LABEL: func @set_max_registers
// DOC-EXAMPLE: carousel.set_max_registers
func.func @set_max_registers() {
  // CHECK: carousel.set_max_registers dec 40
  carousel.set_max_registers dec 40
  // CHECK: carousel.set_max_registers inc 256
  carousel.set_max_registers inc 256
  // CHECK: carousel.set_max_registers dec 24
  carousel.set_max_registers dec 24
  return
}

// CHECK-LABEL: func @cluster_addresses
// DOC-EXAMPLE: carousel.cluster.map_shared, carousel.cluster.rank, carousel.cluster.size
func.func @cluster_addresses(%tile: memref<1024xf32, #ws>,
                             %full: memref<4x!carousel.mbarrier, #ws>) {
  // CHECK: %[[RANK:.+]] = carousel.cluster.rank
  %rank = carousel.cluster.rank
  // CHECK: carousel.cluster.size
  %size = carousel.cluster.size
  // CHECK: %[[PEER:.+]] = carousel.cluster.map_shared %[[TILE:.+]], %[[RANK]] : memref<1024xf32, #gpu.address_space<workgroup>> to memref<1024xf32, #nvvm.memory_space<shared_cluster>>
  %peer = carousel.cluster.map_shared %tile, %rank
      : memref<1024xf32, #gpu.address_space<workgroup>>
        to memref<1024xf32, #nvvm.memory_space<shared_cluster>>
  // CHECK: carousel.cluster.map_shared %{{.+}}, %[[RANK]] : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>> to memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  %peer_full = carousel.cluster.map_shared %full, %rank
      : memref<4x!carousel.mbarrier, #ws> to memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.cluster.rank_of %[[PEER]] : memref<1024xf32, #nvvm.memory_space<shared_cluster>>
  %owner = carousel.cluster.rank_of %peer : memref<1024xf32, #nvvm.memory_space<shared_cluster>>
  // CHECK: carousel.cluster.rank_of %[[TILE]] : memref<1024xf32, #gpu.address_space<workgroup>>
  %self = carousel.cluster.rank_of %tile : memref<1024xf32, #ws>
  return
}

// The description's example of gather, word for word.
// CHECK-LABEL: func @cluster_gather
// DOC-EXAMPLE: carousel.cluster.gather
func.func @cluster_gather(%sum: f32, %count: i64) -> (vector<4xf32>, vector<8xi64>) {
  // CHECK: carousel.cluster.gather %{{.+}} : f32 -> vector<4xf32>
  %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
  // CHECK: carousel.cluster.gather %{{.+}} : i64 -> vector<8xi64>
  %counts = carousel.cluster.gather %count : i64 -> vector<8xi64>
  return %sums, %counts : vector<4xf32>, vector<8xi64>
}

// The description's example of rank_of, word for word.
// CHECK-LABEL: func @cluster_rank_of
// DOC-EXAMPLE: carousel.cluster.rank_of
func.func @cluster_rank_of(%peer: memref<1024xf32, #cluster>) {
  // CHECK: carousel.cluster.rank_of
  %rank = carousel.cluster.rank_of %peer : memref<1024xf32, #nvvm.memory_space<shared_cluster>>
  return
}

// CHECK-LABEL: func @cluster_barrier
// DOC-EXAMPLE: carousel.cluster.arrive, carousel.cluster.wait
func.func @cluster_barrier() {
  // CHECK: carousel.cluster.arrive semantics(relaxed){{$}}
  carousel.cluster.arrive semantics(relaxed)
  // CHECK: carousel.cluster.arrive{{$}}
  carousel.cluster.arrive semantics(release)
  // CHECK: carousel.cluster.arrive unaligned
  carousel.cluster.arrive unaligned
  // CHECK: carousel.cluster.arrive semantics(relaxed) unaligned
  carousel.cluster.arrive semantics(relaxed) unaligned
  // CHECK: carousel.cluster.wait{{$}}
  carousel.cluster.wait
  // CHECK: carousel.cluster.wait unaligned
  carousel.cluster.wait unaligned
  return
}

// CHECK-LABEL: func @grids
// DOC-EXAMPLE: carousel.grid.dependency_wait, carousel.grid.launch_dependents
// DOC-EXAMPLE: carousel.grid.serial_release, carousel.grid.serial_wait
func.func @grids(%semaphores: memref<?xi32, #gl>, %one: memref<i32, #gl>, %segment: index,
                 %position: i32, %next: i32) {
  // CHECK: carousel.grid.launch_dependents
  carousel.grid.launch_dependents
  // CHECK: carousel.grid.dependency_wait
  carousel.grid.dependency_wait
  // CHECK: carousel.grid.serial_wait %[[SEMAPHORES:.+]][%[[SEGMENT:.+]]], %{{.+}} : memref<?xi32, #gpu.address_space<global>>
  carousel.grid.serial_wait %semaphores[%segment], %position
      : memref<?xi32, #gpu.address_space<global>>
  // CHECK: carousel.grid.serial_wait %[[SEMAPHORES]][%[[SEGMENT]]], %{{.+}} label<barrier = "turns"> : memref
  carousel.grid.serial_wait %semaphores[%segment], %position label<barrier = "turns">
      : memref<?xi32, #gpu.address_space<global>>
  // CHECK: carousel.grid.serial_release %[[SEMAPHORES]][%[[SEGMENT]]], %[[NEXT:.+]] : memref<?xi32, #gpu.address_space<global>>
  carousel.grid.serial_release %semaphores[%segment], %next
      : memref<?xi32, #gpu.address_space<global>>
  // CHECK: carousel.grid.serial_release %{{.+}}[], %[[NEXT]] : memref<i32,
  carousel.grid.serial_release %one[], %next : memref<i32, #gl>
  return
}
