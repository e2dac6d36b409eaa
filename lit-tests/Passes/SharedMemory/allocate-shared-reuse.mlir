// What stands between two buffers that share bytes, by hazard. Each kernel has buffers %a and then
// %b of 256 bytes, one after the other.
// RUN: carousel-opt %s --carousel-allocate-shared --carousel-verify-chip --carousel-verify-machine | FileCheck %s
// RUN: carousel-opt %s --carousel-allocate-shared=reuse=false | FileCheck %s --check-prefix=SEPARATE

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<?xf32, #gl>
!tile = memref<64xf32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
#launch = #carousel.launch<grid = [1], block = [128]>

gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  // War: others may still read %a.
  // CHECK-LABEL: gpu.func @war_generic
  // CHECK-SAME: shared = 256>
  // CHECK: memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  // SEPARATE-LABEL: gpu.func @war_generic
  // SEPARATE-SAME: shared = 512>
  // SEPARATE-NOT: gpu.barrier
  // DOC-EXAMPLE: --carousel-allocate-shared
  gpu.func @war_generic(%i: index) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %v = memref.load %a[%i] : !tile
    memref.store %v, %b[%i] : !tile
    gpu.return
  }

  // The kernel's own barrier does.
  // CHECK-LABEL: gpu.func @own_barrier
  // CHECK-SAME: shared = 256>
  // CHECK: memref.load
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  // SEPARATE-LABEL: gpu.func @own_barrier
  gpu.func @own_barrier(%i: index) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %v = memref.load %a[%i] : !tile
    %w = arith.addf %v, %v : f32
    gpu.barrier
    memref.store %w, %b[%i] : !tile
    gpu.return
  }

  // So does a named barrier of the CTA; one of fewer threads, and one in a branch, don't.
  // CHECK-LABEL: gpu.func @named_barrier
  // CHECK: carousel.barrier.sync 1
  // CHECK-NEXT: memref.store
  // CHECK-LABEL: gpu.func @partial_barrier
  // CHECK: carousel.barrier.sync 1 threads(64)
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @named_barrier(%i: index) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %v = memref.load %a[%i] : !tile
    carousel.barrier.sync 1
    memref.store %v, %b[%i] : !tile
    gpu.return
  }
  gpu.func @partial_barrier(%i: index, %flag: i1) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %v = memref.load %a[%i] : !tile
    carousel.barrier.sync 1 threads(64)
    scf.if %flag {
      gpu.barrier
    }
    memref.store %v, %b[%i] : !tile
    gpu.return
  }

  // Roles: an op that holds uses of both is one op, so they live together.
  // CHECK-LABEL: gpu.func @roles
  // CHECK-SAME: shared = 512>
  // CHECK-NOT: gpu.barrier
  gpu.func @roles(%i: index, %role: i1) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.if %role {
      memref.store %zero, %a[%i] : !tile
    } else {
      memref.store %zero, %b[%i] : !tile
    }
    gpu.return
  }

  // Waw: ordinary stores, then an engine's.
  // CHECK-LABEL: gpu.func @waw_load
  // CHECK-SAME: shared = 256>
  // CHECK: memref.store
  // CHECK-NEXT: carousel.fence.proxy async_shared_cta
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.bulk.load
  gpu.func @waw_load(%x: !x, %i: index)
      workgroup(%full: !barrier {llvm.align = 8 : i64}) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    memref.store %zero, %a[%i] : !tile
    carousel.bulk.load %x[%i] to %b[%i], 256 signals %full[] : !x, !tile, !barrier
    gpu.return
  }

  // Only read by threads: the barrier is enough.
  // CHECK-LABEL: gpu.func @war_load
  // CHECK-SAME: shared = 256>
  // CHECK: memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.bulk.load
  gpu.func @war_load(%x: !x, %i: index)
      workgroup(%full: !barrier {llvm.align = 8 : i64}) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %v = memref.load %a[%i] : !tile
    carousel.bulk.load %x[%i] to %b[%i], 256 signals %full[] : !x, !tile, !barrier
    gpu.return
  }

  // The fence that the writers of a stored tile make anyway is behind all of their writes; the one
  // inside of the branch is on the way of those that write there.
  // CHECK-LABEL: gpu.func @own_fence
  // CHECK: scf.if
  // CHECK: carousel.fence.proxy async
  // CHECK: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.bulk.load
  gpu.func @own_fence(%x: !x, %i: index, %writes: i1)
      workgroup(%full: !barrier {llvm.align = 8 : i64}) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.if %writes {
      memref.store %zero, %a[%i] : !tile
      carousel.fence.proxy async
    }
    gpu.barrier
    carousel.bulk.load %x[%i] to %b[%i], 256 signals %full[] : !x, !tile, !barrier
    gpu.return
  }

  // A fence in front of a write, or in a branch that not all writers take, is none.
  // CHECK-LABEL: gpu.func @fence_too_early
  // CHECK: memref.store
  // CHECK-NEXT: scf.if
  // CHECK: }
  // CHECK-NEXT: carousel.fence.proxy async_shared_cta
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.bulk.load
  gpu.func @fence_too_early(%x: !x, %i: index, %some: i1)
      workgroup(%full: !barrier {llvm.align = 8 : i64}) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.fence.proxy async_shared_cta
    memref.store %zero, %a[%i] : !tile
    scf.if %some {
      carousel.fence.proxy async_shared_cta
    }
    gpu.barrier
    carousel.bulk.load %x[%i] to %b[%i], 256 signals %full[] : !x, !tile, !barrier
    gpu.return
  }

  // War: an engine may still read %a.
  // CHECK-LABEL: gpu.func @war_store
  // CHECK: carousel.bulk.commit_group
  // CHECK-NEXT: }
  // CHECK-NEXT: carousel.bulk.wait_group read 0
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @war_store(%y: !x, %i: index, %elected: i1) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.if %elected {
      carousel.bulk.store %a[%i] to %y[%i], 256 : !tile, !x
      carousel.bulk.commit_group
    }
    memref.store %zero, %b[%i] : !tile
    gpu.return
  }

  // A group that isn't closed can't be waited for.
  // CHECK-LABEL: gpu.func @war_store_uncommitted
  // CHECK: carousel.bulk.store
  // CHECK-NEXT: }
  // CHECK-NEXT: carousel.bulk.commit_group
  // CHECK-NEXT: carousel.bulk.wait_group read 0
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @war_store_uncommitted(%y: !x, %i: index, %elected: i1) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.if %elected {
      carousel.bulk.store %a[%i] to %y[%i], 256 : !tile, !x
    }
    memref.store %zero, %b[%i] : !tile
    carousel.bulk.commit_group
    gpu.return
  }

  // CHECK-LABEL: gpu.func @own_wait
  // CHECK: carousel.bulk.wait_group complete 0
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @own_wait(%y: !x, %i: index, %elected: i1) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.if %elected {
      carousel.bulk.store %a[%i] to %y[%i], 256 : !tile, !x
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.barrier
    memref.store %zero, %b[%i] : !tile
    gpu.return
  }

  // A wait that leaves a group open, or comes before the commit, isn't enough.
  // CHECK-LABEL: gpu.func @wait_too_little
  // CHECK: carousel.bulk.wait_group read 1
  // CHECK-NEXT: }
  // CHECK-NEXT: carousel.bulk.wait_group read 0
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @wait_too_little(%y: !x, %i: index, %elected: i1) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.if %elected {
      carousel.bulk.store %a[%i] to %y[%i], 256 : !tile, !x
      carousel.bulk.wait_group read 0
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 1
    }
    gpu.barrier
    memref.store %zero, %b[%i] : !tile
    gpu.return
  }

  // cp.async: each thread waits for its own, and fences what has landed.
  // CHECK-LABEL: gpu.func @waw_cp_async
  // CHECK: carousel.cp_async.copy
  // CHECK-NEXT: carousel.cp_async.wait_all
  // CHECK-NEXT: carousel.fence.proxy async_shared_cta
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.bulk.load
  gpu.func @waw_cp_async(%x: !x, %i: index)
      workgroup(%full: !barrier {llvm.align = 8 : i64}) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.cp_async.copy ca %x[%i] to %a[%i], 4 : !x, !tile
    carousel.bulk.load %x[%i] to %b[%i], 256 signals %full[] : !x, !tile, !barrier
    gpu.return
  }

  // CHECK-LABEL: gpu.func @own_cp_async_wait
  // CHECK: carousel.cp_async.wait_group 0
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @own_cp_async_wait(%x: !x, %i: index) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.cp_async.copy ca %x[%i] to %a[%i], 4 : !x, !tile
    carousel.cp_async.commit_group
    carousel.cp_async.wait_group 0
    gpu.barrier
    %v = memref.load %a[%i] : !tile
    memref.store %v, %b[%i] : !tile
    gpu.return
  }

  // A barrier's first phase, which needs every copy's landing.
  // CHECK-LABEL: gpu.func @own_cp_async_phase
  // CHECK: carousel.mbarrier.wait
  // CHECK-NOT: carousel.cp_async.wait_all
  // CHECK: gpu.barrier
  gpu.func @own_cp_async_phase(%x: !x, %i: index) kernel attributes {carousel.launch = #launch} {
    %false = arith.constant false
    %full = memref.alloc() : !barrier
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.mbarrier.init %full[], 128 : !barrier
    carousel.cp_async.copy ca %x[%i] to %a[%i], 4 : !x, !tile
    carousel.cp_async.mbarrier_arrive %full[] noinc : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = memref.load %a[%i] : !tile
    memref.store %v, %b[%i] : !tile
    gpu.return
  }

  // Another phase may be an earlier one.
  // CHECK-LABEL: gpu.func @other_cp_async_phase
  // CHECK: carousel.cp_async.wait_all
  // CHECK-NEXT: gpu.barrier
  gpu.func @other_cp_async_phase(%x: !x, %i: index) kernel attributes {carousel.launch = #launch} {
    %true = arith.constant true
    %full = memref.alloc() : !barrier
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.mbarrier.init %full[], 128 : !barrier
    carousel.cp_async.copy ca %x[%i] to %a[%i], 4 : !x, !tile
    carousel.cp_async.mbarrier_arrive %full[] noinc : !barrier
    carousel.mbarrier.wait %full[] parity %true : !barrier
    %v = memref.load %a[%i] : !tile
    memref.store %v, %b[%i] : !tile
    gpu.return
  }

  // Raw: a load that was waited for is complete; the barrier tells those that didn't wait.
  // CHECK-LABEL: gpu.func @load_waited
  // CHECK-SAME: shared = 256>
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @load_waited(%x: !x, %i: index)
      workgroup(%full: !barrier {llvm.align = 8 : i64}) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %false = arith.constant false
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.bulk.load %x[%i] to %a[%i], 256 signals %full[] : !x, !tile, !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    memref.store %zero, %b[%i] : !tile
    gpu.return
  }

  // One barrier serves all pairs that it lies between: %a and %c pass their bytes to %b and %d.
  // CHECK-LABEL: gpu.func @one_for_all
  // CHECK-SAME: shared = 512>
  // CHECK: scf.if
  // CHECK: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: scf.if
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @one_for_all(%i: index, %flag: i1) kernel attributes {carousel.launch = #launch} {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    scf.if %flag {
      memref.store %zero, %a[%i] : !tile
      memref.store %zero, %c[%i] : !tile
    }
    scf.if %flag {
      memref.store %zero, %b[%i] : !tile
      memref.store %zero, %d[%i] : !tile
    }
    gpu.return
  }

  // Where a larger buffer decides, the small ones have room enough and need no barrier.
  // CHECK-LABEL: gpu.func @nothing_saved
  // CHECK-SAME: shared = 1024>
  // CHECK: memref.load
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  gpu.func @nothing_saved(%i: index) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %large = memref.alloc() : memref<256xf32, #ws>
    %v = memref.load %a[%i] : !tile
    memref.store %v, %b[%i] : !tile
    gpu.barrier
    memref.store %v, %large[%i] : memref<256xf32, #ws>
    gpu.return
  }
}

// No async proxy, and no fence for it, on sm_80.
// CHECK-LABEL: gpu.module @ampere
gpu.module @ampere [#nvvm.target<chip = "sm_80">] {
  // CHECK-LABEL: gpu.func @waw_generic
  // CHECK: carousel.cp_async.copy
  // CHECK-NEXT: carousel.cp_async.wait_all
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.cp_async.copy
  gpu.func @waw_generic(%x: !x, %i: index) kernel attributes {carousel.launch = #launch} {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.cp_async.copy ca %x[%i] to %a[%i], 4 : !x, !tile
    carousel.cp_async.copy ca %x[%i] to %b[%i], 4 : !x, !tile
    gpu.return
  }
}
