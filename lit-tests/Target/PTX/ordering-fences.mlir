// Ordinary accesses stay on their side of every fence at each level: a load of the same
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

  // CHECK-LABEL: .entry fence_proxy_async(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: fence.proxy.async
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @fence_proxy_async(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.fence.proxy async
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry fence_proxy_shared(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: fence.proxy.async.shared::cta
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @fence_proxy_shared(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.fence.proxy async_shared_cta
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry fence_mbarrier_init(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: fence.mbarrier_init.release.cluster
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @fence_mbarrier_init(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.fence.mbarrier_init
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry fence_thread(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: fence.acq_rel.gpu
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @fence_thread(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.fence.thread acq_rel gpu
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry fence_sync_restrict(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: fence.acquire.sync_restrict::shared::cluster.cluster
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @fence_sync_restrict(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.fence.sync_restrict acquire
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry fence_tensor_map_release(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: fence.proxy.tensormap::generic.release.gpu
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @fence_tensor_map_release(%x: !global, %y: !global)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.fence.tensor_map_release gpu
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry fence_tensor_map_acquire(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: fence.proxy.tensormap::generic.acquire.gpu
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @fence_tensor_map_acquire(%x: !global, %y: !global, %map: !carousel.tensor_map<64x32xf32>)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.fence.tensor_map_acquire %map gpu : !carousel.tensor_map<64x32xf32>
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
