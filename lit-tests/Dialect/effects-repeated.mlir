// Declared effects: ops that wait, arrive, order, copy or hint are neither merged nor erased.
// RUN: carousel-opt %s --cse --canonicalize --loop-invariant-code-motion --cse --canonicalize | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// Each op twice in a row, results unused: nothing is merged and nothing is dead.
// CHECK-LABEL: func @repeated_mbarrier_ops
// CHECK-COUNT-2: carousel.mbarrier.init
// CHECK-COUNT-2: carousel.mbarrier.expect_tx
// CHECK-COUNT-2: carousel.mbarrier.complete_tx
// CHECK-COUNT-2: carousel.mbarrier.arrive %
// CHECK-COUNT-2: carousel.mbarrier.arrive_drop %
// CHECK-COUNT-2: carousel.mbarrier.arrive_expect_tx
// CHECK-COUNT-2: carousel.mbarrier.arrive_drop_expect_tx
// CHECK-COUNT-2: carousel.cp_async.mbarrier_arrive
// CHECK-COUNT-2: carousel.mbarrier.test_wait
// CHECK-COUNT-2: carousel.mbarrier.try_wait
// CHECK-COUNT-2: carousel.mbarrier.wait
// CHECK-COUNT-2: carousel.mbarrier.inval
func.func @repeated_mbarrier_ops(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
  carousel.mbarrier.init %full[], 1 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.init %full[], 1 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.complete_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.complete_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive %full[] : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive %full[] : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive_drop %full[] : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive_drop %full[] : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive_expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive_expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive_drop_expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.arrive_drop_expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
  carousel.cp_async.mbarrier_arrive %full[] : memref<!carousel.mbarrier, #ws>
  carousel.cp_async.mbarrier_arrive %full[] : memref<!carousel.mbarrier, #ws>
  %0 = carousel.mbarrier.test_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  %1 = carousel.mbarrier.test_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  %2 = carousel.mbarrier.try_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  %3 = carousel.mbarrier.try_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.inval %full[] : memref<!carousel.mbarrier, #ws>
  carousel.mbarrier.inval %full[] : memref<!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @repeated_arrives_with_state
// CHECK-COUNT-2: carousel.mbarrier.arrive %
// CHECK-COUNT-2: carousel.mbarrier.arrive_expect_tx
func.func @repeated_arrives_with_state(%full: memref<!carousel.mbarrier, #ws>) {
  %0 = carousel.mbarrier.arrive %full[]
      : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  %1 = carousel.mbarrier.arrive %full[]
      : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  %2 = carousel.mbarrier.arrive_expect_tx %full[], 16
      : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  %3 = carousel.mbarrier.arrive_expect_tx %full[], 16
      : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  return
}

// CHECK-LABEL: func @repeated_groups
// CHECK-COUNT-2: carousel.bulk.commit_group
// CHECK-COUNT-2: carousel.bulk.wait_group read 0
// CHECK-COUNT-2: carousel.cp_async.commit_group
// CHECK-COUNT-2: carousel.cp_async.wait_group 0
// CHECK-COUNT-2: carousel.cp_async.wait_all
func.func @repeated_groups() {
  carousel.bulk.commit_group
  carousel.bulk.commit_group
  carousel.bulk.wait_group read 0
  carousel.bulk.wait_group read 0
  carousel.cp_async.commit_group
  carousel.cp_async.commit_group
  carousel.cp_async.wait_group 0
  carousel.cp_async.wait_group 0
  carousel.cp_async.wait_all
  carousel.cp_async.wait_all
  return
}

// CHECK-LABEL: func @repeated_transfers
// CHECK-COUNT-2: carousel.bulk.load
// CHECK-COUNT-2: carousel.bulk.store
// CHECK-COUNT-2: carousel.bulk.reduce add
// CHECK-COUNT-2: carousel.tensor.load
// CHECK-COUNT-2: carousel.tensor.store
// CHECK-COUNT-2: carousel.tensor.reduce
// CHECK-COUNT-2: carousel.cp_async.copy
func.func @repeated_transfers(%x: memref<?xf32, #gl>, %tile: memref<4x4xf32, #ws>,
                              %full: memref<!carousel.mbarrier, #ws>,
                              %map: !carousel.tensor_map<4x4xf32>, %i: index, %c: i32) {
  carousel.bulk.load %x[%i] to %tile[%i, %i], 16 signals %full[]
      : memref<?xf32, #gl>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  carousel.bulk.load %x[%i] to %tile[%i, %i], 16 signals %full[]
      : memref<?xf32, #gl>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  carousel.bulk.store %tile[%i, %i] to %x[%i], 16 : memref<4x4xf32, #ws>, memref<?xf32, #gl>
  carousel.bulk.store %tile[%i, %i] to %x[%i], 16 : memref<4x4xf32, #ws>, memref<?xf32, #gl>
  carousel.bulk.reduce add f32 %tile[%i, %i] to %x[%i], 16
      : memref<4x4xf32, #ws>, memref<?xf32, #gl>
  carousel.bulk.reduce add f32 %tile[%i, %i] to %x[%i], 16
      : memref<4x4xf32, #ws>, memref<?xf32, #gl>
  carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
      : !carousel.tensor_map<4x4xf32>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
      : !carousel.tensor_map<4x4xf32>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xf32, #ws>, !carousel.tensor_map<4x4xf32>
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xf32, #ws>, !carousel.tensor_map<4x4xf32>
  carousel.tensor.reduce add %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xf32, #ws>, !carousel.tensor_map<4x4xf32>
  carousel.tensor.reduce add %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xf32, #ws>, !carousel.tensor_map<4x4xf32>
  carousel.cp_async.copy ca %x[%i] to %tile[%i, %i], 4 : memref<?xf32, #gl>, memref<4x4xf32, #ws>
  carousel.cp_async.copy ca %x[%i] to %tile[%i, %i], 4 : memref<?xf32, #gl>, memref<4x4xf32, #ws>
  return
}

// CHECK-LABEL: func @repeated_single_values
// CHECK-COUNT-2: carousel.st_async %
// CHECK-COUNT-2: carousel.red_async add
// CHECK-COUNT-2: carousel.st_async_global
// CHECK-COUNT-2: carousel.red_async_global
func.func @repeated_single_values(%v: i32, %peer: memref<64xi32, #cluster>,
                                  %full: memref<!carousel.mbarrier, #cluster>,
                                  %x: memref<?xi32, #gl>, %i: index) {
  carousel.st_async %v to %peer[%i] signals %full[]
      : i32, memref<64xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
  carousel.st_async %v to %peer[%i] signals %full[]
      : i32, memref<64xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
  carousel.red_async add u32 %v to %peer[%i] signals %full[]
      : i32, memref<64xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
  carousel.red_async add u32 %v to %peer[%i] signals %full[]
      : i32, memref<64xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
  carousel.st_async_global %v to %x[%i] scope(gpu) : i32, memref<?xi32, #gl>
  carousel.st_async_global %v to %x[%i] scope(gpu) : i32, memref<?xi32, #gl>
  carousel.red_async_global u32 %v to %x[%i] scope(gpu) : i32, memref<?xi32, #gl>
  carousel.red_async_global u32 %v to %x[%i] scope(gpu) : i32, memref<?xi32, #gl>
  return
}

// CHECK-LABEL: func @repeated_fences
// CHECK-COUNT-2: carousel.fence.thread
// CHECK-COUNT-2: carousel.fence.proxy async
// CHECK-COUNT-2: carousel.fence.mbarrier_init
// CHECK-COUNT-2: carousel.fence.sync_restrict
// CHECK-COUNT-2: carousel.fence.proxy_sync_restrict
// CHECK-COUNT-2: carousel.fence.tensor_map_release
// CHECK-COUNT-2: carousel.fence.tensor_map_acquire
func.func @repeated_fences(%map: !carousel.tensor_map<4x4xf32>) {
  carousel.fence.thread acq_rel cta
  carousel.fence.thread acq_rel cta
  carousel.fence.proxy async
  carousel.fence.proxy async
  carousel.fence.mbarrier_init
  carousel.fence.mbarrier_init
  carousel.fence.sync_restrict release
  carousel.fence.sync_restrict release
  carousel.fence.proxy_sync_restrict acquire
  carousel.fence.proxy_sync_restrict acquire
  carousel.fence.tensor_map_release gpu
  carousel.fence.tensor_map_release gpu
  carousel.fence.tensor_map_acquire %map gpu : !carousel.tensor_map<4x4xf32>
  carousel.fence.tensor_map_acquire %map gpu : !carousel.tensor_map<4x4xf32>
  return
}

// CHECK-LABEL: func @repeated_barriers
// CHECK-COUNT-2: carousel.barrier.sync
// CHECK-COUNT-2: carousel.barrier.arrive
// CHECK-COUNT-2: carousel.barrier.warp
// CHECK-COUNT-2: carousel.set_max_registers
// CHECK-COUNT-2: carousel.cluster.arrive
// CHECK-COUNT-2: carousel.cluster.wait
// CHECK-COUNT-2: carousel.grid.launch_dependents
// CHECK-COUNT-2: carousel.grid.dependency_wait
// CHECK-COUNT-2: carousel.grid.serial_wait
// CHECK-COUNT-2: carousel.grid.serial_release
func.func @repeated_barriers(%semaphore: memref<i32, #gl>, %turn: i32) {
  carousel.barrier.sync 1
  carousel.barrier.sync 1
  carousel.barrier.arrive 1 threads(64)
  carousel.barrier.arrive 1 threads(64)
  carousel.barrier.warp
  carousel.barrier.warp
  carousel.set_max_registers dec 40
  carousel.set_max_registers dec 40
  carousel.cluster.arrive
  carousel.cluster.arrive
  carousel.cluster.wait
  carousel.cluster.wait
  carousel.grid.launch_dependents
  carousel.grid.launch_dependents
  carousel.grid.dependency_wait
  carousel.grid.dependency_wait
  carousel.grid.serial_wait %semaphore[], %turn : memref<i32, #gl>
  carousel.grid.serial_wait %semaphore[], %turn : memref<i32, #gl>
  carousel.grid.serial_release %semaphore[], %turn : memref<i32, #gl>
  carousel.grid.serial_release %semaphore[], %turn : memref<i32, #gl>
  return
}

// CHECK-LABEL: func @repeated_descriptor_writes
// CHECK-COUNT-2: carousel.tensor_map.replace
// CHECK-COUNT-2: carousel.tensor_map.copy_fence
func.func @repeated_descriptor_writes(%local: memref<!carousel.tensor_map<4x4xf32>, #ws>,
                                      %maps: memref<!carousel.tensor_map<4x4xf32>, #gl>,
                                      %rows: i32) {
  carousel.tensor_map.replace global_dim dim(1) of %local[] with %rows
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i32
  carousel.tensor_map.replace global_dim dim(1) of %local[] with %rows
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i32
  carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu)
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, memref<!carousel.tensor_map<4x4xf32>, #gl>
  carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu)
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, memref<!carousel.tensor_map<4x4xf32>, #gl>
  return
}

