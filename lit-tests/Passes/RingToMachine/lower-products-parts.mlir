// RUN: carousel-opt %s --carousel-lower-products --canonicalize --cse | FileCheck %s
// RUN: carousel-opt %s --carousel-lower-products --remarks-filter=carousel-lower-products --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The product of an iteration begins at zero. It is in flight while threads scale and add the sums of the iteration before:
// two iterations are one of the new loop, so that registers in flight stay where they are.

// REMARK: remark: [Passed] ProductLoop | {{.*}} | Function=scaled | Remark="threads add the sums of an iteration while the product of the next one is in flight"
// REMARK: remark: [Missed] ProductLoop | {{.*}} | Function=writes | Remark="each product is waited for: the iteration has 'vector.store'"
// REMARK: remark: [Missed] ProductLoop | {{.*}} | Function=wide | Remark="each product is waited for: the sums of two parts, and what the loop carries, need 384 registers of 208"

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#b128 = #carousel.swizzle<b128>
!x = memref<64x128xf8E4M3FN, #ws>
!w = memref<8x128xf8E4M3FN, #ws>
!ring = !carousel.ring<3 x memref<64x128xf8E4M3FN, #ws>, memref<8x128xf8E4M3FN, #ws>>
!part = vector<1x1x2x2xf32>
!w256 = memref<256x128xf8E4M3FN, #ws>
!wide_ring = !carousel.ring<2 x memref<64x128xf8E4M3FN, #ws>, memref<256x128xf8E4M3FN, #ws>>
!wide_part = vector<1x32x2x2xf32>

