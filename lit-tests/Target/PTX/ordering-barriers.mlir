// Ordinary accesses stay on their side of every barrier of a CTA, a cluster and the grid at each level: a load of the same
// element is made again after it, and a store before it isn't dropped for a later one.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --opt-level=1 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --opt-level=3 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_100a %s | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<64xf32, #ws>

gpu.module @ordering {

  // CHECK-LABEL: .entry barrier_sync(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: bar{{(rier)?}}.sync
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @barrier_sync(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.barrier.sync 1 threads(128)
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry barrier_arrive(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: bar{{(rier)?}}.arrive
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @barrier_arrive(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.barrier.arrive 1 threads(128)
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry barrier_warp(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: bar.warp.sync
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @barrier_warp(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.barrier.warp
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry cluster_arrive(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: barrier.cluster.arrive
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @cluster_arrive(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.cluster.arrive
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry cluster_wait(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: barrier.cluster.wait
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @cluster_wait(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.cluster.wait
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry grid_launch_dependents(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: griddepcontrol.launch_dependents
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @grid_launch_dependents(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.grid.launch_dependents
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry grid_dependency_wait(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: griddepcontrol.wait
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @grid_dependency_wait(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.grid.dependency_wait
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry grid_serial_wait(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ld.acquire
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @grid_serial_wait(%x: !global, %y: !global, %semaphores: memref<?xi32, #gl>, %turn: i32)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.grid.serial_wait %semaphores[%c0], %turn : memref<?xi32, #gl>
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry grid_serial_release(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: st.release
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @grid_serial_release(%x: !global, %y: !global, %semaphores: memref<?xi32, #gl>, %turn: i32)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.grid.serial_release %semaphores[%c0], %turn : memref<?xi32, #gl>
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }
}
