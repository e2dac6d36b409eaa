// Ordinary accesses stay on their side of every wait, arrive and fence at each level: a load of the same
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

  // CHECK-LABEL: .entry mbarrier_wait(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.try_wait
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_wait(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %false = arith.constant false
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.wait %bars[%c0] parity %false : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_test_wait(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.test_wait
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_test_wait(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %false = arith.constant false
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    %p = carousel.mbarrier.test_wait %bars[%c0] parity %false : !bars
    scf.if %p {
      gpu.barrier
    }
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_arrive(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.arrive
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_arrive(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.arrive %bars[%c0] : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_arrive_drop(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.arrive_drop
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_arrive_drop(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.arrive_drop %bars[%c0] : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_arrive_expect_tx(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.arrive.expect_tx
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_arrive_expect_tx(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.arrive_expect_tx %bars[%c0], 64 : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_init(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.init
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_init(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.init %bars[%c0], 1 : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_inval(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.inval
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_inval(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.inval %bars[%c0] : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

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

  // CHECK-LABEL: .entry mbarrier_arrive_relaxed(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.arrive.relaxed
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_arrive_relaxed(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.arrive %bars[%c0] semantics(relaxed) : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_arrive_expect_tx_relaxed(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.arrive.expect_tx.relaxed
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_arrive_expect_tx_relaxed(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.arrive_expect_tx %bars[%c0], 64 semantics(relaxed) : !bars
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_test_wait_relaxed(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.test_wait.parity.relaxed
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_test_wait_relaxed(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %false = arith.constant false
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    %p = carousel.mbarrier.test_wait %bars[%c0] parity %false semantics(relaxed) : !bars
    scf.if %p {
      gpu.barrier
    }
    %c = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry mbarrier_wait_relaxed(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: mbarrier.try_wait.parity.relaxed
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @mbarrier_wait_relaxed(%x: !global, %y: !global)
      workgroup(%bars: !bars, %tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %false = arith.constant false
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.mbarrier.wait %bars[%c0] parity %false semantics(relaxed) : !bars
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
