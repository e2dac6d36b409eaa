// Tiles are added into one vector by all CTAs, whole pieces by the engine and what is left by the issuing thread; or
// all by the threads. Integers, so that the order doesn't matter.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @sum --reference @reference --policy all
// RUN: sed 's/STORE/bulk/; s/REDUCE/add u32/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:300x102 --arg y=zeros:102
// RUN: sed '/fence.proxy/d; s/STORE/vector, width = 16/; s/REDUCE/add u32/' %s > %t.vector.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.vector.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:30x102 --arg y=zeros:102

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xi32, #gl>
!vector = memref<?xi32, #gl>
!tile = memref<64xi32, #ws>
!ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  gpu.func @sum(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %ring = carousel.ring.create : !ring
    %thread = gpu.thread_id x
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %j = %c0 to %columns step %c64 iter_args(%k = %c0) -> (index) {
      %at = arith.addi %j, %thread : index
      %is_inside = arith.cmpi slt, %at, %columns : index
      %sum = scf.for %i = %block to %rows step %blocks iter_args(%partial = %zero) -> (i32) {
        %total = scf.if %is_inside -> (i32) {
          %value = memref.load %x[%i, %at] : !matrix
          %added = arith.addi %partial, %value : i32
          scf.yield %added : i32
        } else {
          scf.yield %partial : i32
        }
        scf.yield %total : i32
      }
      %out = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      memref.store %sum, %out[%thread] : !tile
      carousel.ring.wait_stores read 0
      carousel.fence.proxy async_shared_cta
      carousel.ring.sync
      carousel.ring.submit {
        carousel.ring.store %out to %y[%j] reduce<REDUCE> engine<STORE> : !tile, !vector
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.wait_stores complete 0
    gpu.return
  }
}

func.func @reference(%x: memref<?x?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xi32>
  %m = memref.dim %x, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %value = memref.load %x[%i, %j] : memref<?x?xi32>
      %partial = memref.load %y[%j] : memref<?xi32>
      %sum = arith.addi %partial, %value : i32
      memref.store %sum, %y[%j] : memref<?xi32>
    }
  }
  return
}
