// The lowering of each bulk op and asynchronous store, and the spelling of destinations before PTX 8.6.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// CHECK-LABEL: gpu.module @ptx_88
gpu.module @ptx_88 [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // The CTA's own memory stays in its window.
  // CHECK-LABEL: gpu.func @load
  // CHECK-NOT: llvm.addrspacecast
  // CHECK: %[[SIZE:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.+}}, %{{.+}}, %{{.+}}, %[[SIZE]] : !llvm.ptr<3>, <1>
  // DOC-EXAMPLE: --carousel-convert-to-nvvm
  gpu.func @load(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>,
                 %full: memref<!carousel.mbarrier, #ws>, %i: index) {
    carousel.bulk.load %x[%i] to %tile[%i], 16 signals %full[]
        : memref<?xf32, #gl>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @load_policy
  // CHECK-SAME: %[[BYTES:[^:]+]]: i32, %[[POLICY:[^:]+]]: i64
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.+}}, %{{.+}}, %{{.+}}, %[[BYTES]] l2_cache_hint = %[[POLICY]] : !llvm.ptr<3>, <1>
  gpu.func @load_policy(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>,
                        %full: memref<!carousel.mbarrier, #ws>, %i: index, %bytes: i32,
                        %policy: i64) {
    carousel.bulk.load %x[%i] to %tile[%i], %bytes signals %full[] cache %policy
        : memref<?xf32, #gl>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // A multicast names the offset in the cluster's window.
  // CHECK-LABEL: gpu.func @load_multicast
  // CHECK-SAME: %[[MASK:[^:]+]]: i16
  // CHECK: %[[WINDOW:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %[[WINDOW]], %{{.+}}, %{{.+}}, %{{.+}} multicast_mask = %[[MASK]] : !llvm.ptr<7>, <1>
  gpu.func @load_multicast(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>,
                           %full: memref<!carousel.mbarrier, #ws>, %i: index, %mask: i16) {
    carousel.bulk.load %x[%i] to %tile[%i], 16 signals %full[] multicast %mask
        : memref<?xf32, #gl>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // NVVM has one type for barriers, whichever CTA they lie in.
  // CHECK-LABEL: gpu.func @load_remote
  // CHECK: %[[BARRIER:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<7> to !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.+}}, %{{.+}}, %[[BARRIER]], %{{.+}} : !llvm.ptr<7>, <1>
  gpu.func @load_remote(%x: memref<?xf32, #gl>, %peer: memref<64xf32, #cluster>,
                        %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
    carousel.bulk.load %x[%i] to %peer[%i], 16 signals %full[]
        : memref<?xf32, #gl>, memref<64xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @store
  // CHECK-SAME: %[[BYTES:[^:]+]]: i32, %[[POLICY:[^:]+]]: i64
  // CHECK: %[[SIZE:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: nvvm.cp.async.bulk.global.shared.cta %{{.+}}, %{{.+}}, %[[SIZE]] : <1>, <3>
  // CHECK: nvvm.cp.async.bulk.global.shared.cta %{{.+}}, %{{.+}}, %[[BYTES]] l2_cache_hint = %[[POLICY]] : <1>, <3>
  gpu.func @store(%tile: memref<64xf32, #ws>, %y: memref<?xf32, #gl>, %i: index, %bytes: i32,
                  %policy: i64) {
    carousel.bulk.store %tile[%i] to %y[%i], 16 : memref<64xf32, #ws>, memref<?xf32, #gl>
    carousel.bulk.store %tile[%i] to %y[%i], %bytes cache %policy
        : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @copy_cluster
  // CHECK: %[[BARRIER:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<7> to !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.shared.cta %{{.+}}, %{{.+}}, %[[BARRIER]], %{{.+}} : <7>, <3>
  gpu.func @copy_cluster(%tile: memref<64xf32, #ws>, %peer: memref<64xf32, #cluster>,
                         %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
    carousel.bulk.copy_cluster %tile[%i] to %peer[%i], 16 signals %full[]
        : memref<64xf32, #ws>, memref<64xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reduce
  // CHECK-SAME: %[[POLICY:[^:]+]]: i64
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [$0], [$1], $2;", "l,l,r,~{memory}" %{{.+}}, %{{.+}}, %{{.+}} : (!llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [$0], [$1], $2, $3;", "l,l,r,l,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %[[POLICY]] :
  gpu.func @reduce(%tile: memref<64xf32, #ws>, %y: memref<?xf32, #gl>, %i: index, %policy: i64) {
    carousel.bulk.reduce add f32 %tile[%i] to %y[%i], 16 : memref<64xf32, #ws>, memref<?xf32, #gl>
    carousel.bulk.reduce add f32 %tile[%i] to %y[%i], 16 cache %policy
        : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }

  // Additions of halves keep subnormals; nothing else of halves says so.
  // CHECK-LABEL: gpu.func @reduce_halves
  // CHECK: bulk_group.add.noftz.f16 [$0]
  // CHECK: bulk_group.add.noftz.bf16 [$0]
  // CHECK: bulk_group.min.f16 [$0]
  gpu.func @reduce_halves(%tile: memref<64xf16, #ws>, %y: memref<?xf16, #gl>,
                          %btile: memref<64xbf16, #ws>, %by: memref<?xbf16, #gl>, %i: index) {
    carousel.bulk.reduce add f16 %tile[%i] to %y[%i], 16 : memref<64xf16, #ws>, memref<?xf16, #gl>
    carousel.bulk.reduce add bf16 %btile[%i] to %by[%i], 16
        : memref<64xbf16, #ws>, memref<?xbf16, #gl>
    carousel.bulk.reduce min f16 %tile[%i] to %y[%i], 16 : memref<64xf16, #ws>, memref<?xf16, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reduce_cluster
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [$0], [$1], $2, [$3];", "l,l,r,l,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : (!llvm.ptr<7>, !llvm.ptr<3>, i32, !llvm.ptr<7>) -> ()
  gpu.func @reduce_cluster(%tile: memref<64xi32, #ws>, %peer: memref<64xi32, #cluster>,
                           %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
    carousel.bulk.reduce_cluster inc u32 %tile[%i] to %peer[%i], 16 signals %full[]
        : memref<64xi32, #ws>, memref<64xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @prefetch
  // CHECK-SAME: %[[BYTES:[^:]+]]: i32, %[[POLICY:[^:]+]]: i64
  // CHECK: nvvm.cp.async.bulk.prefetch %{{.+}}, %{{.+}} : <1>
  // CHECK: nvvm.cp.async.bulk.prefetch %{{.+}}, %[[BYTES]] l2_cache_hint = %[[POLICY]] : <1>
  gpu.func @prefetch(%x: memref<?xf32, #gl>, %i: index, %bytes: i32, %policy: i64) {
    carousel.bulk.prefetch %x[%i], 16 : memref<?xf32, #gl>
    carousel.bulk.prefetch %x[%i], %bytes cache %policy : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @groups
  // CHECK: nvvm.cp.async.bulk.commit.group
  // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
  // CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
  gpu.func @groups() {
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 1
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // CHECK-LABEL: gpu.func @st_async
  // CHECK-SAME: (%[[V:[^:]+]]: f32, %[[V1:[^:]+]]: vector<1xf32>, %[[V4:[^:]+]]: vector<4xf32>
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [$0], $2, [$1];", "l,l,f,~{memory}" %{{.+}}, %{{.+}}, %[[V]] : (!llvm.ptr<7>, !llvm.ptr<7>, f32) -> ()
  // CHECK: %[[LANE:.+]] = llvm.extractelement %[[V1]]
  // CHECK: bytes.f32 [$0], $2, [$1];", "l,l,f,~{memory}" %{{.+}}, %{{.+}}, %[[LANE]] :
  // CHECK-COUNT-4: llvm.extractelement %[[V4]]
  // CHECK: bytes.v4.f32 [$0], {$2, $3, $4, $5}, [$1];", "l,l,f,f,f,f,~{memory}"
  gpu.func @st_async(%v: f32, %v1: vector<1xf32>, %v4: vector<4xf32>, %peer: memref<64xf32, #cluster>,
                     %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
    carousel.st_async %v to %peer[%i] signals %full[]
        : f32, memref<64xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    carousel.st_async %v1 to %peer[%i] signals %full[]
        : vector<1xf32>, memref<64xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    carousel.st_async %v4 to %peer[%i] signals %full[]
        : vector<4xf32>, memref<64xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @st_async_integers
  // CHECK: bytes.b32 [$0], $2, [$1];", "l,l,r,~{memory}"
  // CHECK: bytes.b64 [$0], $2, [$1];", "l,l,l,~{memory}"
  // CHECK: bytes.v2.b64 [$0], {$2, $3}, [$1];", "l,l,l,l,~{memory}"
  gpu.func @st_async_integers(%v: i32, %n: i64, %n2: vector<2xi64>, %peer: memref<64xi32, #cluster>,
                              %wide: memref<64xi64, #cluster>,
                              %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
    carousel.st_async %v to %peer[%i] signals %full[]
        : i32, memref<64xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
    carousel.st_async %n to %wide[%i] signals %full[]
        : i64, memref<64xi64, #cluster>, memref<!carousel.mbarrier, #cluster>
    carousel.st_async %n2 to %wide[%i] signals %full[]
        : vector<2xi64>, memref<64xi64, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @red_async
  // CHECK-SAME: (%[[V:[^:]+]]: i32
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [$0], $1, [$2];", "l,r,l,~{memory}" %{{.+}}, %[[V]], %{{.+}} : (!llvm.ptr<7>, i32, !llvm.ptr<7>) -> ()
  gpu.func @red_async(%v: i32, %peer: memref<64xi32, #cluster>,
                      %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
    carousel.red_async add u32 %v to %peer[%i] signals %full[]
        : i32, memref<64xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }
}

// CHECK-LABEL: gpu.module @ptx_80
gpu.module @ptx_80 [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
  // CHECK-LABEL: gpu.func @load_80
  // CHECK: %[[WINDOW:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %[[WINDOW]], %{{.+}}, %{{.+}}, %{{.+}} : !llvm.ptr<7>, <1>
  gpu.func @load_80(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>,
                    %full: memref<!carousel.mbarrier, #ws>, %i: index) {
    carousel.bulk.load %x[%i] to %tile[%i], 16 signals %full[]
        : memref<?xf32, #gl>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// CHECK-LABEL: gpu.module @sm_100
gpu.module @sm_100 [#nvvm.target<chip = "sm_100a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @store_mask
  // CHECK-SAME: %[[MASK:[^:]+]]: i16
  // CHECK: nvvm.cp.async.bulk.global.shared.cta %{{.+}}, %{{.+}}, %{{.+}} byte_mask = %[[MASK]] : <1>, <3>
  gpu.func @store_mask(%tile: memref<64xf32, #ws>, %y: memref<?xf32, #gl>, %i: index, %mask: i16) {
    carousel.bulk.store %tile[%i] to %y[%i], 16 mask %mask
        : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }

  // PTX wants a byte in a register of 8 bits, which LLVM has none of.
  // CHECK-LABEL: gpu.func @st_async_global
  // CHECK-SAME: (%[[V:[^:]+]]: i32, %[[BYTE:[^:]+]]: i8
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"st.async.release.gpu.global.b32 [$0], $1;", "l,r,~{memory}" %{{.+}}, %[[V]] : (!llvm.ptr<1>, i32) -> ()
  // CHECK: %[[WIDE:.+]] = llvm.zext %[[BYTE]] : i8 to i16
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"{ .reg .b8 %b0; cvt.u8.u16 %b0, $1; st.async.mmio.release.sys.global.b8 [$0], %b0; }", "l,h,~{memory}" %{{.+}}, %[[WIDE]] :
  gpu.func @st_async_global(%v: i32, %byte: i8, %x: memref<?xi32, #gl>, %bytes: memref<?xi8, #gl>,
                            %i: index) {
    carousel.st_async_global %v to %x[%i] scope(gpu) : i32, memref<?xi32, #gl>
    carousel.st_async_global %byte to %bytes[%i] scope(sys) mmio : i8, memref<?xi8, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @red_async_global
  // CHECK-SAME: (%[[V:[^:]+]]: i32, %[[N:[^:]+]]: i64
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"red.async.release.gpu.global.add.u32 [$0], $1;", "l,r,~{memory}" %{{.+}}, %[[V]] :
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"red.async.mmio.release.sys.global.add.s64 [$0], $1;", "l,l,~{memory}" %{{.+}}, %[[N]] :
  gpu.func @red_async_global(%v: i32, %n: i64, %x: memref<?xi32, #gl>, %wide: memref<?xi64, #gl>,
                             %i: index) {
    carousel.red_async_global u32 %v to %x[%i] scope(gpu) : i32, memref<?xi32, #gl>
    carousel.red_async_global s64 %n to %wide[%i] scope(sys) mmio : i64, memref<?xi64, #gl>
    gpu.return
  }
}
