// Sorts by threads give what the program means: rows in registers, lanes and warps, columns, extents that aren't powers of two,
// keys of all widths with equal ones, in loops, of the elements that a program covers, and the first elements alone.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{rows} = --kernel @rows --arg x=random:9x512 --arg v=random:9x512:1 --arg y=empty:9x512 --arg z=empty:9x512 --arg w=like:z
// RUN: carousel-sim %s %{rows} --out y=%t.y.npy --out z=%t.z.npy --out w=%t.w.npy
// RUN: %{lowered} %{rows} --schedules 5 --policy all --expect y=%t.y.npy --expect z=%t.z.npy --expect w=%t.w.npy
// DEFINE: %{columns} = --kernel @columns --arg x=random:200x24 --arg y=empty:200x24 --arg z=empty:200x24
// RUN: carousel-sim %s %{columns} --out y=%t.y.npy --out z=%t.z.npy
// RUN: %{lowered} %{columns} --schedules 5 --expect y=%t.y.npy --expect z=%t.z.npy
// DEFINE: %{loop} = --kernel @loop --arg x=random:6x1000 --arg y=empty:6x1000 --arg z=empty:6x1000
// RUN: carousel-sim %s %{loop} --out y=%t.y.npy --out z=%t.z.npy
// RUN: %{lowered} %{loop} --schedules 5 --expect y=%t.y.npy --expect z=%t.z.npy
// DEFINE: %{single} = --kernel @single --arg x=random:256 --arg y=empty:256
// RUN: carousel-sim %s %{single} --out y=%t.y.npy && %{lowered} %{single} --schedules 5 --expect y=%t.y.npy
// DEFINE: %{first} = --kernel @first --arg x=random:5x1000 --arg y=empty:5x40 --arg z=empty:5x40 --arg w=empty:5x3 --arg u=empty:5x2
// RUN: carousel-sim %s %{first} --out y=%t.y.npy --out z=%t.z.npy --out w=%t.w.npy --out u=%t.u.npy
// RUN: %{lowered} %{first} --schedules 5 --expect y=%t.y.npy --expect z=%t.z.npy --expect w=%t.w.npy --expect u=%t.u.npy
// DEFINE: %{covered} = --kernel @covered --arg x=random:3x77 --arg y=empty:3x77
// RUN: carousel-sim %s %{covered} --out y=%t.y.npy && %{lowered} %{covered} --expect y=%t.y.npy

