// gpu: where a thread is; barriers; shuffles; reductions in a warp, in clusters of lanes, in a CTA;
// dynamic shared memory.
// RUN: carousel-sim %s --kernel @ids --arg y=empty:192 --expect y=iota:192 --schedules 4
// RUN: carousel-sim %s --kernel @lanes --arg y=empty:96 --arg z=empty:4 --reference @expected_lanes --schedules 4
// RUN: carousel-sim %s --kernel @barrier --arg y=empty:64 --expect y=iota:64 --schedules 4
// RUN: carousel-sim %s --kernel @shuffles --arg y=empty:5x32 --reference @expected_shuffles --schedules 4
// RUN: carousel-sim %s --kernel @reductions --arg y=empty:4x64 --reference @expected_reductions --schedules 4
// RUN: carousel-sim %s --kernel @dynamic --arg y=empty:64 --expect y=iota:64 --schedules 4
// RUN: carousel-sim %s --kernel @ids --grid 6 --block 4,2,4 --arg y=empty:192 --expect y=iota:192

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!y32 = memref<5x32xi32, #gl>
!y64 = memref<64xi32, #gl>
!r = memref<4x64xi32, #gl>

gpu.module @m {
  // The number of a thread in its grid, by all three dimensions of both.
  gpu.func @ids(%y: memref<192xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3, 2, 1], block = [2, 4, 4]>} {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z
    %nx = gpu.block_dim x
    %ny = gpu.block_dim y
    %nz = gpu.block_dim z
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %gx = gpu.grid_dim x
    %gy = gpu.grid_dim y
    %b0 = arith.muli %bz, %gy : index
    %b1 = arith.addi %b0, %by : index
    %b2 = arith.muli %b1, %gx : index
    %b3 = arith.addi %b2, %bx : index
    %i0 = arith.muli %b3, %nz : index
    %i1 = arith.addi %i0, %tz : index
    %i2 = arith.muli %i1, %ny : index
    %i3 = arith.addi %i2, %ty : index
    %i4 = arith.muli %i3, %nx : index
    %i = arith.addi %i4, %tx : index
    %v = arith.index_cast %i : index to i32
    memref.store %v, %y[%i] : memref<192xi32, #gl>
    gpu.return
  }

  // y = the lanes of 96 threads in 3x4x8; z = subgroup size, number of subgroups, the subgroup and
  // global number in x of the last thread of the second CTA.
  gpu.func @lanes(%y: memref<96xi32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                  %z: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [3, 4, 8]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c95 = arith.constant 95 : index
    %block = gpu.block_id x
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z
    %n0 = arith.muli %tz, %c4 : index
    %n1 = arith.addi %n0, %ty : index
    %n2 = arith.muli %n1, %c3 : index
    %t = arith.addi %n2, %tx : index
    %lane = gpu.lane_id
    %size = gpu.subgroup_size : index
    %count = gpu.num_subgroups : index
    %subgroup = gpu.subgroup_id : index
    %global = gpu.global_id x
    %first = arith.cmpi eq, %block, %c0 : index
    scf.if %first {
      %lane_i32 = arith.index_cast %lane : index to i32
      memref.store %lane_i32, %y[%t] : memref<96xi32, #gl>
    } else {
      %last = arith.cmpi eq, %t, %c95 : index
      scf.if %last {
        %z0 = arith.index_cast %size : index to i32
        %z1 = arith.index_cast %count : index to i32
        %z2 = arith.index_cast %subgroup : index to i32
        %z3 = arith.index_cast %global : index to i32
        memref.store %z0, %z[%c0] : memref<4xi32, #gl>
        memref.store %z1, %z[%c1] : memref<4xi32, #gl>
        memref.store %z2, %z[%c2] : memref<4xi32, #gl>
        memref.store %z3, %z[%c3] : memref<4xi32, #gl>
      }
    }
    gpu.return
  }

  gpu.func @barrier(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<64xi32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : memref<64xi32, #ws>
    gpu.barrier
    %j = arith.subi %c63, %t : index
    %w = memref.load %tile[%j] : memref<64xi32, #ws>
    gpu.barrier
    memref.store %w, %tile[%t] : memref<64xi32, #ws>
    gpu.barrier
    %u = memref.load %tile[%j] : memref<64xi32, #ws>
    memref.store %u, %y[%t] : !y64
    gpu.return
  }

  // Of the lane's number: xor 5, down 4, up 4, idx 3, and down 4 among the first 16 lanes; -1 where
  // no lane is.
  gpu.func @shuffles(%y: !y32 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %r0 = arith.constant 0 : index
    %r1 = arith.constant 1 : index
    %r2 = arith.constant 2 : index
    %r3 = arith.constant 3 : index
    %r4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %none = arith.constant -1 : i32
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %five = arith.constant 5 : i32
    %sixteen = arith.constant 16 : i32
    %full = arith.constant 32 : i32
    %t = gpu.thread_id x
    %n = arith.index_cast %t : index to i32
    %a, %av = gpu.shuffle xor %n, %five, %full : i32
    %b, %bv = gpu.shuffle down %n, %four, %full : i32
    %c, %cv = gpu.shuffle up %n, %four, %full : i32
    %f = arith.sitofp %n : i32 to f32
    %df, %dv = gpu.shuffle idx %f, %three, %full : f32
    %d = arith.fptosi %df : f32 to i32
    %low = arith.cmpi ult, %t, %c16 : index
    %e, %ev = scf.if %low -> (i32, i1) {
      %r, %rv = gpu.shuffle down %n, %four, %sixteen : i32
      scf.yield %r, %rv : i32, i1
    } else {
      %false = arith.constant false
      scf.yield %n, %false : i32, i1
    }
    %aw = arith.select %av, %a, %none : i32
    %bw = arith.select %bv, %b, %none : i32
    %cw = arith.select %cv, %c, %none : i32
    %dw = arith.select %dv, %d, %none : i32
    %ew = arith.select %ev, %e, %none : i32
    memref.store %aw, %y[%r0, %t] : !y32
    memref.store %bw, %y[%r1, %t] : !y32
    memref.store %cw, %y[%r2, %t] : !y32
    memref.store %dw, %y[%r3, %t] : !y32
    memref.store %ew, %y[%r4, %t] : !y32
    gpu.return
  }

  // Of 64 threads' numbers: the sum of each warp; the maximum of each 8 lanes; the sum of the CTA; the
  // minimum of the CTA by a region.
  gpu.func @reductions(%y: !r {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %r0 = arith.constant 0 : index
    %r1 = arith.constant 1 : index
    %r2 = arith.constant 2 : index
    %r3 = arith.constant 3 : index
    %five = arith.constant 5 : i32
    %t = gpu.thread_id x
    %n = arith.index_cast %t : index to i32
    %m = arith.addi %n, %five : i32
    %a = gpu.subgroup_reduce add %n : (i32) -> i32
    %b = gpu.subgroup_reduce maxsi %n cluster(size = 8) : (i32) -> i32
    %c = gpu.all_reduce add %n uniform {
    } : (i32) -> i32
    %d = gpu.all_reduce %m uniform {
    ^bb0(%lhs: i32, %rhs: i32):
      %less = arith.minsi %lhs, %rhs : i32
      gpu.yield %less : i32
    } : (i32) -> i32
    memref.store %a, %y[%r0, %t] : !r
    memref.store %b, %y[%r1, %t] : !r
    memref.store %c, %y[%r2, %t] : !r
    memref.store %d, %y[%r3, %t] : !r
    gpu.return
  }

  // Two views of dynamic shared memory: 64 words, and 64 more behind them.
  gpu.func @dynamic(%y: !y64 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64], shared = 512>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %one = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<64xi32, #ws>
    %other = memref.view %bytes[%c256][] : memref<?xi8, #ws> to memref<64xi32, #ws>
    %v = arith.index_cast %t : index to i32
    %w = arith.addi %v, %v : i32
    memref.store %v, %one[%t] : memref<64xi32, #ws>
    memref.store %w, %other[%t] : memref<64xi32, #ws>
    gpu.barrier
    %j = arith.subi %c63, %t : index
    %a = memref.load %one[%j] : memref<64xi32, #ws>
    %b = memref.load %other[%j] : memref<64xi32, #ws>
    %d = arith.subi %b, %a : i32
    memref.store %d, %y[%j] : !y64
    gpu.return
  }
}

