// Values of a cluster's CTAs go to all peers' inboxes, and complete on an mbarrier there. The cluster meets once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gathers,canonicalize))' | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sums
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK-DAG: %[[INBOX:.*]] = memref.alloc() {alignment = 16 : i64} : memref<1x4xf32, #gpu.address_space<workgroup>>
  // CHECK-DAG: %[[ARRIVED:.*]] = memref.alloc() : memref<1x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK-DAG: memref.alloc() {alignment = 16 : i64} : memref<1x4xi64, #gpu.address_space<workgroup>>
  // CHECK: scf.if
  // CHECK-COUNT-2: carousel.mbarrier.init
  // CHECK: carousel.fence.mbarrier_init
  // CHECK: carousel.mbarrier.arrive_expect_tx %[[ARRIVED]][%c0], 16
  // CHECK: carousel.mbarrier.arrive_expect_tx %{{.*}}[%c0], 32
  // CHECK: carousel.cluster.arrive
  // CHECK: carousel.cluster.wait
  // CHECK: scf.if
  // CHECK:   %[[RANK:.*]] = carousel.cluster.rank
  // CHECK:   %[[PEER:.*]] = carousel.cluster.map_shared %[[INBOX]],
  // CHECK:   %[[PEER_ARRIVED:.*]] = carousel.cluster.map_shared %[[ARRIVED]],
  // CHECK:   carousel.st_async %{{.*}} to %[[PEER]][%c0, %{{.*}}] signals %[[PEER_ARRIVED]][%c0]
  // Both are sent before the first wait.
  // CHECK-NOT: carousel.mbarrier.wait
  // CHECK-NOT: carousel.cluster.wait
  // CHECK: carousel.st_async
  // CHECK-COUNT-2: carousel.mbarrier.wait {{.*}} scope(cluster)
  // CHECK: vector.load %[[INBOX]]
  // CHECK-NOT: carousel.cluster.gather
  // CHECK: gpu.return
  // DOC-EXAMPLE: --carousel-lower-gathers
  gpu.func @sums(%y: memref<4xf32, #gl>, %z: memref<4xi64, #gl>, %sum: f32, %count: i64) kernel attributes {
      carousel.launch = #carousel.launch<grid = [4], block = [64, 2], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    %counts = carousel.cluster.gather %count : i64 -> vector<4xi64>
    vector.store %sums, %y[%c0] : memref<4xf32, #gl>, vector<4xf32>
    vector.store %counts, %z[%c0] : memref<4xi64, #gl>, vector<4xi64>
    gpu.return
  }

  // In a loop inboxes take turns, and the cluster meets when the turns begin again.
  // CHECK-LABEL: gpu.func @sums_of_rows
  // CHECK-DAG: %[[INBOX:.*]] = memref.alloc() {alignment = 16 : i64} : memref<32x4xf32, #gpu.address_space<workgroup>>
  // CHECK-DAG: %[[ARRIVED:.*]] = memref.alloc() : memref<32x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: scf.for %[[INIT:.*]] = %c0 to %c32
  // CHECK-NEXT: carousel.mbarrier.init %[[ARRIVED]][%[[INIT]]], 1
  // CHECK: carousel.fence.mbarrier_init
  // CHECK-NOT: expect_tx
  // CHECK: carousel.cluster.arrive
  // CHECK: carousel.cluster.wait
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[COUNT:.*]] = %c0_i32)
  // CHECK:   %[[NUMBER:.*]] = arith.andi %[[COUNT]], %c31_i32
  // CHECK:   %[[ROUND:.*]] = arith.shrui %[[COUNT]], %c5_i32
  // CHECK:   %[[BEGINS:.*]] = arith.cmpi eq, %[[NUMBER]], %c0_i32
  // CHECK:   %[[AGAIN:.*]] = arith.cmpi ne, %[[ROUND]], %c0_i32
  // CHECK:   %[[MEETS:.*]] = arith.andi %[[BEGINS]], %[[AGAIN]]
  // CHECK:   scf.if %[[MEETS]]
  // CHECK-NEXT: carousel.cluster.arrive
  // CHECK-NEXT: carousel.cluster.wait
  // CHECK:   %[[TURN:.*]] = arith.index_cast %[[NUMBER]]
  // CHECK:   %[[PARITY:.*]] = arith.trunci %[[ROUND]]
  // CHECK:   carousel.mbarrier.arrive_expect_tx %[[ARRIVED]][%[[TURN]]], 16
  // CHECK:   carousel.st_async %[[SUM]] to %{{.*}}[%[[TURN]], %{{.*}}] signals %{{.*}}[%[[TURN]]]
  // CHECK:   carousel.mbarrier.wait %[[ARRIVED]][%[[TURN]]] parity %[[PARITY]] scope(cluster)
  // CHECK:   vector.load %[[INBOX]][%[[TURN]], %c0]
  // The second gather doesn't meet again.
  // CHECK-NOT: carousel.cluster.wait
  // CHECK:   carousel.st_async
  // CHECK:   %[[NEXT:.*]] = arith.addi %[[COUNT]], %c1_i32
  // CHECK:   scf.yield %{{.*}}, %[[NEXT]]
  gpu.func @sums_of_rows(%y: memref<4xf32, #gl>, %first: f32, %n: index) kernel attributes {
      carousel.launch = #carousel.launch<grid = [4], block = [64], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%part = %first) -> (f32) {
      %all = carousel.cluster.gather %part : f32 -> vector<4xf32>
      %mean = vector.reduction <add>, %all : vector<4xf32> into f32
      %others = carousel.cluster.gather %mean : f32 -> vector<4xf32>
      %next = vector.reduction <maxnumf>, %others : vector<4xf32> into f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%c0] : memref<4xf32, #gl>
    gpu.return
  }
}
