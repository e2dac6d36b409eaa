// The first piece begins one element before its memref, whose own address is no multiple of 16; the block is not made
// of whole warps; what is outside is NaN or zero; tiles end within a granule.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @shift --reference @reference --policy all
// RUN: sed 's/LOAD/bulk/; s/STORE/bulk/; s/FILL/zero/; s/VALUE/0.0/; s/SIZE/64/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:1 --arg y=empty:1
// RUN: %{run} %t.mlir --arg x=random:450 --arg y=empty:450
// RUN: sed 's/LOAD/bulk/; s/STORE/bulk/; s/FILL/nan/; s/VALUE/0x7FC00000/; s/SIZE/44/' %s > %t.nan.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.nan.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:450 --arg y=empty:450
// RUN: sed 's/LOAD/cp_async, width = 16/; s/STORE/vector, width = 16/; s/FILL/nan/; s/VALUE/0x7FC00000/; s/SIZE/44/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:450 --arg y=empty:450
// RUN: sed 's/LOAD/cp_async, width = 16/; s/STORE/vector, width = 8/; s/FILL/zero/; s/VALUE/0.0/; s/SIZE/64/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:450 --arg y=empty:450
// RUN: sed 's/LOAD/vector, width = 16/; s/STORE/vector, width = 4/; s/FILL/nan/; s/VALUE/0x7FC00000/; s/SIZE/64/' %s > %t.vector.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.vector.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:450 --arg y=empty:450

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!rest = memref<?xf32, strided<[1], offset: 1>, #gl>
!tile = memref<SIZExf32, #ws>
!ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  // y = x, but for its first element, which is outside of what is loaded from: all of x but its first element.
  gpu.func @shift(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [40]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %size = arith.constant SIZE : index
    %ring = carousel.ring.create : !ring
    %n = memref.dim %x, %c0 : !vector
    %rest_size = arith.subi %n, %c1 : index
    %rest = memref.subview %x[1] [%rest_size] [1] : !vector to !rest
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %size : index
    %step = arith.muli %blocks, %size : index
    scf.for %i = %first to %n step %step iter_args(%k = %c0) -> (index) {
      %from = arith.subi %i, %c1 : index
      carousel.ring.produce %ring[%k] : !ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %rest[%from] to %tile fill(FILL) engine<LOAD> : !rest, !tile
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
  %c0 = arith.constant 0 : index
  %fill = arith.constant VALUE : f32
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  memref.store %fill, %y[%c0] : memref<?xf32>
  return
}
