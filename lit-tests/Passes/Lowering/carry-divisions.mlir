// carousel-carry-divisions: a loop that counts from a small number by small steps carries its variable's quotients and remainders; others divide.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-carry-divisions)))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-carry-divisions{most-digits=3})))' | FileCheck %s --check-prefix=MORE

#gl = #gpu.address_space<global>
!numbers = memref<?xindex, #gl>
!longs = memref<?xi64, #gl>
!words = memref<?xi32, #gl>

gpu.module @divisions {
  // Two of each; a remainder that nobody asks for is carried for the quotient.
  // CHECK-LABEL: gpu.func @tiles(
  // CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: index, %{{.*}}: index, %[[ROWS:[a-z0-9]+]]: index
  // CHECK: %[[BLOCK:.+]] = gpu.block_id
  // CHECK: %[[BLOCKS:.+]] = gpu.grid_dim
  // CHECK: %[[BY:.+]] = arith.maxui %[[COLUMNS]], %{{.*}} : index
  // CHECK: %[[STEP_COLUMNS:.+]] = arith.remui %[[BLOCKS]], %[[BY]] : index
  // CHECK: %[[COLUMN:.+]] = arith.remui %[[BLOCK]], %[[BY]] : index
  // CHECK: %[[ROW:.+]] = arith.divui %[[BLOCK]], %[[BY]] : index
  // CHECK: %[[STEP_ROWS:.+]] = arith.divui %[[BLOCKS]], %[[BY]] : index
  // CHECK: %[[BY_ROWS:.+]] = arith.maxui %[[ROWS]], %{{.*}} : index
  // CHECK: arith.remui %[[STEP_ROWS]], %[[BY_ROWS]]
  // CHECK: %[[IN_PLANE:.+]] = arith.remui %[[ROW]], %[[BY_ROWS]]
  // CHECK: %[[PLANE:.+]] = arith.divui %[[ROW]], %[[BY_ROWS]]
  // CHECK: scf.for {{.*}} iter_args(%[[C:.+]] = %[[COLUMN]], %[[R:.+]] = %[[ROW]], %[[I:.+]] = %[[IN_PLANE]], %[[P:.+]] = %[[PLANE]])
  // CHECK: memref.store %[[R]]
  // CHECK: scf.if
  // CHECK: memref.store %[[C]]
  // CHECK: memref.store %[[P]]
  // CHECK: }
  // CHECK: %[[SUM:.+]] = arith.addi %[[C]], %[[STEP_COLUMNS]] : index
  // CHECK: %[[OVER:.+]] = arith.cmpi uge, %[[SUM]], %[[BY]] : index
  // CHECK: %[[REST:.+]] = arith.subi %[[SUM]], %[[BY]] : index
  // CHECK: %[[NEXT:.+]] = arith.select %[[OVER]], %[[REST]], %[[SUM]] : index
  // CHECK: %[[BELOW:.+]] = arith.addi %[[R]], %[[STEP_ROWS]] : index
  // CHECK: %[[UP:.+]] = arith.addi %[[BELOW]], %{{.*}} : index
  // CHECK: %[[NEXT_ROW:.+]] = arith.select %[[OVER]], %[[UP]], %[[BELOW]] : index
  // CHECK: scf.yield %[[NEXT]], %[[NEXT_ROW]]
  // CHECK: {once}
  gpu.func @tiles(%columns: index, %tiles: index, %rows: index, %out: !numbers, %flag: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %block to %tiles step %blocks {
      %row = arith.divui %t, %columns : index
      memref.store %row, %out[%c0] : !numbers
      scf.if %flag {
        %column = arith.remui %t, %columns : index
        memref.store %column, %out[%c0] : !numbers
        %again = arith.divui %t, %columns : index
        %plane = arith.divui %again, %rows : index
        memref.store %plane, %out[%c1] : !numbers
      }
    } {once}
    gpu.return
  }

  // Without a quotient none is carried, i64 is counted as well, and a loop keeps what it carried before. An inner loop's own number is carried there.
  // CHECK-LABEL: gpu.func @remainders(
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, i64) : i64 {
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (index) {
  // CHECK-NOT: remui
  // CHECK: gpu.return
  gpu.func @remainders(%by: i64, %most: i64, %n: index, %out: !longs) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %s0 = arith.constant 0 : i64
    %s3 = arith.constant 3 : i64
    %blocks = gpu.grid_dim x
    %sum = scf.for %t = %s0 to %most step %s3 iter_args(%before = %s0) -> (i64) : i64 {
      %r = arith.remui %t, %by : i64
      %next = arith.addi %before, %r : i64
      scf.for %i = %c0 to %n step %c2 {
        %in = arith.remui %i, %blocks : index
        memref.store %next, %out[%in] : !longs
      }
      scf.yield %next : i64
    }
    memref.store %sum, %out[%c0] : !longs
    gpu.return
  }

  // Signed divisions, where the divisor is an extent.
  // CHECK-LABEL: gpu.func @signed(
  // CHECK: scf.for {{.*}} iter_args(
  // CHECK-NOT: divsi
  // CHECK-NOT: remsi
  // CHECK: gpu.return
  gpu.func @signed(%n: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %by = memref.dim %out, %c0 : !numbers
    scf.for %t = %block to %n step %blocks {
      %q = arith.divsi %t, %by : index
      %r = arith.remsi %t, %by : index
      memref.store %q, %out[%r] : !numbers
    }
    gpu.return
  }

  // A first number or a step that may be large or negative, a constant divisor, one of the loop, a signed one that may be negative, a division of another
  // number, one by the variable, and 32 bits.
  // CHECK-LABEL: gpu.func @left(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @left(%n: index, %by: index, %out: !numbers, %short: i32, %words: !words) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %s0 = arith.constant 0 : i32
    %s1 = arith.constant 1 : i32
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %by to %n step %blocks {
      %q = arith.divui %t, %by : index
      memref.store %q, %out[%c0] : !numbers
    }
    scf.for %t = %block to %n step %by {
      %q = arith.divui %t, %by : index
      memref.store %q, %out[%c0] : !numbers
    }
    scf.for %t = %block to %n step %blocks {
      %q = arith.divui %t, %c7 : index
      %more = arith.addi %t, %by : index
      %r = arith.remui %t, %more : index
      %s = arith.divsi %t, %by : index
      %u = arith.divui %more, %by : index
      %v = arith.divui %by, %t : index
      memref.store %q, %out[%r] : !numbers
      memref.store %s, %out[%u] : !numbers
      memref.store %v, %out[%c1] : !numbers
    }
    scf.for %t = %s0 to %short step %s1 : i32 {
      %q = arith.divui %t, %short : i32
      memref.store %q, %words[%c0] : !words
    }
    gpu.return
  }

  // The routine would stay: one division is of a number that no loop counts.
  // CHECK-LABEL: gpu.func @another(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @another(%n: index, %by: index, %out: !numbers) kernel {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %block to %n step %blocks {
      %q = arith.divui %t, %by : index
      memref.store %t, %out[%q] : !numbers
    }
    %up = arith.ceildivui %n, %by : index
    memref.store %up, %out[%block] : !numbers
    gpu.return
  }

  // More digits than two.
  // CHECK-LABEL: gpu.func @many(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  // MORE-LABEL: gpu.func @many(
  // MORE: scf.for {{.*}} iter_args
  // MORE-NOT: divui
  // MORE: gpu.return
  gpu.func @many(%n: index, %a: index, %b: index, %c: index, %out: !numbers) kernel {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %block to %n step %blocks {
      %q = arith.divui %t, %a : index
      %r = arith.divui %q, %b : index
      %s = arith.divui %r, %c : index
      memref.store %t, %out[%s] : !numbers
    }
    gpu.return
  }
}
