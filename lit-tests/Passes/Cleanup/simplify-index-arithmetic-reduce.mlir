// carousel-simplify-index-arithmetic, strength reduction: a loop with a small start and a small step carries quotients and remainders of its
// induction variable. Other loops divide.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic)))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic{max-divisors=3})))' | FileCheck %s --check-prefix=MORE

#gl = #gpu.address_space<global>
!numbers = memref<?xindex, #gl>
!longs = memref<?xi64, #gl>
!words = memref<?xi32, #gl>

gpu.module @divisions {
  // Two of each; a remainder without a use is carried for the quotient. What is left before the loop is divided in 32 bits.
  // CHECK-LABEL: gpu.func @tiles(
  // CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: index, %{{.*}}: index, %[[ROWS:[a-z0-9]+]]: index
  // CHECK: %[[BLOCK:.+]] = gpu.block_id
  // CHECK: %[[BLOCKS:.+]] = gpu.grid_dim
  // CHECK: %[[BY:.+]] = arith.maxui %[[COLUMNS]], %{{.*}} : index
  // CHECK-NOT: {{div|rem}}ui {{.*}} : index
  // CHECK: %[[A:.+]] = arith.index_castui %[[BLOCKS]] : index to i32
  // CHECK: %[[A_BY:.+]] = arith.remui %[[A]], %{{.*}} : i32
  // CHECK: %[[STEP_COLUMNS:.+]] = arith.index_castui %[[A_BY]] : i32 to index
  // CHECK: %[[B:.+]] = arith.index_castui %[[BLOCK]] : index to i32
  // CHECK: %[[B_BY:.+]] = arith.remui %[[B]], %{{.*}} : i32
  // CHECK: %[[COLUMN:.+]] = arith.index_castui %[[B_BY]] : i32 to index
  // CHECK: %[[C_BY:.+]] = arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK: %[[ROW:.+]] = arith.index_castui %[[C_BY]] : i32 to index
  // CHECK: %[[D_BY:.+]] = arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK: %[[STEP_ROWS:.+]] = arith.index_castui %[[D_BY]] : i32 to index
  // CHECK: arith.maxui %[[ROWS]], %{{.*}} : index
  // CHECK: %[[E:.+]] = arith.index_castui %[[STEP_ROWS]] : index to i32
  // CHECK: arith.remui %[[E]], %{{.*}} : i32
  // CHECK: %[[F:.+]] = arith.index_castui %[[ROW]] : index to i32
  // CHECK: %[[F_BY:.+]] = arith.remui %[[F]], %{{.*}} : i32
  // CHECK: %[[IN_PLANE:.+]] = arith.index_castui %[[F_BY]] : i32 to index
  // CHECK: %[[G_BY:.+]] = arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK: %[[PLANE:.+]] = arith.index_castui %[[G_BY]] : i32 to index
  // CHECK-NOT: {{div|rem}}ui {{.*}} : index
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

  // Signed divisions, where the divisor is an extent, and a loop that counts without a sign.
  // CHECK-LABEL: gpu.func @signed(
  // CHECK: scf.for {{.*}} iter_args(
  // CHECK-NOT: divsi
  // CHECK-NOT: remsi
  // CHECK: scf.for unsigned {{.*}} iter_args(
  // CHECK-NOT: remui
  // CHECK: gpu.return
  // DOC-EXAMPLE: --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic)))'
  gpu.func @signed(%n: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %by = memref.dim %out, %c0 : !numbers
    scf.for %t = %block to %n step %blocks {
      %q = arith.divsi %t, %by : index
      %r = arith.remsi %t, %by : index
      %f = arith.floordivsi %t, %by : index
      %both = arith.addi %q, %f : index
      memref.store %both, %out[%r] : !numbers
    }
    scf.for unsigned %t = %block to %n step %blocks {
      %r = arith.remui %t, %by : index
      memref.store %r, %out[%r] : !numbers
    }
    gpu.return
  }

  // A first number that may be anything.
  // CHECK-LABEL: gpu.func @first(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @first(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %by to %n step %blocks {
      %q = arith.divui %t, %by : index
      memref.store %q, %out[%c0] : !numbers
    }
    gpu.return
  }

  // One beyond 31 bits.
  // CHECK-LABEL: gpu.func @large_first(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @large_first(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %large = arith.constant 2147483648 : index
    scf.for %t = %large to %n step %blocks {
      %q = arith.divui %t, %by : index
      memref.store %q, %out[%c0] : !numbers
    }
    gpu.return
  }

  // A step that may be anything.
  // CHECK-LABEL: gpu.func @step(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @step(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %block to %n step %by {
      %q = arith.divui %t, %by : index
      memref.store %q, %out[%c0] : !numbers
    }
    gpu.return
  }

  // By a constant it is a multiplication.
  // CHECK-LABEL: gpu.func @constant(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @constant(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %c7 = arith.constant 7 : index
    scf.for %t = %block to %n step %blocks {
      %q = arith.divui %t, %c7 : index
      memref.store %q, %out[%c0] : !numbers
    }
    gpu.return
  }

  // A divisor of the loop.
  // CHECK-LABEL: gpu.func @inside(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @inside(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %block to %n step %blocks {
      %more = arith.addi %t, %by : index
      %q = arith.remui %t, %more : index
      memref.store %q, %out[%c0] : !numbers
    }
    gpu.return
  }

  // A signed division by what may be negative.
  // CHECK-LABEL: gpu.func @sign(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @sign(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %block to %n step %blocks {
      %q = arith.floordivsi %t, %by : index
      memref.store %q, %out[%c0] : !numbers
    }
    gpu.return
  }

  // Of another number, and by the variable.
  // CHECK-LABEL: gpu.func @other(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @other(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %t = %block to %n step %blocks {
      %more = arith.addi %t, %by : index
      %u = arith.divui %more, %by : index
      %q = arith.divui %u, %t : index
      memref.store %q, %out[%c0] : !numbers
    }
    gpu.return
  }

  // Numbers of 32 bits.
  // CHECK-LABEL: gpu.func @short(
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  gpu.func @short(%n: i32, %by: i32, %words: !words) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %s0 = arith.constant 0 : i32
    %s1 = arith.constant 1 : i32
    scf.for %t = %s0 to %n step %s1 : i32 {
      %q = arith.divui %t, %by : i32
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

  // One of 32 bits that stays is no reason to keep those of 64.
  // CHECK-LABEL: gpu.func @another_of_32_bits(
  // CHECK: arith.divui {{.*}} : i32
  // CHECK: scf.for
  // CHECK-NOT: arith.divui
  // CHECK: gpu.return
  gpu.func @another_of_32_bits(%n: index, %by: index, %i: i32, %j: i32, %out: !numbers, %words: !words) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k = arith.divui %i, %j : i32
    memref.store %k, %words[%c0] : !words
    scf.for %t = %c0 to %n step %c1 {
      %q = arith.divui %t, %by : index
      memref.store %q, %out[%t] : !numbers
    }
    gpu.return
  }

  // More divisors than two.
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
