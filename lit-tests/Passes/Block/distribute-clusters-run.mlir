// Layouts of a user who says what each CTA of a cluster has: accesses are of the CTA's own elements, and results of
// reductions are exchanged where CTAs have parts.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a --
// DEFINE: %{interleaved} = --kernel @interleaved --arg x=random:7x255 --arg y=empty:7x255
// DEFINE: %{copies} = --kernel @copies --arg x=random:7x256 --arg y=empty:7x256
// DEFINE: %{rows} = --kernel @rows --arg x=random:9x128 --arg y=empty:9x128
// RUN: carousel-sim %s %{interleaved} --out y=%t.npy
// RUN: %{lowered} %{interleaved} --expect y=%t.npy
// RUN: carousel-sim %s %{copies} --out y=%t.npy
// RUN: %{lowered} %{copies} --expect y=%t.npy
// RUN: carousel-sim %s %{rows} --out y=%t.npy
// RUN: %{lowered} %{rows} --expect y=%t.npy

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#y = #carousel.argument<"y", out>
!m = memref<?x?xf32, #gl>
gpu.module @m {
  // CTAs have every second run of four elements. The write would be cheaper in another layout, of other CTAs.
  gpu.func @interleaved(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero
        {carousel.layout = #carousel.layout<register = [[1], [2]], lane = [[8], [16], [32], [64], [128]],
          cta = [[4]]>} : !m, vector<256xf32>
    %s = vector.multi_reduction <maxnumf>, %v, %zero [0] : vector<256xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<256xf32>
    %w = arith.addf %v, %ss : vector<256xf32>
    vector.transfer_write %w, %y[%row, %c0] : vector<256xf32>, !m
    gpu.return
  }

  // Both CTAs have all elements. Each converts its own for the write.
  gpu.func @copies(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero
        {carousel.layout = #carousel.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]],
          cta = [[0]]>} : !m, vector<256xf32>
    %s = vector.multi_reduction <maxnumf>, %v, %zero [0] : vector<256xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<256xf32>
    %w = arith.addf %v, %ss : vector<256xf32>
    vector.transfer_write %w, %y[%row, %c0] : vector<256xf32>, !m
    gpu.return
  }

  // CTAs have rows of their own, so that nothing is exchanged.
  gpu.func @rows(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<4xf32>
    %block = gpu.block_id x
    %row = arith.muli %block, %c4 : index
    %v = vector.transfer_read %x[%row, %c0], %zero
        {carousel.layout = #carousel.layout<register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]],
          cta = [[2, 0]]>} : !m, vector<4x128xf32>
    %s = vector.multi_reduction <maxnumf>, %v, %zeros [1] : vector<4x128xf32> to vector<4xf32>
    %t = vector.broadcast %s : vector<4xf32> to vector<128x4xf32>
    %ss = vector.transpose %t, [1, 0] : vector<128x4xf32> to vector<4x128xf32>
    %w = arith.addf %v, %ss : vector<4x128xf32>
    vector.transfer_write %w, %y[%row, %c0] : vector<4x128xf32>, !m
    gpu.return
  }
}
