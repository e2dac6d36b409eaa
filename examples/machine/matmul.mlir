// A product of matrices written by hand at the machine phase, for sm_90a: z = x * w^T, with x of
// m x k and w of n x k, as the weights of a linear layer are stored.
//
//   carousel-compile matmul.mlir -o matmul.pkg --chip sm_90a
//   carousel-run matmul.pkg --kernel matmul --arg x=random:4096x4096 --arg w=random:4096x4096 \
//     --arg z=empty:4096x4096 --out z=z.npy
//
// A CTA has three warpgroups. One thread of the first one loads tiles of x and w by TMA into a ring
// of three slots. The other two multiply: each has 64 rows of a tile of 128 x 256, whose sums stay in
// its registers. The products of one slot are in flight during the wait for the next slot, and a slot
// is released when the products that read it are complete. Results go through shared memory,
// swizzled, and from there by tensor stores. CTAs are persistent: they take every n-th tile, in groups
// of rows that share columns of w in the L2.
//
// Order of sums: along k alone, 16 at a time. It depends on neither m nor n.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!slots_x = memref<3x128x64xbf16, #ws>
!slots_w = memref<3x256x64xbf16, #ws>
!barriers = memref<3x!carousel.mbarrier, #ws>
// Results, as the tensor map stores them and as pairs of elements.
!results = memref<2x4x64x64xbf16, #ws>
!pairs = memref<2x4x64x32xi32, #ws>
!map_x = !carousel.tensor_map<128x64xbf16, swizzle = b128, promotion = b128>
!map_w = !carousel.tensor_map<256x64xbf16, swizzle = b128, promotion = b128>
!map_z = !carousel.tensor_map<64x64xbf16, swizzle = b128>
!factor = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<32x2x2xf32>>

