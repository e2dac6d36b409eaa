// tensor.load in its other modes and fills: gather4 takes four rows of its own choice, im2col the
// pixels under a filter's position; NaN instead of zero.
// RUN: carousel-sim %s --kernel @gather4 --chip sm_100a --arg x=iota:16x8 --arg y=empty:32 --reference @expected_gather --schedules 8
// RUN: carousel-sim %s --kernel @im2col --arg x=iota:3x4x4x4 --arg y=empty:8x4 --reference @expected_im2col --schedules 8
// RUN: carousel-sim %s --kernel @padded --arg x=iota:1x4x4x4 --arg y=empty:8x4 --reference @expected_padded --schedules 8
// RUN: carousel-sim %s --kernel @nan --arg x=iota:6 --arg y=empty:8 --reference @expected_nan --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<1x!carousel.mbarrier, #ws>
!rows = !carousel.tensor_map<1x8xf32>
!image = !carousel.tensor_map<8x4xf32, mode = im2col, rank = 4, lower = [0, 0], upper = [-2, -2]>
!padded = !carousel.tensor_map<8x4xf32, mode = im2col, rank = 4, lower = [-1, -1], upper = [-1, -1]>
!nan = !carousel.tensor_map<8xf32, fill = nan>
!t32 = memref<32xf32, #ws>
!t8 = memref<8xf32, #ws>
!y84 = memref<8x4xf32, #gl>

gpu.module @m {
  // Rows 9, 2, 16 and 9 again; row 16 is outside.
  gpu.func @gather4(%x: memref<16x8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<32xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                    %map: !rows {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !t32 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %r2 = arith.constant 2 : i32
    %r9 = arith.constant 9 : i32
    %r16 = arith.constant 16 : i32
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 128 : !bar
    carousel.tensor.load %map[%r9, %r2, %r16, %r9, %zero] mode(gather4) to %tile[%c0]
        signals %bar[%c0] : !rows, !t32, !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = vector.load %tile[%c0] : !t32, vector<32xf32>
    vector.store %v, %y[%c0] : memref<32xf32, #gl>, vector<32xf32>
    gpu.return
  }

  // A filter of 3x3 at [1, 2] over images of 4x4 with 4 channels: its origin visits 2x2 pixels of
  // image 1, then of image 2.
  gpu.func @im2col(%x: memref<3x4x4x4xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y84 {carousel.argument = #carousel.argument<"y", out>},
                   %map: !image {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !t32 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %n = arith.constant 1 : i32
    %dh = arith.constant 1 : i16
    %dw = arith.constant 2 : i16
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 128 : !bar
    carousel.tensor.load %map[%n, %zero, %zero, %zero] mode(im2col) offsets [%dh, %dw]
        to %tile[%c0] signals %bar[%c0] : !image, !t32, !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = vector.load %tile[%c0] : !t32, vector<32xf32>
    %flat = memref.collapse_shape %y [[0, 1]] : !y84 into memref<32xf32, #gl>
    vector.store %v, %flat[%c0] : memref<32xf32, #gl>, vector<32xf32>
    gpu.return
  }

  // With a border of one pixel, from [-1, -1] on: four positions in each row, zeros outside.
  gpu.func @padded(%x: memref<1x4x4x4xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y84 {carousel.argument = #carousel.argument<"y", out>},
                   %map: !padded {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !t32 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %before = arith.constant -1 : i32
    %none = arith.constant 0 : i16
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 128 : !bar
    carousel.tensor.load %map[%zero, %before, %before, %zero] mode(im2col) offsets [%none, %none]
        to %tile[%c0] signals %bar[%c0] : !padded, !t32, !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = vector.load %tile[%c0] : !t32, vector<32xf32>
    %flat = memref.collapse_shape %y [[0, 1]] : !y84 into memref<32xf32, #gl>
    vector.store %v, %flat[%c0] : memref<32xf32, #gl>, vector<32xf32>
    gpu.return
  }

  // y = the element, 100 where it isn't a number.
  gpu.func @nan(%x: memref<6xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                %y: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                %map: !nan {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !t8 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 32 : !bar
    carousel.tensor.load %map[%zero] to %tile[%c0] signals %bar[%c0] : !nan, !t8, !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = vector.load %tile[%c0] : !t8, vector<8xf32>
    %isnt = arith.cmpf uno, %v, %v : vector<8xf32>
    %mark = arith.constant dense<100.0> : vector<8xf32>
    %w = arith.select %isnt, %mark, %v : vector<8xi1>, vector<8xf32>
    vector.store %w, %y[%c0] : memref<8xf32, #gl>, vector<8xf32>
    gpu.return
  }
}

func.func @expected_gather(%x: memref<16x8xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[72.0, 73.0, 74.0, 75.0, 76.0, 77.0, 78.0, 79.0,
                             16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0,
                             0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                             72.0, 73.0, 74.0, 75.0, 76.0, 77.0, 78.0, 79.0]> : vector<32xf32>
  vector.store %v, %y[%c0] : memref<32xf32>, vector<32xf32>
  return
}

func.func @expected_im2col(%x: memref<3x4x4x4xf32>, %y: memref<8x4xf32>) {
  affine.for %n = 0 to 2 {
    affine.for %h = 0 to 2 {
      affine.for %w = 0 to 2 {
        affine.for %c = 0 to 4 {
          %v = affine.load %x[%n + 1, %h + 1, %w + 2, %c] : memref<3x4x4x4xf32>
          affine.store %v, %y[4 * %n + 2 * %h + %w, %c] : memref<8x4xf32>
        }
      }
    }
  }
  return
}

func.func @expected_padded(%x: memref<1x4x4x4xf32>, %y: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<8x4xf32> into memref<32xf32>
  %v = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                             0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                             0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0,
                             4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]> : vector<32xf32>
  vector.store %v, %flat[%c0] : memref<32xf32>, vector<32xf32>
  return
}

func.func @expected_nan(%x: memref<6xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 100.0, 100.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}
