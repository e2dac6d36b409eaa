// Persistent copy kernels written by hand at the machine phase. A producer warp and a consumer warp
// share a ring in shared memory, which the TMA fills and empties.
//
//   carousel-compile copy_ring.mlir -o copy_ring.pkg --chip sm_90a
//   carousel-run copy_ring.pkg --kernel copy --arg x=random:1048576 --arg y=empty:1048576 \
//     --arg tickets=zeros:2 --out y=y.npy
//
// One running index k counts the tiles of a CTA. Its slot is k mod stages, and the parity of the
// phase of that slot's barriers is (k / stages) mod 2. Each slot has two barriers. The bytes of the
// load complete `full`. The consumer completes `empty` once its store has read the slot.
//
// CTAs draw tiles from a counter in global memory instead of taking every n-th tile. Faster CTAs take
// more tiles, and all CTAs stay within a few tiles of each other. So their reads at one time go to
// few DRAM pages; on an H200, a copy of 2 GiB is 8 % faster. The producer passes the number of a tile
// to the consumer through shared memory, under the `full` barrier; a number beyond the last tile ends
// the ring. `tickets` holds the counter of tiles and the counter of finished CTAs. Both are zero
// before and after a launch.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tickets = memref<2xi64, #gl>

!slots_1d = memref<12x1024xf32, #ws>
!barriers_1d = memref<12x!carousel.mbarrier, #ws>
!numbers_1d = memref<12xi64, #ws>

!slots_2d = memref<4x64x64xf32, #ws>
!barriers_2d = memref<4x!carousel.mbarrier, #ws>
!numbers_2d = memref<4xi64, #ws>
!map = !carousel.tensor_map<64x64xf32, promotion = b256>

