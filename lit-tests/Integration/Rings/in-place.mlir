// A tile is loaded and stored again, unified, with every engine: empty, one element, below the stages, ragged, many.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @copy --reference @reference --policy all
// RUN: sed 's/LOAD/bulk/; s/STORE/bulk/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:0 --arg y=empty:0
// RUN: %{run} %t.mlir --arg x=random:1 --arg y=empty:1
// RUN: %{run} %t.mlir --arg x=random:512 --arg y=empty:512
// RUN: %{run} %t.mlir --arg x=random:2503 --arg y=empty:2503
// RUN: sed 's/LOAD/cp_async, width = 16/; s/STORE/vector, width = 16/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:1 --arg y=empty:1
// RUN: %{run} %t.mlir --arg x=random:2503 --arg y=empty:2503
// RUN: sed 's/LOAD/vector, width = 8/; s/STORE/vector, width = 4/' %s > %t.vector.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.vector.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:2503 --arg y=empty:2503
// Threads that fill the tile fence it for the engine that reads it: in the ring phase that is somebody else's
// business, so here the store stays with the threads.
// RUN: sed 's/LOAD/bulk/; s/STORE/vector, width = 16/' %s > %t.both.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.both.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:2503 --arg y=empty:2503

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<256xf32, #ws>
!ring = !carousel.ring<3 x !tile>

gpu.module @kernels {
  gpu.func @copy(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                 %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %n = memref.dim %x, %c0 : !vector
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %lead = arith.muli %step, %c2 : index
    %after = arith.addi %first, %lead : index
    %end = arith.minsi %n, %after : index
    scf.for %i = %first to %end step %step iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<LOAD> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %i = %first to %n step %step iter_args(%k = %c0) -> (index) {
      %ahead = arith.addi %i, %lead : index
      %some = arith.cmpi slt, %ahead, %n : index
      scf.if %some {
        %use = arith.addi %k, %c2 : index
        carousel.ring.produce %ring[%use] : !ring {
          %tile = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %tile engine<LOAD> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.submit {
        carousel.ring.store %tile to %y[%i] engine<STORE> : !tile, !vector
      }
      carousel.ring.wait_stores read 0
      carousel.ring.release %ring[%k] : !ring
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.wait_stores complete 0
    gpu.return
  }
}

func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  return
}
