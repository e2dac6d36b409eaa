// Scans at the block phase: elements in their order and from the last one on, with and without their own, of several values, and
// of the elements that a program covers.
// RUN: carousel-sim %s --kernel @kinds --arg x=iota:2x4 --arg y=empty:5x2x4 --arg z=empty:2x2 --out y=%t.y.npy --out z=%t.z.npy
// RUN: %python -c "import numpy; print(numpy.load('%t.y.npy').astype(int).tolist()); print(numpy.load('%t.z.npy').astype(int).tolist())" | FileCheck %s
// CHECK: {{\[}}[{{\[}}10, 11, 13, 16], [24, 29, 35, 42{{\]\]}}, {{\[}}[10, 10, 11, 13], [20, 24, 29, 35{{\]\]}}
// CHECK-SAME: , {{\[}}[16, 16, 15, 13], [42, 38, 33, 27{{\]\]}}, {{\[}}[16, 15, 13, 10], [38, 33, 27, 20{{\]\]}}
// CHECK-SAME: , {{\[}}[0, 1, 4, 11], [4, 13, 32, 71{{\]\]\]}}
// CHECK: {{\[}}[16, 42], [11, 71{{\]\]}}
// RUN: carousel-sim %s --kernel @covered --arg x=iota:5 --arg y=empty:5 --arg z=empty:1 --expect z=full:10:1 --out y=%t.c.npy
// RUN: %python -c "import numpy; print(numpy.load('%t.c.npy').astype(int).tolist())" | FileCheck %s --check-prefix=COVERED
// COVERED: [10, 10, 9, 7, 4]

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