gpu.module @m {
  // CHECK-LABEL: gpu.func @scaled
  // CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[SCALE:[a-z0-9]+]]: memref<?xf32
  // CHECK: consumer threads(128) {
  // The first product, if there is one.
  // CHECK: scf.if
  // CHECK: carousel.ring.wait %[[RING:[a-z0-9]+]]
  // CHECK: carousel.wgmma.fence
  // CHECK-COUNT-4: carousel.wgmma.mma
  // CHECK: carousel.wgmma.commit
  // CHECK: scf.for {{.*}} iter_args(%[[I:[a-z0-9]+]] = %{{.*}}, %[[K:[a-z0-9]+]] = %{{.*}}, %[[ACC:[a-z0-9]+]] = %{{.*}}, %[[A:[a-z0-9]+]] = %{{.*}})
  // CHECK: carousel.ring.wait %[[RING]]
  // CHECK-COUNT-3: carousel.wgmma.mma
  // CHECK: %[[B:.*]] = carousel.wgmma.mma
  // CHECK: carousel.wgmma.commit
  // CHECK: memref.load %[[SCALE]][%[[I]]]
  // CHECK: carousel.wgmma.wait 1, %[[A]] :
  // CHECK: carousel.ring.release %[[RING]][%[[K]]]
  // CHECK: %[[NEXT:.*]] = math.fma {{.*}}, %[[ACC]]
  // CHECK: carousel.ring.wait %[[RING]]
  // CHECK-COUNT-4: carousel.wgmma.mma
  // CHECK: carousel.wgmma.commit
  // Threads have added the sums before they wait again.
  // CHECK: memref.load %[[SCALE]]
  // CHECK: vector.extract %[[NEXT]]
  // CHECK: scf.if
  // CHECK: carousel.wgmma.wait 1, %[[B]] :
  // CHECK: math.fma {{.*}}, %[[NEXT]]
  // CHECK: scf.yield
  // One or two are left.
  // CHECK: scf.if
  // CHECK: carousel.wgmma.wait 1
  // CHECK: math.fma
  // CHECK: carousel.wgmma.wait 0
  // CHECK: math.fma
  // CHECK: } else {
  // CHECK-NOT: carousel.wgmma.mma
  // CHECK: carousel.wgmma.wait 0
  // CHECK: math.fma
  gpu.func @scaled(%n: index, %scale: memref<?xf32, #gl>, %gx: memref<?x?xf8E4M3FN, #gl>, %out: memref<4xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !part
    %none = arith.constant dense<0.0> : vector<4xf32>
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        carousel.ring.produce %ring[%k] : !ring {
          %x = carousel.ring.tile %ring[%k], 0 : !ring -> !x
          %w = carousel.ring.tile %ring[%k], 1 : !ring -> !w
          carousel.ring.load %gx[%c0, %i] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          carousel.ring.load %gx[%c0, %i] to %w engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !w
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, vector<4xf32>) {
        %x = carousel.ring.tile %ring[%k], 0 : !ring -> !x
        %w = carousel.ring.tile %ring[%k], 1 : !ring -> !w
        carousel.ring.wait %ring[%k] : !ring
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128}
            : !x, !w, !part
        %flat = vector.shape_cast %part : !part to vector<4xf32>
        %s = memref.load %scale[%i] : memref<?xf32, #gl>
        %scales = vector.broadcast %s : f32 to vector<4xf32>
        %next = math.fma %flat, %scales, %acc : vector<4xf32>
        carousel.ring.release %ring[%k] : !ring
        %use = arith.addi %k, %c1 : index
        scf.yield %use, %next : index, vector<4xf32>
      }
      vector.store %r#1, %out[%c0] : memref<4xf32, #gl>, vector<4xf32>
    }
    gpu.return
  }

  // What an iteration writes stays in its place.
  gpu.func @writes(%n: index, %gx: memref<?x?xf8E4M3FN, #gl>, %out: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !part
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        carousel.ring.produce %ring[%k] : !ring {
          %x = carousel.ring.tile %ring[%k], 0 : !ring -> !x
          carousel.ring.load %gx[%c0, %i] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        %x = carousel.ring.tile %ring[%k], 0 : !ring -> !x
        %w = carousel.ring.tile %ring[%k], 1 : !ring -> !w
        carousel.ring.wait %ring[%k] : !ring
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b {swizzle_a = #b128, swizzle_b = #b128} : !x, !w, !part
        %flat = vector.shape_cast %part : !part to vector<4xf32>
        vector.store %flat, %out[%i] : memref<?xf32, #gl>, vector<4xf32>
        carousel.ring.release %ring[%k] : !ring
        %use = arith.addi %k, %c1 : index
        scf.yield %use : index
      }
    }
    gpu.return
  }

  // Threads don't have the registers of two parts of 128 sums, and of the 128 to which they are added.
  gpu.func @wide(%n: index, %gx: memref<?x?xf8E4M3FN, #gl>, %out: memref<128xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !wide_part
    %none = arith.constant dense<0.0> : vector<128xf32>
    %ring = carousel.ring.create : !wide_ring
    carousel.ring.roles producer threads(32) {
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        carousel.ring.produce %ring[%k] : !wide_ring {
          %x = carousel.ring.tile %ring[%k], 0 : !wide_ring -> !x
          carousel.ring.load %gx[%c0, %i] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, vector<128xf32>) {
        %x = carousel.ring.tile %ring[%k], 0 : !wide_ring -> !x
        %w = carousel.ring.tile %ring[%k], 1 : !wide_ring -> !w256
        carousel.ring.wait %ring[%k] : !wide_ring
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b {swizzle_a = #b128, swizzle_b = #b128}
            : !x, !w256, !wide_part
        %flat = vector.shape_cast %part : !wide_part to vector<128xf32>
        %next = arith.addf %acc, %flat : vector<128xf32>
        carousel.ring.release %ring[%k] : !wide_ring
        %use = arith.addi %k, %c1 : index
        scf.yield %use, %next : index, vector<128xf32>
      }
      vector.store %r#1, %out[%c0] : memref<128xf32, #gl>, vector<128xf32>
    }
    gpu.return
  }
}
