// Masks of block programs give the same at all phases: boxes, which become bounds, and others, whose runs are divided.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a -- --kernel %{kernel} %{args} --expect y=%t.npy --quiet
// REDEFINE: %{kernel} = @third
// REDEFINE: %{args} = --arg x=random:6x512 --arg y=iota:6x512
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=random:6x500@503x1 --arg y=iota:6x500
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @boxes
// REDEFINE: %{args} = --arg x=random:9x300@304x1 --arg y=iota:16x512 --arg height=7 --arg width=260
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=random:9x300 --arg y=iota:16x512 --arg height=-9 --arg width=3
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=random:9x300 --arg y=iota:16x512 --arg height=99 --arg width=511
// RUN: %{block}
// RUN: %{lowered}

#gl = #gpu.address_space<global>
!m = memref<?x?xf16, strided<[?, 1], offset: ?>, #gl>
!y = memref<?x?xf16, #gl>

gpu.module @m {
  // Elements of all columns but each third of a multiple of 40, so that some runs of eight are whole and some aren't.
  gpu.func @third(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !y {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %five = arith.constant 5.0 : f16
    %forty = arith.constant dense<40> : vector<512xindex>
    %twelve = arith.constant dense<12> : vector<512xindex>
    %row = gpu.block_id x
    %column = vector.step : vector<512xindex>
    %part = arith.remui %column, %forty : vector<512xindex>
    %mask = arith.cmpi uge, %part, %twelve : vector<512xindex>
    %v = vector.transfer_read %x[%row, %c0], %five, %mask : !m, vector<512xf16>
    %d = arith.addf %v, %v : vector<512xf16>
    %w = vector.transfer_read %x[%row, %c0], %five : !m, vector<512xf16>
    %t = arith.addf %d, %w : vector<512xf16>
    vector.transfer_write %t, %y[%row, %c0], %mask : vector<512xf16>, !y
    gpu.return
  }

  // A box of any size, within x or beyond it.
  gpu.func @boxes(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !y {carousel.argument = #carousel.argument<"y", inout>},
                  %height: index {carousel.argument = #carousel.argument<"height", in>},
                  %width: index {carousel.argument = #carousel.argument<"width", in>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %five = arith.constant 5.0 : f16
    %mask = vector.create_mask %height, %width : vector<8x512xi1>
    %v = vector.transfer_read %x[%c2, %c8], %five, %mask : !m, vector<8x512xf16>
    vector.transfer_write %v, %y[%c2, %c0], %mask : vector<8x512xf16>, !y
    gpu.return
  }
}
