// Errors of carousel-verify-chip: ops that a chip or a PTX version doesn't support.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-chip))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!map = !carousel.tensor_map<4x4xf32>

// C91: what came with sm_90.
gpu.module @kernels [#nvvm.target<chip = "sm_80", features = "+ptx88">] {
  gpu.func @mbarrier_transactions(%full: memref<!carousel.mbarrier, #ws>) {
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.complete_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.arrive_expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.arrive_drop_expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  gpu.func @mbarrier_arrives(%full: memref<!carousel.mbarrier, #ws>,
                             %peer_full: memref<!carousel.mbarrier, #cluster>) {
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.arrive %full[], 2 : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.arrive %full[] scope(cluster) : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.arrive %peer_full[] : memref<!carousel.mbarrier, #cluster>
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.arrive_drop %full[] semantics(relaxed) : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  gpu.func @mbarrier_waits(%full: memref<!carousel.mbarrier, #ws>, %c: i32, %parity: i1) {
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    %0 = carousel.mbarrier.test_wait %full[] parity %parity scope(cluster)
        : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    %1 = carousel.mbarrier.try_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    carousel.mbarrier.wait %full[] parity %parity suspend %c : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  gpu.func @bulk(%full: memref<!carousel.mbarrier, #ws>,
                 %peer_full: memref<!carousel.mbarrier, #cluster>, %x: memref<?xf32, #gl>,
                 %tile: memref<128x4xf32, #ws>, %peer: memref<128x4xf32, #cluster>,
                 %tilei: memref<4x4xi32, #ws>, %peeri: memref<4x4xi32, #cluster>, %i: index) {
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.load %x[%i] to %tile[%i, %i], 16 signals %full[]
        : memref<?xf32, #gl>, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.store %tile[%i, %i] to %x[%i], 16 : memref<128x4xf32, #ws>, memref<?xf32, #gl>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.copy_cluster %tile[%i, %i] to %peer[%i, %i], 16 signals %peer_full[]
        : memref<128x4xf32, #ws>, memref<128x4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.reduce add f32 %tile[%i, %i] to %x[%i], 16
        : memref<128x4xf32, #ws>, memref<?xf32, #gl>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.reduce_cluster add u32 %tilei[%i, %i] to %peeri[%i, %i], 16 signals %peer_full[]
        : memref<4x4xi32, #ws>, memref<4x4xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.prefetch %x[%i], 16 : memref<?xf32, #gl>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.commit_group
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  gpu.func @single_values(%peer_full: memref<!carousel.mbarrier, #cluster>,
                          %peer: memref<128x4xf32, #cluster>, %peeri: memref<4x4xi32, #cluster>,
                          %i: index, %c: i32, %v: f32) {
    // expected-error @below {{needs sm_90 and PTX 8.1, the target is sm_80 with PTX 8.8}}
    carousel.st_async %v to %peer[%i, %i] signals %peer_full[]
        : f32, memref<128x4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    // expected-error @below {{needs sm_90 and PTX 8.1, the target is sm_80 with PTX 8.8}}
    carousel.red_async add u32 %c to %peeri[%i, %i] signals %peer_full[]
        : i32, memref<4x4xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }

  gpu.func @tensor(%full: memref<!carousel.mbarrier, #ws>, %tile: memref<128x4xf32, #ws>,
                   %map: !map, %local: memref<!map, #ws>, %maps: memref<!map, #gl>, %i: index,
                   %c: i32) {
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
        : !map, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.tensor.store %tile[%i, %i] to %map[%c, %c] : memref<128x4xf32, #ws>, !map
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.tensor.reduce add %tile[%i, %i] to %map[%c, %c] : memref<128x4xf32, #ws>, !map
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.tensor.prefetch %map[%c, %c] : !map
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    %0 = carousel.tensor_map.get %maps[] : memref<!map, #gl> -> !map
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.tensor_map.prefetch %map : !map
    // expected-error @below {{needs sm_90 and PTX 8.3, the target is sm_80 with PTX 8.8}}
    carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu)
        : memref<!map, #ws>, memref<!map, #gl>
    gpu.return
  }

  gpu.func @fences(%map: !map) {
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    carousel.fence.thread acq_rel cluster
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.fence.proxy async
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.fence.mbarrier_init
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_80 with PTX 8.8}}
    carousel.fence.sync_restrict release
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_80 with PTX 8.8}}
    carousel.fence.proxy_sync_restrict acquire
    // expected-error @below {{needs sm_90 and PTX 8.3, the target is sm_80 with PTX 8.8}}
    carousel.fence.tensor_map_release gpu
    // expected-error @below {{needs sm_90 and PTX 8.3, the target is sm_80 with PTX 8.8}}
    carousel.fence.tensor_map_acquire %map gpu : !map
    gpu.return
  }

  gpu.func @threads(%tile: memref<128x4xf32, #ws>, %peer: memref<128x4xf32, #cluster>, %c: i32) {
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    %0 = carousel.elect
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    %1 = carousel.cluster.rank
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    %2 = carousel.cluster.size
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    %3 = carousel.cluster.map_shared %tile, %c : memref<128x4xf32, #ws> to memref<128x4xf32, #cluster>
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    %4 = carousel.cluster.rank_of %peer : memref<128x4xf32, #cluster>
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    carousel.cluster.arrive
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    carousel.cluster.wait
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    carousel.grid.launch_dependents
    // expected-error @below {{needs sm_90 and PTX 7.8, the target is sm_80 with PTX 8.8}}
    carousel.grid.dependency_wait
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xf32>

// C91: what only some chips have.
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx88">] {
  gpu.func @architecture(%local: memref<!map, #ws>, %c: i32) {
    // expected-error @below {{needs sm_90a or sm_100a or sm_120a and PTX 8.0, the target is sm_90 with PTX 8.8}}
    carousel.set_max_registers dec 40
    // expected-error @below {{needs sm_90a or sm_100a or sm_120a and PTX 8.3, the target is sm_90 with PTX 8.8}}
    carousel.tensor_map.replace rank of %local[] with %c : memref<!map, #ws>, i32
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xf32>
!rows = !carousel.tensor_map<1x4xf32>
!im2col_w = !carousel.tensor_map<4x4xf32, mode = im2col_w, rank = 3, swizzle = b64, lower = [0], upper = [0]>
!im2col_w_128 = !carousel.tensor_map<128x4xf32, mode = im2col_w_128, rank = 3, swizzle = b64, lower = [0], upper = [0]>
!packed = !carousel.tensor_map<128xb4x16_p64>
!atom = !carousel.tensor_map<4x4xf32, swizzle = b128_atom_64b>

// C91: what came with sm_100.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @bulk(%x: memref<?xf32, #gl>, %xi: memref<?xi32, #gl>, %tile: memref<128x4xf32, #ws>,
                 %i: index, %c: i32, %mask: i16) {
    // expected-error @below {{needs sm_100 and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.bulk.store %tile[%i, %i] to %x[%i], 16 mask %mask
        : memref<128x4xf32, #ws>, memref<?xf32, #gl>
    // expected-error @below {{needs sm_100 and PTX 8.7, the target is sm_90a with PTX 8.8}}
    carousel.st_async_global %c to %xi[%i] scope(gpu) : i32, memref<?xi32, #gl>
    // expected-error @below {{needs sm_100 and PTX 8.7, the target is sm_90a with PTX 8.8}}
    carousel.red_async_global u32 %c to %xi[%i] scope(gpu) : i32, memref<?xi32, #gl>
    gpu.return
  }

  gpu.func @tensor(%full: memref<!carousel.mbarrier, #ws>, %tile: memref<128x4xf32, #ws>,
                   %map: !map, %rows: !rows, %w: !im2col_w, %w128: !im2col_w_128,
                   %packed: !packed, %atom: !atom, %local: memref<!map, #ws>, %i: index, %c: i32,
                   %mask: i16) {
    // expected-error @below {{needs sm_100a or sm_120a and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.load %rows[%c, %c, %c, %c, %c] mode(gather4) to %tile[%i, %i] signals %full[]
        : !rows, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a or sm_120a and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.load %w[%c, %c, %c] mode(im2col_w) offsets [%mask, %mask] to %tile[%i, %i]
        signals %full[] : !im2col_w, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.load %w128[%c, %c, %c] mode(im2col_w_128) offsets [%mask, %mask] to %tile[%i, %i]
        signals %full[] : !im2col_w_128, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[] cta_group(1)
        : !map, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.store %tile[%i, %i] to %rows[%c, %c, %c, %c, %c] mode(scatter4)
        : memref<128x4xf32, #ws>, !rows
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.prefetch %rows[%c, %c, %c, %c, %c] mode(gather4) : !rows
    // expected-error @below {{needs sm_100 and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.prefetch %packed[%c] : !packed
    // expected-error @below {{needs sm_100 and PTX 8.6, the target is sm_90a with PTX 8.8}}
    carousel.tensor.store %tile[%i, %i] to %atom[%c, %c] : memref<128x4xf32, #ws>, !atom
    // expected-error @below {{needs sm_100a or sm_120a and PTX 8.7, the target is sm_90a with PTX 8.8}}
    carousel.tensor_map.replace swizzle_atomicity of %local[] literal 1 : memref<!map, #ws>
    // expected-error @below {{needs sm_100a or sm_120a and PTX 8.7, the target is sm_90a with PTX 8.8}}
    carousel.tensor_map.replace elemtype of %local[] literal 13 : memref<!map, #ws>
    // expected-error @below {{needs sm_103a and PTX 8.8, the target is sm_90a with PTX 8.8}}
    carousel.tensor_map.replace swizzle_mode of %local[] literal 4 : memref<!map, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xf32>
!rows = !carousel.tensor_map<1x4xf32>
!im2col_w = !carousel.tensor_map<4x4xf32, mode = im2col_w, rank = 3, swizzle = b64, lower = [0], upper = [0]>
!im2col_w_128 = !carousel.tensor_map<128x4xf32, mode = im2col_w_128, rank = 3, swizzle = b64, lower = [0], upper = [0]>

// C91: what sm_100a alone has.
gpu.module @kernels [#nvvm.target<chip = "sm_120a", features = "+ptx88">] {
  gpu.func @tensor(%full: memref<!carousel.mbarrier, #ws>, %tile: memref<128x4xf32, #ws>,
                   %map: !map, %rows: !rows, %w: !im2col_w, %w128: !im2col_w_128, %i: index,
                   %c: i32, %mask: i16) {
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_120a with PTX 8.8}}
    carousel.tensor.load %rows[%c, %c, %c, %c, %c] mode(gather4) to %tile[%i, %i]
        signals %full[] multicast %mask
        : !rows, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_120a with PTX 8.8}}
    carousel.tensor.load %w[%c, %c, %c] mode(im2col_w) offsets [%mask, %mask] to %tile[%i, %i]
        signals %full[] multicast %mask
        : !im2col_w, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_120a with PTX 8.8}}
    carousel.tensor.load %w128[%c, %c, %c] mode(im2col_w_128) offsets [%mask, %mask] to %tile[%i, %i]
        signals %full[] : !im2col_w_128, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_120a with PTX 8.8}}
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[] cta_group(2)
        : !map, memref<128x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_120a with PTX 8.8}}
    carousel.tensor.store %tile[%i, %i] to %rows[%c, %c, %c, %c, %c] mode(scatter4)
        : memref<128x4xf32, #ws>, !rows
    // expected-error @below {{needs sm_100a and PTX 8.6, the target is sm_120a with PTX 8.8}}
    carousel.tensor.prefetch %w[%c, %c, %c] mode(im2col_w) offsets [%mask, %mask] : !im2col_w
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C91: what came with PTX 7.1 to 7.5.
gpu.module @kernels [#nvvm.target<chip = "sm_80", features = "+ptx70">] {
  gpu.func @copies(%x: memref<?xf32, #gl>, %tile: memref<128x4xf32, #ws>, %i: index, %c: i32,
                   %policy: i64, %skip: i1) {
    // expected-error @below {{needs sm_80 and PTX 7.5, the target is sm_80 with PTX 7.0}}
    carousel.cp_async.copy ca %x[%i] to %tile[%i, %i], 4 ignore %skip
        : memref<?xf32, #gl>, memref<128x4xf32, #ws>
    // expected-error @below {{needs sm_80 and PTX 7.4, the target is sm_80 with PTX 7.0}}
    carousel.cp_async.copy ca %x[%i] to %tile[%i, %i], 4 l2_prefetch(64)
        : memref<?xf32, #gl>, memref<128x4xf32, #ws>
    // expected-error @below {{needs sm_80 and PTX 7.4, the target is sm_80 with PTX 7.0}}
    carousel.cp_async.copy ca %x[%i] to %tile[%i, %i], 4 cache %policy
        : memref<?xf32, #gl>, memref<128x4xf32, #ws>
    // expected-error @below {{needs sm_80 and PTX 7.4, the target is sm_80 with PTX 7.0}}
    %0 = carousel.cache_policy.fractional evict_last
    // expected-error @below {{needs sm_80 and PTX 7.4, the target is sm_80 with PTX 7.0}}
    %1 = carousel.cache_policy.range evict_last %x[%i], %c, %c : memref<?xf32, #gl>
    // expected-error @below {{needs sm_80 and PTX 7.4, the target is sm_80 with PTX 7.0}}
    %2 = carousel.cache_policy.convert %policy
    // expected-error @below {{needs sm_80 and PTX 7.4, the target is sm_80 with PTX 7.0}}
    carousel.prefetch l2_evict_last %x[%i] : memref<?xf32, #gl>
    gpu.return
  }

  gpu.func @synchronisation(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    // expected-error @below {{needs sm_80 and PTX 7.1, the target is sm_80 with PTX 7.0}}
    %0 = carousel.mbarrier.test_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_80 and PTX 7.1, the target is sm_80 with PTX 7.0}}
    carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_80 and PTX 7.5, the target is sm_80 with PTX 7.0}}
    carousel.fence.proxy alias
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!map = !carousel.tensor_map<4x4xf32>

