// Values of a cluster's CTAs go to all peers' inboxes, and complete on an mbarrier there. The cluster meets once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gathers,canonicalize))' | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-lower-gathers
  // CHECK-LABEL: gpu.func @sums
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK-DAG: %[[INBOX:.*]] = memref.alloc() {alignment = 16 : i64} : memref<4xf32, #gpu.address_space<workgroup>>
  // CHECK-DAG: %[[ARRIVED:.*]] = memref.alloc() : memref<!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK-DAG: memref.alloc() {alignment = 16 : i64} : memref<4xi64, #gpu.address_space<workgroup>>
  // CHECK: scf.if
  // CHECK-COUNT-2: carousel.mbarrier.init
  // CHECK: carousel.fence.mbarrier_init
  // CHECK: carousel.mbarrier.arrive_expect_tx %[[ARRIVED]][], 16
  // CHECK: carousel.mbarrier.arrive_expect_tx %{{.*}}[], 32
  // CHECK: carousel.cluster.arrive
  // CHECK: carousel.cluster.wait
  // CHECK: scf.if
  // CHECK:   %[[RANK:.*]] = carousel.cluster.rank
  // CHECK:   %[[PEER:.*]] = carousel.cluster.map_shared %[[INBOX]],
  // CHECK:   %[[PEER_ARRIVED:.*]] = carousel.cluster.map_shared %[[ARRIVED]],
  // CHECK:   carousel.st_async %{{.*}} to %[[PEER]][%{{.*}}] signals %[[PEER_ARRIVED]][]
  // CHECK: carousel.mbarrier.wait %[[ARRIVED]][] parity %{{.*}} scope(cluster)
  // CHECK: vector.load %[[INBOX]]
  // CHECK-NOT: carousel.cluster.wait
  // CHECK: carousel.st_async
  // CHECK-NOT: carousel.cluster.gather
  // CHECK: gpu.return
  gpu.func @sums(%y: memref<4xf32, #gl>, %z: memref<4xi64, #gl>, %sum: f32, %count: i64) kernel attributes {
      carousel.launch = #carousel.launch<grid = [4], block = [64, 2], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    %counts = carousel.cluster.gather %count : i64 -> vector<4xi64>
    vector.store %sums, %y[%c0] : memref<4xf32, #gl>, vector<4xf32>
    vector.store %counts, %z[%c0] : memref<4xi64, #gl>, vector<4xi64>
    gpu.return
  }
}
