// Kernels that carousel-verify-ring accepts, unchanged.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-ring))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!ring = !carousel.ring<2 x memref<32xf32, #ws>>

gpu.module @kernels {

// Ops on rings, and what orders threads, proxies, CTAs and grids.
// CHECK-LABEL: gpu.func @unified
// CHECK: carousel.ring.produce
// CHECK: carousel.ring.release
// CHECK: carousel.fence.proxy
gpu.func @unified(%x: memref<?xf32, #gl>, %k: index, %s: memref<1xi32, #gl>, %turn: i32) kernel {
  %c0 = arith.constant 0 : index
  %r = carousel.ring.create : !ring
  carousel.grid.dependency_wait
  carousel.ring.produce %r[%k] : !ring {
    %tile = carousel.ring.tile %r[%k], 0 : !ring -> memref<32xf32, #ws>
    carousel.ring.load %x[%k] to %tile engine<bulk> : memref<?xf32, #gl>, memref<32xf32, #ws>
  }
  carousel.ring.wait %r[%k] : !ring
  carousel.ring.release %r[%k] : !ring
  carousel.fence.proxy async_shared_cta
  carousel.fence.thread acq_rel cta
  carousel.barrier.warp
  gpu.barrier
  carousel.grid.serial_wait %s[%c0], %turn : memref<1xi32, #gl>
  carousel.grid.serial_release %s[%c0], %turn : memref<1xi32, #gl>
  carousel.grid.launch_dependents
  gpu.return
}

// A tensor map is an argument; consumers may have a ring of their own.
// CHECK-LABEL: gpu.func @roles
// CHECK: carousel.ring.roles
gpu.func @roles(%map: !carousel.tensor_map<32xf32>, %x: memref<?xf32, #gl>, %k: index) kernel {
  %r = carousel.ring.create : !ring
  %own = carousel.ring.create : !ring
  carousel.ring.roles producer threads(32) {
    carousel.ring.produce %r[%k] : !ring {
      %tile = carousel.ring.tile %r[%k], 0 : !ring -> memref<32xf32, #ws>
      carousel.ring.load %x[%k] to %tile engine<tensor> map %map
        : memref<?xf32, #gl>, memref<32xf32, #ws>, !carousel.tensor_map<32xf32>
    }
  } consumer threads(128) {
    carousel.ring.wait %r[%k] : !ring
    carousel.ring.sync
    carousel.ring.produce %own[%k] : !ring {
    }
    carousel.ring.wait %own[%k] : !ring
    carousel.ring.release %r[%k] : !ring
  }
  gpu.return
}

// A prologue of one iteration stands in a branch around its loop, in a loop that carries the use.
// CHECK-LABEL: gpu.func @prologue_in_branch
// CHECK: carousel.ring.produce
gpu.func @prologue_in_branch(%x: memref<?xf32, #gl>, %n: index, %isLoaded: i1) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = carousel.ring.create : !ring
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%use = %c0) -> (index) {
    %then = scf.if %isLoaded -> (index) {
      carousel.ring.produce %r[%use] ahead(1) : !ring {
        %tile = carousel.ring.tile %r[%use], 0 : !ring -> memref<32xf32, #ws>
        carousel.ring.load %x[%c0] to %tile engine<bulk> : memref<?xf32, #gl>, memref<32xf32, #ws>
      }
      %last = scf.for %j = %c0 to %c2 step %c1 iter_args(%own = %use) -> (index) {
        %next = arith.addi %own, %c1 : index
        carousel.ring.produce %r[%next] ahead(1) : !ring {
          %tile = carousel.ring.tile %r[%next], 0 : !ring -> memref<32xf32, #ws>
          carousel.ring.load %x[%j] to %tile engine<bulk> : memref<?xf32, #gl>, memref<32xf32, #ws>
        }
        carousel.ring.wait %r[%own] : !ring
        carousel.ring.release %r[%own] : !ring
        scf.yield %next : index
      }
      scf.yield %last : index
    } else {
      scf.yield %use : index
    }
    scf.yield %then : index
  }
  gpu.return
}

}
