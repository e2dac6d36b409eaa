// Declared effects: ordinary accesses don't move or merge across ops that wait, order or copy.
// RUN: carousel-opt %s --cse --canonicalize --loop-invariant-code-motion --cse --canonicalize | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

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

// A turn, and what follows it, sees the writes of earlier turns. Each op draws a ticket of its own.
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
