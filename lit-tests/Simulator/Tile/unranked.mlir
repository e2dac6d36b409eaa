// A tile goes through a memref of unknown rank, which keeps its extents.
// RUN: carousel-sim %s --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --schedules 1 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @m {
  gpu.func @unranked(%x: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                     %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %tile = memref.alloc() : memref<64xi32, #ws>
    carousel.load %x[%c0] to %tile : memref<?xi32, #gl>, memref<64xi32, #ws>
    %any = memref.cast %tile : memref<64xi32, #ws> to memref<*xi32, #ws>
    %extent = memref.dim %any, %c0 : memref<*xi32, #ws>
    %ranked = memref.cast %any : memref<*xi32, #ws> to memref<?xi32, #ws>
    %mirrored = arith.subi %extent, %t : index
    %last = arith.subi %mirrored, %c1 : index
    %v = memref.load %ranked[%last] : memref<?xi32, #ws>
    memref.store %v, %y[%last] : memref<?xi32, #gl>
    gpu.return
  }
}
