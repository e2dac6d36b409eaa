// carousel-verify-chip accepts all that each target supports, and changes nothing.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-chip))' --verify-diagnostics | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!map = !carousel.tensor_map<4x4xf32>

// cp.async that completes on mbarriers, with PTX 7.1.
// CHECK-LABEL: gpu.module @sm_80 [#nvvm.target<chip = "sm_80", features = "+ptx71">]
gpu.module @sm_80 [#nvvm.target<chip = "sm_80", features = "+ptx71">] {
  // CHECK: gpu.func @ring
  // CHECK-NEXT: carousel.mbarrier.init
  // CHECK-NEXT: carousel.cp_async.copy
  // CHECK-NEXT: carousel.cp_async.mbarrier_arrive
  // CHECK-NEXT: carousel.mbarrier.wait
  // CHECK-NEXT: carousel.mbarrier.arrive
  // CHECK-NEXT: carousel.mbarrier.inval
  gpu.func @ring(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>,
                 %full: memref<!carousel.mbarrier, #ws>, %i: index, %parity: i1) {
    carousel.mbarrier.init %full[], 1 : memref<!carousel.mbarrier, #ws>
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 : memref<?xf32, #gl>, memref<4xf32, #ws>
    carousel.cp_async.mbarrier_arrive %full[] noinc : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.arrive %full[] : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.inval %full[] : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// Bulk and tensor copies, with PTX 8.0.
// CHECK-LABEL: gpu.module @sm_90a
gpu.module @sm_90a [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
  gpu.func @copies(%x: memref<?xf32, #gl>, %tile: memref<4x4xf32, #ws>, %map: !map,
                   %full: memref<!carousel.mbarrier, #ws>, %i: index, %c: i32) {
    carousel.mbarrier.arrive_expect_tx %full[], 80 : memref<!carousel.mbarrier, #ws>
    carousel.bulk.load %x[%i] to %tile[%i, %i], 16 signals %full[]
        : memref<?xf32, #gl>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
        : !map, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.set_max_registers dec 40
    gpu.return
  }
}

// As much static shared memory as there is, and the largest portable cluster.
// CHECK-LABEL: gpu.module @limits
gpu.module @limits [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @shared() workgroup(%full: memref<8x!carousel.mbarrier, #ws>,
                               %tile: memref<12272xf32, #ws>) kernel {
    gpu.return
  }
  gpu.func @cluster() kernel attributes {known_cluster_size = array<i32: 4, 2, 1>} {
    gpu.return
  }
}

// A target without a PTX version has the default one.
// CHECK-LABEL: gpu.module @default_ptx
gpu.module @default_ptx [#nvvm.target<chip = "sm_90">] {
  gpu.func @fence() {
    carousel.fence.sync_restrict release
    gpu.return
  }
}
