// Programs with branches, loops and masks of their own give in one CTA what they give alone.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{branches} = --kernel @branches --arg x=random:21x52 --arg n=iota:21 --arg y=empty:21x52 --arg z=zeros:21x52
// DEFINE: %{halvings} = --kernel @halvings --arg x=random:21x50 --arg y=empty:21x50 --arg count=empty:21
// DEFINE: %{ragged} = --kernel @ragged --arg x=random:21x50 --arg n=iota:21 --arg w=random:21x50:3 --arg y=empty:21x50 --arg last=empty:21
// DEFINE: %{masks} = --kernel @masks --arg x=random:21x52 --arg n=iota:21 --arg y=zeros:21x52 --arg total=empty:21
// DEFINE: %{counts} = --kernel @counts --arg x=random:21x50 --arg y=empty:21x50
// DEFINE: %{doublings} = --kernel @doublings --arg x=random:21x52 --arg n=iota:21 --arg y=empty:21x52
// RUN: carousel-sim %s %{branches} --out y=%t.y.npy --out z=%t.z.npy
// RUN: %{lowered} %{branches} --expect y=%t.y.npy --expect z=%t.z.npy
// RUN: carousel-sim %s %{halvings} --out y=%t.y.npy --out count=%t.count.npy
// RUN: %{lowered} %{halvings} --expect y=%t.y.npy --expect count=%t.count.npy
// RUN: carousel-sim %s %{ragged} --out y=%t.y.npy --out last=%t.last.npy
// RUN: %{lowered} %{ragged} --expect y=%t.y.npy --expect last=%t.last.npy
// RUN: carousel-sim %s %{masks} --out y=%t.y.npy --out total=%t.total.npy
// RUN: %{lowered} %{masks} --expect y=%t.y.npy --expect total=%t.total.npy
// RUN: carousel-sim %s %{counts} --out y=%t.y.npy
// RUN: %{lowered} %{counts} --expect y=%t.y.npy
// RUN: carousel-sim %s %{doublings} --out y=%t.y.npy
// RUN: %{lowered} %{doublings} --expect y=%t.y.npy

// Each of them is batched.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-fold-masks,carousel-specialize-blocks,carousel-batch-programs))' --remarks-filter=carousel-batch-programs --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// CHECK-DAG: Function=branches_64_aligned | Remark="16 programs together in a CTA"
// CHECK-DAG: Function=halvings_64_aligned | Remark="16 programs together in a CTA"
// CHECK-DAG: Function=ragged_64_aligned | Remark="16 programs together in a CTA"
// CHECK-DAG: Function=masks_64_aligned | Remark="16 programs together in a CTA"
// CHECK-DAG: Function=doublings_64_aligned | Remark="16 programs together in a CTA"
// CHECK-DAG: Function=counts_64_aligned | Remark="16 programs together in a CTA"

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#n = #carousel.argument<"n", in>
#w = #carousel.argument<"w", in>
#y = #carousel.argument<"y", out>
#z = #carousel.argument<"z", inout>
#masked = #carousel.argument<"y", inout>
#count = #carousel.argument<"count", out>
#last = #carousel.argument<"last", out>
#total = #carousel.argument<"total", out>
!m = memref<?x?xi32, #gl>
!v = memref<?xi32, #gl>
!row = vector<64xi32>

