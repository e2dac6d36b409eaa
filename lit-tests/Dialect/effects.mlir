// Effects are declared: what waits, arrives, orders or commits stays where it is, once each;
// what is pure is merged, hoisted and removed.
// RUN: carousel-opt %s --cse --canonicalize --loop-invariant-code-motion --cse --canonicalize | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// CHECK-LABEL: func @loads_around_wait
// CHECK: %[[BEFORE:.+]] = memref.load
// CHECK: carousel.mbarrier.wait
// CHECK: %[[AFTER:.+]] = memref.load
// CHECK: return %[[BEFORE]], %[[AFTER]]
func.func @loads_around_wait(%full: memref<!carousel.mbarrier, #ws>, %tile: memref<64xf32, #ws>,
                             %i: index, %parity: i1) -> (f32, f32) {
  %before = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  %after = memref.load %tile[%i] : memref<64xf32, #ws>
  return %before, %after : f32, f32
}

// CHECK-LABEL: func @loads_around_try_wait
// CHECK-COUNT-2: memref.load
func.func @loads_around_try_wait(%full: memref<!carousel.mbarrier, #ws>,
                                 %tile: memref<64xf32, #ws>, %i: index, %parity: i1)
    -> (f32, i1, f32) {
  %before = memref.load %tile[%i] : memref<64xf32, #ws>
  %done = carousel.mbarrier.try_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
  %after = memref.load %tile[%i] : memref<64xf32, #ws>
  return %before, %done, %after : f32, i1, f32
}

// CHECK-LABEL: func @loads_around_group_waits
// CHECK: memref.load
// CHECK: carousel.cp_async.wait_group 0
// CHECK: memref.load
// CHECK: carousel.cp_async.wait_all
// CHECK: memref.load
// CHECK: carousel.bulk.wait_group complete 0
// CHECK: memref.load
func.func @loads_around_group_waits(%tile: memref<64xf32, #ws>, %i: index)
    -> (f32, f32, f32, f32) {
  %0 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.cp_async.wait_group 0
  %1 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.cp_async.wait_all
  %2 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.bulk.wait_group complete 0
  %3 = memref.load %tile[%i] : memref<64xf32, #ws>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: func @loads_around_barriers
// CHECK: memref.load
// CHECK: carousel.barrier.sync
// CHECK: memref.load
// CHECK: carousel.barrier.warp
// CHECK: memref.load
// CHECK: carousel.cluster.wait
// CHECK: memref.load
func.func @loads_around_barriers(%tile: memref<64xf32, #ws>, %i: index) -> (f32, f32, f32, f32) {
  %0 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.barrier.sync 1
  %1 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.barrier.warp
  %2 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.cluster.wait
  %3 = memref.load %tile[%i] : memref<64xf32, #ws>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: func @loads_around_grid_waits
// CHECK: memref.load
// CHECK: carousel.grid.dependency_wait
// CHECK: memref.load
// CHECK: carousel.grid.serial_wait
// CHECK: memref.load
// CHECK: carousel.fence.thread acquire gpu
// CHECK: memref.load
func.func @loads_around_grid_waits(%x: memref<?xf32, #gl>, %semaphore: memref<i32, #gl>,
                                   %turn: i32, %i: index) -> (f32, f32, f32, f32) {
  %0 = memref.load %x[%i] : memref<?xf32, #gl>
  carousel.grid.dependency_wait
  %1 = memref.load %x[%i] : memref<?xf32, #gl>
  carousel.grid.serial_wait %semaphore[], %turn : memref<i32, #gl>
  %2 = memref.load %x[%i] : memref<?xf32, #gl>
  carousel.fence.thread acquire gpu
  %3 = memref.load %x[%i] : memref<?xf32, #gl>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// The copy itself writes its destination, even before anyone waits.
// CHECK-LABEL: func @loads_around_copies
// CHECK: memref.load
// CHECK: carousel.bulk.load
// CHECK: memref.load
// CHECK: carousel.cp_async.copy
// CHECK: memref.load
func.func @loads_around_copies(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>,
                               %full: memref<!carousel.mbarrier, #ws>, %i: index)
    -> (f32, f32, f32) {
  %0 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.bulk.load %x[%i] to %tile[%i], 16 signals %full[]
      : memref<?xf32, #gl>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
  %1 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.cp_async.copy ca %x[%i] to %tile[%i], 4 : memref<?xf32, #gl>, memref<64xf32, #ws>
  %2 = memref.load %tile[%i] : memref<64xf32, #ws>
  return %0, %1, %2 : f32, f32, f32
}

// A transfer reads one side and writes the other.
// CHECK-LABEL: func @loads_around_transfers
// CHECK: memref.load
// CHECK: carousel.load
// CHECK: memref.load
// CHECK: memref.load
// CHECK: carousel.store
// CHECK: memref.load
func.func @loads_around_transfers(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index)
    -> (f32, f32, f32, f32) {
  %0 = memref.load %tile[%i] : memref<64xf32, #ws>
  carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<64xf32, #ws>
  %1 = memref.load %tile[%i] : memref<64xf32, #ws>
  %2 = memref.load %x[%i] : memref<?xf32, #gl>
  carousel.store %tile to %x[%i] : memref<64xf32, #ws>, memref<?xf32, #gl>
  %3 = memref.load %x[%i] : memref<?xf32, #gl>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// Transfers stay in their loop, each of them: a reduction counts each time.
// CHECK-LABEL: func @transfers_in_loop
// CHECK: scf.for
// CHECK-COUNT-2: carousel.load
// CHECK-COUNT-2: carousel.store
// CHECK-COUNT-2: reduce<add f32>
// CHECK: }
func.func @transfers_in_loop(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %first: index,
                             %n: index) {
  scf.for %i = %first to %n step %n {
    carousel.load %x[%n] to %tile : memref<?xf32, #gl>, memref<64xf32, #ws>
    carousel.load %x[%n] to %tile : memref<?xf32, #gl>, memref<64xf32, #ws>
    carousel.store %tile to %x[%n] : memref<64xf32, #ws>, memref<?xf32, #gl>
    carousel.store %tile to %x[%n] : memref<64xf32, #ws>, memref<?xf32, #gl>
    carousel.store %tile to %x[%n] reduce<add f32> : memref<64xf32, #ws>, memref<?xf32, #gl>
    carousel.store %tile to %x[%n] reduce<add f32> : memref<64xf32, #ws>, memref<?xf32, #gl>
  }
  return
}

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

// All operands are invariant, and so is the loaded element's address; still the loop keeps all
// of it, in order.
// CHECK-LABEL: func @loop
// CHECK: scf.for
// CHECK-NEXT: carousel.mbarrier.arrive_expect_tx
// CHECK-NEXT: carousel.bulk.load
// CHECK-NEXT: carousel.mbarrier.wait
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.fence.proxy
// CHECK-NEXT: carousel.barrier.sync
// CHECK-NEXT: carousel.elect
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.bulk.store
// CHECK-NEXT: carousel.bulk.commit_group
// CHECK-NEXT: carousel.bulk.wait_group
func.func @loop(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>,
                %full: memref<!carousel.mbarrier, #ws>, %parity: i1, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    carousel.mbarrier.arrive_expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
    carousel.bulk.load %x[%i] to %tile[%i], 16 signals %full[]
        : memref<?xf32, #gl>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    %element = memref.load %tile[%i] : memref<64xf32, #ws>
    memref.store %element, %tile[%c0] : memref<64xf32, #ws>
    carousel.fence.proxy async_shared_cta
    carousel.barrier.sync 0
    %elected = carousel.elect
    scf.if %elected {
      carousel.bulk.store %tile[%c0] to %y[%i], 16 : memref<64xf32, #ws>, memref<?xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
  }
  return
}

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

// What others wrote in turns before is seen in a turn and behind it; a ticket is drawn each time.
// CHECK-LABEL: func @loads_around_turns
// CHECK: memref.load
// CHECK: carousel.grid.ticket
// CHECK: memref.load
// CHECK: carousel.grid.ticket
// CHECK: carousel.serialize
// CHECK-NEXT: memref.load
// CHECK: }
// CHECK: memref.load
// CHECK: return
func.func @loads_around_turns(%s: memref<?xi32, #gl>, %y: memref<?xf32, #gl>, %i: index, %n: index)
    -> (f32, f32, f32, f32, index, index) {
  %0 = memref.load %y[%i] : memref<?xf32, #gl>
  %first = carousel.grid.ticket %s[%i] of %n : memref<?xi32, #gl>
  %1 = memref.load %y[%i] : memref<?xf32, #gl>
  %second = carousel.grid.ticket %s[%i] of %n : memref<?xi32, #gl>
  %2 = carousel.serialize %s[%i] turn %first of %n (%is_first, %is_last) {
    %v = memref.load %y[%i] : memref<?xf32, #gl>
    carousel.pass_turn %v : f32
  } : memref<?xi32, #gl> -> f32
  %3 = memref.load %y[%i] : memref<?xf32, #gl>
  return %0, %1, %2, %3, %first, %second : f32, f32, f32, f32, index, index
}
