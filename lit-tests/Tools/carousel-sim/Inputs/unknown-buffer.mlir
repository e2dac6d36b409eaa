gpu.module @m {
  gpu.func @k() kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %n = gpu.block_dim x
    %tile = memref.alloc(%n) : memref<?xf32, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %tile[%n] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
