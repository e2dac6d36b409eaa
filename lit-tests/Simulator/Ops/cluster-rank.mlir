// cluster.rank, cluster.size: x first, then y, then z.
// RUN: carousel-sim %s --kernel @k --arg rank=empty:32 --arg size=empty:32 --reference @expected --schedules 8

#gl = #gpu.address_space<global>
!y = memref<32xi32, #gl>

gpu.module @m {
  // A grid of 4x4x2 in clusters of 2x2x2.
  gpu.func @k(%ranks: !y {carousel.argument = #carousel.argument<"rank", out>},
              %sizes: !y {carousel.argument = #carousel.argument<"size", out>}) kernel
      attributes {carousel.launch =
        #carousel.launch<grid = [4, 4, 2], block = [1], cluster = [2, 2, 2]>} {
    %c4 = arith.constant 4 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %zs = arith.muli %bz, %c4 : index
    %zy = arith.addi %zs, %by : index
    %ys = arith.muli %zy, %c4 : index
    %i = arith.addi %ys, %bx : index
    %rank = carousel.cluster.rank
    %size = carousel.cluster.size
    memref.store %rank, %ranks[%i] : !y
    memref.store %size, %sizes[%i] : !y
    gpu.return
  }
}

func.func @expected(%ranks: memref<32xi32>, %sizes: memref<32xi32>) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<[0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3,
                             4, 5, 4, 5, 6, 7, 6, 7, 4, 5, 4, 5, 6, 7, 6, 7]> : vector<32xi32>
  %s = arith.constant dense<8> : vector<32xi32>
  vector.store %r, %ranks[%c0] : memref<32xi32>, vector<32xi32>
  vector.store %s, %sizes[%c0] : memref<32xi32>, vector<32xi32>
  return
}
