// Scans at the block phase: elements in their order and from the last one on, with and without their own, of several values, and
// of the elements that a program covers.
// DEFINE: %{npy} = %python %S/../Tools/carousel-run/Inputs/npy.py
// RUN: carousel-sim %s --kernel @kinds --arg x=iota:2x4 --arg y=empty:5x2x4 --arg z=empty:2x2 --out y=%t.y.npy --out z=%t.z.npy
// RUN: %{npy} print %t.y.npy | FileCheck %s
// RUN: %{npy} print %t.z.npy | FileCheck %s --check-prefix=TOTALS
// CHECK: 10.0 11.0 13.0 16.0 24.0 29.0 35.0 42.0 10.0 10.0 11.0 13.0 20.0 24.0 29.0 35.0
// CHECK-SAME: 16.0 16.0 15.0 13.0 42.0 38.0 33.0 27.0 16.0 15.0 13.0 10.0 38.0 33.0 27.0 20.0
// CHECK-SAME: 0.0 1.0 4.0 11.0 4.0 13.0 32.0 71.0
// TOTALS: 16.0 42.0 11.0 71.0
// RUN: carousel-sim %s --kernel @covered --arg x=iota:5 --arg y=empty:5 --arg z=empty:1 --out y=%t.c.npy --out z=%t.d.npy
// RUN: %{npy} print %t.c.npy | FileCheck %s --check-prefix=COVERED
// RUN: %{npy} print %t.d.npy | FileCheck %s --check-prefix=TOTAL
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a -- --kernel @covered --arg x=iota:5 --arg y=empty:5 --arg z=empty:1 --expect y=%t.c.npy --expect z=%t.d.npy
// COVERED: 10.0 10.0 9.0 7.0 4.0
// TOTAL: 10.0

#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @kinds(%x: memref<2x4xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<5x2x4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                  %z: memref<2x2xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %start = arith.constant dense<[10.0, 20.0]> : vector<2xf32>
    %ones = arith.constant dense<1.0> : vector<2xf32>
    %none = arith.constant dense<0.0> : vector<2xf32>
    %twos = arith.constant dense<2.0> : vector<2x4xf32>
    %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<2x4xf32, #gl>, vector<2x4xf32>
    %a, %total = carousel.scan %v init(%start) dim(1) : vector<2x4xf32> {
    ^bb0(%before: f32, %next: f32):
      %sum = arith.addf %before, %next : f32
      gpu.yield %sum : f32
    }
    %b, %total1 = carousel.scan %v init(%start) dim(1) exclusive : vector<2x4xf32> {
    ^bb0(%before: f32, %next: f32):
      %sum = arith.addf %before, %next : f32
      gpu.yield %sum : f32
    }
    %c, %total2 = carousel.scan %v init(%start) dim(1) reverse : vector<2x4xf32> {
    ^bb0(%before: f32, %next: f32):
      %sum = arith.addf %before, %next : f32
      gpu.yield %sum : f32
    }
    %d, %total3 = carousel.scan %v init(%start) dim(1) exclusive reverse : vector<2x4xf32> {
    ^bb0(%before: f32, %next: f32):
      %sum = arith.addf %before, %next : f32
      gpu.yield %sum : f32
    }
    // h = 2 h + x
    %as, %hs, %last, %h = carousel.scan %twos, %v init(%ones, %none) dim(1) : vector<2x4xf32>, vector<2x4xf32> {
    ^bb0(%a0: f32, %h0: f32, %a1: f32, %h1: f32):
      %product = arith.mulf %a0, %a1 : f32
      %sum = math.fma %a1, %h0, %h1 : f32
      gpu.yield %product, %sum : f32, f32
    }
    vector.transfer_write %a, %y[%c0, %c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, memref<5x2x4xf32, #gl>
    vector.transfer_write %b, %y[%c1, %c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, memref<5x2x4xf32, #gl>
    vector.transfer_write %c, %y[%c2, %c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, memref<5x2x4xf32, #gl>
    vector.transfer_write %d, %y[%c3, %c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, memref<5x2x4xf32, #gl>
    vector.transfer_write %hs, %y[%c4, %c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, memref<5x2x4xf32, #gl>
    vector.transfer_write %total, %z[%c0, %c0] {in_bounds = [true]} : vector<2xf32>, memref<2x2xf32, #gl>
    vector.transfer_write %h, %z[%c1, %c0] {in_bounds = [true]} : vector<2xf32>, memref<2x2xf32, #gl>
    gpu.return
  }

  // The last element is that of the row, and not of the vector.
  gpu.func @covered(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                    %z: memref<1xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 8, covers = extent(0, 0)>,
      carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %seven = arith.constant 7.0 : f32
    %v = vector.transfer_read %x[%c0], %seven : memref<?xf32, #gl>, vector<8xf32>
    %sums, %total = carousel.scan %v init(%zero) dim(0) reverse : vector<8xf32> {
    ^bb0(%before: f32, %next: f32):
      %sum = arith.addf %before, %next : f32
      gpu.yield %sum : f32
    }
    vector.transfer_write %sums, %y[%c0] : vector<8xf32>, memref<?xf32, #gl>
    memref.store %total, %z[%c0] : memref<1xf32, #gl>
    gpu.return
  }
}
