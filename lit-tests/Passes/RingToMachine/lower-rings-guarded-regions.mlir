// Consecutive fills of two rings become one section of the issuing thread; ops between them move before it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>
!ring = !carousel.ring<2 x memref<128xf32, #ws>>

gpu.module @sections [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @two
  // CHECK: carousel.fence.mbarrier_init
  // CHECK: scf.for
  // CHECK: arith.muli %{{.*}}, %c3 : index
  // CHECK: scf.if
  // CHECK: carousel.bulk.load %arg0
  // CHECK-NOT: scf.if
  // CHECK: carousel.bulk.load %arg1
  // CHECK: carousel.mbarrier.wait
  gpu.func @two(%x: !vector, %y: !vector, %n: index, %out: memref<?xindex, #gl>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %a = carousel.ring.create : !ring
    %b = carousel.ring.create : !ring
    scf.for %i = %c0 to %n step %c1 {
      carousel.ring.produce %a[%i] : !ring {
        %t = carousel.ring.tile %a[%i], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %three = arith.muli %i, %c3 : index
      carousel.ring.produce %b[%i] : !ring {
        %t = carousel.ring.tile %b[%i], 0 : !ring -> !tile
        carousel.ring.load %y[%three] to %t in_bounds engine<bulk> : !vector, !tile
      }
      carousel.ring.wait %a[%i] : !ring
      carousel.ring.release %a[%i] : !ring
      carousel.ring.wait %b[%i] : !ring
      carousel.ring.release %b[%i] : !ring
    }
    gpu.return
  }

  // What all threads do in between keeps them apart.
  // CHECK-LABEL: gpu.func @apart
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: carousel.bulk.load %arg0
  // CHECK: memref.store
  // CHECK: scf.if
  // CHECK: carousel.bulk.load %arg1
  // CHECK: gpu.return
  gpu.func @apart(%x: !vector, %y: !vector, %n: index, %out: memref<?xindex, #gl>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = carousel.ring.create : !ring
    %b = carousel.ring.create : !ring
    scf.for %i = %c0 to %n step %c1 {
      carousel.ring.produce %a[%i] : !ring {
        %t = carousel.ring.tile %a[%i], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      memref.store %i, %out[%i] : memref<?xindex, #gl>
      carousel.ring.produce %b[%i] : !ring {
        %t = carousel.ring.tile %b[%i], 0 : !ring -> !tile
        carousel.ring.load %y[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      carousel.ring.wait %a[%i] : !ring
      carousel.ring.release %a[%i] : !ring
      carousel.ring.wait %b[%i] : !ring
      carousel.ring.release %b[%i] : !ring
    }
    gpu.return
  }
}
