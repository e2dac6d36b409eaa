// A count or size that is a constant becomes a literal; another value stays.
// RUN: carousel-opt %s --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bars = memref<!carousel.mbarrier, #ws>
!remote = memref<!carousel.mbarrier, #cluster>

// CHECK-LABEL: func @mbarriers
// CHECK-SAME: (%[[BARS:.+]]: memref<{{.*}}>, %[[N:.+]]: i32)
func.func @mbarriers(%bars: !bars, %n: i32) {
  %c64 = arith.constant 64 : i32
  // CHECK: carousel.mbarrier.init %[[BARS]][], 64 :
  carousel.mbarrier.init %bars[], %c64 : !bars
  // CHECK: carousel.mbarrier.init %[[BARS]][], %[[N]] :
  carousel.mbarrier.init %bars[], %n : !bars
  // CHECK: carousel.mbarrier.expect_tx %[[BARS]][], 64 :
  carousel.mbarrier.expect_tx %bars[], %c64 : !bars
  // CHECK: carousel.mbarrier.complete_tx %[[BARS]][], 64 scope(cluster) :
  carousel.mbarrier.complete_tx %bars[], %c64 scope(cluster) : !bars
  // CHECK: carousel.mbarrier.arrive %[[BARS]][], 64 :
  carousel.mbarrier.arrive %bars[], %c64 : !bars
  // CHECK: carousel.mbarrier.arrive %[[BARS]][] :
  carousel.mbarrier.arrive %bars[] : !bars
  // CHECK: carousel.mbarrier.arrive_drop %[[BARS]][], 64 :
  carousel.mbarrier.arrive_drop %bars[], %c64 : !bars
  // CHECK: carousel.mbarrier.arrive_expect_tx %[[BARS]][], 64 :
  carousel.mbarrier.arrive_expect_tx %bars[], %c64 : !bars
  // CHECK: carousel.mbarrier.arrive_drop_expect_tx %[[BARS]][], 64 :
  carousel.mbarrier.arrive_drop_expect_tx %bars[], %c64 : !bars
  return
}

// CHECK-LABEL: func @bulk
func.func @bulk(%x: memref<?xf32, #gl>, %t: memref<64xf32, #ws>, %p: memref<64xf32, #cluster>,
                %bars: !bars, %remote: !remote, %i: index) {
  %c64 = arith.constant 64 : i32
  // CHECK: carousel.bulk.load {{.*}}, 64 signals
  carousel.bulk.load %x[%i] to %t[%i], %c64 signals %bars[] : memref<?xf32, #gl>, memref<64xf32, #ws>, !bars
  // CHECK: carousel.bulk.store {{.*}}, 64 :
  carousel.bulk.store %t[%i] to %x[%i], %c64 : memref<64xf32, #ws>, memref<?xf32, #gl>
  // CHECK: carousel.bulk.copy_cluster {{.*}}, 64 signals
  carousel.bulk.copy_cluster %t[%i] to %p[%i], %c64 signals %remote[] : memref<64xf32, #ws>, memref<64xf32, #cluster>, !remote
  // CHECK: carousel.bulk.reduce add f32 {{.*}}, 64 :
  carousel.bulk.reduce add f32 %t[%i] to %x[%i], %c64 : memref<64xf32, #ws>, memref<?xf32, #gl>
  // CHECK: carousel.bulk.prefetch {{.*}}, 64 :
  carousel.bulk.prefetch %x[%i], %c64 : memref<?xf32, #gl>
  return
}

// CHECK-LABEL: func @reduce_cluster
func.func @reduce_cluster(%t: memref<64xi32, #ws>, %p: memref<64xi32, #cluster>, %remote: !remote, %i: index) {
  %c64 = arith.constant 64 : i32
  // CHECK: carousel.bulk.reduce_cluster add u32 {{.*}}, 64 signals
  carousel.bulk.reduce_cluster add u32 %t[%i] to %p[%i], %c64 signals %remote[] : memref<64xi32, #ws>, memref<64xi32, #cluster>, !remote
  return
}

// CHECK-LABEL: func @barriers
func.func @barriers() {
  %c3 = arith.constant 3 : i32
  // CHECK: carousel.barrier.sync 3
  carousel.barrier.sync %c3
  // CHECK: carousel.barrier.arrive 3 threads(64)
  carousel.barrier.arrive %c3 threads(64)
  return
}

// -----

#gl = #gpu.address_space<global>

// C40: a constant is checked as soon as it is known to be one.
func.func @wrong(%x: memref<?xf32, #gl>, %i: index) {
  %c24 = arith.constant 24 : i32
  // expected-error @below {{expected a size that is a positive multiple of 16 bytes, got 24}}
  carousel.bulk.prefetch %x[%i], %c24 : memref<?xf32, #gl>
  return
}
