// Two persistent copy kernels written by hand at the machine phase: a ring of four 16 KiB slots of
// shared memory between a producer warp and a consumer warp.
//
//   carousel-translate --mlir-to-ptx --chip=sm_90a copy_ring.mlir -o copy_ring.ptx
//
// One running index k counts the tiles of a CTA. Its slot is k mod 4, and the parity of the phase
// of that slot's barriers is (k / 4) mod 2. Each slot has two barriers: `full` is completed by the
// bytes of the load, `empty` by the consumer once its store has read the slot.
//
// Launch: 64 threads, 65536 bytes of dynamic shared memory, any grid (the SM count is good).

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!slots = memref<4x4096xf32, #ws>
!boxes = memref<4x64x64xf32, #ws>
!barriers = memref<4x!carousel.mbarrier, #ws>
!map = !carousel.tensor_map<64x64xf32, promotion = b256>

gpu.module @copy_ring {

  // Copies x to y. Both start at a multiple of 16 bytes; the extent is a multiple of 4 elements.
  gpu.func @copy_1d(%x: !vector, %y: !vector)
      workgroup(%full: !barriers, %empty: !barriers) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %stages = arith.constant 4 : index
    %warp_size = arith.constant 32 : index
    %tile = arith.constant 4096 : index
    %element = arith.constant 4 : index
    %first = gpu.block_id x
    %grid = gpu.grid_dim x
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %warp_size : index
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.ceildivui %n, %tile : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %slots = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !slots

    // The barriers, by one thread; the fence shows them to the async proxy, the barrier to all.
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        carousel.mbarrier.init %empty[%s], 1 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier

    %produces = arith.cmpi eq, %warp, %c0 : index
    scf.if %produces {
      %elected = carousel.elect
      scf.if %elected {
        scf.for %t = %first to %tiles step %grid iter_args(%k = %c0) -> (index) {
          %slot = arith.remui %k, %stages : index
          %round = arith.divui %k, %stages : index
          %round_i1 = arith.index_cast %round : index to i1
          // A barrier that is in its first phase counts as having completed one of parity true:
          // the first round finds every slot empty.
          %true = arith.constant true
          %emptied = arith.xori %round_i1, %true : i1
          carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
          %i = arith.muli %t, %tile : index
          %rest = arith.subi %n, %i : index
          %count = arith.minui %rest, %tile : index
          %size = arith.muli %count, %element : index
          %size_i32 = arith.index_cast %size : index to i32
          carousel.mbarrier.arrive_expect_tx %full[%slot], %size_i32 : !barriers
          carousel.bulk.load %x[%i] to %slots[%slot, %c0], %size_i32 signals %full[%slot]
              : !vector, !slots, !barriers
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
      }
    } else {
      %elected = carousel.elect
      scf.if %elected {
        scf.for %t = %first to %tiles step %grid iter_args(%k = %c0) -> (index) {
          %slot = arith.remui %k, %stages : index
          %round = arith.divui %k, %stages : index
          %filled = arith.index_cast %round : index to i1
          carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
          %i = arith.muli %t, %tile : index
          %rest = arith.subi %n, %i : index
          %count = arith.minui %rest, %tile : index
          %size = arith.muli %count, %element : index
          %size_i32 = arith.index_cast %size : index to i32
          carousel.bulk.store %slots[%slot, %c0] to %y[%i], %size_i32 : !slots, !vector
          carousel.bulk.commit_group
          // The store before this one has read its slot: hand that back.
          carousel.bulk.wait_group read 1
          %has_previous = arith.cmpi ugt, %k, %c0 : index
          scf.if %has_previous {
            %previous = arith.subi %k, %c1 : index
            %previous_slot = arith.remui %previous, %stages : index
            carousel.mbarrier.arrive %empty[%previous_slot] : !barriers
          }
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
        carousel.bulk.wait_group complete 0
      }
    }
    gpu.return
  }

  // Copies the matrix that `src` describes to the one that `dst` does, both rows x columns and
  // with boxes of 64x64. What a box has outside of the matrix is filled with zero on the way in,
  // counts as bytes of the load, and isn't written on the way out.
  gpu.func @copy_2d(%src: !map, %dst: !map, %rows: index, %columns: index)
      workgroup(%full: !barriers, %empty: !barriers) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %stages = arith.constant 4 : index
    %warp_size = arith.constant 32 : index
    %box = arith.constant 64 : index
    %first = gpu.block_id x
    %grid = gpu.grid_dim x
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %warp_size : index
    %down = arith.ceildivui %rows, %box : index
    %across = arith.ceildivui %columns, %box : index
    %tiles = arith.muli %down, %across : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %boxes = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !boxes

    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.tensor_map.prefetch %src space(param) : !map
      carousel.tensor_map.prefetch %dst space(param) : !map
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        carousel.mbarrier.init %empty[%s], 1 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier

    %produces = arith.cmpi eq, %warp, %c0 : index
    scf.if %produces {
      %elected = carousel.elect
      scf.if %elected {
        scf.for %t = %first to %tiles step %grid iter_args(%k = %c0) -> (index) {
          %slot = arith.remui %k, %stages : index
          %round = arith.divui %k, %stages : index
          %round_i1 = arith.index_cast %round : index to i1
          %true = arith.constant true
          %emptied = arith.xori %round_i1, %true : i1
          carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
          %tile_row = arith.divui %t, %across : index
          %tile_column = arith.remui %t, %across : index
          %row = arith.muli %tile_row, %box : index
          %column = arith.muli %tile_column, %box : index
          %row_i32 = arith.index_cast %row : index to i32
          %column_i32 = arith.index_cast %column : index to i32
          carousel.mbarrier.arrive_expect_tx %full[%slot], 16384 : !barriers
          carousel.tensor.load %src[%row_i32, %column_i32] to %boxes[%slot, %c0, %c0]
              signals %full[%slot] : !map, !boxes, !barriers
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
      }
    } else {
      %elected = carousel.elect
      scf.if %elected {
        scf.for %t = %first to %tiles step %grid iter_args(%k = %c0) -> (index) {
          %slot = arith.remui %k, %stages : index
          %round = arith.divui %k, %stages : index
          %filled = arith.index_cast %round : index to i1
          carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
          %tile_row = arith.divui %t, %across : index
          %tile_column = arith.remui %t, %across : index
          %row = arith.muli %tile_row, %box : index
          %column = arith.muli %tile_column, %box : index
          %row_i32 = arith.index_cast %row : index to i32
          %column_i32 = arith.index_cast %column : index to i32
          carousel.tensor.store %boxes[%slot, %c0, %c0] to %dst[%row_i32, %column_i32]
              : !boxes, !map
          carousel.bulk.commit_group
          carousel.bulk.wait_group read 1
          %has_previous = arith.cmpi ugt, %k, %c0 : index
          scf.if %has_previous {
            %previous = arith.subi %k, %c1 : index
            %previous_slot = arith.remui %previous, %stages : index
            carousel.mbarrier.arrive %empty[%previous_slot] : !barriers
          }
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        }
        carousel.bulk.wait_group complete 0
      }
    }
    gpu.return
  }
}
