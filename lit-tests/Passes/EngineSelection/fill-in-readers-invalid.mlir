// Readers that can't fill a tile that a tensor copy loads.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(carousel-fill-in-readers))'

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C205: a store of the tile.
gpu.module @m {
  gpu.func @k(%x: memref<?xf32, #gl>, %map: !carousel.tensor_map<64xf32>, %i: index) {
    %t = memref.alloc() : memref<64xf32, #ws>
    // expected-error @below {{expected readers that can fill, got a use of the tile by carousel.store, which can't fill}}
    carousel.load %x[%i] to %t fill(-inf) engine<tensor> map %map
        : memref<?xf32, #gl>, memref<64xf32, #ws>, !carousel.tensor_map<64xf32>
    carousel.store %t to %x[%i] : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C205: a read of what an earlier iteration has loaded.
gpu.module @m {
  gpu.func @k(%x: memref<?xf32, #gl>, %map: !carousel.tensor_map<64xf32>, %i: index, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : memref<64xf32, #ws>
    scf.for %k = %c0 to %n step %c64 {
      // expected-error @below {{expected readers that can fill, got a read of the tile that the load doesn't dominate}}
      carousel.load %x[%k] to %t fill(-inf) engine<tensor> map %map
          : memref<?xf32, #gl>, memref<64xf32, #ws>, !carousel.tensor_map<64xf32>
    }
    %v = memref.load %t[%i] : memref<64xf32, #ws>
    gpu.return %v : f32
  }
}
