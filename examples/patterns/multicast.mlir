// A tile loaded once and multicast to the CTAs of a cluster. The four CTAs of a cluster scale
// different rows of the matrix x by the same weights w. The first CTA loads each tile of weights
// from global memory, and the TMA writes it at the same offset in the shared memory of all four.
// Each CTA has its own barrier `full`, also at the same offset. It expects all bytes of the tile,
// including those that the CTA didn't request. Before the slot is filled again, all four CTAs must
// have read it: they arrive at `empty` of the first CTA, across the cluster. The cluster's barrier
// at the start makes the initialised barriers visible to the peers. The one at the end keeps the
// first CTA resident while others arrive at its barrier.
//
//   carousel-sim multicast.mlir --kernel @scale_columns --reference @reference --arg x=iota:9x600 \
//     --arg w=random:600 --arg y=like:x --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_90 multicast.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tile = memref<256xf32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @patterns {
  // y[i, j] = x[i, j] * w[j]: cluster c takes rows 4 c to 4 c + 3, its CTA r row 4 c + r.
  gpu.func @scale_columns(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !vector {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64},
                %full: !barrier, %empty: !barrier) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "scale_columns", guards = [
          capability(90), equal(extent(0, 0), extent(2, 0)), equal(extent(0, 1), extent(2, 1)),
          equal(extent(0, 1), extent(1, 0)), divisible(extent(1, 0), 4), aligned(1, 16)]>,
        carousel.launch = #carousel.launch<
          grid = [ceildiv(extent(0, 0), 4) * 4], block = [256], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %all = arith.constant 15 : i16
    %true = arith.constant true
    %thread = gpu.thread_id x
    %row = gpu.block_id x
    %rank = carousel.cluster.rank
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %tiles = arith.ceildivui %columns, %c256 : index
    %row_exists = arith.cmpi ult, %row, %rows : index

    %is_first = arith.cmpi eq, %thread, %c0 : index
    %leads = arith.cmpi eq, %rank, %zero : i32
    %issues = arith.andi %is_first, %leads : i1
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.mbarrier.init %empty[], 4 : !barrier
      carousel.fence.mbarrier_init
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %leader_empty = carousel.cluster.map_shared %empty, %zero : !barrier to !peer_barrier

    scf.for %k = %c0 to %tiles step %c1 {
      %column = arith.muli %k, %c256 : index
      %rest = arith.subi %columns, %column : index
      %count = arith.minui %rest, %c256 : index
      %bytes = arith.muli %count, %c4 : index
      %bytes_i32 = arith.index_cast %bytes : index to i32
      %odd = arith.index_cast %k : index to i1
      scf.if %is_first {
        carousel.mbarrier.arrive_expect_tx %full[], %bytes_i32 : !barrier
      }
      scf.if %issues {
        %emptied = arith.xori %odd, %true : i1
        carousel.mbarrier.wait %empty[] parity %emptied scope(cluster) : !barrier
        carousel.bulk.load %w[%column] to %tile[%c0], %bytes_i32 signals %full[]
            multicast %all : !vector, !tile, !barrier
      }
      carousel.mbarrier.wait %full[] parity %odd : !barrier
      %j = arith.addi %column, %thread : index
      %column_exists = arith.cmpi ult, %j, %columns : index
      %some = arith.andi %row_exists, %column_exists : i1
      scf.if %some {
        %weight = memref.load %tile[%thread] : !tile
        %v = memref.load %x[%row, %j] : !matrix
        %product = arith.mulf %v, %weight : f32
        memref.store %product, %y[%row, %j] : !matrix
      }
      gpu.barrier
      scf.if %is_first {
        carousel.mbarrier.arrive %leader_empty[] scope(cluster) : !peer_barrier
      }
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %w: memref<?xf32>,
                     %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %weight = memref.load %w[%j] : memref<?xf32>
      %product = arith.mulf %v, %weight : f32
      memref.store %product, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
