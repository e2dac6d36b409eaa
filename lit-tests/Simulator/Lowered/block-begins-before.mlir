// Reads and writes that begin before their memref take and leave what is inside, at all phases.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a -- --kernel %{kernel} %{args} --expect y=%t.npy --quiet
// REDEFINE: %{kernel} = @constants
// REDEFINE: %{args} = --arg x=iota:8x16 --arg y=zeros:3x8x16
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @pipelined
// REDEFINE: %{args} = --arg x=iota:32x16 --arg o=-4 --arg y=zeros:32x16
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @product
// REDEFINE: %{args} = --arg x=iota:32x16 --arg o=-1 --arg y=zeros:16x32
// RUN: %{block}
// RUN: %{lowered}
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-distribute))' --remarks-filter-missed=carousel-distribute -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: Store{{.*}}pipelined{{.*}}threads write it, since an index may be negative and no store of a tile may begin before its memref
// REMARK: Store{{.*}}product{{.*}}threads write it, since an index may be negative

#gl = #gpu.address_space<global>
!s = memref<?x16xf32, #gl>
!m = memref<?x?xf32, #gl>

gpu.module @m {
  // Offset and extent together are below the memref's extent, so upstream's fold calls such transfers in bounds. One
  // offset is a constant only after folding. The mask and the view are folded by patterns.
  gpu.func @constants(%x: !s {carousel.argument = #carousel.argument<"x", in>},
                      %y: memref<?x8x?xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c13 = arith.constant 13 : index
    %before = arith.constant -1 : index
    %folded = arith.subi %c1, %c4 : index
    %five = arith.constant 5.0 : f32
    %block = gpu.block_id x
    %v = vector.transfer_read %x[%c1, %before], %five : !s, vector<8x16xf32>
    %w = vector.transfer_read %x[%c0, %folded], %five : !s, vector<8x16xf32>
    %view = memref.subview %x[0, 8] [8, 8] [1, 1] : !s to memref<8x8xf32, strided<[16, 1], offset: 8>, #gl>
    %u = vector.transfer_read %view[%c0, %before], %five : memref<8x8xf32, strided<[16, 1], offset: 8>, #gl>, vector<8x8xf32>
    %t = vector.insert_strided_slice %u, %w {offsets = [0, 8], strides = [1, 1]} : vector<8x8xf32> into vector<8x16xf32>
    // As upstream's fold would leave it.
    %r = vector.transfer_read %x[%c1, %before], %five {in_bounds = [false, true]} : !s, vector<8x16xf32>
    %q = arith.addf %v, %r : vector<8x16xf32>
    %s = arith.addf %q, %t : vector<8x16xf32>
    %mask = vector.create_mask %c7, %c13 : vector<8x16xi1>
    vector.transfer_write %s, %y[%block, %before, %c0], %mask {in_bounds = [false, true]} : vector<8x16xf32>, memref<?x8x?xf32, #gl>
    gpu.return
  }

  // Engines don't store before a memref: threads write where the offset isn't known to be inside.
  gpu.func @pipelined(%x: !m {carousel.argument = #carousel.argument<"x", in>},
                      %o: index {carousel.argument = #carousel.argument<"o", in>},
                      %y: !m {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %c32 step %c8 {
      %a = vector.transfer_read %x[%i, %o], %zero : !m, vector<8x16xf32>
      %b = arith.addf %a, %a : vector<8x16xf32>
      vector.transfer_write %b, %y[%i, %o] : vector<8x16xf32>, !m
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  gpu.func @product(%x: memref<?x?xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %o: index {carousel.argument = #carousel.argument<"o", in>},
                    %y: !m {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<16x32xf32>
    %a = vector.transfer_read %x[%c0, %c0], %pad : memref<?x?xbf16, #gl>, vector<16x16xbf16>
    %b = vector.transfer_read %x[%c0, %c0], %pad : memref<?x?xbf16, #gl>, vector<32x16xbf16>
    %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        %a, %b, %zeros : vector<16x16xbf16>, vector<32x16xbf16> into vector<16x32xf32>
    vector.transfer_write %p, %y[%c0, %o] : vector<16x32xf32>, !m
    gpu.return
  }
}
