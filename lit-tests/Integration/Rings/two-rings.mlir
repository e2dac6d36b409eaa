// A ring of loads and a ring of stores, unified, with computation in between; slots go back by an mbarrier or by a
// barrier of the CTA.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @scale --reference @reference --policy all
// RUN: sed 's/RELEASE/empty_barrier/; s/LOAD/bulk/; s/STORE/bulk/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:1 --arg y=empty:1
// RUN: %{run} %t.mlir --arg x=random:2998 --arg y=empty:2998
// RUN: sed 's/RELEASE/cta_barrier/; s/LOAD/bulk/; s/STORE/bulk/' %s > %t.meet.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.meet.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:2998 --arg y=empty:2998
// RUN: sed '/fence.proxy/d; s/RELEASE/empty_barrier/; s/LOAD/cp_async, width = 8/; s/STORE/vector, width = 16/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:2998 --arg y=empty:2998
// RUN: sed '/fence.proxy/d; s/RELEASE/cta_barrier/; s/LOAD/vector, width = 4/; s/STORE/vector, width = 2/' %s > %t.vector.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.vector.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:2998 --arg y=empty:2998

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xbf16, #gl>
!tile = memref<256xbf16, #ws>
!in_ring = !carousel.ring<4 x !tile>
!out_ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  gpu.func @scale(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [8, 8]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %xs = carousel.ring.create release(RELEASE) : !in_ring
    %ys = carousel.ring.create release(cta_barrier) : !out_ring
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %row = arith.muli %ty, %c8 : index
    %thread = arith.addi %row, %tx : index
    %n = memref.dim %x, %c0 : !vector
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %lead = arith.muli %step, %c3 : index
    %after = arith.addi %first, %lead : index
    %end = arith.minsi %n, %after : index
    scf.for %i = %first to %end step %step iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %xs[%k] : !in_ring {
        %tile = carousel.ring.tile %xs[%k], 0 : !in_ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<LOAD> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %i = %first to %n step %step iter_args(%k = %c0) -> (index) {
      %ahead = arith.addi %i, %lead : index
      %some = arith.cmpi slt, %ahead, %n : index
      scf.if %some {
        %use = arith.addi %k, %c3 : index
        carousel.ring.produce %xs[%use] : !in_ring {
          %tile = carousel.ring.tile %xs[%use], 0 : !in_ring -> !tile
          carousel.ring.load %x[%ahead] to %tile engine<LOAD> : !vector, !tile
        }
      }
      carousel.ring.wait %xs[%k] : !in_ring
      %in = carousel.ring.tile %xs[%k], 0 : !in_ring -> !tile
      %out = carousel.ring.tile %ys[%k], 0 : !out_ring -> !tile
      scf.for %j = %thread to %c256 step %c64 {
        %value = memref.load %in[%j] : !tile
        %sum = arith.addf %value, %value : bf16
        memref.store %sum, %out[%j] : !tile
      }
      carousel.ring.wait_stores read 0
      carousel.fence.proxy async_shared_cta
      carousel.ring.release %xs[%k] : !in_ring
      carousel.ring.sync
      carousel.ring.submit {
        carousel.ring.store %out to %y[%i] engine<STORE> : !tile, !vector
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.wait_stores complete 0
    gpu.return
  }
}

func.func @reference(%x: memref<?xbf16>, %y: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xbf16>
  scf.for %i = %c0 to %n step %c1 {
    %value = memref.load %x[%i] : memref<?xbf16>
    %sum = arith.addf %value, %value : bf16
    memref.store %sum, %y[%i] : memref<?xbf16>
  }
  return
}
