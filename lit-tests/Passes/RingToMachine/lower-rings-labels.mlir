// The labels of the waits of rings.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<3 x !tile>
!pair = !carousel.ring<3 x !tile, !tile>

gpu.module @kernels {
  // The arguments that fill the ring, by their names. All threads produce and consume.
  // CHECK-LABEL: gpu.func @names
  gpu.func @names(%a: f32, %x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !pair
    // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "x, arg2 empty"> :
    carousel.ring.produce %ring[%k] : !pair {
      %first = carousel.ring.tile %ring[%k], 0 : !pair -> !tile
      %second = carousel.ring.tile %ring[%k], 1 : !pair -> !tile
      %part = memref.subview %y[%i] [1024] [1]
          : !vector to memref<1024xf32, strided<[1], offset: ?>, #gl>
      %c0 = arith.constant 0 : index
      carousel.ring.load %part[%c0] to %second in_bounds engine<bulk>
          : memref<1024xf32, strided<[1], offset: ?>, #gl>, !tile
      carousel.ring.load %x[%i] to %first in_bounds engine<bulk> : !vector, !tile
    }
    // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "x, arg2 full"> :
    carousel.ring.wait %ring[%k] : !pair
    carousel.ring.release %ring[%k] : !pair
    gpu.return
  }

  // CHECK-LABEL: gpu.func @roles
  gpu.func @roles(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %ring = carousel.ring.create : !ring
    // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty", role = producer> :
    // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 full", role = consumer> :
    carousel.ring.roles producer threads(32) {
      carousel.ring.produce %ring[%k] : !ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile in_bounds engine<bulk> : !vector, !tile
      }
    } consumer threads(128) {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // A ring with a name has that.
  // CHECK-LABEL: gpu.func @named
  gpu.func @named(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !ring loc("tiles")
    // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "tiles full"> :
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile in_bounds engine<bulk> : !vector, !tile
    }
    gpu.return
  }
}
