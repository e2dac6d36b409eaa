// Ordinary accesses stay on their side of every wait for bulk groups and cp.async groups, and of a bulk reduction, at each level: a load of the same
// element is made again after it, and a store before it isn't dropped for a later one.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --opt-level=1 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --opt-level=3 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_100a %s | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!bars = memref<1x!carousel.mbarrier, #ws>
!tile = memref<64xf32, #ws>

gpu.module @ordering {

  // CHECK-LABEL: .entry bulk_wait_group(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: cp.async.bulk.wait_group
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @bulk_wait_group(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.bulk.wait_group complete 0
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry bulk_wait_group_read(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: cp.async.bulk.wait_group.read
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @bulk_wait_group_read(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.bulk.wait_group read 0
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry bulk_reduce(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: cp.reduce.async.bulk
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @bulk_reduce(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.bulk.reduce add f32 %tile[%c0] to %x[%c0], 16 : !tile, !global
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry cp_async_wait_group(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: cp.async.wait_group
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @cp_async_wait_group(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.cp_async.wait_group 0
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry cp_async_wait_all(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: cp.async.wait_all
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @cp_async_wait_all(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.cp_async.wait_all
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry cp_async_mbarrier_arrive(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: cp.async.mbarrier.arrive.noinc
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @cp_async_mbarrier_arrive(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.cp_async.mbarrier_arrive %bars[%c0] noinc : !bars
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
