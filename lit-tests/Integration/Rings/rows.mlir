// Boxes of rows that reach outside on all sides. Loads fill with zero or NaN before the start and after
// the end; stores clip. The window moves over the matrix by half a tile, from one tile before it.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @shift --reference @reference --policy all
// RUN: sed 's/LOAD/bulk/; s/STORE/bulk/; s/FILL/zero/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:5x20 --arg y=empty:24x48
// RUN: %{run} %t.mlir --arg x=random:3x36 --arg y=empty:13x44
// RUN: sed 's/LOAD/cp_async, width = 16/; s/STORE/vector, width = 16/; s/FILL/zero/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:5x20 --arg y=empty:24x48
// RUN: sed 's/LOAD/vector, width = 8/; s/STORE/vector, width = 4/; s/FILL/zero/' %s > %t.vector.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.vector.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg x=random:5x20 --arg y=empty:24x48

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!tile = memref<4x16xf32, #ws>
!ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  // y[i, j] = x[i - 4, j - 16], or what a load fills.
  gpu.func @shift(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %ring = carousel.ring.create : !ring
    %rows = memref.dim %y, %c0 : !matrix
    %columns = memref.dim %y, %c1 : !matrix
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4 : index
    %step = arith.muli %blocks, %c4 : index
    scf.for %i = %first to %rows step %step iter_args(%outer = %c0) -> (index) {
      %last = scf.for %j = %c0 to %columns step %c16 iter_args(%k = %outer) -> (index) {
        %row = arith.subi %i, %c4 : index
        %column = arith.subi %j, %c16 : index
        carousel.ring.produce %ring[%k] : !ring {
          %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
          carousel.ring.load %x[%row, %column] to %tile fill(FILL) engine<LOAD> : !matrix, !tile
        }
        carousel.ring.wait %ring[%k] : !ring
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.submit {
          carousel.ring.store %tile to %y[%i, %j] engine<STORE> : !tile, !matrix
        }
        carousel.ring.wait_stores read 0
        carousel.ring.release %ring[%k] : !ring
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
      scf.yield %last : index
    }
    carousel.ring.wait_stores complete 0
    gpu.return
  }
}

func.func @reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %y, %c0 : memref<?x?xf32>
  %m = memref.dim %y, %c1 : memref<?x?xf32>
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %row = arith.subi %i, %c4 : index
      %column = arith.subi %j, %c16 : index
      %above = arith.cmpi ult, %row, %rows : index
      %left = arith.cmpi ult, %column, %columns : index
      %inside = arith.andi %above, %left : i1
      %value = scf.if %inside -> (f32) {
        %loaded = memref.load %x[%row, %column] : memref<?x?xf32>
        scf.yield %loaded : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