gpu.module @copy_ring {

  // Copies x to y by bulk copies of 4 KiB, four to a ticket, through twelve slots.
  gpu.func @copy_1d(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %tickets: !tickets {carousel.argument = #carousel.argument<"tickets", inout>})
      workgroup(%full: !barriers_1d, %empty: !barriers_1d,
                %numbers: !numbers_1d) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "copy", guards = [
          capability(90), equal(extent(0, 0), extent(1, 0)),
          aligned(0, 16), aligned(1, 16), divisible(extent(0, 0), 4)]>,
        carousel.launch = #carousel.launch<
          grid = [min(ceildiv(extent(0, 0), 4096), sms)], block = [64], shared = 49152>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    %false = arith.constant false
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %stages = arith.constant 12 : index
    %chunk = arith.constant 4 : index
    %chunk_i64 = arith.constant 4 : i64
    %warp_size = arith.constant 32 : index
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %warp_size : index
    %element = arith.constant 4 : index
    %tile = arith.constant 1024 : index
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.ceildivui %n, %tile : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %slots = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !slots_1d

    // The barriers, by one thread; the fence shows them to the async proxy, the barrier to all.
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers_1d
        carousel.mbarrier.init %empty[%s], 1 : !barriers_1d
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier

    %produces = arith.cmpi eq, %warp, %c0 : index
    %elected = carousel.elect
    scf.if %elected {
      scf.if %produces {
        // The next ticket is drawn before the tiles of this one are loaded, to hide its latency.
        %drawn = memref.atomic_rmw addi %chunk_i64, %tickets[%c0] : (i64, !tickets) -> i64
        %begin = arith.index_cast %drawn : i64 to index
        %end:2 = scf.while (%k = %c0, %from = %begin) : (index, index) -> (index, index) {
          %some = arith.cmpi ult, %from, %tiles : index
          scf.condition(%some) %k, %from : index, index
        } do {
        ^bb0(%k: index, %from: index):
          %drawn_next = memref.atomic_rmw addi %chunk_i64, %tickets[%c0] : (i64, !tickets) -> i64
          %beyond = arith.addi %from, %chunk : index
          %to = arith.minui %beyond, %tiles : index
          %k_after = scf.for %t = %from to %to step %c1 iter_args(%j = %k) -> (index) {
            %slot = arith.remui %j, %stages : index
            %round = arith.divui %j, %stages : index
            %round_i1 = arith.index_cast %round : index to i1
            // A barrier that is in its first phase counts as having completed one of parity
            // true: the first round finds every slot empty.
            %emptied = arith.xori %round_i1, %true : i1
            carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers_1d
            %number = arith.index_cast %t : index to i64
            memref.store %number, %numbers[%slot] : !numbers_1d
            %i = arith.muli %t, %tile : index
            %rest = arith.subi %n, %i : index
            %count = arith.minui %rest, %tile : index
            %size = arith.muli %count, %element : index
            %size_i32 = arith.index_cast %size : index to i32
            carousel.mbarrier.arrive_expect_tx %full[%slot], %size_i32 : !barriers_1d
            carousel.bulk.load %x[%i] to %slots[%slot, %c0], %size_i32 signals %full[%slot]
                : !vector, !slots_1d, !barriers_1d
            %j_next = arith.addi %j, %c1 : index
            scf.yield %j_next : index
          }
          %from_next = arith.index_cast %drawn_next : i64 to index
          scf.yield %k_after, %from_next : index, index
        }
        %last_slot = arith.remui %end#0, %stages : index
        %last_round = arith.divui %end#0, %stages : index
        %last_round_i1 = arith.index_cast %last_round : index to i1
        %last_emptied = arith.xori %last_round_i1, %true : i1
        carousel.mbarrier.wait %empty[%last_slot] parity %last_emptied : !barriers_1d
        %none = arith.index_cast %tiles : index to i64
        memref.store %none, %numbers[%last_slot] : !numbers_1d
        carousel.mbarrier.arrive %full[%last_slot] : !barriers_1d

        // The last CTA that has drawn its last ticket leaves both counters zero. Atomics order
        // nothing: the fences put the other CTAs' draws before its store. What they count up after
        // their fence is left zero by an atomic.
        carousel.fence.thread release gpu
        %finished = memref.atomic_rmw addi %one, %tickets[%c1] : (i64, !tickets) -> i64
        %grid = gpu.grid_dim x
        %others = arith.subi %grid, %c1 : index
        %others_i64 = arith.index_cast %others : index to i64
        %is_last = arith.cmpi eq, %finished, %others_i64 : i64
        scf.if %is_last {
          carousel.fence.thread acquire gpu
          memref.store %zero, %tickets[%c0] : !tickets
          %left = memref.atomic_rmw assign %zero, %tickets[%c1] : (i64, !tickets) -> i64
        }
      } else {
        carousel.mbarrier.wait %full[%c0] parity %false : !barriers_1d
        %number_first = memref.load %numbers[%c0] : !numbers_1d
        %first = arith.index_cast %number_first : i64 to index
        scf.while (%k = %c0, %t = %first) : (index, index) -> (index, index) {
          %some = arith.cmpi ult, %t, %tiles : index
          scf.condition(%some) %k, %t : index, index
        } do {
        ^bb0(%k: index, %t: index):
          %slot = arith.remui %k, %stages : index
          %i = arith.muli %t, %tile : index
          %rest = arith.subi %n, %i : index
          %count = arith.minui %rest, %tile : index
          %size = arith.muli %count, %element : index
          %size_i32 = arith.index_cast %size : index to i32
          carousel.bulk.store %slots[%slot, %c0] to %y[%i], %size_i32
              : !slots_1d, !vector
          carousel.bulk.commit_group
          // All stores but the last two have read their slots: hand the latest of those back.
          carousel.bulk.wait_group read 2
          %kept = arith.constant 2 : index
          %has_previous = arith.cmpi uge, %k, %kept : index
          scf.if %has_previous {
            %previous = arith.subi %k, %kept : index
            %previous_slot = arith.remui %previous, %stages : index
            carousel.mbarrier.arrive %empty[%previous_slot] : !barriers_1d
          }
          %k_next = arith.addi %k, %c1 : index
          %slot_next = arith.remui %k_next, %stages : index
          %round_next = arith.divui %k_next, %stages : index
          %filled = arith.index_cast %round_next : index to i1
          carousel.mbarrier.wait %full[%slot_next] parity %filled : !barriers_1d
          %number = memref.load %numbers[%slot_next] : !numbers_1d
          %t_next = arith.index_cast %number : i64 to index
          scf.yield %k_next, %t_next : index, index
        }
        carousel.bulk.wait_group complete 0
      }
    }
    gpu.return
  }

  // The same by ordinary loads and stores: for any chip, any alignment, any extent.
  gpu.func @copy_elements(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %tickets: !tickets {carousel.argument = #carousel.argument<"tickets", inout>}) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "copy", guards = [
          equal(extent(0, 0), extent(1, 0))]>,
        carousel.launch = #carousel.launch<
          grid = [min(ceildiv(extent(0, 0), 256), sms * 8)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !vector
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %before = arith.muli %block, %threads : index
    %first = arith.addi %before, %thread : index
    %step = arith.muli %blocks, %threads : index
    scf.for %i = %first to %n step %step {
      %value = memref.load %x[%i] : !vector
      memref.store %value, %y[%i] : !vector
    }
    gpu.return
  }

  // Copies the matrix x to y through tensor maps, in boxes of 64x64 and four slots. What a box has
  // outside of the matrix is filled with zero on the way in, counts as bytes of the load, and
  // isn't written on the way out: except that a store writes whole pieces of 16 bytes, so rows that
  // end within one would have their padding overwritten. The last guard refuses them.
  gpu.func @copy_2d(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %tickets: !tickets {carousel.argument = #carousel.argument<"tickets", inout>},
      %src: !map {carousel.encode = #carousel.encode<argument = 0>},
      %dst: !map {carousel.encode = #carousel.encode<argument = 1>})
      workgroup(%full: !barriers_2d, %empty: !barriers_2d,
                %numbers: !numbers_2d) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "copy_2d", guards = [
          capability(90), equal(extent(0, 0), extent(1, 0)), equal(extent(0, 1), extent(1, 1)),
          divisible(extent(0, 1), 4)]>,
        carousel.launch = #carousel.launch<
          grid = [min(ceildiv(extent(0, 0), 64) * ceildiv(extent(0, 1), 64), sms)],
          block = [64], shared = 65536>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    %false = arith.constant false
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %stages = arith.constant 4 : index
    %chunk = arith.constant 1 : index
    %chunk_i64 = arith.constant 1 : i64
    %warp_size = arith.constant 32 : index
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %warp_size : index
    %box = arith.constant 64 : index
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %down = arith.ceildivui %rows, %box : index
    %across = arith.ceildivui %columns, %box : index
    %tiles = arith.muli %down, %across : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %slots = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !slots_2d

    // The barriers, by one thread; the fence shows them to the async proxy, the barrier to all.
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.tensor_map.prefetch %src space(param) : !map
      carousel.tensor_map.prefetch %dst space(param) : !map
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers_2d
        carousel.mbarrier.init %empty[%s], 1 : !barriers_2d
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier

    %produces = arith.cmpi eq, %warp, %c0 : index
    %elected = carousel.elect
    scf.if %elected {
      scf.if %produces {
        // The next ticket is drawn before the tiles of this one are loaded, to hide its latency.
        %drawn = memref.atomic_rmw addi %chunk_i64, %tickets[%c0] : (i64, !tickets) -> i64
        %begin = arith.index_cast %drawn : i64 to index
        %end:2 = scf.while (%k = %c0, %from = %begin) : (index, index) -> (index, index) {
          %some = arith.cmpi ult, %from, %tiles : index
          scf.condition(%some) %k, %from : index, index
        } do {
        ^bb0(%k: index, %from: index):
          %drawn_next = memref.atomic_rmw addi %chunk_i64, %tickets[%c0] : (i64, !tickets) -> i64
          %beyond = arith.addi %from, %chunk : index
          %to = arith.minui %beyond, %tiles : index
          %k_after = scf.for %t = %from to %to step %c1 iter_args(%j = %k) -> (index) {
            %slot = arith.remui %j, %stages : index
            %round = arith.divui %j, %stages : index
            %round_i1 = arith.index_cast %round : index to i1
            // A barrier that is in its first phase counts as having completed one of parity
            // true: the first round finds every slot empty.
            %emptied = arith.xori %round_i1, %true : i1
            carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers_2d
            %number = arith.index_cast %t : index to i64
            memref.store %number, %numbers[%slot] : !numbers_2d
            %tile_row = arith.divui %t, %across : index
            %tile_column = arith.remui %t, %across : index
            %row = arith.muli %tile_row, %box : index
            %column = arith.muli %tile_column, %box : index
            %row_i32 = arith.index_cast %row : index to i32
            %column_i32 = arith.index_cast %column : index to i32
            carousel.mbarrier.arrive_expect_tx %full[%slot], 16384 : !barriers_2d
            carousel.tensor.load %src[%row_i32, %column_i32] to %slots[%slot, %c0, %c0]
                signals %full[%slot] : !map, !slots_2d, !barriers_2d
            %j_next = arith.addi %j, %c1 : index
            scf.yield %j_next : index
          }
          %from_next = arith.index_cast %drawn_next : i64 to index
          scf.yield %k_after, %from_next : index, index
        }
        %last_slot = arith.remui %end#0, %stages : index
        %last_round = arith.divui %end#0, %stages : index
        %last_round_i1 = arith.index_cast %last_round : index to i1
        %last_emptied = arith.xori %last_round_i1, %true : i1
        carousel.mbarrier.wait %empty[%last_slot] parity %last_emptied : !barriers_2d
        %none = arith.index_cast %tiles : index to i64
        memref.store %none, %numbers[%last_slot] : !numbers_2d
        carousel.mbarrier.arrive %full[%last_slot] : !barriers_2d

        // The last CTA that has drawn its last ticket leaves both counters zero. Atomics order
        // nothing: the fences put the other CTAs' draws before its store. What they count up after
        // their fence is left zero by an atomic.
        carousel.fence.thread release gpu
        %finished = memref.atomic_rmw addi %one, %tickets[%c1] : (i64, !tickets) -> i64
        %grid = gpu.grid_dim x
        %others = arith.subi %grid, %c1 : index
        %others_i64 = arith.index_cast %others : index to i64
        %is_last = arith.cmpi eq, %finished, %others_i64 : i64
        scf.if %is_last {
          carousel.fence.thread acquire gpu
          memref.store %zero, %tickets[%c0] : !tickets
          %left = memref.atomic_rmw assign %zero, %tickets[%c1] : (i64, !tickets) -> i64
        }
      } else {
        carousel.mbarrier.wait %full[%c0] parity %false : !barriers_2d
        %number_first = memref.load %numbers[%c0] : !numbers_2d
        %first = arith.index_cast %number_first : i64 to index
        scf.while (%k = %c0, %t = %first) : (index, index) -> (index, index) {
          %some = arith.cmpi ult, %t, %tiles : index
          scf.condition(%some) %k, %t : index, index
        } do {
        ^bb0(%k: index, %t: index):
          %slot = arith.remui %k, %stages : index
          %tile_row = arith.divui %t, %across : index
          %tile_column = arith.remui %t, %across : index
          %row = arith.muli %tile_row, %box : index
          %column = arith.muli %tile_column, %box : index
          %row_i32 = arith.index_cast %row : index to i32
          %column_i32 = arith.index_cast %column : index to i32
          carousel.tensor.store %slots[%slot, %c0, %c0] to %dst[%row_i32, %column_i32]
              : !slots_2d, !map
          carousel.bulk.commit_group
          // All stores but the last have read their slots: hand the latest of those back.
          carousel.bulk.wait_group read 1
          %kept = arith.constant 1 : index
          %has_previous = arith.cmpi uge, %k, %kept : index
          scf.if %has_previous {
            %previous = arith.subi %k, %kept : index
            %previous_slot = arith.remui %previous, %stages : index
            carousel.mbarrier.arrive %empty[%previous_slot] : !barriers_2d
          }
          %k_next = arith.addi %k, %c1 : index
          %slot_next = arith.remui %k_next, %stages : index
          %round_next = arith.divui %k_next, %stages : index
          %filled = arith.index_cast %round_next : index to i1
          carousel.mbarrier.wait %full[%slot_next] parity %filled : !barriers_2d
          %number = memref.load %numbers[%slot_next] : !numbers_2d
          %t_next = arith.index_cast %number : i64 to index
          scf.yield %k_next, %t_next : index, index
        }
        carousel.bulk.wait_group complete 0
      }
    }
    gpu.return
  }
}