// C91: what came with PTX 8.1 to 8.6.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
  gpu.func @synchronisation(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_90a with PTX 8.0}}
    carousel.mbarrier.arrive %full[] semantics(relaxed) : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_90a with PTX 8.0}}
    carousel.mbarrier.arrive_expect_tx %full[], 16 semantics(relaxed)
        : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_90a with PTX 8.0}}
    carousel.mbarrier.wait %full[] parity %parity semantics(relaxed)
        : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_90a with PTX 8.0}}
    carousel.fence.sync_restrict acquire
    // expected-error @below {{needs sm_90 and PTX 8.6, the target is sm_90a with PTX 8.0}}
    carousel.fence.proxy_sync_restrict release
    // expected-error @below {{needs sm_90 and PTX 8.3, the target is sm_90a with PTX 8.0}}
    carousel.fence.tensor_map_release gpu
    gpu.return
  }

  gpu.func @copies(%peer_full: memref<!carousel.mbarrier, #cluster>,
                   %peer: memref<128x4xf32, #cluster>, %local: memref<!map, #ws>, %i: index,
                   %c: i32, %v: f32) {
    // expected-error @below {{needs sm_90 and PTX 8.1, the target is sm_90a with PTX 8.0}}
    carousel.st_async %v to %peer[%i, %i] signals %peer_full[]
        : f32, memref<128x4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    // expected-error @below {{needs sm_90a or sm_100a or sm_120a and PTX 8.3, the target is sm_90a with PTX 8.0}}
    carousel.tensor_map.replace rank of %local[] with %c : memref<!map, #ws>, i32
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C91: what came with PTX 8.0.
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  gpu.func @first(%full: memref<!carousel.mbarrier, #ws>) {
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_90 with PTX 7.8}}
    carousel.mbarrier.expect_tx %full[], 16 : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_90 with PTX 7.8}}
    carousel.bulk.commit_group
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_90 with PTX 7.8}}
    %0 = carousel.elect
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_90 with PTX 7.8}}
    carousel.cluster.arrive semantics(relaxed)
    // expected-error @below {{needs sm_90 and PTX 8.0, the target is sm_90 with PTX 7.8}}
    carousel.fence.mbarrier_init
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xf32>

// C91: what came with PTX 8.7.
gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  gpu.func @first(%xi: memref<?xi32, #gl>, %local: memref<!map, #ws>, %i: index, %c: i32) {
    // expected-error @below {{needs sm_100 and PTX 8.7, the target is sm_100a with PTX 8.6}}
    carousel.st_async_global %c to %xi[%i] scope(gpu) : i32, memref<?xi32, #gl>
    // expected-error @below {{needs sm_100a or sm_120a and PTX 8.7, the target is sm_100a with PTX 8.6}}
    carousel.tensor_map.replace swizzle_atomicity of %local[] literal 1 : memref<!map, #ws>
    gpu.return
  }
}
