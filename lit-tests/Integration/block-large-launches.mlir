// Launches of block programs with more than 65535 programs along y or z. Where these are of extents, a loop's programs are
// along x. Grids of scalars stay as they are: each dimension has its own limit, and none is negative.
// RUN: rm -rf %t && carousel-compile %s -o %t --chip sm_90 --no-cubin --no-libraries --quiet
// DEFINE: %{args} =
// DEFINE: %{explain} = env LD_LIBRARY_PATH=%fake_driver_dir carousel-run %t --explain %{args}
// CHOSEN: chosen
// CHOSEN-NOT: expected a grid

// REDEFINE: %{args} = --kernel extents --arg a=empty:2x70000x16 --arg b=empty:16
// RUN: %{explain} | FileCheck %s --check-prefix=CHOSEN
// REDEFINE: %{args} = --kernel extents --arg a=empty:70000x2x16 --arg b=empty:16
// RUN: %{explain} | FileCheck %s --check-prefix=CHOSEN

// The product of all dimensions has the limit of x.
// REDEFINE: %{args} = --kernel extents --arg a=empty:70000x70000x1 --arg b=empty:1
// RUN: %{explain} | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: expected a grid of 0 to 2147483647 blocks in x, got 4900000000 from

// REDEFINE: %{args} = --kernel scalars --arg b=empty:1 --arg m=65536 --arg n=40000
// RUN: %{explain} | FileCheck %s --check-prefix=CHOSEN
// REDEFINE: %{args} = --kernel scalars --arg b=empty:1 --arg m=-1 --arg n=-5
// RUN: %{explain} | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: expected a grid of 0 to 2147483647 blocks in x, got -1 from
// NEGATIVE-NEXT: expected a grid of 0 to 65535 blocks in y, got -5 from

#gl = #gpu.address_space<global>
#program = #carousel.block_program<>
#a = #carousel.argument<"a", in>
#b = #carousel.argument<"b", out>
!m = memref<?x?x?xf32, #gl>
!v = memref<?xf32, #gl>

gpu.module @large {
  gpu.func @extents(%a: !m {carousel.argument = #a}, %b: !v {carousel.argument = #b}) kernel attributes {
      carousel.block_program = #program,
      carousel.launch = #carousel.launch<grid = [extent(0, 2), extent(0, 1), extent(0, 0)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0.0 : f32
    %x = gpu.block_id x
    %y = gpu.block_id y
    %z = gpu.block_id z
    %sum = scf.for %i = %c0 to %x step %c1 iter_args(%s = %none) -> (f32) {
      %v = memref.load %a[%z, %y, %i] : !m
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %b[%x] : !v
    gpu.return
  }

  gpu.func @scalars(%b: !v {carousel.argument = #b}, %m: index {carousel.argument = #carousel.argument<"m", in>},
                    %n: index {carousel.argument = #carousel.argument<"n", in>}) kernel attributes {
      carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [scalar(1), scalar(2)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %y = gpu.block_id y
    %sum = scf.for %i = %c0 to %y step %c1 iter_args(%s = %one) -> (f32) {
      %t = arith.addf %s, %one : f32
      scf.yield %t : f32
    }
    memref.store %sum, %b[%c0] : !v
    gpu.return
  }
}
