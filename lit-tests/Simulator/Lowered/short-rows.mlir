// Rows that are known to be shorter than the tile, with room behind them: copies of whole rows are never made.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s --chip sm_80,sm_90a
// DEFINE: %{run} = --kernel @short --policy all --arg x=iota:15x109@112x1 --arg y=zeros:15x109@112x1 --expect y=iota:15x109
// RUN: %{lowered} -- %{run}
// RUN: %{lowered} --pipeline='builtin.module(carousel-lower{chip=CHIP prefer-engine=bulk})' -- %{run}
// RUN: %{lowered} --pipeline='builtin.module(carousel-lower{chip=CHIP prefer-engine=vector})' -- %{run}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!m = memref<15x109xi64, strided<[112, 1]>, #gl>
!t = memref<128xi64, #ws>

gpu.module @kernels {
  gpu.func @short(
      %x: !m {carousel.argument = #carousel.argument<"x", in>},
      %y: !m {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c15 = arith.constant 15 : index
    %block = gpu.block_id x
    %row = memref.alloc() : !t
    scf.for %i = %block to %c15 step %c3 {
      carousel.load %x[%i, %c0] to %row : !m, !t
      carousel.store %row to %y[%i, %c0] : !t, !m
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}
