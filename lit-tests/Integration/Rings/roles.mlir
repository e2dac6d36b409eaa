// Producer and consumer warps, with registers moved between them, a ring of stores, and a persistent outer loop
// through which the uses are counted on.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @scale --reference @reference --policy all
// RUN: sed 's/LOAD/bulk/; s/STORE/bulk/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:0x300 --arg y=empty:0x300
// RUN: %{run} %t.mlir --arg x=random:1x1 --arg y=empty:1x1
// RUN: %{run} %t.mlir --arg x=random:3x1004 --arg y=empty:3x1004
// RUN: sed '/fence.proxy/d; s/LOAD/cp_async, width = 16/; s/STORE/vector, width = 16/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:3x1004 --arg y=empty:3x1004
// RUN: sed '/fence.proxy/d; s/LOAD/vector, width = 16/; s/STORE/vector, width = 4/' %s > %t.vector.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.vector.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:3x1004 --arg y=empty:3x1004

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!tile = memref<128xf32, #ws>
!in_ring = !carousel.ring<3 x !tile>
!out_ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  gpu.func @scale(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %xs = carousel.ring.create : !in_ring
    %ys = carousel.ring.create release(cta_barrier) : !out_ring
    %thread = gpu.thread_id x
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    carousel.ring.roles producer threads(128) registers(40) {
      scf.for %row = %block to %rows step %blocks iter_args(%first = %c0) -> (index) {
        %last = scf.for %i = %c0 to %columns step %c128 iter_args(%k = %first) -> (index) {
          carousel.ring.produce %xs[%k] : !in_ring {
            %tile = carousel.ring.tile %xs[%k], 0 : !in_ring -> !tile
            carousel.ring.load %x[%row, %i] to %tile engine<LOAD> : !matrix, !tile
          }
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
        scf.yield %last : index
      }
    } consumer threads(128) registers(232) {
      scf.for %row = %block to %rows step %blocks iter_args(%first = %c0) -> (index) {
        %last = scf.for %i = %c0 to %columns step %c128 iter_args(%k = %first) -> (index) {
          carousel.ring.wait %xs[%k] : !in_ring
          %in = carousel.ring.tile %xs[%k], 0 : !in_ring -> !tile
          %out = carousel.ring.tile %ys[%k], 0 : !out_ring -> !tile
          %value = memref.load %in[%thread] : !tile
          carousel.ring.release %xs[%k] : !in_ring
          %sum = arith.addf %value, %value : f32
          memref.store %sum, %out[%thread] : !tile
          carousel.ring.wait_stores read 0
          carousel.fence.proxy async_shared_cta
          carousel.ring.sync
          carousel.ring.submit {
            carousel.ring.store %out to %y[%row, %i] engine<STORE> : !tile, !matrix
          }
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
        scf.yield %last : index
      }
      carousel.ring.wait_stores complete 0
    }
    gpu.return
  }
}

func.func @reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %value = memref.load %x[%i, %j] : memref<?x?xf32>
      %sum = arith.addf %value, %value : f32
      memref.store %sum, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
