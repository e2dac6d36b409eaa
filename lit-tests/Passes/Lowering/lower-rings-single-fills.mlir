// A loop that ends behind its first step, as a prologue of one fill does, is a branch.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>
!ring = !carousel.ring<4 x memref<128xf32, #ws>>

gpu.module @prologues [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @once
  // CHECK: %[[BLOCK:.+]] = gpu.block_id
  // CHECK: %[[END:.+]] = arith.minsi
  // CHECK-NOT: scf.for
  // CHECK: %[[HAS:.+]] = arith.cmpi slt, %[[BLOCK]], %[[END]] : index
  // CHECK: scf.if %[[HAS]] {
  // CHECK-NOT: scf.for
  // CHECK: carousel.bulk.load %{{.*}}[%[[BLOCK]]]
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: gpu.return
  gpu.func @once(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %behind = arith.addi %block, %blocks : index
    %end = arith.minsi %behind, %n : index
    scf.for %i = %block to %end step %blocks {
      carousel.ring.produce %ring[%c0] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
    }
    %used = scf.for %i = %block to %n step %blocks iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %blocks : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // What a loop carries is what it began with where it has no turn; unsigned ends are compared without a sign.
  // CHECK-LABEL: gpu.func @results
  // CHECK: %[[HAS:.+]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i32
  // CHECK: %[[SUM:.+]] = scf.if %[[HAS]] -> (f32) {
  // CHECK: %[[ONE:.+]] = arith.addf %[[FIRST:[a-z0-9_]+]],
  // CHECK: scf.yield %[[ONE]] : f32
  // CHECK: } else {
  // CHECK: scf.yield %[[FIRST]] : f32
  // CHECK: memref.store %[[SUM]]
  // CHECK: gpu.return
  gpu.func @results(%x: !vector, %first: i32, %n: i32, %v: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%c0] ahead(1) : !ring {
      %t = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
      carousel.ring.load %x[%c0] to %t in_bounds engine<bulk> : !vector, !tile
    }
    carousel.ring.wait %ring[%c0] : !ring
    %behind = arith.addi %first, %c4 : i32
    %end = arith.minui %n, %behind : i32
    %sum = scf.for unsigned %i = %first to %end step %c4 iter_args(%before = %zero) -> (f32) : i32 {
      %next = arith.addf %before, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %x[%c0] : !vector
    gpu.return
  }

  // Two fills, and an end of another sign, are loops.
  // CHECK-LABEL: gpu.func @twice
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: gpu.return
  gpu.func @twice(%x: !vector, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    %two = arith.minsi %n, %c2 : index
    scf.for %i = %c0 to %two step %c1 {
      carousel.ring.produce %ring[%i] ahead(2) : !ring {
        %t = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
    }
    %unsigned = arith.minui %n, %c1 : index
    scf.for %i = %c0 to %unsigned step %c1 {
      carousel.ring.wait %ring[%i] : !ring
    }
    gpu.return
  }
}
