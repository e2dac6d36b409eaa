// Partial results of reductions and exchanges of layouts have no bank conflicts, whichever elements a thread has.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a -- --kernel %{kernel} %{args} --bank-conflict-limit 0
// REDEFINE: %{args} = --arg x=random:64x128 --arg y=empty:128 --reference @columns_reference --rtol 1e-4 --atol 1e-4
// REDEFINE: %{kernel} = @columns
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=random:64x128 --arg y=empty:128x64 --reference @transposed_reference
// REDEFINE: %{kernel} = @transposed
// RUN: %{lowered}

#gl = #gpu.address_space<global>

gpu.module @m {
  // A thread has four columns in a run, and a warp 128. Four warps have parts of each sum.
  gpu.func @columns(%x: memref<64x128xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<128xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128xf32>
    %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x128xf32, #gl>, vector<64x128xf32>
    %s = vector.multi_reduction <add>, %v, %zeros [0] : vector<64x128xf32> to vector<128xf32>
    vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32, #gl>
    gpu.return
  }

  gpu.func @transposed(%x: memref<64x128xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<128x64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x128xf32, #gl>, vector<64x128xf32>
    %t = vector.transpose %v, [1, 0] : vector<64x128xf32> to vector<128x64xf32>
    vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<128x64xf32, #gl>
    gpu.return
  }
}

func.func @columns_reference(%x: memref<64x128xf32, #gl>, %y: memref<128xf32, #gl>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  scf.for %j = %c0 to %c128 step %c1 {
    %s = scf.for %i = %c0 to %c64 step %c1 iter_args(%sum = %zero) -> f32 {
      %v = memref.load %x[%i, %j] : memref<64x128xf32, #gl>
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    }
    memref.store %s, %y[%j] : memref<128xf32, #gl>
  }
  return
}

func.func @transposed_reference(%x: memref<64x128xf32, #gl>, %y: memref<128x64xf32, #gl>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.for %j = %c0 to %c128 step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      %v = memref.load %x[%i, %j] : memref<64x128xf32, #gl>
      memref.store %v, %y[%j, %i] : memref<128x64xf32, #gl>
    }
  }
  return
}