// A hint has no result and no effect that a program can tell, but whoever wrote it wants it.
// CHECK-LABEL: func @hints
// CHECK: carousel.bulk.prefetch
// CHECK: carousel.tensor.prefetch
// CHECK: carousel.tensor_map.prefetch
// CHECK: carousel.prefetch
func.func @hints(%x: memref<?xf32, #gl>, %map: !carousel.tensor_map<4x4xf32>, %i: index, %c: i32) {
  carousel.bulk.prefetch %x[%i], 16 : memref<?xf32, #gl>
  carousel.tensor.prefetch %map[%c, %c] : !carousel.tensor_map<4x4xf32>
  carousel.tensor_map.prefetch %map : !carousel.tensor_map<4x4xf32>
  carousel.prefetch l2 %x[%i] : memref<?xf32, #gl>
  return
}

// One election per place: the hardware may elect another thread where others are active.
// CHECK-LABEL: func @repeated_election
// CHECK-COUNT-2: carousel.elect
func.func @repeated_election() -> (i1, i1) {
  %0 = carousel.elect
  %1 = carousel.elect
  return %0, %1 : i1, i1
}

// A reduction counts twice, and a store may be seen by another GPU in between.
// CHECK-LABEL: func @repeated_multimem_ops
// CHECK-COUNT-2: carousel.multimem.store
// CHECK-COUNT-2: carousel.multimem.reduce
func.func @repeated_multimem_ops(%all: memref<?xi32, #gl>, %i: index, %v: i32) {
  carousel.multimem.store %v to %all[%i] : i32, memref<?xi32, #gl>
  carousel.multimem.store %v to %all[%i] : i32, memref<?xi32, #gl>
  carousel.multimem.reduce add u32 %v to %all[%i] : i32, memref<?xi32, #gl>
  carousel.multimem.reduce add u32 %v to %all[%i] : i32, memref<?xi32, #gl>
  return
}

