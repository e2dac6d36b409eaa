// y = x * w^T for a few rows of x, with weights of 4 bits as those of @matmul_int4 (weights.mlir). Two
// CTAs of a cluster share the sums of a tile, as those of @skinny do (skinny.mlir). An iteration has
// a whole group of 128 of k, which has a scale and a zero point for each row of w. The scale
// multiplies the group's sums, of which there are fewer than weights.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
// The parts of the CTAs, in bytes of a row of w.
#begin = affine_map<(c)[n] -> (c * (n ceildiv 128) * 64)>
#end = affine_map<(c)[n] -> (n, (c + 1) * (n ceildiv 128) * 64)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#scale = #carousel.argument<"scale", in>
#zero = #carousel.argument<"zero", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!bytes = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!tile_x = vector<16x128xbf16>
!group = vector<64x128xbf16>
!columns = vector<128x64xbf16>
!packed_group = vector<64x64xi8>
!row = vector<64xbf16>
!sums = vector<16x64xf32>
!half = vector<8x64xf32>
// Rows have four columns more, so that those which threads write together are in other banks.
!own = memref<16x68xf32, #ws>
!peer = memref<16x68xf32, #cluster>

gpu.module @weights {
  // The weights of a group, without their scales.
  func.func private @decode(%q: !packed_group, %zero: !row) -> !group {
    %mask = arith.constant dense<15> : !packed_group
    %four = arith.constant dense<4> : !packed_group
    %low = arith.andi %q, %mask : !packed_group
    %high = arith.shrui %q, %four : !packed_group
    %both = vector.interleave %low, %high : !packed_group -> vector<64x128xi8>
    %w16 = arith.uitofp %both : vector<64x128xi8> to !group
    %columns = vector.broadcast %zero : !row to !columns
    %zeros = vector.transpose %columns, [1, 0] : !columns to !group
    %w = arith.subf %w16, %zeros : !group
    return %w : !group
  }

  // The sums, and the products of a group more.
  func.func private @add_group(%x: !matrix, %w: !bytes, %scale: !matrix, %zero: !matrix, %i: index,
                               %j: index, %byte: index, %acc: !sums) -> !sums {
    %pad = arith.constant 0.0 : bf16
    %pad8 = arith.constant 0 : i8
    %none = arith.constant dense<0.0> : !sums
    %k = affine.apply affine_map<(d) -> (d * 2)>(%byte)
    %group = affine.apply affine_map<(d) -> (d floordiv 64)>(%byte)
    %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile_x
    %q = vector.transfer_read %w[%j, %byte], %pad8 : !bytes, !packed_group
    %s = vector.transfer_read %scale[%group, %j], %pad : !matrix, !row
    %z = vector.transfer_read %zero[%group, %j], %pad : !matrix, !row
    %wt = func.call @decode(%q, %z) : (!packed_group, !row) -> !group
    %part = vector.contract #product %xt, %wt, %none : !tile_x, !group into !sums
    %wide = arith.extf %s : !row to vector<64xf32>
    %scales = vector.broadcast %wide : vector<64xf32> to !sums
    %next = math.fma %part, %scales, %acc : !sums
    return %next : !sums
  }

  gpu.func @skinny_int4(
      %x: !matrix {carousel.argument = #x}, %w: !bytes {carousel.argument = #w},
      %scale: !matrix {carousel.argument = #scale}, %zero: !matrix {carousel.argument = #zero},
      %y: !matrix {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [
        2, ceildiv(extent(4, 1), 64), ceildiv(extent(4, 0), 16)], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %rank0 = arith.constant 0 : i32
    %rank1 = arith.constant 1 : i32
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %cta = gpu.block_id x
    %across = gpu.block_id y
    %down = gpu.block_id z
    %i = affine.apply affine_map<(d) -> (d * 16)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %bytes = memref.dim %w, %c1 : !bytes
    %begin = affine.apply #begin(%cta)[%bytes]
    %end = affine.min #end(%cta)[%bytes]
    %own = memref.alloc() {alignment = 128 : i64} : !own
    %sum = scf.for %byte = %begin to %end step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %next = func.call @add_group(%x, %w, %scale, %zero, %i, %j, %byte, %acc)
          : (!matrix, !bytes, !matrix, !matrix, index, index, index, !sums) -> !sums
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
    %y16 = arith.truncf %all : !half to vector<8x64xbf16>
    %i2 = arith.addi %i, %row : index
    vector.transfer_write %y16, %y[%i2, %j] : vector<8x64xbf16>, !matrix
    gpu.return
  }
}
