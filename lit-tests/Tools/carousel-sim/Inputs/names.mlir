#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<64xf32, #gl>
!slots = memref<4x32xf32, #ws>
!barriers = memref<4x!carousel.mbarrier, #ws>

gpu.module @names {
  // All threads write the same elements.
  gpu.func @race(%x: !x {carousel.argument = #carousel.argument<"input", inout>})
      workgroup(%slots: !slots) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2], shared = 512>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %view = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !slots
    %0 = memref.alloc() : !slots
    memref.store %zero, %slots[%c1, %c0] : !slots
    memref.store %zero, %view[%c2, %c0] : !slots
    memref.store %zero, %0[%c3, %c0] : !slots
    memref.store %zero, %x[%c0] : !x
    gpu.return
  }

  gpu.func @deadlock() workgroup(%full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c2 = arith.constant 2 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[%c2], 1 : !barriers
    carousel.mbarrier.wait %full[%c2] parity %false : !barriers
    gpu.return
  }
}
