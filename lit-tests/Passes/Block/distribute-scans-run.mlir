// Scans by threads give what the program means, exactly in integers: in registers, from lane to lane and from warp to warp, by
// rows and by columns, with extents that aren't powers of two.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{rows} = --kernel @rows --arg x=random:9x512 --arg w=random:9:1 --arg y=empty:9x512 --arg z=like:y --arg t=empty:9x2
// RUN: carousel-sim %s %{rows} --out y=%t.y.npy --out z=%t.z.npy --out t=%t.t.npy
// RUN: %{lowered} %{rows} --schedules 5 --policy all --expect y=%t.y.npy --expect z=%t.z.npy --expect t=%t.t.npy
// DEFINE: %{columns} = --kernel @columns --arg x=random:200x24 --arg y=empty:200x24 --arg z=like:y
// RUN: carousel-sim %s %{columns} --out y=%t.y.npy --out z=%t.z.npy
// RUN: %{lowered} %{columns} --schedules 5 --expect y=%t.y.npy --expect z=%t.z.npy
// DEFINE: %{chunks} = --kernel @chunks --arg x=random:3x1000 --arg y=empty:3x1000
// RUN: carousel-sim %s %{chunks} --out y=%t.y.npy && %{lowered} %{chunks} --schedules 5 --expect y=%t.y.npy
// DEFINE: %{recurrence} = --kernel @recurrence --arg a=random:4x256 --arg x=random:4x256:1 --arg y=empty:4x256
// RUN: carousel-sim %s %{recurrence} --out y=%t.y.npy && %{lowered} %{recurrence} --expect y=%t.y.npy --rtol 1e-5 --atol 1e-5

