#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!m = memref<?x?xf32, #gl>
!t = memref<32x32xf32, #ws>
// The transpose of a matrix through tiles that ask for a swizzle, read by columns.
gpu.module @m {
  gpu.func @transpose(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !m {carousel.argument = #carousel.argument<"y", out>}) kernel
   attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 32)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %th = gpu.thread_id x
    %b = gpu.block_id x
    %r = arith.muli %b, %c32 : index
    %n = memref.dim %x, %c1 : !m
    %in = memref.alloc() : !t
    %out = memref.alloc() : !t
    scf.for %j = %c0 to %n step %c32 {
      carousel.load %x[%r, %j] to %in swizzle(b128) : !m, !t
      scf.for %e = %th to %c1024 step %c128 {
        %row = arith.divui %e, %c32 : index
        %col = arith.remui %e, %c32 : index
        %v = memref.load %in[%col, %row] : !t
        memref.store %v, %out[%row, %col] : !t
      }
      carousel.store %out to %y[%j, %r] swizzle(b128) : !t, !m
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}
