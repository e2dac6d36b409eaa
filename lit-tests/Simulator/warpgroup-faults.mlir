// Faults of a warpgroup's products, and what is none.
// Descriptors that differ between the lanes of a warp, between warps, and warps at other ops.
// RUN: carousel-sim %s --kernel @lanes_differ --expect-finding barrier-divergence --policy all --schedules 2 | FileCheck %s --check-prefix=LANES-DIFFER
// LANES-DIFFER: expected the lanes of a warp to agree on a 'wgmma.mma', found different operands or places
// RUN: carousel-sim %s --kernel @warps_differ --expect-finding barrier-divergence --policy all --schedules 2 | FileCheck %s --check-prefix=WARPS-DIFFER
// WARPS-DIFFER: expected the warps of a warpgroup to execute the same products and waits, found 'wgmma.mma' with different operands
// RUN: carousel-sim %s --kernel @other_ops --expect-finding barrier-divergence --policy all --schedules 2 | FileCheck %s --check-prefix=OTHER-OPS
// OTHER-OPS: expected the warps of a warpgroup to execute the same products and waits, found 'wgmma.{{mma|commit}}' and 'wgmma.{{mma|commit}}'
// The same product at two places isn't one product.
// RUN: carousel-sim %s --kernel @two_places --expect-finding barrier-divergence --policy all --schedules 2 | FileCheck %s --check-prefix=TWO-PLACES
// TWO-PLACES: found 'wgmma.mma' at two places
// Bytes that nothing has written, and bytes past the last row.
// RUN: carousel-sim %s --kernel @unwritten --expect-finding unwritten-read --policy all --schedules 2 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: by: CTA 0, thread 0 (wgmma.mma)
// Descriptors that no product uses may be of any address.
// RUN: carousel-sim %s --kernel @elsewhere --policy all --schedules 2
// RUN: carousel-sim %s --kernel @out_of_bounds --expect-finding out-of-bounds --policy all --schedules 2 | FileCheck %s --check-prefix=OUT-OF-BOUNDS
// OUT-OF-BOUNDS: expected an access inside one live buffer, found {{.*}}of tile, which has 8192 bytes
// Each warp has to know of the bytes that it needs, and one lane of it suffices.
// RUN: carousel-sim %s --kernel @three_warps_wait --arg x=random:64x64 --expect-finding engine-race --policy all --schedules 2 | FileCheck %s --check-prefix=THREE-WARPS-WAIT
// THREE-WARPS-WAIT: raw: expected the write by CTA 0, thread 0 (bulk.load) and this read of the same bytes to be ordered
// RUN: carousel-sim %s --kernel @one_lane_waits --arg x=random:64x64 --policy all --schedules 2
// One thread of the warpgroup may release what all of its warps have read.
// RUN: carousel-sim %s --kernel @one_thread_releases --arg x=random:64x64 --policy all --schedules 2
// A warp that waits elsewhere: the others can't complete their product.
// RUN: carousel-sim %s --kernel @missing_warp --expect-finding deadlock --policy all --schedules 2 | FileCheck %s --check-prefix=MISSING-WARP
// MISSING-WARP: wgmma group wait
// MISSING-WARP: 1 products in flight
// MISSING-WARP: warp 3
// A factor in registers may be used several times, and be returned.
// RUN: carousel-sim %s --kernel @factor_used_twice --policy all --schedules 2
// RUN: carousel-sim %s --kernel @factor_in_flight --expect-finding registers-in-flight --policy all --schedules 2 | FileCheck %s --check-prefix=FACTOR-IN-FLIGHT
// FACTOR-IN-FLIGHT: expected a wait for all groups that access its registers, found one that leaves 1 groups in flight

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!x = memref<64x64xbf16, #gl>
!tile = memref<64x64xbf16, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = vector<1x2x2xf32>
!registers = !carousel.wgmma_registers<!sums>
!factor = !carousel.wgmma_registers<vector<4x2xbf16>>

