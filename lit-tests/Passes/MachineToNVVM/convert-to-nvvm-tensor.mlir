// The lowering of each tensor op: coordinates innermost first, destinations by PTX version.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

!map = !carousel.tensor_map<4x4xf32>
!map3 = !carousel.tensor_map<1x4x4xf32>
!rows = !carousel.tensor_map<1x4xf32>
!im2col = !carousel.tensor_map<4x4xf32, mode = im2col, rank = 4, lower = [0, 0], upper = [0, 0]>
!im2col_w = !carousel.tensor_map<4x4xf32, mode = im2col_w, rank = 3, swizzle = b64, lower = [0], upper = [0]>
!im2col_w_128 = !carousel.tensor_map<128x4xf32, mode = im2col_w_128, rank = 3, swizzle = b64, lower = [0], upper = [0]>

// CHECK-LABEL: gpu.module @ptx_88
gpu.module @ptx_88 [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // A descriptor is a pointer; the CTA's own memory stays in its window.
  // CHECK-LABEL: gpu.func @load
  // CHECK-SAME: (%{{.+}}: !llvm.ptr, {{.+}}, %[[D:[^:]+]]: i32, %[[H:[^:]+]]: i32, %[[W:[^:]+]]: i32)
  // CHECK-NOT: llvm.addrspacecast
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %{{.+}}, %{{.+}}, box[%[[W]], %[[H]], %[[D]]] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  gpu.func @load(%map: !map3, %tile: memref<4x4xf32, #ws>, %full: memref<!carousel.mbarrier, #ws>,
                 %i: index, %d: i32, %h: i32, %w: i32) {
    carousel.tensor.load %map[%d, %h, %w] to %tile[%i, %i] signals %full[]
        : !map3, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @load_multicast
  // CHECK-SAME: %[[MASK:[^:]+]]: i16, %[[POLICY:[^:]+]]: i64
  // CHECK: %[[WINDOW:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[WINDOW]], %{{.+}}, %{{.+}}, box[%{{.+}}, %{{.+}}] multicast_mask = %[[MASK]] l2_cache_hint = %[[POLICY]] : !llvm.ptr<7>, !llvm.ptr
  gpu.func @load_multicast(%map: !map, %tile: memref<4x4xf32, #ws>,
                           %full: memref<!carousel.mbarrier, #ws>, %i: index, %c: i32, %mask: i16,
                           %policy: i64) {
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[] multicast %mask cache %policy
        : !map, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @load_remote
  // CHECK: %[[BARRIER:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<7> to !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %{{.+}}, %[[BARRIER]], box[%{{.+}}, %{{.+}}] : !llvm.ptr<7>, !llvm.ptr
  gpu.func @load_remote(%map: !map, %peer: memref<4x4xf32, #cluster>,
                        %full: memref<!carousel.mbarrier, #cluster>, %i: index, %c: i32) {
    carousel.tensor.load %map[%c, %c] to %peer[%i, %i] signals %full[]
        : !map, memref<4x4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }

  // One offset per spatial dimension, innermost first too.
  // CHECK-LABEL: gpu.func @load_im2col
  // CHECK-SAME: %[[N:[^:]+]]: i32, %[[H:[^:]+]]: i32, %[[W:[^:]+]]: i32, %[[C:[^:]+]]: i32, %[[R:[^:]+]]: i16, %[[S:[^:]+]]: i16)
  // CHECK: box[%[[C]], %[[W]], %[[H]], %[[N]]] im2col[%[[S]], %[[R]]] {isCTAOnly = true, mode = #nvvm.tma_load_mode<im2col>}
  gpu.func @load_im2col(%map: !im2col, %tile: memref<4x4xf32, #ws>,
                        %full: memref<!carousel.mbarrier, #ws>, %i: index, %n: i32, %h: i32, %w: i32,
                        %c: i32, %r: i16, %s: i16) {
    carousel.tensor.load %map[%n, %h, %w, %c] mode(im2col) offsets [%r, %s] to %tile[%i, %i]
        signals %full[] : !im2col, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @store
  // CHECK-SAME: %[[ROW:[^:]+]]: i32, %[[COL:[^:]+]]: i32, %[[POLICY:[^:]+]]: i64
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.+}}, %{{.+}}, box[%[[COL]], %[[ROW]]] : !llvm.ptr, <3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.+}}, %{{.+}}, box[%[[COL]], %[[ROW]]] l2_cache_hint = %[[POLICY]] : !llvm.ptr, <3>
  gpu.func @store(%tile: memref<4x4xf32, #ws>, %map: !map, %i: index, %row: i32, %col: i32,
                  %policy: i64) {
    carousel.tensor.store %tile[%i, %i] to %map[%row, %col] : memref<4x4xf32, #ws>, !map
    carousel.tensor.store %tile[%i, %i] to %map[%row, %col] cache %policy
        : memref<4x4xf32, #ws>, !map
    gpu.return
  }

  // CHECK-LABEL: gpu.func @store_im2col
  // CHECK-SAME: %[[N:[^:]+]]: i32, %[[H:[^:]+]]: i32, %[[W:[^:]+]]: i32, %[[C:[^:]+]]: i32)
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.+}}, %{{.+}}, box[%[[C]], %[[W]], %[[H]], %[[N]]] {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, <3>
  gpu.func @store_im2col(%tile: memref<4x4xf32, #ws>, %map: !im2col, %i: index, %n: i32, %h: i32,
                         %w: i32, %c: i32) {
    carousel.tensor.store %tile[%i, %i] to %map[%n, %h, %w, %c] mode(im2col_no_offs)
        : memref<4x4xf32, #ws>, !im2col
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reduce
  // CHECK-SAME: %[[ROW:[^:]+]]: i32, %[[COL:[^:]+]]: i32, %[[POLICY:[^:]+]]: i64
  // CHECK: nvvm.cp.async.bulk.tensor.reduce %{{.+}}, %{{.+}}, box[%[[COL]], %[[ROW]]] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, <3>
  // CHECK: nvvm.cp.async.bulk.tensor.reduce %{{.+}}, %{{.+}}, box[%[[COL]], %[[ROW]]] l2_cache_hint = %[[POLICY]] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, <3>
  gpu.func @reduce(%tile: memref<4x4xf32, #ws>, %map: !map, %i: index, %row: i32, %col: i32,
                   %policy: i64) {
    carousel.tensor.reduce add %tile[%i, %i] to %map[%row, %col] : memref<4x4xf32, #ws>, !map
    carousel.tensor.reduce add %tile[%i, %i] to %map[%row, %col] cache %policy
        : memref<4x4xf32, #ws>, !map
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reduce_kinds
  // CHECK: redKind = #nvvm.tma_redux_kind<min>
  // CHECK: redKind = #nvvm.tma_redux_kind<max>
  // CHECK: redKind = #nvvm.tma_redux_kind<inc>
  // CHECK: redKind = #nvvm.tma_redux_kind<dec>
  // CHECK: redKind = #nvvm.tma_redux_kind<and>
  // CHECK: redKind = #nvvm.tma_redux_kind<or>
  // CHECK: redKind = #nvvm.tma_redux_kind<xor>
  gpu.func @reduce_kinds(%tile: memref<4x4xi32, #ws>, %map: !carousel.tensor_map<4x4xu32>, %i: index,
                         %c: i32) {
    carousel.tensor.reduce min %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xi32, #ws>, !carousel.tensor_map<4x4xu32>
    carousel.tensor.reduce max %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xi32, #ws>, !carousel.tensor_map<4x4xu32>
    carousel.tensor.reduce inc %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xi32, #ws>, !carousel.tensor_map<4x4xu32>
    carousel.tensor.reduce dec %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xi32, #ws>, !carousel.tensor_map<4x4xu32>
    carousel.tensor.reduce and %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xi32, #ws>, !carousel.tensor_map<4x4xu32>
    carousel.tensor.reduce or %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xi32, #ws>, !carousel.tensor_map<4x4xu32>
    carousel.tensor.reduce xor %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xi32, #ws>, !carousel.tensor_map<4x4xu32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @prefetch
  // CHECK-SAME: %[[ROW:[^:]+]]: i32, %[[COL:[^:]+]]: i32, %[[POLICY:[^:]+]]: i64
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch %{{.+}}, box[%[[COL]], %[[ROW]]] : !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch %{{.+}}, box[%[[COL]], %[[ROW]]] l2_cache_hint = %[[POLICY]] : !llvm.ptr
  gpu.func @prefetch(%map: !map, %row: i32, %col: i32, %policy: i64) {
    carousel.tensor.prefetch %map[%row, %col] : !map
    carousel.tensor.prefetch %map[%row, %col] cache %policy : !map
    gpu.return
  }

  // In memory a descriptor is 128 bytes.
  // CHECK-LABEL: gpu.func @map_get
  // CHECK-SAME: memref<?xvector<128xi8>, #gpu.address_space<global>>
  // CHECK: %[[ELEMENT:.+]] = llvm.getelementptr{{.*}} %{{.+}}[%{{.+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<128xi8>
  // CHECK: %[[GENERIC:.+]] = llvm.addrspacecast %[[ELEMENT]] : !llvm.ptr<1> to !llvm.ptr
  // CHECK: nvvm.prefetch tensormap, %[[GENERIC]] : !llvm.ptr
  gpu.func @map_get(%maps: memref<?x!map, #gl>, %i: index) {
    %map = carousel.tensor_map.get %maps[%i] : memref<?x!map, #gl> -> !map
    carousel.tensor_map.prefetch %map : !map
    gpu.return
  }

  // CHECK-LABEL: gpu.func @map_prefetch
  // CHECK: nvvm.prefetch tensormap in_param_space, %{{.+}} : !llvm.ptr
  gpu.func @map_prefetch(%map: !map) {
    carousel.tensor_map.prefetch %map space(param) : !map
    gpu.return
  }

  // CHECK-LABEL: gpu.func @map_replace
  // CHECK-SAME: %[[V:[^:]+]]: i32, %[[N:[^:]+]]: i64
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.global.address"(%{{.+}}, %[[N]]) : (!llvm.ptr<1>, i64) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.rank"(%{{.+}}, %[[V]]) : (!llvm.ptr<3>, i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.box.dim"(%{{.+}}, %{{.+}}, %[[V]]) : (!llvm.ptr<3>, i32, i32) -> ()
  // CHECK: %[[DIM:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.global.dim"(%{{.+}}, %[[DIM]], %[[V]]) : (!llvm.ptr<3>, i32, i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.global.stride"(%{{.+}}, %{{.+}}, %[[N]]) : (!llvm.ptr<3>, i32, i64) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.element.stride"(%{{.+}}, %{{.+}}, %[[V]]) : (!llvm.ptr<3>, i32, i32) -> ()
  // CHECK: %[[LITERAL:.+]] = llvm.mlir.constant(10 : i32)
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.elemtype"(%{{.+}}, %[[LITERAL]]) : (!llvm.ptr<3>, i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.interleave.layout"(%{{.+}}, %{{.+}}) : (!llvm.ptr<3>, i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.swizzle.mode"(%{{.+}}, %{{.+}}) : (!llvm.ptr<3>, i32) -> ()
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.fill.mode"(%{{.+}}, %{{.+}}) : (!llvm.ptr<3>, i32) -> ()
  gpu.func @map_replace(%local: memref<!map, #ws>, %global: memref<!map, #gl>, %v: i32, %n: i64) {
    carousel.tensor_map.replace global_address of %global[] with %n : memref<!map, #gl>, i64
    carousel.tensor_map.replace rank of %local[] with %v : memref<!map, #ws>, i32
    carousel.tensor_map.replace box_dim dim(0) of %local[] with %v : memref<!map, #ws>, i32
    carousel.tensor_map.replace global_dim dim(1) of %local[] with %v : memref<!map, #ws>, i32
    carousel.tensor_map.replace global_stride dim(0) of %local[] with %n : memref<!map, #ws>, i64
    carousel.tensor_map.replace element_stride dim(0) of %local[] with %v : memref<!map, #ws>, i32
    carousel.tensor_map.replace elemtype of %local[] literal 10 : memref<!map, #ws>
    carousel.tensor_map.replace interleave_layout of %local[] literal 0 : memref<!map, #ws>
    carousel.tensor_map.replace swizzle_mode of %local[] literal 3 : memref<!map, #ws>
    carousel.tensor_map.replace fill_mode of %local[] literal 1 : memref<!map, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @map_replace_element
  // CHECK: llvm.getelementptr{{.*}} %{{.+}}[%{{.+}}] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, vector<128xi8>
  gpu.func @map_replace_element(%maps: memref<4x!map, #ws>, %i: index, %rank: i32) {
    carousel.tensor_map.replace rank of %maps[%i] with %rank : memref<4x!map, #ws>, i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @map_copy_fence_element
  // CHECK: llvm.getelementptr{{.*}} %{{.+}}[%{{.+}}] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, vector<128xi8>
  // CHECK: llvm.getelementptr{{.*}} %{{.+}}[%{{.+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<128xi8>
  gpu.func @map_copy_fence_element(%local: memref<4x!map, #ws>, %maps: memref<?x!map, #gl>,
                                   %i: index) {
    carousel.tensor_map.copy_fence %local[%i] to %maps[%i] scope(gpu)
        : memref<4x!map, #ws>, memref<?x!map, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @map_copy_fence
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,l,~{memory}" %{{.+}}, %{{.+}} : (!llvm.ptr<1>, !llvm.ptr<3>) -> ()
  gpu.func @map_copy_fence(%local: memref<!map, #ws>, %maps: memref<!map, #gl>) {
    carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu)
        : memref<!map, #ws>, memref<!map, #gl>
    gpu.return
  }
}

// CHECK-LABEL: gpu.module @ptx_80
gpu.module @ptx_80 [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
  // CHECK-LABEL: gpu.func @load_80
  // CHECK: %[[WINDOW:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[WINDOW]], %{{.+}}, %{{.+}}, box[%{{.+}}, %{{.+}}] : !llvm.ptr<7>, !llvm.ptr
  gpu.func @load_80(%map: !map, %tile: memref<4x4xf32, #ws>, %full: memref<!carousel.mbarrier, #ws>,
                    %i: index, %c: i32) {
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
        : !map, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// CHECK-LABEL: gpu.module @sm_100
gpu.module @sm_100 [#nvvm.target<chip = "sm_100a", features = "+ptx88">] {
  // The column comes first, the rows keep their order.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME: %[[R0:[^:]+]]: i32, %[[R1:[^:]+]]: i32, %[[R2:[^:]+]]: i32, %[[R3:[^:]+]]: i32, %[[COL:[^:]+]]: i32)
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.+}} box[%[[COL]], %[[R0]], %[[R1]], %[[R2]], %[[R3]]] {isCTAOnly = true, mode = #nvvm.tma_load_mode<tile_gather4>}
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.+}} box[%[[COL]], %[[R0]], %[[R1]], %[[R2]], %[[R3]]] {mode = #nvvm.tma_store_mode<tile_scatter4>}
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch {{.+}} box[%[[COL]], %[[R0]], %[[R1]], %[[R2]], %[[R3]]] {mode = #nvvm.tma_load_mode<tile_gather4>}
  gpu.func @rows(%map: !rows, %tile: memref<4x4xf32, #ws>, %full: memref<!carousel.mbarrier, #ws>,
                 %i: index, %r0: i32, %r1: i32, %r2: i32, %r3: i32, %col: i32) {
    carousel.tensor.load %map[%r0, %r1, %r2, %r3, %col] mode(gather4) to %tile[%i, %i]
        signals %full[] : !rows, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.tensor.store %tile[%i, %i] to %map[%r0, %r1, %r2, %r3, %col] mode(scatter4)
        : memref<4x4xf32, #ws>, !rows
    carousel.tensor.prefetch %map[%r0, %r1, %r2, %r3, %col] mode(gather4) : !rows
    gpu.return
  }

  // Halo and offset keep their order.
  // CHECK-LABEL: gpu.func @im2col_w
  // CHECK-SAME: %[[HALO:[^:]+]]: i16, %[[OFFSET:[^:]+]]: i16)
  // CHECK: im2col[%[[HALO]], %[[OFFSET]]] {isCTAOnly = true, mode = #nvvm.tma_load_mode<im2col_w>}
  // CHECK: im2col[%[[HALO]], %[[OFFSET]]] {mode = #nvvm.tma_load_mode<im2col_w_128>} : !llvm.ptr
  gpu.func @im2col_w(%w: !im2col_w, %w128: !im2col_w_128, %tile: memref<4x4xf32, #ws>,
                     %full: memref<!carousel.mbarrier, #ws>, %i: index, %c: i32, %halo: i16,
                     %offset: i16) {
    carousel.tensor.load %w[%c, %c, %c] mode(im2col_w) offsets [%halo, %offset] to %tile[%i, %i]
        signals %full[] : !im2col_w, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.tensor.prefetch %w128[%c, %c, %c] mode(im2col_w_128) offsets [%halo, %offset]
        : !im2col_w_128
    gpu.return
  }

  // NVVM has groups of CTAs for the cluster's window alone.
  // CHECK-LABEL: gpu.func @cta_group_multicast
  // CHECK: llvm.addrspacecast %{{.+}} : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.+}} {group = #nvvm.cta_group<cta_1>} : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.+}} {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  gpu.func @cta_group_multicast(%map: !map, %tile: memref<4x4xf32, #ws>,
                                %full: memref<!carousel.mbarrier, #ws>, %i: index, %c: i32,
                                %mask: i16) {
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[] multicast %mask cta_group(1)
        : !map, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[] multicast %mask cta_group(2)
        : !map, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @cta_group
  // CHECK-SAME: %[[ROW:[^:]+]]: i32, %[[COL:[^:]+]]: i32, %[[POLICY:[^:]+]]: i64
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [$0], [$1, {$3, $4}], [$2];", "l,l,l,r,r,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %[[COL]], %[[ROW]] : (!llvm.ptr<3>, !llvm.ptr, !llvm.ptr<3>, i32, i32) -> ()
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1.L2::cache_hint [$0], [$1, {$3, $4}], [$2], $5;", "l,l,l,r,r,l,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %[[COL]], %[[ROW]], %[[POLICY]] :
  gpu.func @cta_group(%map: !map, %tile: memref<4x4xf32, #ws>, %full: memref<!carousel.mbarrier, #ws>,
                      %i: index, %row: i32, %col: i32, %policy: i64) {
    carousel.tensor.load %map[%row, %col] to %tile[%i, %i] signals %full[] cta_group(2)
        : !map, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.tensor.load %map[%row, %col] to %tile[%i, %i] signals %full[] cache %policy cta_group(1)
        : !map, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @cta_group_modes
  // CHECK-SAME: %[[ROW:[^:]+]]: i32, %[[COL:[^:]+]]: i32, %[[HALO:[^:]+]]: i16, %[[OFFSET:[^:]+]]: i16)
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::1 [$0], [$1, {$3, $4, $5, $6, $7}], [$2];", "l,l,l,r,r,r,r,r,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %[[COL]], %[[ROW]], %[[ROW]], %[[ROW]], %[[ROW]] :
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.cta_group::2 [$0], [$1, {$3, $4, $5}], [$2], {$6, $7};", "l,l,l,r,r,r,h,h,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %[[COL]], %[[COL]], %[[ROW]], %[[HALO]], %[[OFFSET]] :
  gpu.func @cta_group_modes(%rows: !rows, %w: !im2col_w, %tile: memref<4x4xf32, #ws>,
                            %full: memref<!carousel.mbarrier, #ws>, %i: index, %row: i32, %col: i32,
                            %halo: i16, %offset: i16) {
    carousel.tensor.load %rows[%row, %row, %row, %row, %col] mode(gather4) to %tile[%i, %i]
        signals %full[] cta_group(1) : !rows, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    carousel.tensor.load %w[%row, %col, %col] mode(im2col_w) offsets [%halo, %offset]
        to %tile[%i, %i] signals %full[] cta_group(2)
        : !im2col_w, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @map_atomicity
  // CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.swizzle.atomicity"(%{{.+}}, %{{.+}}) : (!llvm.ptr<3>, i32) -> ()
  gpu.func @map_atomicity(%local: memref<!map, #ws>) {
    carousel.tensor_map.replace swizzle_atomicity of %local[] literal 1 : memref<!map, #ws>
    gpu.return
  }
}
