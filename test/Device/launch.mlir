// Kernels that show what arrives of a launch: scalars of every type, extents and strides,
// clusters, an encoded view.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!words = memref<?xi64, #gl>
!strided = memref<?x?xi32, strided<[?, ?], offset: ?>, #gl>
!halves = memref<?x?xf16, strided<[?, 1], offset: ?>, #gl>
!map = !carousel.tensor_map<4x2x16xf16>
!tile = memref<4x2x16xf16, #ws>
!barrier = memref<1x!carousel.mbarrier, #ws>

gpu.module @launch {

  // One word for each scalar: its bits, extended with its sign, or with zeros for floats.
  gpu.func @scalars(%out: !words {carousel.argument = #carousel.argument<"out", out>},
                    %a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32,
                    %i: f64, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %wa = arith.extui %a : i1 to i64
    %wb = arith.extsi %b : i8 to i64
    %wc = arith.extsi %c : i16 to i64
    %wd = arith.extsi %d : i32 to i64
    %bf = arith.bitcast %f : f16 to i16
    %wf = arith.extui %bf : i16 to i64
    %bg = arith.bitcast %g : bf16 to i16
    %wg = arith.extui %bg : i16 to i64
    %bh = arith.bitcast %h : f32 to i32
    %wh = arith.extui %bh : i32 to i64
    %wi = arith.bitcast %i : f64 to i64
    %wn = arith.index_cast %n : index to i64
    %extent = memref.dim %out, %c0 : !words
    %wx = arith.index_cast %extent : index to i64
    memref.store %wa, %out[%c0] : !words
    memref.store %wb, %out[%c1] : !words
    memref.store %wc, %out[%c2] : !words
    memref.store %wd, %out[%c3] : !words
    memref.store %e, %out[%c4] : !words
    memref.store %wf, %out[%c5] : !words
    memref.store %wg, %out[%c6] : !words
    memref.store %wh, %out[%c7] : !words
    memref.store %wi, %out[%c8] : !words
    memref.store %wn, %out[%c9] : !words
    memref.store %wx, %out[%c10] : !words
    gpu.return
  }

  // Each CTA writes its rank in its cluster of 4x2.
  gpu.func @clusters(%out: !words {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "clusters", guards = [
                    capability(90), divisible(extent(0, 0), 8)]>,
                  carousel.launch = #carousel.launch<
                    grid = [floordiv(extent(0, 0), 2), 2], block = [32], cluster = [4, 2]>} {
    %x = gpu.block_id x
    %y = gpu.block_id y
    %width = gpu.grid_dim x
    %row = arith.muli %y, %width : index
    %i = arith.addi %row, %x : index
    %rank = carousel.cluster.rank
    %word = arith.extui %rank : i32 to i64
    memref.store %word, %out[%i] : !words
    gpu.return
  }

  // y[i, j] = x[i, j], a thread for each row.
  gpu.func @strided(%x: !strided {carousel.argument = #carousel.argument<"x", in>},
                    %y: !strided {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
                    grid = [ceildiv(extent(0, 0), 32)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : !strided
    %columns = memref.dim %x, %c1 : !strided
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %threads = gpu.block_dim x
    %before = arith.muli %block, %threads : index
    %i = arith.addi %before, %thread : index
    %inside = arith.cmpi ult, %i, %rows : index
    scf.if %inside {
      scf.for %j = %c0 to %columns step %c1 {
        %value = memref.load %x[%i, %j] : !strided
        memref.store %value, %y[%i, %j] : !strided
      }
    }
    gpu.return
  }

  // Loads a box through a map that sees each row of x as pieces of 16 columns and begins at the
  // second row: extents, strides and offset of the map are expressions.
  gpu.func @view(%x: !halves {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<4x2x16xf16, #gl> {carousel.argument = #carousel.argument<"y", out>},
                 %map: !map {carousel.encode = #carousel.encode<argument = 0,
                   extents = [extent(0, 0) - 1, floordiv(extent(0, 1), 16), 16],
                   strides = [stride(0, 0) * 2, 32], offset = stride(0, 0) * 2>})
      workgroup(%tile: !tile {llvm.align = 128 : i64}, %full: !barrier) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "view", guards = [capability(90)]>,
                  carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[%c0], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %full[%c0], 256 : !barrier
    carousel.tensor.load %map[%zero, %zero, %zero] to %tile[%c0, %c0, %c0] signals %full[%c0]
        : !map, !tile, !barrier
    carousel.mbarrier.wait %full[%c0] parity %false : !barrier
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        scf.for %k = %c0 to %c16 step %c1 {
          %value = memref.load %tile[%i, %j, %k] : !tile
          memref.store %value, %y[%i, %j, %k] : memref<4x2x16xf16, #gl>
        }
      }
    }
    gpu.return
  }
}
