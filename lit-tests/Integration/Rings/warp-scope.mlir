// A ring for each warp, which no thread of another warp waits for: each refills its part of the slot by itself.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @scale --reference @reference --policy all
// RUN: sed 's/RELEASE/warp_barrier/; s/LOAD/bulk/; s/STORE/bulk/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:130 --arg y=empty:130
// RUN: %{run} %t.mlir --arg x=random:3001 --arg y=empty:3001
// RUN: sed 's/RELEASE/empty_barrier/; s/LOAD/bulk/; s/STORE/bulk/' %s > %t.empty.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.empty.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:3001 --arg y=empty:3001
// RUN: sed '/fence.proxy/d; s/RELEASE/warp_barrier/; s/LOAD/cp_async, width = 16/; s/STORE/vector, width = 16/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:3001 --arg y=empty:3001

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xi32, #gl>
!tile = memref<3x64xi32, #ws>
!part = memref<64xi32, strided<[1], offset: ?>, #ws>
!ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  gpu.func @scale(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [96]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %xs = carousel.ring.create scope(warp) release(RELEASE) : !ring
    %ys = carousel.ring.create scope(warp) release(warp_barrier) : !ring
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %n = memref.dim %x, %c0 : !vector
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %warps_before = arith.muli %block, %c3 : index
    %number = arith.addi %warps_before, %warp : index
    %warps = arith.muli %blocks, %c3 : index
    %first = arith.muli %number, %c64 : index
    %step = arith.muli %warps, %c64 : index
    %some_first = arith.cmpi slt, %first, %n : index
    scf.if %some_first {
      carousel.ring.produce %xs[%c0] : !ring {
        %tile = carousel.ring.tile %xs[%c0], 0 : !ring -> !tile
        %part = memref.subview %tile[%warp, 0] [1, 64] [1, 1] : !tile to !part
        carousel.ring.load %x[%first] to %part scope(warp) engine<LOAD> : !vector, !part
      }
    }
    scf.for %i = %first to %n step %step iter_args(%k = %c0) -> (index) {
      %ahead = arith.addi %i, %step : index
      %some = arith.cmpi slt, %ahead, %n : index
      %next = arith.addi %k, %c1 : index
      scf.if %some {
        carousel.ring.produce %xs[%next] : !ring {
          %tile = carousel.ring.tile %xs[%next], 0 : !ring -> !tile
          %part = memref.subview %tile[%warp, 0] [1, 64] [1, 1] : !tile to !part
          carousel.ring.load %x[%ahead] to %part scope(warp) engine<LOAD> : !vector, !part
        }
      }
      carousel.ring.wait %xs[%k] : !ring
      %in = carousel.ring.tile %xs[%k], 0 : !ring -> !tile
      %out = carousel.ring.tile %ys[%k], 0 : !ring -> !tile
      scf.for %j = %lane to %c64 step %c32 {
        %value = memref.load %in[%warp, %j] : !tile
        %sum = arith.addi %value, %value : i32
        memref.store %sum, %out[%warp, %j] : !tile
      }
      carousel.ring.release %xs[%k] : !ring
      carousel.ring.wait_stores read 0 scope(warp)
      carousel.fence.proxy async_shared_cta
      carousel.ring.sync scope(warp)
      carousel.ring.submit scope(warp) {
        %part = memref.subview %out[%warp, 0] [1, 64] [1, 1] : !tile to !part
        carousel.ring.store %part to %y[%i] scope(warp) engine<STORE> : !part, !vector
      }
      scf.yield %next : index
    }
    carousel.ring.wait_stores complete 0 scope(warp)
    gpu.return
  }
}

func.func @reference(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %value = memref.load %x[%i] : memref<?xi32>
    %sum = arith.addi %value, %value : i32
    memref.store %sum, %y[%i] : memref<?xi32>
  }
  return
}
