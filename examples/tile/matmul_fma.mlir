// C = A * B in f32 without tensor cores, at the tile phase. The tiles of A and B for 16 steps of K
// go through one ring with two loads a stage. Each of 256 threads keeps 4x4 elements of C in
// registers, as four vectors that the loop over K carries. M, N and K needn't be multiples of the
// tile: elements outside of A and B are zero and add nothing, and elements outside of C aren't
// stored. The grid is persistent over the tiles of C. Each element is a chain of fused
// multiply-adds in the order of K, so a reference computes the same bits.
//
//   carousel-sim matmul_fma.mlir --kernel @matmul_fma --reference @matmul_fma_reference \
//     --arg a=random:70x40 --arg b=random:40x72:1 --arg c=empty:70x72 --schedules 4 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tile_a = memref<64x16xf32, #ws>
!tile_b = memref<16x64xf32, #ws>
!tile_c = memref<64x64xf32, #ws>
!row = vector<4xf32>

gpu.module @matmul {
  gpu.func @matmul_fma(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %c: !matrix {carousel.argument = #carousel.argument<"c", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(2, 0), 64) * ceildiv(extent(2, 1), 64), resident)],
        block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : !row
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %m = memref.dim %c, %c0 : !matrix
    %n = memref.dim %c, %c1 : !matrix
    %k = memref.dim %a, %c1 : !matrix
    %down = arith.ceildivui %m, %c64 : index
    %across = arith.ceildivui %n, %c64 : index
    %tiles = arith.muli %down, %across : index

    // The thread's 4x4 elements of the tile of C.
    %thread_row = arith.divui %thread, %c16 : index
    %thread_column = arith.remui %thread, %c16 : index
    %i0 = arith.muli %thread_row, %c4 : index
    %i1 = arith.addi %i0, %c1 : index
    %i2 = arith.addi %i0, %c2 : index
    %i3 = arith.addi %i0, %c3 : index
    %j = arith.muli %thread_column, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : !tile_a
    %bs = memref.alloc() {alignment = 128 : i64} : !tile_b
    %cs = memref.alloc() {alignment = 128 : i64} : !tile_c
    scf.for %t = %block to %tiles step %blocks {
      %tile_row = arith.divui %t, %across : index
      %tile_column = arith.remui %t, %across : index
      %row = arith.muli %tile_row, %c64 : index
      %column = arith.muli %tile_column, %c64 : index

      %sums:4 = scf.for %kk = %c0 to %k step %c16
          iter_args(%s0 = %zeros, %s1 = %zeros, %s2 = %zeros, %s3 = %zeros)
          -> (!row, !row, !row, !row) {
        carousel.load %a[%row, %kk] to %as : !matrix, !tile_a
        carousel.load %b[%kk, %column] to %bs : !matrix, !tile_b
        // Four steps of K at a time, so that a row of A is one wide load.
        %next:4 = scf.for %p0 = %c0 to %c16 step %c4
            iter_args(%q0 = %s0, %q1 = %s1, %q2 = %s2, %q3 = %s3) -> (!row, !row, !row, !row) {
          %a0 = vector.load %as[%i0, %p0] {alignment = 16 : i64} : !tile_a, !row
          %a1 = vector.load %as[%i1, %p0] {alignment = 16 : i64} : !tile_a, !row
          %a2 = vector.load %as[%i2, %p0] {alignment = 16 : i64} : !tile_a, !row
          %a3 = vector.load %as[%i3, %p0] {alignment = 16 : i64} : !tile_a, !row
          %b0 = vector.load %bs[%p0, %j] {alignment = 16 : i64} : !tile_b, !row
          %e00 = vector.extract %a0[0] : f32 from !row
          %v00 = vector.broadcast %e00 : f32 to !row
          %q00 = math.fma %v00, %b0, %q0 : !row
          %e10 = vector.extract %a1[0] : f32 from !row
          %v10 = vector.broadcast %e10 : f32 to !row
          %q10 = math.fma %v10, %b0, %q1 : !row
          %e20 = vector.extract %a2[0] : f32 from !row
          %v20 = vector.broadcast %e20 : f32 to !row
          %q20 = math.fma %v20, %b0, %q2 : !row
          %e30 = vector.extract %a3[0] : f32 from !row
          %v30 = vector.broadcast %e30 : f32 to !row
          %q30 = math.fma %v30, %b0, %q3 : !row
          %p1 = arith.addi %p0, %c1 : index
          %b1 = vector.load %bs[%p1, %j] {alignment = 16 : i64} : !tile_b, !row
          %e01 = vector.extract %a0[1] : f32 from !row
          %v01 = vector.broadcast %e01 : f32 to !row
          %q01 = math.fma %v01, %b1, %q00 : !row
          %e11 = vector.extract %a1[1] : f32 from !row
          %v11 = vector.broadcast %e11 : f32 to !row
          %q11 = math.fma %v11, %b1, %q10 : !row
          %e21 = vector.extract %a2[1] : f32 from !row
          %v21 = vector.broadcast %e21 : f32 to !row
          %q21 = math.fma %v21, %b1, %q20 : !row
          %e31 = vector.extract %a3[1] : f32 from !row
          %v31 = vector.broadcast %e31 : f32 to !row
          %q31 = math.fma %v31, %b1, %q30 : !row
          %p2 = arith.addi %p0, %c2 : index
          %b2 = vector.load %bs[%p2, %j] {alignment = 16 : i64} : !tile_b, !row
          %e02 = vector.extract %a0[2] : f32 from !row
          %v02 = vector.broadcast %e02 : f32 to !row
          %q02 = math.fma %v02, %b2, %q01 : !row
          %e12 = vector.extract %a1[2] : f32 from !row
          %v12 = vector.broadcast %e12 : f32 to !row
          %q12 = math.fma %v12, %b2, %q11 : !row
          %e22 = vector.extract %a2[2] : f32 from !row
          %v22 = vector.broadcast %e22 : f32 to !row
          %q22 = math.fma %v22, %b2, %q21 : !row
          %e32 = vector.extract %a3[2] : f32 from !row
          %v32 = vector.broadcast %e32 : f32 to !row
          %q32 = math.fma %v32, %b2, %q31 : !row
          %p3 = arith.addi %p0, %c3 : index
          %b3 = vector.load %bs[%p3, %j] {alignment = 16 : i64} : !tile_b, !row
          %e03 = vector.extract %a0[3] : f32 from !row
          %v03 = vector.broadcast %e03 : f32 to !row
          %q03 = math.fma %v03, %b3, %q02 : !row
          %e13 = vector.extract %a1[3] : f32 from !row
          %v13 = vector.broadcast %e13 : f32 to !row
          %q13 = math.fma %v13, %b3, %q12 : !row
          %e23 = vector.extract %a2[3] : f32 from !row
          %v23 = vector.broadcast %e23 : f32 to !row
          %q23 = math.fma %v23, %b3, %q22 : !row
          %e33 = vector.extract %a3[3] : f32 from !row
          %v33 = vector.broadcast %e33 : f32 to !row
          %q33 = math.fma %v33, %b3, %q32 : !row
          scf.yield %q03, %q13, %q23, %q33 : !row, !row, !row, !row
        }
        scf.yield %next#0, %next#1, %next#2, %next#3 : !row, !row, !row, !row
      } {carousel.pipeline = #carousel.pipeline<stages = auto>}

      vector.store %sums#0, %cs[%i0, %j] {alignment = 16 : i64} : !tile_c, !row
      vector.store %sums#1, %cs[%i1, %j] {alignment = 16 : i64} : !tile_c, !row
      vector.store %sums#2, %cs[%i2, %j] {alignment = 16 : i64} : !tile_c, !row
      vector.store %sums#3, %cs[%i3, %j] {alignment = 16 : i64} : !tile_c, !row
      carousel.store %cs to %c[%row, %column] : !tile_c, !matrix
    }
    gpu.return
  }
}

func.func @matmul_fma_reference(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                                %b: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                                %c: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %n = memref.dim %c, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %k = memref.dim %a, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a[%i, %p] : memref<?x?xf32, strided<[?, 1], offset: ?>>
        %bv = memref.load %b[%p, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
        %next = math.fma %av, %bv, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