gpu.module @matmul {
  gpu.func @matmul(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %z: !matrix {carousel.argument = #carousel.argument<"z", out>},
      %from_x: !map_x {carousel.encode = #carousel.encode<argument = 0>},
      %from_w: !map_w {carousel.encode = #carousel.encode<argument = 1>},
      %to_z: !map_z {carousel.encode = #carousel.encode<argument = 2>})
      workgroup(%full: !barriers, %empty: !barriers) kernel
      attributes {
        nvvm.maxnreg = 168 : i32,
        carousel.variant = #carousel.variant<kernel = "matmul", guards = [
          capability(90), equal(extent(0, 1), extent(1, 1)), equal(extent(0, 0), extent(2, 0)),
          equal(extent(1, 0), extent(2, 1)), divisible(extent(0, 1), 8),
          divisible(extent(1, 0), 8)]>,
        carousel.launch = #carousel.launch<
          grid = [min(ceildiv(extent(0, 0), 128) * ceildiv(extent(1, 0), 256), sms)],
          block = [384], shared = 212992>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %true = arith.constant true
    %false = arith.constant false
    %stages = arith.constant 3 : index
    %rows_of_group = arith.constant 16 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %m = memref.dim %x, %c0 : !matrix
    %n = memref.dim %w, %c0 : !matrix
    %depth = memref.dim %x, %c1 : !matrix
    %down = arith.ceildivui %m, %c128 : index
    %across = arith.ceildivui %n, %c256 : index
    %steps = arith.ceildivui %depth, %c64 : index
    %tiles = arith.muli %down, %across : index
    %tiles_of_group = arith.muli %rows_of_group, %across : index

    // Swizzled tiles begin at a multiple of 1024 bytes.
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %start_w = arith.constant 49152 : index
    %start_z = arith.constant 147456 : index
    %slots_x = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !slots_x
    %slots_w = memref.view %bytes[%start_w][] : memref<?xi8, #ws> to !slots_w
    %results = memref.view %bytes[%start_z][] : memref<?xi8, #ws> to !results
    %pairs = memref.view %bytes[%start_z][] : memref<?xi8, #ws> to !pairs

    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.tensor_map.prefetch %from_x space(param) : !map_x
      carousel.tensor_map.prefetch %from_w space(param) : !map_w
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        // One lane of each of the eight warps that multiply.
        carousel.mbarrier.init %empty[%s], 8 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier

    %warpgroup = arith.divui %thread, %c128 : index
    %produces = arith.cmpi eq, %warpgroup, %c0 : index
    scf.if %produces {
      carousel.set_max_registers dec 24
      scf.if %is_first {
        // A slot and the parity of its phase are carried along. A barrier in its first phase counts as
        // having completed one of parity true: the first round finds every slot empty.
        scf.for %t = %block to %tiles step %blocks iter_args(%k = %c0, %f = %true) -> (index, i1) {
          %group = arith.divui %t, %tiles_of_group : index
          %group_row = arith.muli %group, %rows_of_group : index
          %rest = arith.subi %down, %group_row : index
          %height = arith.minui %rest, %rows_of_group : index
          %in_group = arith.remui %t, %tiles_of_group : index
          %tile_in_group = arith.remui %in_group, %height : index
          %column_tile = arith.divui %in_group, %height : index
          %row_tile = arith.addi %group_row, %tile_in_group : index
          %row = arith.muli %row_tile, %c128 : index
          %column = arith.muli %column_tile, %c256 : index
          %row_i32 = arith.index_cast %row : index to i32
          %column_i32 = arith.index_cast %column : index to i32
          %after:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%slot = %k, %emptied = %f) -> (index, i1) {
            carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
            %from = arith.muli %i, %c64 : index
            %from_i32 = arith.index_cast %from : index to i32
            carousel.mbarrier.arrive_expect_tx %full[%slot], 49152 : !barriers
            carousel.tensor.load %from_x[%row_i32, %from_i32] to %slots_x[%slot, %c0, %c0]
                signals %full[%slot] : !map_x, !slots_x, !barriers
            carousel.tensor.load %from_w[%column_i32, %from_i32] to %slots_w[%slot, %c0, %c0]
                signals %full[%slot] : !map_w, !slots_w, !barriers
            %up = arith.addi %slot, %c1 : index
            %wraps = arith.cmpi eq, %up, %stages : index
            %slot_next = arith.select %wraps, %c0, %up : index
            %emptied_next = arith.xori %emptied, %wraps : i1
            scf.yield %slot_next, %emptied_next : index, i1
          }
          scf.yield %after#0, %after#1 : index, i1
        }
      }
    } else {
      carousel.set_max_registers inc 240
      %multiplier = arith.subi %warpgroup, %c1 : index
      %first_row = arith.muli %multiplier, %c64 : index
      %in_warpgroup = arith.remui %thread, %c128 : index
      %warp = arith.divui %in_warpgroup, %c32 : index
      %lane = arith.remui %thread, %c32 : index
      %is_lane_0 = arith.cmpi eq, %lane, %c0 : index
      // A thread's sums are in rows g and g + 8 of its warp's 16, two columns of each eight.
      %warp_row = arith.muli %warp, %c16 : index
      %g = arith.divui %lane, %c4 : index
      %quad = arith.remui %lane, %c4 : index
      %upper = arith.addi %warp_row, %g : index
      %lower = arith.addi %upper, %c8 : index
      %is_leader = arith.cmpi eq, %in_warpgroup, %c0 : index
      %own_barrier = arith.index_cast %warpgroup : index to i32

      scf.for %t = %block to %tiles step %blocks iter_args(%k = %c0, %f = %false) -> (index, i1) {
        %group = arith.divui %t, %tiles_of_group : index
        %group_row = arith.muli %group, %rows_of_group : index
        %rest = arith.subi %down, %group_row : index
        %height = arith.minui %rest, %rows_of_group : index
        %in_group = arith.remui %t, %tiles_of_group : index
        %tile_in_group = arith.remui %in_group, %height : index
        %column_tile = arith.divui %in_group, %height : index
        %row_tile = arith.addi %group_row, %tile_in_group : index

        %undefined = ub.poison : vector<32x2x2xf32>
        %start = carousel.wgmma.fence(%undefined) : vector<32x2x2xf32>
        %end:4 = scf.for %i = %c0 to %steps step %c1
            iter_args(%slot = %k, %filled = %f, %before = %c0, %s0 = %start) -> (index, i1, index, !sums) {
          %adds = arith.cmpi ne, %i, %c0 : index
          carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
          carousel.wgmma.fence
          %a0 = carousel.wgmma.descriptor %slots_x[%slot, %first_row, %c0] swizzle(b128) : !slots_x to !factor
          %b0 = carousel.wgmma.descriptor %slots_w[%slot, %c0, %c0] swizzle(b128) : !slots_w to !factor
          %s1 = carousel.wgmma.mma %a0, %b0, %s0 scale(%adds) : !factor, !factor, !sums
          %a1 = carousel.wgmma.descriptor %slots_x[%slot, %first_row, %c16] swizzle(b128) : !slots_x to !factor
          %b1 = carousel.wgmma.descriptor %slots_w[%slot, %c0, %c16] swizzle(b128) : !slots_w to !factor
          %s2 = carousel.wgmma.mma %a1, %b1, %s1 : !factor, !factor, !sums
          %a2 = carousel.wgmma.descriptor %slots_x[%slot, %first_row, %c32] swizzle(b128) : !slots_x to !factor
          %b2 = carousel.wgmma.descriptor %slots_w[%slot, %c0, %c32] swizzle(b128) : !slots_w to !factor
          %s3 = carousel.wgmma.mma %a2, %b2, %s2 : !factor, !factor, !sums
          %a3 = carousel.wgmma.descriptor %slots_x[%slot, %first_row, %c48] swizzle(b128) : !slots_x to !factor
          %b3 = carousel.wgmma.descriptor %slots_w[%slot, %c0, %c48] swizzle(b128) : !slots_w to !factor
          %s4 = carousel.wgmma.mma %a3, %b3, %s3 : !factor, !factor, !sums
          carousel.wgmma.commit
          // The products of the slot before this one are complete.
          carousel.wgmma.wait 1
          %has_previous = arith.andi %adds, %is_lane_0 : i1
          scf.if %has_previous {
            carousel.mbarrier.arrive %empty[%before] : !barriers
          }
          %up = arith.addi %slot, %c1 : index
          %wraps = arith.cmpi eq, %up, %stages : index
          %slot_next = arith.select %wraps, %c0, %up : index
          %filled_next = arith.xori %filled, %wraps : i1
          scf.yield %slot_next, %filled_next, %slot, %s4 : index, i1, index, !sums
        }
        %product = carousel.wgmma.wait 0, %end#3 : !sums
        scf.if %is_lane_0 {
          carousel.mbarrier.arrive %empty[%end#2] : !barriers
        }

        // The stores of the last tile have read the results.
        scf.if %is_leader {
          carousel.bulk.wait_group read 0
        }
        carousel.barrier.sync %own_barrier threads(128)
        // Of each eight columns, a thread has a pair in both of its rows. The swizzle permutes pieces of
        // eight columns by the number of the row in its eight, which is g.
        %narrow = arith.truncf %product : vector<32x2x2xf32> to vector<32x2x2xbf16>
        %in_pairs = vector.bitcast %narrow : vector<32x2x2xbf16> to vector<32x2x1xi32>
        %flat = vector.shape_cast %in_pairs : vector<32x2x1xi32> to vector<64xi32>
        scf.for %j = %c0 to %c32 step %c1 {
          %part = arith.divui %j, %c8 : index
          %piece = arith.remui %j, %c8 : index
          %swizzled = arith.xori %piece, %g : index
          %4 = arith.muli %swizzled, %c4 : index
          %pair = arith.addi %4, %quad : index
          %first = arith.muli %j, %c2 : index
          %second = arith.addi %first, %c1 : index
          %v0 = vector.extract %flat[%first] : i32 from vector<64xi32>
          %v1 = vector.extract %flat[%second] : i32 from vector<64xi32>
          memref.store %v0, %pairs[%multiplier, %part, %upper, %pair] : !pairs
          memref.store %v1, %pairs[%multiplier, %part, %lower, %pair] : !pairs
        } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
        carousel.fence.proxy async_shared_cta
        carousel.barrier.sync %own_barrier threads(128)

        scf.if %is_leader {
          %row_tile_first = arith.muli %row_tile, %c128 : index
          %row = arith.addi %row_tile_first, %first_row : index
          %row_i32 = arith.index_cast %row : index to i32
          %column = arith.muli %column_tile, %c256 : index
          scf.for %part = %c0 to %c4 step %c1 {
            %5 = arith.muli %part, %c64 : index
            %part_column = arith.addi %column, %5 : index
            %part_column_i32 = arith.index_cast %part_column : index to i32
            carousel.tensor.store %results[%multiplier, %part, %c0, %c0] to %to_z[%row_i32, %part_column_i32]
                : !results, !map_z
          }
          carousel.bulk.commit_group
        }
        scf.yield %end#0, %end#1 : index, i1
      }
      scf.if %is_leader {
        carousel.bulk.wait_group complete 0
      }
    }
    gpu.return
  }
}
