// Loops of products, without the copies that would fill their tiles. ptxas serializes products if it finds accesses of their registers.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!sums = !carousel.wgmma_registers<vector<32x2x2xf32>>
!narrow = !carousel.wgmma_registers<vector<16x2x2xf32>>
!halves = !carousel.wgmma_registers<vector<16x2x2xf16>>
!rows = !carousel.wgmma_registers<vector<4x2xbf16>>
!matrix = !carousel.matrix_descriptor<bf16, k>
!half = !carousel.matrix_descriptor<f16, k>

gpu.module @m {
  // Two warpgroups multiply tiles of 128 and 256 rows: a group of four products is in flight while the next one is issued.
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

  // Sums of f16 are carried as pairs.
  gpu.func @halves(%y: memref<?xf16, #gl>, %tiles: index, %blocks: index)
      workgroup(%x: memref<2x128x64xf16, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %thread = gpu.thread_id x
    %undefined = ub.poison : vector<16x2x2xf16>
    scf.for %tile = %c0 to %tiles step %c1 {
      %start = carousel.wgmma.fence(%undefined) : vector<16x2x2xf16>
      %sums = scf.for %k = %c0 to %blocks step %c1 iter_args(%s = %start) -> (!halves) {
        %accumulate = arith.cmpi ne, %k, %c0 : index
        %slot = arith.remui %k, %c2 : index
        carousel.wgmma.fence
        %a = carousel.wgmma.descriptor %x[%slot, %c0, %c0] swizzle(b128) : memref<2x128x64xf16, #ws> to !half
        %b = carousel.wgmma.descriptor %x[%slot, %c0, %c16] swizzle(b128) : memref<2x128x64xf16, #ws> to !half
        %0 = carousel.wgmma.mma %a, %b, %s scale(%accumulate) : !half, !half, !halves
        %1 = carousel.wgmma.mma %b, %a, %0 : !half, !half, !halves
        carousel.wgmma.commit
        carousel.wgmma.wait 1
        gpu.barrier
        scf.yield %1 : !halves
      }
      %product = carousel.wgmma.wait 0, %sums : !halves
      %element = vector.extract %product[15, 1, 0] : f16 from vector<16x2x2xf16>
      memref.store %element, %y[%thread] : memref<?xf16, #gl>
    }
    gpu.return
  }

  // The first factor is computed.
  gpu.func @rows(%y: memref<?xf32, #gl>, %z: memref<?xbf16, #gl>, %blocks: index)
      workgroup(%x: memref<128x64xbf16, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %undefined = ub.poison : vector<16x2x2xf32>
    %start = carousel.wgmma.fence(%undefined) : vector<16x2x2xf32>
    %sums = scf.for %k = %c0 to %blocks step %c1 iter_args(%s = %start) -> (!narrow) {
      %accumulate = arith.cmpi ne, %k, %c0 : index
      %read = memref.load %z[%k] : memref<?xbf16, #gl>
      %twice = arith.addf %read, %read : bf16
      %factor = vector.broadcast %twice : bf16 to vector<4x2xbf16>
      %a = carousel.wgmma.fence(%factor) : vector<4x2xbf16>
      %b = carousel.wgmma.descriptor %x[%c0, %c0] swizzle(b128) : memref<128x64xbf16, #ws> to !matrix
      %next = carousel.wgmma.mma %a, %b, %s scale(%accumulate) : !rows, !matrix, !narrow
      carousel.wgmma.commit
      %done = carousel.wgmma.wait 0, %a : !rows
      scf.yield %next : !narrow
    }
    %product = carousel.wgmma.wait 0, %sums : !narrow
    %element = vector.extract %product[15, 1, 0] : f32 from vector<16x2x2xf32>
    memref.store %element, %y[%thread] : memref<?xf32, #gl>
    gpu.return
  }

  // A wait returns one product's sums while the next one is in flight.
  gpu.func @in_turns(%y: memref<?xf32, #gl>, %blocks: index)
      workgroup(%x: memref<128x64xbf16, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %undefined = ub.poison : vector<16x2x2xf32>
    %zero = arith.constant dense<0.0> : vector<16x2x2xf32>
    %total = scf.for %k = %c0 to %blocks step %c1 iter_args(%t = %zero) -> (vector<16x2x2xf32>) {
      %s0, %s1 = carousel.wgmma.fence(%undefined, %undefined) : vector<16x2x2xf32>, vector<16x2x2xf32>
      %a = carousel.wgmma.descriptor %x[%c0, %c0] swizzle(b128) : memref<128x64xbf16, #ws> to !matrix
      %b = carousel.wgmma.descriptor %x[%c0, %c16] swizzle(b128) : memref<128x64xbf16, #ws> to !matrix
      %0 = carousel.wgmma.mma %a, %b, %s0 scale(%false) : !matrix, !matrix, !narrow
      carousel.wgmma.commit
      %1 = carousel.wgmma.mma %b, %a, %s1 scale(%false) : !matrix, !matrix, !narrow
      carousel.wgmma.commit
      %first = carousel.wgmma.wait 1, %0 : !narrow
      %with_first = arith.addf %t, %first : vector<16x2x2xf32>
      %second = carousel.wgmma.wait 0, %1 : !narrow
      %with_both = arith.addf %with_first, %second : vector<16x2x2xf32>
      scf.yield %with_both : vector<16x2x2xf32>
    }
    %element = vector.extract %total[15, 1, 0] : f32 from vector<16x2x2xf32>
    memref.store %element, %y[%thread] : memref<?xf32, #gl>
    gpu.return
  }
}
