// y = x * w for a few rows of x, as in the decoding of a language model: the weights are all that is
// read. Tiles of 16 rows are too few for a GPU, so that two CTAs of a cluster share the sums of a
// tile: each adds half of the products. Then each reads half of the rows from both, in the shared
// memory of the two, adds them in the order of the CTAs, and writes them.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#begin = affine_map<(c)[k] -> (c * (k ceildiv 128) * 64)>
#end = affine_map<(c)[k] -> (k, (c + 1) * (k ceildiv 128) * 64)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>
#pairs = #carousel.launch<grid = [
    2, ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 16)], cluster = [2]>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!sums = vector<16x128xf32>
!half = vector<8x128xf32>
// Rows have four columns more, so that those which threads write together are in other banks.
!own = memref<16x132xf32, #ws>
!peer = memref<16x132xf32, #cluster>

gpu.module @products {
  gpu.func @skinny(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %y: !matrix {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #pairs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %rank0 = arith.constant 0 : i32
    %rank1 = arith.constant 1 : i32
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %cta = gpu.block_id x
    %across = gpu.block_id y
    %down = gpu.block_id z
    %i = affine.apply affine_map<(d) -> (d * 16)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %begin = affine.apply #begin(%cta)[%depth]
    %end = affine.min #end(%cta)[%depth]
    %own = memref.alloc() {alignment = 128 : i64} : !own
    %sum = scf.for %k = %begin to %end step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<16x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc
          : vector<16x64xbf16>, vector<64x128xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %own[%c0, %c0] {in_bounds = [true, true]} : !sums, !own
    carousel.cluster.arrive
    carousel.cluster.wait
    %row = affine.apply affine_map<(c) -> (c * 8)>(%cta)
    %peer0 = carousel.cluster.map_shared %own, %rank0 : !own to !peer
    %peer1 = carousel.cluster.map_shared %own, %rank1 : !own to !peer
    %0 = vector.transfer_read %peer0[%row, %c0], %none {in_bounds = [true, true]} : !peer, !half
    %1 = vector.transfer_read %peer1[%row, %c0], %none {in_bounds = [true, true]} : !peer, !half
    // No CTA leaves while the other one reads its tile.
    carousel.cluster.arrive
    carousel.cluster.wait
    %all = arith.addf %0, %1 : !half
    %y16 = arith.truncf %all : !half to vector<8x128xbf16>
    %i2 = arith.addi %i, %row : index
    vector.transfer_write %y16, %y[%i2, %j] : vector<8x128xbf16>, !matrix
    gpu.return
  }
}
