// Errors of carousel-verify-machine about multicast addresses.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C235: the memory of a peer.
gpu.module @kernels {
  gpu.func @store(%v: f32, %remote: memref<?xf32, #gl> {carousel.peer}) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a destination in an argument with carousel.multicast, got argument 1}}
    carousel.multimem.store %v to %remote[%c0] : f32, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C235: a view of memory of this GPU.
gpu.module @kernels {
  gpu.func @reduce(%x: memref<?xi32, #gl>, %v: i32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %part = memref.subview %x[%i] [8] [1] : memref<?xi32, #gl> to memref<8xi32, strided<[1], offset: ?>, #gl>
    // expected-error @below {{expected a destination in an argument with carousel.multicast, got argument 0}}
    carousel.multimem.reduce add u32 %v to %part[%c0] : i32, memref<8xi32, strided<[1], offset: ?>, #gl>
    gpu.return
  }
}
