// A tile of two loops has slots of its own in each, whatever the other tiles of the first loop's ring are used for outside of it.
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a -- --kernel @k --arg x=iota:256 --arg y=empty:64 --arg z=empty:64 --arg n=4 --policy all --schedules 1 --reference @reference

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!pair = memref<2x64xf32, #ws>
!s = memref<64xf32, strided<[1]>, #ws>
gpu.module @m {
  gpu.func @k(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
              %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
              %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", out>},
              %n: index {carousel.argument = #carousel.argument<"n", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %a = memref.alloc() : !pair
    %b = memref.alloc() : !pair
    %ta = memref.subview %a[0, 0] [1, 64] [1, 1] : !pair to !s
    %tb = memref.subview %b[0, 0] [1, 64] [1, 1] : !pair to !s
    memref.store %zero, %ta[%t] : !s
    %u = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %tb : memref<?xf32, #gl>, !s
      carousel.load %x[%o] to %ta : memref<?xf32, #gl>, !s
      %v = memref.load %tb[%t] : !s
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 2>}
    %w = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %u) -> f32 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %tb : memref<?xf32, #gl>, !s
      %v = memref.load %tb[%t] : !s
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    memref.store %w, %y[%t] : memref<?xf32, #gl>
    %last = memref.load %ta[%t] : !s
    memref.store %last, %z[%t] : memref<?xf32, #gl>
    gpu.return
  }
}

func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %t = %c0 to %c64 step %c1 {
    memref.store %zero, %y[%t] : memref<?xf32>
    memref.store %zero, %z[%t] : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      %o = arith.muli %i, %c64 : index
      %p = arith.addi %o, %t : index
      %v = memref.load %x[%p] : memref<?xf32>
      %s = memref.load %y[%t] : memref<?xf32>
      %twice = arith.addf %v, %v : f32
      %next = arith.addf %s, %twice : f32
      memref.store %next, %y[%t] : memref<?xf32>
      memref.store %v, %z[%t] : memref<?xf32>
    }
  }
  return
}
