// Rings of the CTAs of a cluster: a load for all of them, releases to all of them, and barriers of the cluster at both ends.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings,canonicalize))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!tile = memref<16x16xf32, #ws>
!map = !carousel.tensor_map<8x16xf32>
!ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  // One arrival of each CTA's consumer.
  // CHECK-LABEL: gpu.func @shared
  // CHECK-DAG: %[[MASK:.*]] = arith.constant 3 : i16
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
  // CHECK-DAG: %[[FULL:.*]] = memref.alloc() : memref<2x!carousel.mbarrier
  // CHECK-DAG: %[[EMPTY:.*]] = memref.alloc() : memref<2x!carousel.mbarrier
  // CHECK-DAG: carousel.mbarrier.init %{{.*}}[%{{.*}}], 2
  // CHECK: carousel.cluster.arrive
  // CHECK-NEXT: carousel.cluster.wait
  // CHECK: %[[RANK:.*]] = carousel.cluster.rank
  // CHECK: carousel.mbarrier.wait %{{.*}} role = producer
  // The boxes in turns: box 0 of use k is for rank k mod 2.
  // CHECK: carousel.mbarrier.arrive_expect_tx %{{.*}}, 1024
  // CHECK: scf.if
  // CHECK: carousel.tensor.load {{.*}} multicast %[[MASK]]
  // CHECK: scf.if
  // CHECK: carousel.tensor.load {{.*}} multicast %[[MASK]]
  // CHECK: carousel.barrier.warp
  // CHECK: %[[PEER:.*]] = carousel.cluster.map_shared
  // CHECK: carousel.mbarrier.arrive %[[PEER]][%{{.*}}] :
  // CHECK: carousel.cluster.arrive
  // CHECK-NEXT: carousel.cluster.wait
  // CHECK-NEXT: gpu.return
  gpu.func @shared(%x: !matrix, %xs: !map, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create multicast(2) : !ring
    carousel.ring.roles producer threads(32) {
      scf.for %k = %c0 to %n step %c1 {
        carousel.ring.produce %ring[%k] : !ring {
          %a = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
          carousel.ring.load multicast %x[%k, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
        }
      }
    } consumer threads(32) {
      scf.for %k = %c0 to %n step %c1 {
        carousel.ring.wait %ring[%k] : !ring
        carousel.ring.release %ring[%k] : !ring
      }
    }
    gpu.return
  }
}
