// The smallest complete kernel: each CTA loads its tile of 1024 floats with one bulk copy, and its
// 256 threads scale it and store it to y. The extent of x is a multiple of 1024.
//
//   carousel-translate --mlir-to-ptx --chip=sm_90a scale_tile.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @scale {
  gpu.func @scale_tile(%x: memref<?xf32, #gl> {llvm.align = 16 : i64},
                       %y: memref<?xf32, #gl> {llvm.align = 16 : i64}, %factor: f32)
      workgroup(%bar: memref<1x!carousel.mbarrier, #ws>,
                %tile: memref<1024xf32, #ws> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1024 = arith.constant 1024 : index
    %phase = arith.constant false
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %base = arith.muli %block, %c1024 : index

    %first = arith.cmpi eq, %thread, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : memref<1x!carousel.mbarrier, #ws>
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 4096 : memref<1x!carousel.mbarrier, #ws>
      carousel.bulk.load %x[%base] to %tile[%c0], 4096 signals %bar[%c0]
          : memref<?xf32, #gl>, memref<1024xf32, #ws>, memref<1x!carousel.mbarrier, #ws>
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase : memref<1x!carousel.mbarrier, #ws>

    %i = arith.muli %thread, %c4 : index
    %v = vector.load %tile[%i] {alignment = 16 : i64} : memref<1024xf32, #ws>, vector<4xf32>
    %f = vector.broadcast %factor : f32 to vector<4xf32>
    %w = arith.mulf %v, %f : vector<4xf32>
    %j = arith.addi %base, %i : index
    vector.store %w, %y[%j] {alignment = 16 : i64} : memref<?xf32, #gl>, vector<4xf32>
    gpu.return
  }
}