#gl = #gpu.address_space<global>
!ints = memref<?x512xi32, #gl>
!bytes = memref<6x1000xi8, #gl>
gpu.module @m {
  gpu.func @rows(%x: !ints {carousel.argument = #carousel.argument<"x", in>},
                 %v: memref<?x512xbf16, #gl> {carousel.argument = #carousel.argument<"v", in>},
                 %y: !ints {carousel.argument = #carousel.argument<"y", out>},
                 %z: memref<?x512xbf16, #gl> {carousel.argument = #carousel.argument<"z", out>},
                 %w: memref<?x512xbf16, #gl> {carousel.argument = #carousel.argument<"w", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %pad = arith.constant 0 : i32
    %none = arith.constant 0.0 : bf16
    %id = gpu.block_id x
    %row = arith.muli %id, %c2 : index
    %k = vector.transfer_read %x[%row, %c0], %pad {in_bounds = [false, true]} : !ints, vector<2x512xi32>
    %u = vector.transfer_read %v[%row, %c0], %none {in_bounds = [false, true]} : memref<?x512xbf16, #gl>, vector<2x512xbf16>
    %order, %sorted = carousel.sort %k, %u dim(1) : vector<2x512xi32>, vector<2x512xbf16>
    // 16 bits with equal keys.
    %seven = arith.constant dense<7> : vector<2x512xi32>
    %few = arith.andi %k, %seven : vector<2x512xi32>
    %narrow = arith.trunci %few : vector<2x512xi32> to vector<2x512xi16>
    %places, %stable = carousel.sort %narrow, %u dim(1) : vector<2x512xi16>, vector<2x512xbf16>
    vector.transfer_write %order, %y[%row, %c0] {in_bounds = [false, true]} : vector<2x512xi32>, !ints
    vector.transfer_write %sorted, %z[%row, %c0] {in_bounds = [false, true]} : vector<2x512xbf16>, memref<?x512xbf16, #gl>
    vector.transfer_write %stable, %w[%row, %c0] {in_bounds = [false, true]} : vector<2x512xbf16>, memref<?x512xbf16, #gl>
    gpu.return
  }

  // Along rows of memory: neighbours are columns. 200 elements fill 256.
  gpu.func @columns(%x: memref<200x24xi64, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<200x24xi64, #gl> {carousel.argument = #carousel.argument<"y", out>},
                    %z: memref<200x24xi32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [3], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %pad = arith.constant 0 : i64
    %id = gpu.block_id x
    %column = arith.muli %id, %c8 : index
    %k = vector.transfer_read %x[%c0, %column], %pad {in_bounds = [true, true]} : memref<200x24xi64, #gl>, vector<200x8xi64>
    %order, %sorted = carousel.sort %k, %k dim(0) : vector<200x8xi64>, vector<200x8xi64>
    vector.transfer_write %sorted, %y[%c0, %column] {in_bounds = [true, true]} : vector<200x8xi64>, memref<200x24xi64, #gl>
    vector.transfer_write %order, %z[%c0, %column] {in_bounds = [true, true]} : vector<200x8xi32>, memref<200x24xi32, #gl>
    gpu.return
  }

  gpu.func @loop(%x: !bytes {carousel.argument = #carousel.argument<"x", in>}, %y: !bytes {carousel.argument = #carousel.argument<"y", out>},
                 %z: memref<6x1000xi32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %pad = arith.constant 0 : i8
    %id = gpu.block_id x
    %first = arith.muli %id, %c3 : index
    %end = arith.addi %first, %c3 : index
    scf.for %row = %first to %end step %c1 {
      %k = vector.transfer_read %x[%row, %c0], %pad {in_bounds = [true]} : !bytes, vector<1000xi8>
      %order, %sorted = carousel.sort %k, %k dim(0) : vector<1000xi8>, vector<1000xi8>
      vector.transfer_write %sorted, %y[%row, %c0] {in_bounds = [true]} : vector<1000xi8>, !bytes
      vector.transfer_write %order, %z[%row, %c0] {in_bounds = [true]} : vector<1000xi32>, memref<6x1000xi32, #gl>
    }
    gpu.return
  }

  // Threads have one element each.
  gpu.func @single(%x: memref<256xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<256xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %k = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<256xi32, #gl>, vector<256xi32>
    %order, %sorted = carousel.sort %k, %k dim(0) : vector<256xi32>, vector<256xi32>
    vector.transfer_write %sorted, %y[%c0] {in_bounds = [true]} : vector<256xi32>, memref<256xi32, #gl>
    gpu.return
  }

  gpu.func @first(%x: memref<?x1000xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x40xi32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                  %z: memref<?x40xi32, #gl> {carousel.argument = #carousel.argument<"z", out>},
                  %w: memref<?x3xi32, #gl> {carousel.argument = #carousel.argument<"w", out>},
                  %u: memref<?x2xi64, #gl> {carousel.argument = #carousel.argument<"u", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %row = gpu.block_id x
    %k = vector.transfer_read %x[%row, %c0], %pad {in_bounds = [true]} : memref<?x1000xi32, #gl>, vector<1000xi32>
    %order, %sorted = carousel.sort %k, %k dim(0) first(40) : vector<1000xi32>, vector<1000xi32>
    vector.transfer_write %order, %y[%row, %c0] {in_bounds = [true]} : vector<40xi32>, memref<?x40xi32, #gl>
    vector.transfer_write %sorted, %z[%row, %c0] {in_bounds = [true]} : vector<40xi32>, memref<?x40xi32, #gl>
    // Few elements of 16 bits.
    %seven = arith.constant dense<7> : vector<1000xi32>
    %few = arith.andi %k, %seven : vector<1000xi32>
    %narrow = arith.trunci %few : vector<1000xi32> to vector<1000xi16>
    %places = carousel.sort %narrow dim(0) first(3) : vector<1000xi16>
    vector.transfer_write %places, %w[%row, %c0] {in_bounds = [true]} : vector<3xi32>, memref<?x3xi32, #gl>
    %wide = arith.extsi %k : vector<1000xi32> to vector<1000xi64>
    %at, %least = carousel.sort %wide, %wide dim(0) first(2) : vector<1000xi64>, vector<1000xi64>
    vector.transfer_write %least, %u[%row, %c0] {in_bounds = [true]} : vector<2xi64>, memref<?x2xi64, #gl>
    gpu.return
  }

  gpu.func @covered(%x: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 128, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %row = gpu.block_id x
    %k = vector.transfer_read %x[%row, %c0], %pad : memref<?x?xi32, #gl>, vector<128xi32>
    %order, %sorted = carousel.sort %k, %k dim(0) : vector<128xi32>, vector<128xi32>
    vector.transfer_write %sorted, %y[%row, %c0] : vector<128xi32>, memref<?x?xi32, #gl>
    gpu.return
  }
}