// CHECK-LABEL: func @repeated_vector_reduce
// CHECK-COUNT-2: carousel.vector.reduce
func.func @repeated_vector_reduce(%z: memref<?xf32, #gl>, %i: index, %v: vector<4xf32>) {
  carousel.vector.reduce add f32 %v to %z[%i] : vector<4xf32>, memref<?xf32, #gl>
  carousel.vector.reduce add f32 %v to %z[%i] : vector<4xf32>, memref<?xf32, #gl>
  return
}

// A product adds again. Equal descriptors are one.
// CHECK-LABEL: func @repeated_wgmma_ops
// CHECK-COUNT-1: carousel.wgmma.descriptor
// CHECK-NOT: carousel.wgmma.descriptor
// CHECK-COUNT-2: carousel.wgmma.fence
// CHECK-COUNT-2: carousel.wgmma.mma
// CHECK-COUNT-2: carousel.wgmma.commit
// CHECK-COUNT-2: carousel.wgmma.wait
func.func @repeated_wgmma_ops(%x: memref<64x64xbf16, #ws>, %i: index, %v: vector<1x2x2xf32>) {
  %0 = carousel.wgmma.descriptor %x[%i, %i] swizzle(b128)
      : memref<64x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  %1 = carousel.wgmma.descriptor %x[%i, %i] swizzle(b128)
      : memref<64x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  %2 = carousel.wgmma.fence(%v) : vector<1x2x2xf32>
  %3 = carousel.wgmma.fence(%v) : vector<1x2x2xf32>
  %4 = carousel.wgmma.mma %0, %1, %2 : !carousel.matrix_descriptor<bf16, k>, !carousel.matrix_descriptor<bf16, k>,
      !carousel.wgmma_registers<vector<1x2x2xf32>>
  %5 = carousel.wgmma.mma %0, %1, %2 : !carousel.matrix_descriptor<bf16, k>, !carousel.matrix_descriptor<bf16, k>,
      !carousel.wgmma_registers<vector<1x2x2xf32>>
  carousel.wgmma.commit
  carousel.wgmma.commit
  %6 = carousel.wgmma.wait 0, %4 : !carousel.wgmma_registers<vector<1x2x2xf32>>
  %7 = carousel.wgmma.wait 0, %4 : !carousel.wgmma_registers<vector<1x2x2xf32>>
  return
}
