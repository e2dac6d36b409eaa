// Loops over rows in chunks of 64 elements give what vectors of 256 elements give.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %t.mlir --chip sm_80,sm_90a --
// DEFINE: %{kept} = --kernel @kept --arg x=random:11x200 --arg y=empty:11x200 --arg sums=empty:3x200
// DEFINE: %{odd} = --kernel @kept --arg x=random:11x193 --arg y=empty:11x193 --arg sums=empty:3x193
// DEFINE: %{again} = --kernel @again --arg x=random:11x193 --arg sums=empty:3x193 --arg total=empty:3
// DEFINE: %{none} = --kernel @again --arg x=random:0x193 --arg sums=empty:3x193 --arg total=empty:3
// RUN: sed s/256/64/g %s > %t.mlir
// RUN: carousel-sim %s %{kept} --out y=%t.y.npy --out sums=%t.sums.npy
// RUN: %{lowered} %{kept} --expect y=%t.y.npy --expect sums=%t.sums.npy
// RUN: carousel-sim %s %{odd} --out y=%t.y.npy --out sums=%t.sums.npy
// RUN: %{lowered} %{odd} --expect y=%t.y.npy --expect sums=%t.sums.npy
// RUN: carousel-sim %s %{again} --out sums=%t.sums.npy --out total=%t.total.npy
// RUN: %{lowered} %{again} --expect sums=%t.sums.npy --expect total=%t.total.npy
// RUN: carousel-sim %s %{none} --out sums=%t.sums.npy --out total=%t.total.npy
// RUN: %{lowered} %{none} --expect sums=%t.sums.npy --expect total=%t.total.npy

#gl = #gpu.address_space<global>
#part = affine_map<(block) -> (block * 4)>
#end = affine_map<(block)[rows] -> (block * 4 + 4, rows)>
!m = memref<?x?xi32, #gl>
!row = vector<256xi32>

gpu.module @m {
  // Columns take the sum of each row, and are written in each iteration.
  gpu.func @kept(%x: !m {carousel.argument = #carousel.argument<"x", in>},
      %y: !m {carousel.argument = #carousel.argument<"y", out>},
      %out: !m {carousel.argument = #carousel.argument<"sums", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 256, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : !row
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !m
    %first = affine.apply #part(%block)
    %last = affine.min #end(%block)[%rows]
    %sums = scf.for %i = %first to %last step %c1 iter_args(%sum = %zeros) -> (!row) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
      %s = vector.multi_reduction <add>, %v, %zero [0] : !row to i32
      %ss = vector.broadcast %s : i32 to !row
      %d = arith.muli %v, %ss : !row
      %next = arith.addi %d, %sum : !row
      vector.transfer_write %next, %y[%i, %c0] : !row, !m
      scf.yield %next : !row
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    vector.transfer_write %sums, %out[%block, %c0] : !row, !m
    gpu.return
  }

  // The loop has no bound, and each row's sum goes on from the one before.
  gpu.func @again(%x: !m {carousel.argument = #carousel.argument<"x", in>},
      %out: !m {carousel.argument = #carousel.argument<"sums", out>},
      %total: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"total", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 256, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : !row
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !m
    %sums, %all = scf.for %i = %block to %rows step %c2 iter_args(%sum = %zeros, %t = %zero) -> (!row, i32) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
      %s = vector.multi_reduction <add>, %v, %t [0] : !row to i32
      %ss = vector.broadcast %s : i32 to !row
      %d = arith.muli %v, %ss : !row
      %next = arith.addi %d, %sum : !row
      scf.yield %next, %s : !row, i32
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    memref.store %all, %total[%block] : memref<?xi32, #gl>
    vector.transfer_write %sums, %out[%block, %c0] : !row, !m
    gpu.return
  }
}