gpu.module @m {
  // A condition of each row, around writes, loads, a condition that all have in common, and results.
  gpu.func @branches(%x: !m {carousel.argument = #x}, %n: !v {carousel.argument = #n}, %y: !m {carousel.argument = #y},
      %z: !m {carousel.argument = #z}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : i32
    %c50 = arith.constant 50 : index
    %zero = arith.constant 0 : i32
    %row = gpu.block_id x
    %columns = memref.dim %x, %c1 : !m
    %k = memref.load %n[%row] : !v
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !row
    %few = arith.cmpi slt, %k, %c7 : i32
    %isFirst = arith.cmpi eq, %row, %c0 : index
    %out, %scalar = scf.if %few -> (!row, i32) {
      %double = arith.addi %v, %v : !row
      vector.transfer_write %double, %z[%row, %c0] : !row, !m
      %same = arith.cmpi eq, %columns, %c50 : index
      %other = scf.if %same -> (!row) {
        %square = arith.muli %v, %v : !row
        scf.yield %square : !row
      } else {
        scf.yield %v : !row
      }
      scf.yield %other, %zero : !row, i32
    } else {
      %previous = arith.subi %row, %c1 : index
      %p = memref.load %n[%previous] : !v
      %s = vector.multi_reduction <add>, %v, %p [0] : !row to i32
      scf.yield %v, %s : !row, i32
    }
    %scalars = vector.broadcast %scalar : i32 to !row
    %sum = arith.addi %out, %scalars : !row
    vector.transfer_write %sum, %y[%row, %c0] : !row, !m
    scf.if %isFirst {
      vector.transfer_write %v, %z[%row, %c0] : !row, !m
    }
    gpu.return
  }

  // As many iterations as each row needs.
  gpu.func @halvings(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #y},
      %count: !v {carousel.argument = #count}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %most = arith.constant 9 : i32
    %twos = arith.constant dense<1> : !row
    %row = gpu.block_id x
    %read = vector.transfer_read %x[%row, %c0], %zero : !m, !row
    %shift = arith.index_cast %row : index to i32
    %shifts = vector.broadcast %shift : i32 to !row
    %v = arith.shrsi %read, %shifts : !row
    %end, %n = scf.while (%a = %v, %i = %zero) : (!row, i32) -> (!row, i32) {
      %max = vector.multi_reduction <maxsi>, %a, %zero [0] : !row to i32
      %goes = arith.cmpi sgt, %max, %most : i32
      %next = arith.addi %i, %one : i32
      scf.condition(%goes) %a, %next : !row, i32
    } do {
    ^bb0(%a: !row, %i: i32):
      %half = arith.shrsi %a, %twos : !row
      scf.yield %half, %i : !row, i32
    }
    vector.transfer_write %end, %y[%row, %c0] : !row, !m
    memref.store %n, %count[%row] : !v
    gpu.return
  }

  // A loop to an end of each row's own, which reads what all rows have in common, and writes.
  gpu.func @ragged(%x: !m {carousel.argument = #x}, %n: !v {carousel.argument = #n}, %w: !m {carousel.argument = #w},
      %y: !m {carousel.argument = #y}, %last: !v {carousel.argument = #last}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i32
    %row = gpu.block_id x
    %k = memref.load %n[%row] : !v
    %end = arith.index_cast %k : i32 to index
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !row
    memref.store %zero, %last[%row] : !v
    %sums = scf.for %i = %c1 to %end step %c3 iter_args(%sum = %v) -> (!row) {
      %ws = vector.transfer_read %w[%i, %c0], %zero : !m, !row
      %scalar = memref.load %n[%i] : !v
      %scalars = vector.broadcast %scalar : i32 to !row
      %p = arith.muli %ws, %scalars : !row
      %next = arith.addi %sum, %p : !row
      memref.store %scalar, %last[%row] : !v
      scf.yield %next : !row
    }
    vector.transfer_write %sums, %y[%row, %c0] : !row, !m
    gpu.return
  }

  // Rows end elsewhere: masks that become views, and one that doesn't.
  gpu.func @masks(%x: !m {carousel.argument = #x}, %n: !v {carousel.argument = #n}, %y: !m {carousel.argument = #masked},
      %total: !v {carousel.argument = #total}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %five = arith.constant 5 : i32
    %row = gpu.block_id x
    %k = memref.load %n[%row] : !v
    %end = arith.index_cast %k : i32 to index
    %mask = vector.create_mask %end : vector<64xi1>
    %v = vector.transfer_read %x[%row, %c0], %five, %mask : !m, !row
    %fives = arith.constant dense<5> : !row
    %odd = arith.cmpi sgt, %v, %fives : !row
    %both = arith.andi %odd, %mask : vector<64xi1>
    %s = vector.multi_reduction <add>, %v, %zero [0] : !row to i32
    %r = vector.transfer_read %x[%row, %c0], %zero, %both : !m, !row
    %t = vector.multi_reduction <add>, %r, %s [0] : !row to i32
    vector.transfer_write %v, %y[%row, %c0], %mask : !row, !m
    memref.store %t, %total[%row] : !v
    gpu.return
  }

  // A count that all programs have in common stays one: it is an index.
  gpu.func @counts(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : !row
    %row = gpu.block_id x
    %out, %n = scf.while (%sum = %zeros, %i = %c0) : (!row, index) -> (!row, index) {
      %goes = arith.cmpi slt, %i, %c4 : index
      scf.condition(%goes) %sum, %i : !row, index
    } do {
    ^bb0(%sum: !row, %i: index):
      %v = vector.transfer_read %x[%row, %i], %zero : !m, !row
      %next = arith.addi %sum, %v : !row
      %j = arith.addi %i, %c1 : index
      scf.yield %next, %j : !row, index
    }
    vector.transfer_write %out, %y[%row, %c0] : !row, !m
    gpu.return
  }

  // A program beyond the grid reads 0, with which the loop would have no end.
  gpu.func @doublings(%x: !m {carousel.argument = #x}, %n: !v {carousel.argument = #n}, %y: !m {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %most = arith.constant 100 : i32
    %row = gpu.block_id x
    %k = memref.load %n[%row] : !v
    %isFirst = arith.cmpi eq, %row, %c0 : index
    %start = arith.select %isFirst, %one, %k : i32
    %end = scf.while (%a = %start) : (i32) -> (i32) {
      %goes = arith.cmpi slt, %a, %most : i32
      scf.condition(%goes) %a : i32
    } do {
    ^bb0(%a: i32):
      %double = arith.addi %a, %a : i32
      scf.yield %double : i32
    }
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !row
    %ends = vector.broadcast %end : i32 to !row
    %sum = arith.addi %v, %ends : !row
    vector.transfer_write %sum, %y[%row, %c0] : !row, !m
    gpu.return
  }
}