#gl = #gpu.address_space<global>
!ints = memref<?x512xi32, #gl>
!wide = memref<?x?xf32, #gl>
gpu.module @m {
  gpu.func @rows(%x: !ints {carousel.argument = #carousel.argument<"x", in>},
                 %w: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"w", in>},
                 %y: !ints {carousel.argument = #carousel.argument<"y", out>}, %z: !ints {carousel.argument = #carousel.argument<"z", out>},
                 %t: memref<?x2xi32, #gl> {carousel.argument = #carousel.argument<"t", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %pad = arith.constant 0 : i32
    %id = gpu.block_id x
    %row = arith.muli %id, %c2 : index
    %v = vector.transfer_read %x[%row, %c0], %pad {in_bounds = [false, true]} : !ints, vector<2x512xi32>
    %start = vector.transfer_read %w[%row], %pad : memref<?xi32, #gl>, vector<2xi32>
    %sums, %total = carousel.scan %v init(%start) dim(1) : vector<2x512xi32> {
    ^bb0(%before: i32, %next: i32):
      %sum = arith.addi %before, %next : i32
      gpu.yield %sum : i32
    }
    %most, %last = carousel.scan %v init(%start) dim(1) exclusive reverse : vector<2x512xi32> {
    ^bb0(%before: i32, %next: i32):
      %more = arith.maxsi %before, %next : i32
      gpu.yield %more : i32
    }
    vector.transfer_write %sums, %y[%row, %c0] {in_bounds = [false, true]} : vector<2x512xi32>, !ints
    vector.transfer_write %most, %z[%row, %c0] {in_bounds = [false, true]} : vector<2x512xi32>, !ints
    %first = vector.shape_cast %total : vector<2xi32> to vector<2x1xi32>
    %second = vector.shape_cast %last : vector<2xi32> to vector<2x1xi32>
    vector.transfer_write %first, %t[%row, %c0] {in_bounds = [false, true]} : vector<2x1xi32>, memref<?x2xi32, #gl>
    vector.transfer_write %second, %t[%row, %c1] {in_bounds = [false, true]} : vector<2x1xi32>, memref<?x2xi32, #gl>
    gpu.return
  }

  // Along rows of memory: neighbours are columns. 200 elements fill 256.
  gpu.func @columns(%x: memref<200x24xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<200x24xi32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                    %z: memref<200x24xi32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [3], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %pad = arith.constant 0 : i32
    %id = gpu.block_id x
    %column = arith.muli %id, %c8 : index
    %none = arith.constant dense<7> : vector<8xi32>
    %v = vector.transfer_read %x[%c0, %column], %pad {in_bounds = [true, true]} : memref<200x24xi32, #gl>, vector<200x8xi32>
    %sums, %total = carousel.scan %v init(%none) dim(0) exclusive : vector<200x8xi32> {
    ^bb0(%before: i32, %next: i32):
      %sum = arith.addi %before, %next : i32
      gpu.yield %sum : i32
    }
    %back, %all = carousel.scan %v init(%total) dim(0) reverse : vector<200x8xi32> {
    ^bb0(%before: i32, %next: i32):
      %sum = arith.addi %before, %next : i32
      gpu.yield %sum : i32
    }
    vector.transfer_write %sums, %y[%c0, %column] {in_bounds = [true, true]} : vector<200x8xi32>, memref<200x24xi32, #gl>
    vector.transfer_write %back, %z[%c0, %column] {in_bounds = [true, true]} : vector<200x8xi32>, memref<200x24xi32, #gl>
    gpu.return
  }

  // The totals go on from chunk to chunk. The body isn't commutative: the last element that isn't zero.
  gpu.func @chunks(%x: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %row = gpu.block_id x
    %extent = memref.dim %x, %c1 : memref<?x?xi32, #gl>
    %last = scf.for %i = %c0 to %extent step %c256 iter_args(%carry = %zero) -> (i32) {
      %v = vector.transfer_read %x[%row, %i], %zero : memref<?x?xi32, #gl>, vector<256xi32>
      %marks = arith.constant dense<3> : vector<256xi32>
      %none = arith.constant dense<0> : vector<256xi32>
      %bits = arith.andi %v, %marks : vector<256xi32>
      %isMark = arith.cmpi eq, %bits, %none : vector<256xi32>
      %marked = arith.select %isMark, %v, %none : vector<256xi1>, vector<256xi32>
      %kept, %next = carousel.scan %marked init(%carry) dim(0) : vector<256xi32> {
      ^bb0(%before: i32, %own: i32):
        %z = arith.constant 0 : i32
        %isNone = arith.cmpi eq, %own, %z : i32
        %one = arith.select %isNone, %before, %own : i32
        gpu.yield %one : i32
      }
      vector.transfer_write %kept, %y[%row, %i] : vector<256xi32>, memref<?x?xi32, #gl>
      scf.yield %next : i32
    }
    gpu.return
  }

  // h = a h + x
  gpu.func @recurrence(%a: !wide {carousel.argument = #carousel.argument<"a", in>}, %x: !wide {carousel.argument = #carousel.argument<"x", in>},
                       %y: !wide {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %id = gpu.block_id x
    %row = arith.muli %id, %c4 : index
    %ones = arith.constant dense<1.0> : vector<4xf32>
    %none = arith.constant dense<0.5> : vector<4xf32>
    %decay = vector.transfer_read %a[%row, %c0], %zero : !wide, vector<4x256xf32>
    %v = vector.transfer_read %x[%row, %c0], %zero : !wide, vector<4x256xf32>
    %as, %hs, %la, %lh = carousel.scan %decay, %v init(%ones, %none) dim(1) : vector<4x256xf32>, vector<4x256xf32> {
    ^bb0(%a0: f32, %h0: f32, %a1: f32, %h1: f32):
      %product = arith.mulf %a0, %a1 : f32
      %sum = math.fma %a1, %h0, %h1 : f32
      gpu.yield %product, %sum : f32, f32
    }
    vector.transfer_write %hs, %y[%row, %c0] : vector<4x256xf32>, !wide
    gpu.return
  }
}
