// The lowering of fences, barriers, clusters and grids.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

gpu.module @sm_90 [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @fence_thread
  // CHECK: llvm.fence syncscope("block") acquire
  // CHECK: llvm.fence syncscope("cluster") release
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: llvm.fence seq_cst
  gpu.func @fence_thread() {
    carousel.fence.thread acquire cta
    carousel.fence.thread release cluster
    carousel.fence.thread acq_rel gpu
    carousel.fence.thread sc sys
    gpu.return
  }

  // CHECK-LABEL: gpu.func @fence_proxy
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
  gpu.func @fence_proxy() {
    carousel.fence.proxy alias
    carousel.fence.proxy async
    carousel.fence.proxy async_global
    carousel.fence.proxy async_shared_cta
    carousel.fence.proxy async_shared_cluster
    gpu.return
  }

  // CHECK-LABEL: gpu.func @fence_shared
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<release>}
  // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}
  // CHECK: nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<acquire>}
  // CHECK: nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<release>}
  gpu.func @fence_shared() {
    carousel.fence.mbarrier_init
    carousel.fence.sync_restrict release
    carousel.fence.sync_restrict acquire
    carousel.fence.proxy_sync_restrict acquire
    carousel.fence.proxy_sync_restrict release
    gpu.return
  }

  // LLVM's acquire claims the descriptor alone; ordinary accesses stay on their side.
  // CHECK-LABEL: gpu.func @fence_tensor_map
  // CHECK: nvvm.fence.proxy.release <gpu>
  // CHECK: %[[SIZE:.+]] = llvm.mlir.constant(128 : i32)
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  // CHECK-NEXT: nvvm.fence.proxy.acquire <sys> %{{.+}}, %[[SIZE]]
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  gpu.func @fence_tensor_map(%map: !carousel.tensor_map<4x4xf32>) {
    carousel.fence.tensor_map_release gpu
    carousel.fence.tensor_map_acquire %map sys : !carousel.tensor_map<4x4xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @elect
  // CHECK-SAME: (%[[MASK:.+]]: i32)
  // CHECK: nvvm.elect.sync -> i1
  // CHECK: nvvm.elect.sync %[[MASK]] -> i1
  gpu.func @elect(%mask: i32) {
    %0 = carousel.elect
    %1 = carousel.elect mask %mask
    gpu.return
  }

  // CHECK-LABEL: gpu.func @named_barriers
  // CHECK-SAME: (%[[DYNAMIC:.+]]: i32)
  // CHECK-DAG: %[[ID:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK-DAG: %[[THREADS:.+]] = llvm.mlir.constant(128 : i32)
  // CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
  // CHECK: nvvm.barrier id = %{{[^ ]+}}{{$}}
  // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.count"(%[[DYNAMIC]], %{{.+}}) : (i32, i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.all"(%[[DYNAMIC]]) : (i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%{{.+}}, %{{.+}}) : (i32, i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.count"(%[[DYNAMIC]], %{{.+}}) : (i32, i32) -> ()
  gpu.func @named_barriers(%id: i32) {
    carousel.barrier.sync 1 threads(128)
    carousel.barrier.sync 2
    carousel.barrier.sync %id threads(64) unaligned
    carousel.barrier.sync %id unaligned
    carousel.barrier.arrive 1 threads(128)
    carousel.barrier.arrive %id threads(64) unaligned
    gpu.return
  }

  // CHECK-LABEL: gpu.func @warp_barrier
  // CHECK-SAME: (%[[MASK:.+]]: i32)
  // CHECK: %[[ALL:.+]] = llvm.mlir.constant(-1 : i32)
  // CHECK: nvvm.bar.warp.sync %[[ALL]] : i32
  // CHECK: nvvm.bar.warp.sync %[[MASK]] : i32
  gpu.func @warp_barrier(%mask: i32) {
    carousel.barrier.warp
    carousel.barrier.warp mask %mask
    gpu.return
  }

  // CHECK-LABEL: gpu.func @set_max_registers
  // CHECK: nvvm.setmaxregister decrease 40
  // CHECK: nvvm.setmaxregister increase 232
  gpu.func @set_max_registers() {
    carousel.set_max_registers dec 40
    carousel.set_max_registers inc 232
    gpu.return
  }

  // CHECK-LABEL: gpu.func @cluster_registers
  // CHECK: nvvm.read.ptx.sreg.cluster.ctarank : i32
  // CHECK: nvvm.read.ptx.sreg.cluster.nctarank : i32
  gpu.func @cluster_registers() {
    %rank = carousel.cluster.rank
    %size = carousel.cluster.size
    gpu.return
  }

  // The peer's memref has the pointer in the peer, and the source's offset, extent and stride.
  // CHECK-LABEL: gpu.func @map_shared
  // CHECK-SAME: %[[RANK:[^:]+]]: i32
  // CHECK: %[[SOURCE:.+]] = builtin.unrealized_conversion_cast %{{.+}} : memref<?xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
  // CHECK: %[[POINTER:.+]] = llvm.extractvalue %[[SOURCE]][1]
  // CHECK: %[[PEER:.+]] = nvvm.mapa %[[POINTER]], %[[RANK]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.insertvalue %[[PEER]], %{{.+}}[0]
  // CHECK: llvm.insertvalue %[[PEER]], %{{.+}}[1]
  // CHECK: %[[OFFSET:.+]] = llvm.extractvalue %[[SOURCE]][2]
  // CHECK: llvm.insertvalue %[[OFFSET]], %{{.+}}[2]
  // CHECK: %[[EXTENT:.+]] = llvm.extractvalue %[[SOURCE]][3, 0]
  // CHECK: llvm.insertvalue %[[EXTENT]], %{{.+}}[3, 0]
  // CHECK: %[[STRIDE:.+]] = llvm.extractvalue %[[SOURCE]][4, 0]
  // CHECK: llvm.insertvalue %[[STRIDE]], %{{.+}}[4, 0]
  // CHECK: builtin.unrealized_conversion_cast %{{.+}} to memref<?xf32, strided<[1], offset: ?>, 7>
  gpu.func @map_shared(%tile: memref<?xf32, strided<[1], offset: ?>, #ws>, %rank: i32, %i: index)
      -> f32 {
    %peer = carousel.cluster.map_shared %tile, %rank
        : memref<?xf32, strided<[1], offset: ?>, #ws> to memref<?xf32, strided<[1], offset: ?>, #cluster>
    %value = memref.load %peer[%i] : memref<?xf32, strided<[1], offset: ?>, #cluster>
    gpu.return %value : f32
  }

  // CHECK-LABEL: gpu.func @rank_of
  // CHECK: %[[GENERIC:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<7> to !llvm.ptr
  // CHECK: llvm.call_intrinsic "llvm.nvvm.getctarank"(%[[GENERIC]]) : (!llvm.ptr) -> i32
  gpu.func @rank_of(%peer: memref<4xf32, #cluster>) {
    %rank = carousel.cluster.rank_of %peer : memref<4xf32, #cluster>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @cluster_barrier
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK: nvvm.cluster.arrive{{$}}
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK: nvvm.cluster.arrive.relaxed{{$}}
  // CHECK: nvvm.cluster.wait {aligned}
  // CHECK: nvvm.cluster.wait{{$}}
  gpu.func @cluster_barrier() {
    carousel.cluster.arrive
    carousel.cluster.arrive unaligned
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.arrive semantics(relaxed) unaligned
    carousel.cluster.wait
    carousel.cluster.wait unaligned
    gpu.return
  }

  // LLVM's intrinsics claim no memory; ordinary accesses stay on their side.
  // CHECK-LABEL: gpu.func @dependent_grids
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  gpu.func @dependent_grids() {
    carousel.grid.launch_dependents
    carousel.grid.dependency_wait
    gpu.return
  }

  // CHECK-LABEL: gpu.func @serial_wait
  // CHECK-SAME: %[[TURN:[^:]+]]: i32
  // CHECK: scf.while : () -> () {
  // CHECK-NEXT: %[[NOW:.+]] = llvm.load %{{.+}} atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK-NEXT: %[[AGAIN:.+]] = llvm.icmp "ne" %[[NOW]], %[[TURN]] : i32
  // CHECK-NEXT: scf.condition(%[[AGAIN]])
  // CHECK-NEXT: } do {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  gpu.func @serial_wait(%semaphore: memref<i32, #gl>, %turn: i32) {
    carousel.grid.serial_wait %semaphore[], %turn : memref<i32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @serial_release
  // CHECK-SAME: %[[NEXT:[^:]+]]: i32
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  // CHECK-NEXT: llvm.store %[[NEXT]], %{{.+}} atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
  gpu.func @serial_release(%semaphore: memref<i32, #gl>, %next: i32) {
    carousel.grid.serial_release %semaphore[], %next : memref<i32, #gl>
    gpu.return
  }
}
