// Two warpgroups multiply tiles of 128 and 256 rows: a group of four products is in flight while the next one is issued.
// What fills the tiles is left out.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!sums = !carousel.wgmma_registers<vector<32x2x2xf32>>
!matrix = !carousel.matrix_descriptor<bf16, k>
gpu.module @m {
  gpu.func @products(%y: memref<?xf32, #gl>, %blocks: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %first = arith.constant 0 : index
    %second = arith.constant 65536 : index
    %x = memref.view %bytes[%first][] : memref<?xi8, #ws> to memref<4x128x64xbf16, #ws>
    %w = memref.view %bytes[%second][] : memref<?xi8, #ws> to memref<4x256x64xbf16, #ws>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %true = arith.constant true
    %thread = gpu.thread_id x
    %group = arith.divui %thread, %c128 : index
    %row = arith.muli %group, %c64 : index
    %undefined = ub.poison : vector<32x2x2xf32>
    %start = carousel.wgmma.fence(%undefined) : vector<32x2x2xf32>
    %sums = scf.for %k = %c0 to %blocks step %c1 iter_args(%s = %start) -> (!sums) {
      %accumulate = arith.cmpi ne, %k, %c0 : index
      %slot = arith.remui %k, %c4 : index
      carousel.wgmma.fence
      %a0 = carousel.wgmma.descriptor %x[%slot, %row, %c0] swizzle(b128) : memref<4x128x64xbf16, #ws> to !matrix
      %b0 = carousel.wgmma.descriptor %w[%slot, %c0, %c0] swizzle(b128) : memref<4x256x64xbf16, #ws> to !matrix
      %0 = carousel.wgmma.mma %a0, %b0, %s scale(%accumulate) : !matrix, !matrix, !sums
      %a1 = carousel.wgmma.descriptor %x[%slot, %row, %c16] swizzle(b128) : memref<4x128x64xbf16, #ws> to !matrix
      %b1 = carousel.wgmma.descriptor %w[%slot, %c0, %c16] swizzle(b128) : memref<4x256x64xbf16, #ws> to !matrix
      %1 = carousel.wgmma.mma %a1, %b1, %0 : !matrix, !matrix, !sums
      %a2 = carousel.wgmma.descriptor %x[%slot, %row, %c32] swizzle(b128) : memref<4x128x64xbf16, #ws> to !matrix
      %b2 = carousel.wgmma.descriptor %w[%slot, %c0, %c32] swizzle(b128) : memref<4x256x64xbf16, #ws> to !matrix
      %2 = carousel.wgmma.mma %a2, %b2, %1 : !matrix, !matrix, !sums
      %a3 = carousel.wgmma.descriptor %x[%slot, %row, %c48] swizzle(b128) : memref<4x128x64xbf16, #ws> to !matrix
      %b3 = carousel.wgmma.descriptor %w[%slot, %c0, %c48] swizzle(b128) : memref<4x256x64xbf16, #ws> to !matrix
      %3 = carousel.wgmma.mma %a3, %b3, %2 : !matrix, !matrix, !sums
      carousel.wgmma.commit
      carousel.wgmma.wait 1
      scf.yield %3 : !sums
    }
    %product = carousel.wgmma.wait 0, %sums : !sums
    %element = vector.extract %product[31, 1, 1] : f32 from vector<32x2x2xf32>
    memref.store %element, %y[%thread] : memref<?xf32, #gl>
    gpu.return
  }
}
