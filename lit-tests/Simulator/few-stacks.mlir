// CTAs whose threads stop at a barrier become resident as far as the host has memory for the stacks of their threads.
// RUN: bash -c "ulimit -v 2000000; carousel-sim %s --kernel @k --chip sm_90a --arg x=random:60000 --policy all --quiet"
#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @k(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", inout>}) kernel attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 256)], block = [256]>} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %d = gpu.block_dim x
    %m = arith.muli %b, %d : index
    %i = arith.addi %m, %t : index
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32, #gl>
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %v = memref.load %x[%i] : memref<?xf32, #gl>
      %s = arith.addf %v, %v : f32
      memref.store %s, %x[%i] : memref<?xf32, #gl>
    }
    gpu.barrier
    gpu.return
  }
}
