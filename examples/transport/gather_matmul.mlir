// An all-gather of A's rows and a product with B, in one kernel of two GPUs, at the tile phase. Each
// GPU has half of the rows. A CTA first puts its share of them to the peer, and signals. It
// multiplies its own rows while the peer's are on their way, and then waits for those: the copies
// overlap with the product. All CTAs wait for all CTAs of the peer, so the grid is co-resident.
//
// A GPU doesn't tell the peer that it has read its inbox. So hosts put a barrier between two rounds:
// each waits for its kernel, then for the other host. Otherwise a put could overwrite rows that the
// peer still reads.
//
//   carousel-sim gather_matmul.mlir --gpus 2 --peer remote=inbox --peer there=arrived \
//     --arg a=random:70x40:{rank} --arg b=random:40x72:9 --arg inbox=empty:70x40 \
//     --arg arrived=zeros:2 --arg own=empty:70x72 --arg other=empty:70x72 --arg ctas=2 \
//     --arg round=1 --reference @gather_matmul_reference

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!counters = memref<?xi64, #gl>
!tile_a = memref<64x16xf32, #ws>
!tile_b = memref<16x64xf32, #ws>
!tile_c = memref<64x64xf32, #ws>
!row = vector<4xf32>
!share = memref<16x64xf32, #ws>
!host = memref<?x?xf32, strided<[?, 1], offset: ?>>

gpu.module @transport {
  gpu.func @gather_matmul(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %remote: !matrix {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %inbox: !matrix {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %own: !matrix {carousel.argument = #carousel.argument<"own", out>},
      %other: !matrix {carousel.argument = #carousel.argument<"other", out>},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>}) kernel
      attributes {carousel.coresident,
                  carousel.launch = #carousel.launch<grid = [scalar(8)], block = [256]>} {
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
    %m = memref.dim %a, %c0 : !matrix
    %others = memref.dim %inbox, %c0 : !matrix
    %n = memref.dim %b, %c1 : !matrix
    %k = memref.dim %a, %c1 : !matrix
    %across = arith.ceildivui %n, %c64 : index

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
    // This CTA's share of the rows, in tiles of 16 x 64.
    %share = memref.alloc() {alignment = 128 : i64} : !share
    %wide = arith.ceildivui %k, %c64 : index
    %high = arith.ceildivui %m, %c16 : index
    %parts = arith.muli %high, %wide : index
    scf.for %t = %block to %parts step %blocks {
      %part_row = arith.divui %t, %wide : index
      %part_column = arith.remui %t, %wide : index
      %row = arith.muli %part_row, %c16 : index
      %column = arith.muli %part_column, %c64 : index
      carousel.load %a[%row, %column] to %share : !matrix, !share
      carousel.store %share to %remote[%row, %column] : !share, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    carousel.signal %there[%block] set %round : !counters

    // The product of the own rows.
    %down_a = arith.ceildivui %m, %c64 : index
    %tiles_a = arith.muli %down_a, %across : index
    scf.for %t = %block to %tiles_a step %blocks {
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
      carousel.store %cs to %own[%row, %column] : !tile_c, !matrix
    }

    // The peer's rows, when all of its CTAs have put their shares.
    scf.for %j_cta = %c0 to %blocks step %c1 {
      carousel.wait_signal %arrived[%j_cta] at_least %round : !counters
    }
    %down_inbox = arith.ceildivui %others, %c64 : index
    %tiles_inbox = arith.muli %down_inbox, %across : index
    scf.for %t = %block to %tiles_inbox step %blocks {
      %tile_row = arith.divui %t, %across : index
      %tile_column = arith.remui %t, %across : index
      %row = arith.muli %tile_row, %c64 : index
      %column = arith.muli %tile_column, %c64 : index

      %sums:4 = scf.for %kk = %c0 to %k step %c16
          iter_args(%s0 = %zeros, %s1 = %zeros, %s2 = %zeros, %s3 = %zeros)
          -> (!row, !row, !row, !row) {
        carousel.load %inbox[%row, %kk] to %as : !matrix, !tile_a
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
      carousel.store %cs to %other[%row, %column] : !tile_c, !matrix
    }
    gpu.return
  }
}

// Of two GPUs.
func.func @gather_matmul_reference(
    %a: !host, %b: !host, %inbox1: !host, %arrived1: memref<?xi64>, %inbox: !host,
    %arrived: memref<?xi64>, %own: !host, %other: !host, %ctas: i32, %round: i64,
    %a1: !host, %b1: !host, %own1: !host, %other1: !host, %ctas1: i32, %round1: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %own, %c0 : !host
  %n = memref.dim %own, %c1 : !host
  %k = memref.dim %a, %c1 : !host
  scf.for %i = %c0 to %m step %c1 {
    scf.for %p = %c0 to %k step %c1 {
      %mine = memref.load %a[%i, %p] : !host
      %theirs = memref.load %a1[%i, %p] : !host
      memref.store %mine, %inbox1[%i, %p] : !host
      memref.store %theirs, %inbox[%i, %p] : !host
    }
  }
  %arrivals = memref.dim %arrived, %c0 : memref<?xi64>
  scf.for %i = %c0 to %arrivals step %c1 {
    memref.store %round, %arrived[%i] : memref<?xi64>
    memref.store %round, %arrived1[%i] : memref<?xi64>
  }
  scf.for %i = %c0 to %m step %c1 {
    %to = arith.addi %i, %c0 : index
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a[%i, %p] : !host
        %bv = memref.load %b[%p, %j] : !host
        %next = math.fma %av, %bv, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %own[%to, %j] : !host
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    %to = arith.addi %i, %c0 : index
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a1[%i, %p] : !host
        %bv = memref.load %b[%p, %j] : !host
        %next = math.fma %av, %bv, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %other[%to, %j] : !host
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    %to = arith.addi %i, %c0 : index
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a1[%i, %p] : !host
        %bv = memref.load %b1[%p, %j] : !host
        %next = math.fma %av, %bv, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %own1[%to, %j] : !host
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    %to = arith.addi %i, %c0 : index
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a[%i, %p] : !host
        %bv = memref.load %b1[%p, %j] : !host
        %next = math.fma %av, %bv, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %other1[%to, %j] : !host
    }
  }
  return
}