func.func @expected_lanes(%y: memref<96xi32>, %z: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  scf.for %t = %c0 to %c96 step %c1 {
    %lane = arith.remui %t, %c32 : index
    %v = arith.index_cast %lane : index to i32
    memref.store %v, %y[%t] : memref<96xi32>
  }
  // The last thread is [2, 3, 7] of the CTA at 1: 1 * 3 + 2.
  %v = arith.constant dense<[32, 3, 2, 5]> : vector<4xi32>
  vector.store %v, %z[%c0] : memref<4xi32>, vector<4xi32>
  return
}

func.func @expected_shuffles(%y: memref<5x32xi32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<5x32xi32> into memref<160xi32>
  %v = arith.constant dense<[
    5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8, 11, 10,
    21, 20, 23, 22, 17, 16, 19, 18, 29, 28, 31, 30, 25, 24, 27, 26,
    4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -1, -1, -1, -1,
    -1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]> : vector<160xi32>
  vector.store %v, %flat[%c0] : memref<160xi32>, vector<160xi32>
  return
}

func.func @expected_reductions(%y: memref<4x64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %low = arith.constant 496 : i32
  %high = arith.constant 1520 : i32
  %all = arith.constant 2016 : i32
  %five = arith.constant 5 : i32
  scf.for %t = %c0 to %c64 step %c1 {
    %is_low = arith.cmpi ult, %t, %c32 : index
    %a = arith.select %is_low, %low, %high : i32
    %last = arith.ori %t, %c7 : index
    %b = arith.index_cast %last : index to i32
    memref.store %a, %y[%c0, %t] : memref<4x64xi32>
    memref.store %b, %y[%c1, %t] : memref<4x64xi32>
    memref.store %all, %y[%c2, %t] : memref<4x64xi32>
    memref.store %five, %y[%c3, %t] : memref<4x64xi32>
  }
  return
}
