// Elements with gaps between them, in global memory or in the tile, go one by one, asynchronously where cp.async has their
// size; a dimension of 1 whose stride fits nothing keeps rows apart. Lowered, the results are those of the tile phase.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --
// DEFINE: %{gaps} = --kernel @gaps --arg x=random:37x29@90x3 --arg y=empty:37x29@70x2 --expect y=random:37x29
// DEFINE: %{tile} = --kernel @gaps_in_tile --arg x=random:7x8 --arg y=empty:7x8 --expect y=random:7x8
// DEFINE: %{apart} = --kernel @apart --arg x=random:50x1x66@66x77x1 --arg y=empty:50x1x66 --expect y=random:50x1x66
// RUN: carousel-sim %s %{gaps}
// RUN: %{lowered} %{gaps} --policy all --schedules 1
// RUN: carousel-sim %s %{tile}
// RUN: %{lowered} %{tile} --policy all --schedules 1
// RUN: carousel-sim %s %{apart}
// RUN: %{lowered} %{apart} --policy all --schedules 1
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a},carousel-lower-to-nvvm{chip=sm_90a})' -o /dev/null
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_80})' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!gaps = memref<?x?xf32, strided<[?, ?]>, #gl>
!rows = memref<?x8xf32, #gl>
!apart = memref<?x1x66xi32, strided<[66, 77, 1]>, #gl>

gpu.module @gaps {
  // CHECK-LABEL: gpu.func @gaps(
  // CHECK: carousel.cp_async.copy ca %{{.*}}, 4 valid %{{.*}} : memref<?x?xf32, strided<[?, ?]>
  gpu.func @gaps(%x: !gaps {carousel.argument = #carousel.argument<"x", in>},
                 %y: !gaps {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %row = arith.muli %block, %c32 : index
    %t = memref.alloc() : memref<32x32xf32, #ws>
    carousel.load %x[%row, %c0] to %t : !gaps, memref<32x32xf32, #ws>
    carousel.store %t to %y[%row, %c0] : memref<32x32xf32, #ws>, !gaps
    gpu.return
  }

  // CHECK-LABEL: gpu.func @gaps_in_tile(
  // CHECK: carousel.cp_async.copy ca %{{.*}}, 4 valid %{{.*}} memref<32xf32, strided<[2]>
  gpu.func @gaps_in_tile(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                         %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %block = gpu.block_id x
    %row = arith.muli %block, %c4 : index
    %b = memref.alloc() : memref<64xf32, #ws>
    %t = memref.reinterpret_cast %b to offset: [0], sizes: [4, 8], strides: [16, 2]
        : memref<64xf32, #ws> to memref<4x8xf32, strided<[16, 2]>, #ws>
    carousel.load %x[%row, %c0] to %t : !rows, memref<4x8xf32, strided<[16, 2]>, #ws>
    carousel.store %t to %y[%row, %c0] : memref<4x8xf32, strided<[16, 2]>, #ws>, !rows
    gpu.return
  }

  // CHECK-LABEL: gpu.func @apart
  gpu.func @apart(%x: !apart {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x1x66xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<64x1x66xi32, #ws>
    carousel.load %x[%c0, %c0, %c0] to %t : !apart, memref<64x1x66xi32, #ws>
    carousel.store %t to %y[%c0, %c0, %c0] : memref<64x1x66xi32, #ws>, memref<?x1x66xi32, #gl>
    gpu.return
  }
}