gpu.module @faults {
  gpu.func @lanes_differ() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %odd = arith.remui %lane, %c2 : index
    %matrix_row = arith.muli %odd, %c8 : index
    %d = carousel.wgmma.descriptor %tile[%matrix_row, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }

  gpu.func @warps_differ() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %matrix_row = arith.muli %warp, %c8 : index
    %e = carousel.wgmma.descriptor %tile[%matrix_row, %c0] swizzle(b128) : !tile to !matrix
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %e, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }

  gpu.func @other_ops() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    scf.if %is_early {
      %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
      carousel.wgmma.commit
      %product = carousel.wgmma.wait 0, %next : !registers
    } else {
      carousel.wgmma.commit
    }
    gpu.return
  }

  gpu.func @two_places() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    scf.if %is_early {
      %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
      carousel.wgmma.commit
      %product = carousel.wgmma.wait 0, %next : !registers
    } else {
      %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
      carousel.wgmma.commit
      %product = carousel.wgmma.wait 0, %next : !registers
    }
    gpu.return
  }

  gpu.func @unwritten() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }

  gpu.func @elsewhere() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %matrix_row = arith.muli %c64, %c32 : index
    %e = carousel.wgmma.descriptor %tile[%matrix_row, %c0] swizzle(b128) : !tile to !matrix
    %far = arith.muli %matrix_row, %c2 : index
    %f = carousel.wgmma.descriptor %tile[%far, %c0] swizzle(b128) : !tile to !matrix
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }

  gpu.func @out_of_bounds() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %last = arith.addi %c32, %c32 : index
    %matrix_row = arith.subi %last, %c8 : index
    %d = carousel.wgmma.descriptor %tile[%matrix_row, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }

  gpu.func @three_warps_wait(%x: !x {carousel.argument = #carousel.argument<"x", in>}) workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %false = arith.constant false
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], 8192 : !barrier
      carousel.bulk.load %x[%c0, %c0] to %tile[%c0, %c0], 8192 signals %full[] : !x, !tile, !barrier
    }
    gpu.barrier
    scf.if %is_early {
      carousel.mbarrier.wait %full[] parity %false : !barrier
    }
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    carousel.mbarrier.wait %full[] parity %false : !barrier
    gpu.return
  }

  gpu.func @one_lane_waits(%x: !x {carousel.argument = #carousel.argument<"x", in>}) workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %false = arith.constant false
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], 8192 : !barrier
      carousel.bulk.load %x[%c0, %c0] to %tile[%c0, %c0], 8192 signals %full[] : !x, !tile, !barrier
    }
    gpu.barrier
    %waits = arith.cmpi eq, %lane, %c0 : index
    scf.if %waits {
      carousel.mbarrier.wait %full[] parity %false : !barrier
    }
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }

  gpu.func @one_thread_releases(%x: !x {carousel.argument = #carousel.argument<"x", in>}) workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %false = arith.constant false
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], 8192 : !barrier
      carousel.bulk.load %x[%c0, %c0] to %tile[%c0, %c0], 8192 signals %full[] : !x, !tile, !barrier
    }
    gpu.barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    scf.if %is_first {
      carousel.mbarrier.arrive_expect_tx %full[], 8192 : !barrier
      carousel.bulk.load %x[%c0, %c0] to %tile[%c0, %c0], 8192 signals %full[] : !x, !tile, !barrier
    }
    %true = arith.constant true
    carousel.mbarrier.wait %full[] parity %true : !barrier
    gpu.return
  }

  gpu.func @missing_warp() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    %false = arith.constant false
    scf.if %is_early {
    } else {
      carousel.mbarrier.wait %full[] parity %false : !barrier
    }
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %next = carousel.wgmma.mma %d, %d, %sums : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }

  gpu.func @factor_used_twice() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %values = arith.constant dense<0.0> : vector<4x2xbf16>
    %factor = carousel.wgmma.fence(%values) : vector<4x2xbf16>
    %one = carousel.wgmma.mma %factor, %d, %sums : !factor, !matrix, !registers
    %two = carousel.wgmma.mma %factor, %d, %one : !factor, !matrix, !registers
    carousel.wgmma.commit
    %product, %again = carousel.wgmma.wait 0, %two, %factor : !registers, !factor
    gpu.return
  }

  gpu.func @factor_in_flight() workgroup(%tile: !tile {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %is_early = arith.cmpi ult, %thread, %c96 : index
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : !tile, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %values = arith.constant dense<0.0> : vector<4x2xbf16>
    %factor = carousel.wgmma.fence(%values) : vector<4x2xbf16>
    %next = carousel.wgmma.mma %factor, %d, %sums : !factor, !matrix, !registers
    carousel.wgmma.commit
    %again = carousel.wgmma.wait 1, %factor : !factor
    %product = carousel.wgmma.wait 0, %next : !registers
    gpu.return
  }
}
