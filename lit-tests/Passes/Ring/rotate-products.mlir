// RUN: carousel-opt %s --carousel-rotate-products --canonicalize | FileCheck %s
// RUN: carousel-opt %s --carousel-rotate-products --carousel-rotate-products | carousel-opt --canonicalize | FileCheck %s
// RUN: carousel-opt %s --carousel-rotate-products --remarks-filter=carousel-rotate-products --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The products of the next iteration begin before the last product of this one, whose factor threads compute from the
// sums of the others.

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<64x64xbf16, #ws>
!one = !carousel.ring<1 x memref<64x64xbf16, #ws>>
!two = !carousel.ring<2 x memref<64x64xbf16, #ws>>
!pair = !carousel.ring<3 x memref<64x64xbf16, #ws>, memref<64x64xbf16, #ws>>
!short = !carousel.ring<2 x memref<64x64xbf16, #ws>, memref<64x64xbf16, #ws>>
!sums = vector<1x8x2x2xf32>
!narrow = vector<1x8x2x2xbf16>
!factor = vector<1x4x4x2xbf16>

gpu.module @m {
  // CHECK-LABEL: gpu.func @attend
  // CHECK-SAME: %[[Q:[a-z0-9]+]]: vector<1x4x4x2xbf16>, %[[LB:[a-z0-9]+]]: index, %[[UB:[a-z0-9]+]]: index, %[[STEP:[a-z0-9]+]]: index
  // CHECK-DAG: %[[KEYS:.*]] = carousel.ring.create {label = "keys"}
  // CHECK-DAG: %[[VALUES:.*]] = carousel.ring.create {label = "values"}
  // CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LB]], %[[UB]]
  // CHECK: %[[O:.*]] = scf.if %[[ANY]]
  // CHECK: carousel.ring.wait %[[KEYS]][%[[ZERO:.*]]]
  // CHECK-NEXT: %[[S0:.*]] = carousel.multiply %[[Q]]
  // CHECK-NEXT: carousel.ring.release %[[KEYS]][%[[ZERO]]]
  // CHECK: %[[P0:.*]] = vector.shape_cast
  // CHECK: %[[REST:.*]] = arith.subi %[[UB]], %[[LB]]
  // CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[STEP]], %[[REST]]
  // CHECK-NEXT: %[[SECOND:.*]] = arith.addi %[[LB]], %[[STEP]]
  // CHECK-NEXT: %[[BEGIN:.*]] = arith.select %[[MORE]], %[[SECOND]], %[[UB]]
  // CHECK-NEXT: %[[L:.*]]:5 = scf.for %{{.*}} = %[[BEGIN]] to %[[UB]] step %[[STEP]] iter_args(%[[K:.*]] = %{{.*}}, %[[V:.*]] = %[[ZERO]], %[[FACTOR:.*]] = %[[FACTOR0:.*]], %[[P:.*]] = %[[P0]], %[[BEFORE:.*]] = %{{.*}})
  // CHECK: carousel.ring.wait %[[KEYS]][%[[K]]]
  // CHECK-NEXT: %[[S:.*]] = carousel.multiply %[[Q]]
  // CHECK-NEXT: %[[ALL:.*]] = vector.broadcast %[[FACTOR]]
  // CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[BEFORE]], %[[ALL]]
  // CHECK: carousel.ring.wait %[[VALUES]][%[[V]]]
  // CHECK-NEXT: %[[NEXT:.*]] = carousel.multiply %[[P]], %{{.*}}, %[[SCALED]]
  // CHECK-NEXT: carousel.ring.release %[[VALUES]][%[[V]]]
  // CHECK: carousel.ring.release %[[KEYS]][%[[K]]]
  // CHECK: %[[LARGEST:.*]] = vector.multi_reduction <maxnumf>, %[[S]]
  // CHECK: %[[MADE:.*]] = vector.shape_cast
  // CHECK-NOT: arith.mulf
  // CHECK: scf.yield %{{.*}}, %{{.*}}, %[[LARGEST]], %[[MADE]], %[[NEXT]]
  // CHECK: %[[END:.*]] = arith.mulf %[[L]]#4
  // CHECK: carousel.ring.wait %[[VALUES]][%[[L]]#1]
  // CHECK-NEXT: %[[LAST:.*]] = carousel.multiply %[[L]]#3, %{{.*}}, %[[END]]
  // CHECK-NEXT: carousel.ring.release %[[VALUES]][%[[L]]#1]
  // CHECK: scf.yield %[[LAST]]
  // CHECK: } else {
  // CHECK-NOT: carousel
  // CHECK: }
  // REMARK: [Passed] ProductRotation | {{.*}}Function=attend | Remark="the first product of an iteration begins before the last one of the iteration before"
  gpu.func @attend(%q: !factor, %lb: index, %ub: index, %step: index, %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant -1.0e30 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %keys = carousel.ring.create {label = "keys"} : !one
    %values = carousel.ring.create {label = "values"} : !two
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      %r:3 = scf.for %i = %lb to %ub step %step iter_args(%k = %c0, %u = %c0, %o = %zeros) -> (index, index, !sums) {
        %key = carousel.ring.tile %keys[%k], 0 : !one -> !tile
        %value = carousel.ring.tile %values[%u], 0 : !two -> !tile
        carousel.ring.wait %keys[%k] : !one
        %s = carousel.multiply %q, %key[%c0], %zeros transpose_b : !factor, !tile, !sums
        carousel.ring.release %keys[%k] : !one
        %largest = vector.multi_reduction <maxnumf>, %s, %low [0, 1, 2, 3] : !sums to f32
        %all = vector.broadcast %largest : f32 to !sums
        %scaled = arith.mulf %o, %all : !sums
        %narrow = arith.truncf %s : !sums to !narrow
        %p = vector.shape_cast %narrow : !narrow to !factor
        carousel.ring.wait %values[%u] : !two
        %next = carousel.multiply %p, %value[%c0], %scaled : !factor, !tile, !sums
        carousel.ring.release %values[%u] : !two
        %k1 = arith.addi %k, %c1 : index
        %u1 = arith.addi %u, %c1 : index
        scf.yield %k1, %u1, %next : index, index, !sums
      }
      vector.transfer_write %r#2, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    }
    gpu.return
  }

  // Two products of the second stage, of two parts of the columns: both begin behind the first product of the next
  // iteration, whose two parts of k add to each other.
  // CHECK-LABEL: gpu.func @parts
  // CHECK: %[[L:.*]]:5 = scf.for %{{.*}} iter_args(%[[K:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
  // CHECK: %[[S0:.*]] = carousel.multiply
  // CHECK: %[[S:.*]] = carousel.multiply %{{.*}}, %{{.*}}, %[[S0]]
  // CHECK: %[[LESS:.*]] = arith.mulf %[[A]]
  // CHECK: %[[OTHERS:.*]] = arith.mulf %[[B]]
  // CHECK: carousel.ring.wait
  // CHECK-NEXT: %[[NEXT:.*]] = carousel.multiply %[[P]], %{{.*}}, %[[LESS]]
  // CHECK-NEXT: %[[OTHER:.*]] = carousel.multiply %[[P]], %{{.*}}, %[[OTHERS]]
  // CHECK: arith.truncf %[[S]]
  // CHECK: scf.yield %{{.*}}, %[[NEXT]], %[[OTHER]]
  // REMARK: [Passed] ProductRotation | {{.*}}Function=parts
  gpu.func @parts(%q: !factor, %lb: index, %ub: index, %step: index, %all: !sums, %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %keys = carousel.ring.create : !pair
    %values = carousel.ring.create : !pair
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      %r:4 = scf.for %i = %lb to %ub step %step iter_args(%k = %c0, %u = %c0, %o = %zeros, %t = %zeros)
          -> (index, index, !sums, !sums) {
        %k0 = carousel.ring.tile %keys[%k], 0 : !pair -> !tile
        %k1 = carousel.ring.tile %keys[%k], 1 : !pair -> !tile
        %v0 = carousel.ring.tile %values[%u], 0 : !pair -> !tile
        %v1 = carousel.ring.tile %values[%u], 1 : !pair -> !tile
        carousel.ring.wait %keys[%k] : !pair
        %s0 = carousel.multiply %q, %k0[%c0], %zeros transpose_b : !factor, !tile, !sums
        %s = carousel.multiply %q, %k1[%c0], %s0 transpose_b : !factor, !tile, !sums
        carousel.ring.release %keys[%k] : !pair
        %less = arith.mulf %o, %all : !sums
        %others = arith.mulf %t, %all : !sums
        %narrow = arith.truncf %s : !sums to !narrow
        %p = vector.shape_cast %narrow : !narrow to !factor
        carousel.ring.wait %values[%u] : !pair
        %next = carousel.multiply %p, %v0[%c0], %less : !factor, !tile, !sums
        %other = carousel.multiply %p, %v1[%c0], %others : !factor, !tile, !sums
        carousel.ring.release %values[%u] : !pair
        %use = arith.addi %k, %c1 : index
        %use2 = arith.addi %u, %c1 : index
        scf.yield %use, %use2, %next, %other : index, index, !sums, !sums
      }
      %sum = arith.addf %r#2, %r#3 : !sums
      vector.transfer_write %sum, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    }
    gpu.return
  }

  // One ring for both stages: its slots are released by the second one.
  // DOC-EXAMPLE: --carousel-rotate-products
  // CHECK-LABEL: gpu.func @shared
  // CHECK: scf.for %{{.*}} iter_args(%[[K:.*]] = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
  // CHECK: carousel.ring.wait %[[RING:.*]][%[[K]]]
  // CHECK: carousel.multiply
  // CHECK-NOT: carousel.ring.wait
  // CHECK: carousel.multiply
  // CHECK-NEXT: carousel.ring.release %[[RING]][%[[BEFORE]]]
  // CHECK-NOT: carousel.ring.release
  // CHECK: scf.yield
  // CHECK-NOT: carousel.ring.wait
  // CHECK: carousel.ring.release %[[RING]]
  // REMARK: [Passed] ProductRotation | {{.*}}Function=shared
  gpu.func @shared(%q: !factor, %lb: index, %ub: index, %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %ring = carousel.ring.create : !pair
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %o = %zeros) -> (index, !sums) {
        %key = carousel.ring.tile %ring[%k], 0 : !pair -> !tile
        %value = carousel.ring.tile %ring[%k], 1 : !pair -> !tile
        carousel.ring.wait %ring[%k] : !pair
        %s = carousel.multiply %q, %key[%c0], %zeros transpose_b : !factor, !tile, !sums
        %narrow = arith.truncf %s : !sums to !narrow
        %p = vector.shape_cast %narrow : !narrow to !factor
        %next = carousel.multiply %p, %value[%c0], %o : !factor, !tile, !sums
        carousel.ring.release %ring[%k] : !pair
        %k1 = arith.addi %k, %c1 : index
        scf.yield %k1, %next : index, !sums
      }
      vector.transfer_write %r#1, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    }
    gpu.return
  }

  // Loops that stay as they are.
  // CHECK-LABEL: gpu.func @left
  // CHECK-NOT: scf.if
  // CHECK-COUNT-2: carousel.multiply
  // CHECK-NOT: carousel.multiply
  // CHECK: gpu.return
  // REMARK: [Missed] ProductRotation | {{.*}}Function=left_slots | {{.*}}: a ring of both products needs 3 slots, and has 2"
  gpu.func @left_slots(%q: !factor, %lb: index, %ub: index, %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %ring = carousel.ring.create : !short
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %o = %zeros) -> (index, !sums) {
        %key = carousel.ring.tile %ring[%k], 0 : !short -> !tile
        %value = carousel.ring.tile %ring[%k], 1 : !short -> !tile
        carousel.ring.wait %ring[%k] : !short
        %s = carousel.multiply %q, %key[%c0], %zeros transpose_b : !factor, !tile, !sums
        %narrow = arith.truncf %s : !sums to !narrow
        %p = vector.shape_cast %narrow : !narrow to !factor
        %next = carousel.multiply %p, %value[%c0], %o : !factor, !tile, !sums
        carousel.ring.release %ring[%k] : !short
        %k1 = arith.addi %k, %c1 : index
        scf.yield %k1, %next : index, !sums
      }
      vector.transfer_write %r#1, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    }
    gpu.return
  }

  // The largest score depends on the sums before.
  // CHECK-LABEL: gpu.func @left_sums
  // CHECK-NOT: scf.if
  // REMARK: [Missed] ProductRotation | {{.*}}Function=left_sums | {{.*}}: its carried sums are used by 'arith.addf'"
  gpu.func @left_sums(%q: !factor, %lb: index, %ub: index, %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %ring = carousel.ring.create : !pair
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %o = %zeros) -> (index, !sums) {
        %key = carousel.ring.tile %ring[%k], 0 : !pair -> !tile
        %value = carousel.ring.tile %ring[%k], 1 : !pair -> !tile
        carousel.ring.wait %ring[%k] : !pair
        %s = carousel.multiply %q, %key[%c0], %zeros transpose_b : !factor, !tile, !sums
        %sum = arith.addf %s, %o : !sums
        %narrow = arith.truncf %sum : !sums to !narrow
        %p = vector.shape_cast %narrow : !narrow to !factor
        %next = carousel.multiply %p, %value[%c0], %o : !factor, !tile, !sums
        carousel.ring.release %ring[%k] : !pair
        %k1 = arith.addi %k, %c1 : index
        scf.yield %k1, %next : index, !sums
      }
      vector.transfer_write %r#1, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    }
    gpu.return
  }

  // Scores that are written would be written too early; few registers; threads that fill slots themselves.
  // REMARK: [Missed] ProductRotation | {{.*}}Function=left_write | {{.*}}: the iteration has 'vector.transfer_write'"
  gpu.func @left_write(%q: !factor, %lb: index, %ub: index, %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %ring = carousel.ring.create : !pair
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %o = %zeros) -> (index, !sums) {
        %key = carousel.ring.tile %ring[%k], 0 : !pair -> !tile
        %value = carousel.ring.tile %ring[%k], 1 : !pair -> !tile
        carousel.ring.wait %ring[%k] : !pair
        %s = carousel.multiply %q, %key[%c0], %zeros transpose_b : !factor, !tile, !sums
        vector.transfer_write %s, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
        %narrow = arith.truncf %s : !sums to !narrow
        %p = vector.shape_cast %narrow : !narrow to !factor
        %next = carousel.multiply %p, %value[%c0], %o : !factor, !tile, !sums
        carousel.ring.release %ring[%k] : !pair
        %k1 = arith.addi %k, %c1 : index
        scf.yield %k1, %next : index, !sums
      }
      vector.transfer_write %r#1, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    }
    gpu.return
  }

  // REMARK: [Missed] ProductRotation | {{.*}}Function=left_registers | {{.*}}: it needs 120 registers of a thread, which has 80"
  gpu.func @left_registers(%q: !factor, %lb: index, %ub: index, %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %ring = carousel.ring.create : !pair
    carousel.ring.roles producer threads(128) registers(40) {
    } consumer threads(128) registers(80) {
      %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %o = %zeros) -> (index, !sums) {
        %key = carousel.ring.tile %ring[%k], 0 : !pair -> !tile
        %value = carousel.ring.tile %ring[%k], 1 : !pair -> !tile
        carousel.ring.wait %ring[%k] : !pair
        %s = carousel.multiply %q, %key[%c0], %zeros transpose_b : !factor, !tile, !sums
        %narrow = arith.truncf %s : !sums to !narrow
        %p = vector.shape_cast %narrow : !narrow to !factor
        %next = carousel.multiply %p, %value[%c0], %o : !factor, !tile, !sums
        carousel.ring.release %ring[%k] : !pair
        %k1 = arith.addi %k, %c1 : index
        scf.yield %k1, %next : index, !sums
      }
      vector.transfer_write %r#1, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    }
    gpu.return
  }

  // REMARK: [Missed] ProductRotation | {{.*}}Function=left_unified | {{.*}}: no role of producers fills its slots"
  gpu.func @left_unified(%x: memref<?x?xbf16, #gl>, %q: !factor, %lb: index, %ub: index,
                         %y: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %ring = carousel.ring.create : !pair
    %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %o = %zeros) -> (index, !sums) {
      carousel.ring.produce %ring[%k] : !pair {
        %to = carousel.ring.tile %ring[%k], 0 : !pair -> !tile
        carousel.ring.load %x[%c0, %c0] to %to swizzle(b128) engine<vector, width = 2> : memref<?x?xbf16, #gl>, !tile
      }
      %key = carousel.ring.tile %ring[%k], 0 : !pair -> !tile
      %value = carousel.ring.tile %ring[%k], 1 : !pair -> !tile
      carousel.ring.wait %ring[%k] : !pair
      %s = carousel.multiply %q, %key[%c0], %zeros transpose_b : !factor, !tile, !sums
      %narrow = arith.truncf %s : !sums to !narrow
      %p = vector.shape_cast %narrow : !narrow to !factor
      %next = carousel.multiply %p, %value[%c0], %o : !factor, !tile, !sums
      carousel.ring.release %ring[%k] : !pair
      %k1 = arith.addi %k, %c1 : index
      scf.yield %k1, %next : index, !sums
    }
    vector.transfer_write %r#1, %y[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    gpu.return
  }
}
