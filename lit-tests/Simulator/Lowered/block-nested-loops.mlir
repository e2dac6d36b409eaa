// A pipelined loop in a loop, both of known trip counts: the prologue of one iteration has no loop of its own.
// DEFINE: %{args} = --kernel @k --arg x=random:4x64x32 --arg y=iota:32x32
// RUN: carousel-sim %s %{args} --out y=%t.npy --quiet
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a -- %{args} --expect y=%t.npy --quiet

#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @k(%x: memref<4x64x32xf32, #gl> {carousel.argument = #carousel.argument<"x", in>}, %y: memref<32x32xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f32
    %z = arith.constant dense<0.0> : vector<32x32xf32>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %z) -> (vector<32x32xf32>) {
      %t = scf.for %j = %c0 to %c64 step %c32 iter_args(%b = %a) -> (vector<32x32xf32>) {
        %v = vector.transfer_read %x[%i, %j, %c0], %pad {in_bounds = [true, true]} : memref<4x64x32xf32, #gl>, vector<32x32xf32>
        %n = arith.addf %b, %v : vector<32x32xf32>
        scf.yield %n : vector<32x32xf32>
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %t : vector<32x32xf32>
    }
    vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32, #gl>
    gpu.return
  }
}
