// y = x * w^T for a few rows of x, with weights of 8 bits, whose rows have a scale each. The
// weights are all that is read, and threads convert them. Two CTAs of a cluster share the sums of a
// tile, as those of @skinny do (skinny.mlir). Tiles have 64 columns, so that the CTAs of an SM
// convert beside each other. The sums are multiplied by the scales, and not the weights, of which
// there are more.
//
// - @skinny_int8: integers.
// - @skinny_float8: 8-bit floats.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#begin = affine_map<(c)[k] -> (c * (k ceildiv 256) * 128)>
#end = affine_map<(c)[k] -> (k, (c + 1) * (k ceildiv 256) * 128)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#scale = #carousel.argument<"scale", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>
#pairs = #carousel.launch<grid = [
    2, ceildiv(extent(3, 1), 64), ceildiv(extent(3, 0), 16)], cluster = [2]>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!integers = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!floats = memref<?x?xf8E4M3FN, strided<[?, 1], offset: ?>, #gl>
!scales = memref<?xf32, #gl>
!tile_x = vector<16x128xbf16>
!tile_w = vector<64x128xbf16>
!sums = vector<16x64xf32>
!half = vector<8x64xf32>
// Rows have four columns more, so that those which threads write together are in other banks.
!own = memref<16x68xf32, #ws>
!peer = memref<16x68xf32, #cluster>

gpu.module @weights {
  // The first row and column of a CTA's program, and the bounds of its part of k.
  func.func private @find_part(%depth: index) -> (index, index, index, index) {
    %cta = gpu.block_id x
    %across = gpu.block_id y
    %down = gpu.block_id z
    %i = affine.apply affine_map<(d) -> (d * 16)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %begin = affine.apply #begin(%cta)[%depth]
    %end = affine.min #end(%cta)[%depth]
    return %i, %j, %begin, %end : index, index, index, index
  }

  // The sums, and the products of a tile more.
  func.func private @add_products(%x: !matrix, %i: index, %k: index, %wt: !tile_w,
                                  %acc: !sums) -> !sums {
    %pad = arith.constant 0.0 : bf16
    %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile_x
    %next = vector.contract #product %xt, %wt, %acc : !tile_x, !tile_w into !sums
    return %next : !sums
  }

  // Adds what both CTAs have of eight rows, and writes the rows.
  func.func private @write_rows(%0: !half, %1: !half, %scale: !scales, %i: index, %row: index,
                                %j: index, %y: !matrix) {
    %none = arith.constant 0.0 : f32
    %all = arith.addf %0, %1 : !half
    %s = vector.transfer_read %scale[%j], %none : !scales, vector<64xf32>
    %columns = vector.broadcast %s : vector<64xf32> to !half
    %scaled = arith.mulf %all, %columns : !half
    %y16 = arith.truncf %scaled : !half to vector<8x64xbf16>
    %own = arith.addi %i, %row : index
    vector.transfer_write %y16, %y[%own, %j] : vector<8x64xbf16>, !matrix
    return
  }

  gpu.func @skinny_int8(
      %x: !matrix {carousel.argument = #x}, %w: !integers {carousel.argument = #w},
      %scale: !scales {carousel.argument = #scale}, %y: !matrix {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #pairs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %rank0 = arith.constant 0 : i32
    %rank1 = arith.constant 1 : i32
    %none = arith.constant 0.0 : f32
    %pad = arith.constant 0 : i8
    %zeros = arith.constant dense<0.0> : !sums
    %depth = memref.dim %x, %c1 : !matrix
    %own = memref.alloc() {alignment = 128 : i64} : !own
    %cta = gpu.block_id x
    %i, %j, %begin, %end = func.call @find_part(%depth)
        : (index) -> (index, index, index, index)
    %sum = scf.for %k = %begin to %end step %c128 iter_args(%acc = %zeros) -> (!sums) {
      %w8 = vector.transfer_read %w[%j, %k], %pad : !integers, vector<64x128xi8>
      %wt = arith.sitofp %w8 : vector<64x128xi8> to !tile_w
      %next = func.call @add_products(%x, %i, %k, %wt, %acc)
          : (!matrix, index, index, !tile_w, !sums) -> !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %own[%c0, %c0] {in_bounds = [true, true]} : !sums, !own
    carousel.cluster.arrive
    carousel.cluster.wait
    %row = affine.apply affine_map<(c) -> (c * 8)>(%cta)
    %p0 = carousel.cluster.map_shared %own, %rank0 : !own to !peer
    %p1 = carousel.cluster.map_shared %own, %rank1 : !own to !peer
    %0 = vector.transfer_read %p0[%row, %c0], %none {in_bounds = [true, true]} : !peer, !half
    %1 = vector.transfer_read %p1[%row, %c0], %none {in_bounds = [true, true]} : !peer, !half
    carousel.cluster.arrive // No CTA leaves while the other one reads its tile.
    carousel.cluster.wait
    func.call @write_rows(%0, %1, %scale, %i, %row, %j, %y)
        : (!half, !half, !scales, index, index, index, !matrix) -> ()
    gpu.return
  }

  gpu.func @skinny_float8(
      %x: !matrix {carousel.argument = #x}, %w: !floats {carousel.argument = #w},
      %scale: !scales {carousel.argument = #scale}, %y: !matrix {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #pairs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %rank0 = arith.constant 0 : i32
    %rank1 = arith.constant 1 : i32
    %none = arith.constant 0.0 : f32
    %pad = arith.constant 0.0 : f8E4M3FN
    %zeros = arith.constant dense<0.0> : !sums
    %depth = memref.dim %x, %c1 : !matrix
    %own = memref.alloc() {alignment = 128 : i64} : !own
    %cta = gpu.block_id x
    %i, %j, %begin, %end = func.call @find_part(%depth)
        : (index) -> (index, index, index, index)
    %sum = scf.for %k = %begin to %end step %c128 iter_args(%acc = %zeros) -> (!sums) {
      %w8 = vector.transfer_read %w[%j, %k], %pad : !floats, vector<64x128xf8E4M3FN>
      %wt = arith.extf %w8 : vector<64x128xf8E4M3FN> to !tile_w
      %next = func.call @add_products(%x, %i, %k, %wt, %acc)
          : (!matrix, index, index, !tile_w, !sums) -> !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %own[%c0, %c0] {in_bounds = [true, true]} : !sums, !own
    carousel.cluster.arrive
    carousel.cluster.wait
    %row = affine.apply affine_map<(c) -> (c * 8)>(%cta)
    %p0 = carousel.cluster.map_shared %own, %rank0 : !own to !peer
    %p1 = carousel.cluster.map_shared %own, %rank1 : !own to !peer
    %0 = vector.transfer_read %p0[%row, %c0], %none {in_bounds = [true, true]} : !peer, !half
    %1 = vector.transfer_read %p1[%row, %c0], %none {in_bounds = [true, true]} : !peer, !half
    carousel.cluster.arrive // No CTA leaves while the other one reads its tile.
    carousel.cluster.wait
    func.call @write_rows(%0, %1, %scale, %i, %row, %j, %y)
        : (!half, !half, !scales, index, index, index, !matrix) -> ()
    gpu.return
  }
}
