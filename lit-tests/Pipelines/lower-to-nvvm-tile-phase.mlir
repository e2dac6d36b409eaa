// carousel-lower-to-nvvm refuses kernels of the tile phase, before it changes any op.
// RUN: carousel-opt %s --carousel-lower-to-nvvm --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>, %n: index)
      workgroup(%tile: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // expected-error @below {{expected no carousel.pipeline in the machine phase}}
    scf.for %i = %c0 to %n step %c64 {
      // expected-error @below {{expected ops of the machine phase, got a transfer of the tile phase}}
      carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<64xf32, #ws>
      // expected-error @below {{expected ops of the machine phase, got a transfer of the tile phase}}
      carousel.store %tile to %y[%i] : memref<64xf32, #ws>, memref<?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
