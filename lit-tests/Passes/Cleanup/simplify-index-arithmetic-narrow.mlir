// carousel-simplify-index-arithmetic, narrowing: a dividend that is known to fit 32 bits is divided in 32 bits, by any divisor. Others stay.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic)))' | FileCheck %s

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>
!matrix = memref<?x?xf32, #gl>

gpu.module @divisions {
  // CHECK-LABEL: gpu.func @tickets
  // CHECK-DAG: %[[MOST:.+]] = arith.constant 4294967295 : index
  // CHECK-DAG: %[[TICKET:.+]] = carousel.grid.ticket
  // CHECK: %[[BY:.+]] = arith.minui %{{.*}}, %[[MOST]] : index
  // CHECK-NEXT: %[[LHS:.+]] = arith.index_castui %[[TICKET]] : index to i32
  // CHECK-NEXT: %[[RHS:.+]] = arith.index_castui %[[BY]] : index to i32
  // CHECK-NEXT: %[[Q:.+]] = arith.divui %[[LHS]], %[[RHS]] : i32
  // CHECK-NEXT: arith.index_castui %[[Q]] : i32 to index
  // CHECK: arith.remui %{{.*}}, %{{.*}} : i32
  // CHECK: arith.ceildivui %{{.*}}, %{{.*}} : i32
  gpu.func @tickets(%counters: !counters, %by: index, %out: memref<3xindex, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %blocks = gpu.grid_dim x
    %ticket = carousel.grid.ticket %counters[%c0] of %blocks : !counters
    %q = arith.divui %ticket, %by : index
    %r = arith.remui %ticket, %by : index
    %up = arith.ceildivui %ticket, %by : index
    memref.store %q, %out[%c0] : memref<3xindex, #gl>
    memref.store %r, %out[%c1] : memref<3xindex, #gl>
    memref.store %up, %out[%c2] : memref<3xindex, #gl>
    gpu.return
  }

  // The guards of the variant bound extents: no divisor beyond 32 bits.
  // CHECK-LABEL: gpu.func @guarded
  // CHECK-NOT: arith.minui
  // CHECK: arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK-NOT: arith.minui
  // CHECK: gpu.return
  gpu.func @guarded(%x: !matrix, %out: memref<1xindex, #gl>) kernel attributes {carousel.variant = #carousel.variant<
      kernel = "guarded", guards = [range(extent(0, 0), 1, 2147483647), range(extent(0, 1), 1, 2147483647)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %q = arith.divsi %rows, %columns : index
    memref.store %q, %out[%c0] : memref<1xindex, #gl>
    gpu.return
  }

  // Without guards an extent may be anything, and so may an argument; a signed divisor may be negative; a constant is no routine's.
  // The largest number of 32 bits is divided by itself once, by larger ones never.
  // CHECK-LABEL: gpu.func @left
  // CHECK-NOT: i32
  // CHECK: arith.divui %{{.*}}, %{{.*}} : index
  // CHECK: arith.divui %{{.*}}, %{{.*}} : index
  // CHECK: arith.divsi %{{.*}}, %{{.*}} : index
  // CHECK: arith.divui %{{.*}}, %{{.*}} : index
  // CHECK: arith.divui %{{.*}}, %{{.*}} : i64
  // CHECK: gpu.return
  gpu.func @left(%x: !matrix, %n: index, %w: i64, %out: memref<5xindex, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %mask = arith.constant 4294967295 : i64
    %rows = memref.dim %x, %c0 : !matrix
    %thread = gpu.thread_id x
    %a = arith.divui %rows, %n : index
    %b = arith.divui %n, %rows : index
    %c = arith.divsi %thread, %n : index
    %d = arith.divui %thread, %c7 : index
    %masked = arith.andi %w, %mask : i64
    %e = arith.divui %masked, %w : i64
    %f = arith.index_cast %e : i64 to index
    memref.store %a, %out[%c0] : memref<5xindex, #gl>
    memref.store %b, %out[%c1] : memref<5xindex, #gl>
    memref.store %c, %out[%c2] : memref<5xindex, #gl>
    memref.store %d, %out[%c3] : memref<5xindex, #gl>
    memref.store %f, %out[%c4] : memref<5xindex, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @of_64_bits
  // CHECK: arith.trunci %{{.*}} : i64 to i32
  // CHECK: arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK: arith.extui %{{.*}} : i32 to i64
  // DOC-EXAMPLE: --carousel-simplify-index-arithmetic
  gpu.func @of_64_bits(%w: i64, %out: memref<1xi64, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %mask = arith.constant 4294967294 : i64
    %masked = arith.andi %w, %mask : i64
    %q = arith.divui %masked, %w : i64
    memref.store %q, %out[%c0] : memref<1xi64, #gl>
    gpu.return
  }

  // What is a multiple of 48 stays one: of it 4294967280 is the largest of 32 bits.
  // CHECK-LABEL: gpu.func @multiples
  // CHECK: %[[MOST:.+]] = arith.constant 4294967280 : index
  // CHECK: arith.minui %{{.*}}, %[[MOST]] : index
  // CHECK: arith.remui %{{.*}}, %{{.*}} : i32
  gpu.func @multiples(%counters: !counters, %n: index, %out: memref<1xindex, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c48 = arith.constant 48 : index
    %blocks = gpu.grid_dim x
    %ticket = carousel.grid.ticket %counters[%c0] of %blocks : !counters
    %by = arith.muli %n, %c48 : index
    %r = arith.remui %ticket, %by : index
    memref.store %r, %out[%c0] : memref<1xindex, #gl>
    gpu.return
  }

  // Such a number isn't above all that is divided.
  // CHECK-LABEL: gpu.func @multiples_below
  // CHECK-NOT: i32
  // CHECK: arith.remui %{{.*}}, %{{.*}} : i64
  // CHECK: gpu.return
  gpu.func @multiples_below(%w: i64, %n: i64, %out: memref<1xi64, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %mask = arith.constant 4294967280 : i64
    %c48 = arith.constant 48 : i64
    %masked = arith.andi %w, %mask : i64
    %by = arith.muli %n, %c48 : i64
    %r = arith.remui %masked, %by : i64
    memref.store %r, %out[%c0] : memref<1xi64, #gl>
    gpu.return
  }

  // A quotient that is carried to where another one is computed: all is known before the first one goes.
  // CHECK-LABEL: gpu.func @carried
  // CHECK: arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK: arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK: %[[LARGE:.+]] = arith.muli %{{.*}}, %{{.*}} : i64
  // CHECK-NEXT: arith.remui %[[LARGE]], %{{.*}} : i64
  gpu.func @carried(%u: i64, %v: i64, %t: i64, %n: i64, %out: memref<2xi64, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %zero = arith.constant 0 : i64
    %three = arith.constant 3 : i64
    %mask = arith.constant 2147483647 : i64
    %million = arith.constant 1000000 : i64
    %small = arith.andi %u, %three : i64
    %x = arith.andi %v, %mask : i64
    %y = arith.andi %t, %mask : i64
    %last = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %zero) -> (i64) {
      %first = arith.remui %a, %n : i64
      memref.store %first, %out[%c0] : memref<2xi64, #gl>
      %q = arith.divui %small, %n : i64
      %quotient = arith.divui %x, %y : i64
      %large = arith.muli %quotient, %million : i64
      %r = arith.remui %large, %n : i64
      memref.store %r, %out[%c1] : memref<2xi64, #gl>
      scf.yield %q : i64
    }
    gpu.return
  }

  // Tiles of an extent, and of a number of 32 bits: the sum fits. What is a multiple already keeps what is known of it.
  // CHECK-LABEL: gpu.func @rounded
  // CHECK: %[[ROWS:.+]] = memref.dim
  // CHECK: %[[SUM:.+]] = arith.addi %[[ROWS]], %c63 : index
  // CHECK-NEXT: arith.divui %[[SUM]], %c64 : index
  // CHECK: %[[MORE:.+]] = arith.addi %[[ROWS]], %c6 : index
  // CHECK-NEXT: arith.divui %[[MORE]], %c7 : index
  // CHECK: arith.addi %{{.*}}, %c6_i32 : i32
  // CHECK-NEXT: arith.divui
  // CHECK: arith.ceildivui %{{.*}}, %c64 : index
  // CHECK: gpu.return
  gpu.func @rounded(%x: !matrix, %out: memref<4xindex, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %s7 = arith.constant 7 : i32
    %rows = memref.dim %x, %c0 : !matrix
    %thread = gpu.thread_id x
    %low = arith.index_cast %thread : index to i32
    %mask = arith.constant 1023 : i32
    %short = arith.andi %low, %mask : i32
    %a = arith.ceildivui %rows, %c64 : index
    %b = arith.ceildivsi %rows, %c7 : index
    %c = arith.ceildivui %short, %s7 : i32
    %d = arith.index_cast %c : i32 to index
    %whole = arith.muli %thread, %c64 : index
    %e = arith.ceildivui %whole, %c64 : index
    memref.store %a, %out[%c0] : memref<4xindex, #gl>
    memref.store %b, %out[%c1] : memref<4xindex, #gl>
    memref.store %d, %out[%c2] : memref<4xindex, #gl>
    memref.store %e, %out[%c3] : memref<4xindex, #gl>
    gpu.return
  }

  // Vectors aren't asked for.
  // CHECK-LABEL: gpu.func @vectors
  // CHECK: arith.ceildivui %{{.*}}, %{{.*}} : vector<4xi32>
  gpu.func @vectors(%v: vector<4xi32>, %out: memref<4xi32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %mask = arith.constant dense<1023> : vector<4xi32>
    %seven = arith.constant dense<7> : vector<4xi32>
    %few = arith.andi %v, %mask : vector<4xi32>
    %q = arith.ceildivui %few, %seven : vector<4xi32>
    vector.store %q, %out[%c0] : memref<4xi32, #gl>, vector<4xi32>
    gpu.return
  }

  // The sum may wrap; the number, or the divisor, may be negative.
  // CHECK-LABEL: gpu.func @not_rounded
  // CHECK-NOT: arith.addi
  // CHECK: arith.ceildivui
  // CHECK: arith.ceildivsi
  // CHECK: arith.ceildivsi
  // CHECK: arith.ceildivui
  // CHECK: gpu.return
  gpu.func @not_rounded(%x: !matrix, %n: index, %out: memref<4xindex, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %less = arith.constant -7 : index
    // One less than the extent's largest number takes to wrap.
    %large = arith.constant -9223372036854775807 : index
    %rows = memref.dim %x, %c0 : !matrix
    %a = arith.ceildivui %n, %c7 : index
    %b = arith.ceildivsi %n, %c7 : index
    %thread = gpu.thread_id x
    %few = arith.andi %thread, %c3 : index
    %c = arith.ceildivsi %few, %less : index
    %d = arith.ceildivui %rows, %large : index
    memref.store %a, %out[%c0] : memref<4xindex, #gl>
    memref.store %b, %out[%c1] : memref<4xindex, #gl>
    memref.store %c, %out[%c2] : memref<4xindex, #gl>
    memref.store %d, %out[%c3] : memref<4xindex, #gl>
    gpu.return
  }

  // Threads of several turns have the same remainder by a power of 2, also where the sum wraps around.
  // CHECK-LABEL: gpu.func @turns
  // CHECK-SAME: (%[[N:.*]]: i32,
  // CHECK: arith.remui %[[N]], %c8_i32 : i32
  // CHECK: %[[ODD:.*]] = arith.addi %[[N]], %c132_i32 : i32
  // CHECK: arith.remui %[[ODD]], %c8_i32 : i32
  // CHECK: %[[SUM:.*]] = arith.addi %[[N]], %c24_i32 : i32
  // CHECK: arith.remui %[[SUM]], %c12_i32 : i32
  gpu.func @turns(%n: i32, %out: memref<3xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8_i32 = arith.constant 8 : i32
    %c12_i32 = arith.constant 12 : i32
    %c24_i32 = arith.constant 24 : i32
    %c128_i32 = arith.constant 128 : i32
    %c132_i32 = arith.constant 132 : i32
    %c-256_i32 = arith.constant -256 : i32
    %0 = arith.addi %n, %c-256_i32 : i32
    %1 = arith.addi %0, %c128_i32 : i32
    %2 = arith.remui %1, %c8_i32 : i32
    memref.store %2, %out[%c0] : memref<3xi32>
    %3 = arith.addi %n, %c132_i32 : i32
    %4 = arith.remui %3, %c8_i32 : i32
    memref.store %4, %out[%c1] : memref<3xi32>
    %5 = arith.addi %n, %c24_i32 : i32
    %6 = arith.remui %5, %c12_i32 : i32
    memref.store %6, %out[%c2] : memref<3xi32>
    gpu.return
  }
}
