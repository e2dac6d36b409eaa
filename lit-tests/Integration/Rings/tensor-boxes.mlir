// Tensor copies: a tile of several boxes, dimensions joined, wider map elements, swizzled and filled, with a cache
// priority and loads under a condition.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --policy all
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %s -o %t.mlir
// RUN: %{run} %t.mlir --kernel @boxes --reference @reference --arg x=random:40x100 --arg y=empty:40x100
// RUN: %{run} %t.mlir --kernel @boxes --reference @reference --arg x=random:1x4 --arg y=empty:1x4
// RUN: %{run} %t.mlir --kernel @swizzled --reference @reference --arg x=random:40x100 --arg y=empty:40x100
// RUN: %{run} %t.mlir --kernel @joined --reference @twice --arg x=random:6x8x16 --arg y=zeros:6x8x16

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!tile = memref<16x64xf32, #ws>
!ring = !carousel.ring<2 x !tile>
!map = !carousel.tensor_map<8x16xf32>
!cube = memref<?x8x16xf16, #gl>
!joined_tile = memref<2x8x16xf16, #ws>
!joined_ring = !carousel.ring<2 x !joined_tile>
!wide_map = !carousel.tensor_map<1x64xu32>
!joined_map = !carousel.tensor_map<1x128xf16>
!sw_tile = memref<8x32xf32, #ws>
!sw_ring = !carousel.ring<3 x !sw_tile>
!sw_map = !carousel.tensor_map<8x32xf32, swizzle = b128>

gpu.module @kernels {
  gpu.func @boxes(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
                  %src: !map {carousel.encode = #carousel.encode<argument = 0>},
                  %dst: !map {carousel.encode = #carousel.encode<argument = 1>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %rows = memref.dim %y, %c0 : !matrix
    %columns = memref.dim %y, %c1 : !matrix
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c16 : index
    %step = arith.muli %blocks, %c16 : index
    scf.for %i = %first to %rows step %step iter_args(%outer = %c0) -> (index) {
      %last = scf.for %j = %c0 to %columns step %c64 iter_args(%k = %outer) -> (index) {
        carousel.ring.produce %ring[%k] : !ring {
          %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
          carousel.ring.load %x[%i, %j] to %tile cache(evict_first) engine<tensor> map %src
              : !matrix, !tile, !map
        }
        carousel.ring.wait %ring[%k] : !ring
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.submit {
          carousel.ring.store %tile to %y[%i, %j] engine<tensor> map %dst : !tile, !matrix, !map
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

  gpu.func @swizzled(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                     %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
                     %src: !sw_map {carousel.encode = #carousel.encode<argument = 0>},
                     %dst: !sw_map {carousel.encode = #carousel.encode<argument = 1>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %ring = carousel.ring.create : !sw_ring
    %rows = memref.dim %y, %c0 : !matrix
    %columns = memref.dim %y, %c1 : !matrix
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c8 : index
    %step = arith.muli %blocks, %c8 : index
    carousel.ring.roles producer threads(32) {
      scf.for %i = %first to %rows step %step iter_args(%outer = %c0) -> (index) {
        %last = scf.for %j = %c0 to %columns step %c32 iter_args(%k = %outer) -> (index) {
          carousel.ring.produce %ring[%k] : !sw_ring {
            %tile = carousel.ring.tile %ring[%k], 0 : !sw_ring -> !sw_tile
            carousel.ring.load %x[%i, %j] to %tile swizzle(b128) engine<tensor> map %src
                : !matrix, !sw_tile, !sw_map
          }
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
        scf.yield %last : index
      }
    } consumer threads(32) {
      scf.for %i = %first to %rows step %step iter_args(%outer = %c0) -> (index) {
        %last = scf.for %j = %c0 to %columns step %c32 iter_args(%k = %outer) -> (index) {
          carousel.ring.wait %ring[%k] : !sw_ring
          %tile = carousel.ring.tile %ring[%k], 0 : !sw_ring -> !sw_tile
          carousel.ring.submit {
            carousel.ring.store %tile to %y[%i, %j] swizzle(b128) engine<tensor> map %dst
                : !sw_tile, !matrix, !sw_map
          }
          carousel.ring.wait_stores read 0
          carousel.ring.release %ring[%k] : !sw_ring
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
        scf.yield %last : index
      }
      carousel.ring.wait_stores complete 0
    }
    gpu.return
  }

  // The last two dimensions are one of the maps' dimensions; the load moves words of two elements, in every
  // second box of two cubes, and the box is added twice.
  gpu.func @joined(%x: !cube {carousel.argument = #carousel.argument<"x", in>},
                   %y: !cube {carousel.argument = #carousel.argument<"y", inout>},
                   %src: !wide_map {carousel.encode = #carousel.encode<argument = 0, extents = [extent(0, 0), 64], strides = [256]>},
                   %dst: !joined_map {carousel.encode = #carousel.encode<argument = 1, extents = [extent(1, 0), 128], strides = [256]>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !joined_ring
    %n = memref.dim %y, %c0 : !cube
    scf.for %i = %c0 to %n step %c2 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !joined_ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !joined_ring -> !joined_tile
        %is_even = arith.cmpi sge, %k, %c0 : index
        scf.if %is_even {
          carousel.ring.load %x[%i, %c0, %c0] to %tile engine<tensor, collapse = [1, 2]> map %src
              : !cube, !joined_tile, !wide_map
        }
      }
      carousel.ring.wait %ring[%k] : !joined_ring
      %tile = carousel.ring.tile %ring[%k], 0 : !joined_ring -> !joined_tile
      carousel.ring.submit {
        carousel.ring.store %tile to %y[%i, %c0, %c0] reduce<add f16> engine<tensor, collapse = [1, 2]> map %dst
            : !joined_tile, !cube, !joined_map
      }
      carousel.ring.submit {
        carousel.ring.store %tile to %y[%i, %c0, %c0] reduce<add f16> engine<tensor, collapse = [1, 2]> map %dst
            : !joined_tile, !cube, !joined_map
      }
      carousel.ring.wait_stores read 0
      carousel.ring.release %ring[%k] : !joined_ring
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.wait_stores complete 0
    gpu.return
  }
}

func.func @twice(%x: memref<?x8x16xf16>, %y: memref<?x8x16xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c0 : memref<?x8x16xf16>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      scf.for %l = %c0 to %c16 step %c1 {
        %value = memref.load %x[%i, %j, %l] : memref<?x8x16xf16>
        %sum = arith.addf %value, %value : f16
        memref.store %sum, %y[%i, %j, %l] : memref<?x8x16xf16>
      }
    }
  }
  return
}

func.func @reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  memref.copy %x, %y : memref<?x?xf32> to memref<?x?xf32>
  return
}
