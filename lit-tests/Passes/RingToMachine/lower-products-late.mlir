// RUN: carousel-opt %s --carousel-lower-products --canonicalize | FileCheck %s

// Products that no loop carries as registers are waited for where their sums are used. What lets others write their
// tiles comes behind the wait: releases move, and barriers and stores end the flight.

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!x = memref<64x64xbf16, #ws>
!ring = !carousel.ring<3 x memref<64x64xbf16, #ws>>
!pair = !carousel.ring<3 x memref<64x64xbf16, #ws>, memref<64x64xbf16, #ws>>
!ring8 = !carousel.ring<3 x memref<64x128xf8E4M3FN, #ws>, memref<8x128xf8E4M3FN, #ws>>
!sums = vector<1x8x2x2xf32>
!flat = vector<32xf32>
!factor = vector<1x4x4x2xbf16>
#b128 = #carousel.swizzle<b128>

gpu.module @m {
  // The second product is in flight while threads compute with the sums of the first. A branch keeps ptxas from moving
  // the wait up before that. The loop carries the factors, which stay the same, and renews their registers.
  // CHECK-LABEL: gpu.func @two
  // CHECK: scf.for {{.*}}, %[[Q:[a-z0-9]+]] = %{{[0-9]+}}, %{{[a-z0-9]+}} = %{{[0-9]+}}, %{{[a-z0-9]+}} = %{{[0-9]+}}, %{{[a-z0-9]+}} = %{{[0-9]+}}, %[[P0:[a-z0-9]+]] = %{{[0-9]+}}, %{{[a-z0-9]+}} = %{{[0-9]+}}, %{{[a-z0-9]+}} = %{{[0-9]+}}, %{{[a-z0-9]+}} = %{{[0-9]+}})
  // CHECK: carousel.ring.wait %[[RING:.*]][%[[K:.*]]]
  // CHECK: %[[F:.*]]:5 = carousel.wgmma.fence renews(%{{.*}}, %[[Q]],
  // CHECK-COUNT-4: carousel.wgmma.mma
  // CHECK: carousel.wgmma.commit
  // CHECK: %[[G:.*]]:5 = carousel.wgmma.fence renews(%{{.*}}, %[[P0]],
  // CHECK-COUNT-4: carousel.wgmma.mma
  // CHECK: carousel.wgmma.commit
  // CHECK-NOT: carousel.ring.release
  // CHECK: %[[AFTER:.*]]:5 = carousel.wgmma.wait 1, %{{.*}}, %[[F]]#1, %[[F]]#2, %[[F]]#3, %[[F]]#4
  // CHECK: %[[P:.*]] = math.exp2
  // CHECK: %[[LAST:.*]] = arith.addf %[[P]]
  // CHECK: %[[NUMBER:.*]] = vector.extract %[[LAST]][31]
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[NUMBER]] : f32 to i32
  // CHECK: %[[UNLIKELY:.*]] = arith.cmpi eq, %[[BITS]]
  // CHECK: scf.if %[[UNLIKELY]] {
  // CHECK-NEXT: carousel.fence.thread
  // CHECK-NEXT: }
  // CHECK-NEXT: carousel.wgmma.wait 0, %{{.*}}, %[[G]]#1, %[[G]]#2, %[[G]]#3, %[[G]]#4
  // CHECK: carousel.ring.release %[[RING]][%[[K]]]
  // CHECK: arith.mulf %{{.*}}, %[[LAST]]
  // CHECK: scf.yield {{.*}}, %[[AFTER]]#1, %[[AFTER]]#2, %[[AFTER]]#3, %[[AFTER]]#4,
  gpu.func @two(%q: !factor, %p: !factor, %o: !flat, %lb: index, %ub: index, %out: memref<32xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !sums
    %ring = carousel.ring.create : !ring
    %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %t = %o) -> (index, !flat) {
      %x = carousel.ring.tile %ring[%k], 0 : !ring -> !x
      carousel.ring.wait %ring[%k] : !ring
      %s = carousel.multiply %q, %x[%c0], %zeros transpose_b {swizzle_b = #b128} : !factor, !x, !sums
      %flat = vector.shape_cast %s : !sums to !flat
      %before = vector.shape_cast %t : !flat to !sums
      %next = carousel.multiply %p, %x[%c0], %before {swizzle_b = #b128} : !factor, !x, !sums
      %more = vector.shape_cast %next : !sums to !flat
      carousel.ring.release %ring[%k] : !ring
      %e = math.exp2 %flat : !flat
      %more_of_it = arith.addf %e, %flat : !flat
      %scaled = arith.mulf %more, %more_of_it : !flat
      %use = arith.addi %k, %c1 : index
      scf.yield %use, %scaled : index, !flat
    }
    vector.transfer_write %r#1, %out[%c0] : !flat, memref<32xf32, #gl>
    gpu.return
  }

  // The first one's slot is released when that is over.
  // CHECK-LABEL: gpu.func @two_rings
  // CHECK: %[[FIRST:.*]] = carousel.ring.create
  // CHECK: %[[SECOND:.*]] = carousel.ring.create
  // CHECK: carousel.wgmma.wait 1
  // CHECK-NOT: carousel.wgmma.wait
  // CHECK: carousel.ring.release %[[FIRST]]
  // CHECK-NOT: carousel.ring.release
  // CHECK: carousel.wgmma.wait 0
  // CHECK: carousel.ring.release %[[SECOND]]
  gpu.func @two_rings(%q: !factor, %o: !sums, %k: index, %out: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %first = carousel.ring.create : !ring
    %second = carousel.ring.create : !ring
    %x = carousel.ring.tile %first[%k], 0 : !ring -> !x
    %w = carousel.ring.tile %second[%k], 0 : !ring -> !x
    carousel.ring.wait %first[%k] : !ring
    carousel.ring.wait %second[%k] : !ring
    %s = carousel.multiply %q, %x[%c0], %o transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    %next = carousel.multiply %q, %w[%c0], %o transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    carousel.ring.release %first[%k] : !ring
    carousel.ring.release %second[%k] : !ring
    %e = arith.negf %s : !sums
    %sum = arith.addf %e, %next : !sums
    vector.transfer_write %sum, %out[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    gpu.return
  }

  // The second product takes the sums of the first, and its factor, in the registers in which they are: one group.
  // CHECK-LABEL: gpu.func @chain
  // CHECK: %[[REGISTERS:.*]]:5 = carousel.wgmma.fence
  // CHECK: carousel.wgmma.mma %[[REGISTERS]]#1, %{{.*}}, %[[REGISTERS]]#0
  // CHECK-COUNT-2: carousel.wgmma.mma
  // CHECK: %[[FIRST:.*]] = carousel.wgmma.mma %[[REGISTERS]]#4
  // CHECK-NOT: carousel.wgmma.{{fence|commit|wait}}
  // CHECK: carousel.wgmma.mma %[[REGISTERS]]#1, %{{.*}}, %[[FIRST]]
  // CHECK-COUNT-3: carousel.wgmma.mma
  // CHECK-NEXT: carousel.wgmma.commit
  // CHECK-NEXT: carousel.wgmma.wait 0
  gpu.func @chain(%q: !factor, %o: !sums, %out: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %x = memref.alloc() : !x
    %s = carousel.multiply %q, %x[%c0], %o transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    %next = carousel.multiply %q, %x[%c0], %s transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    vector.transfer_write %next, %out[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    gpu.return
  }

  // Two parts of the columns have the same factor, and tiles of one ring.
  // CHECK-LABEL: gpu.func @parts
  // CHECK: %[[REGISTERS:.*]]:6 = carousel.wgmma.fence
  // CHECK: carousel.wgmma.mma %[[REGISTERS]]#2, %{{.*}}, %[[REGISTERS]]#0
  // CHECK-COUNT-3: carousel.wgmma.mma
  // CHECK-NOT: carousel.wgmma.{{fence|commit|wait}}
  // CHECK: carousel.wgmma.mma %[[REGISTERS]]#2, %{{.*}}, %[[REGISTERS]]#1
  // CHECK-COUNT-3: carousel.wgmma.mma
  // CHECK-NEXT: carousel.wgmma.commit
  // CHECK-NEXT: carousel.wgmma.wait 0
  // CHECK: carousel.ring.release
  gpu.func @parts(%q: !factor, %o: !sums, %k: index, %out: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !pair
    %x = carousel.ring.tile %ring[%k], 0 : !pair -> !x
    %w = carousel.ring.tile %ring[%k], 1 : !pair -> !x
    carousel.ring.wait %ring[%k] : !pair
    %s = carousel.multiply %q, %x[%c0], %o transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    %next = carousel.multiply %q, %w[%c0], %o transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    carousel.ring.release %ring[%k] : !pair
    %sum = arith.addf %s, %next : !sums
    vector.transfer_write %sum, %out[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    gpu.return
  }

  // Behind a barrier others may write the tile.
  // CHECK-LABEL: gpu.func @meets
  // CHECK: carousel.wgmma.commit
  // CHECK: math.exp2
  // CHECK: carousel.wgmma.wait 0
  // CHECK: gpu.barrier
  gpu.func @meets(%q: !factor, %o: !sums, %e: !flat, %out: memref<1x8x2x2xf32, #gl>, %other: memref<32xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %x = memref.alloc() : !x
    %s = carousel.multiply %q, %x[%c0], %o transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    %p = math.exp2 %e : !flat
    gpu.barrier
    vector.transfer_write %p, %other[%c0] : !flat, memref<32xf32, #gl>
    vector.transfer_write %s, %out[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    gpu.return
  }

  // A slot that the thread waits for may be the one that it has to release.
  // CHECK-LABEL: gpu.func @waits_again
  // CHECK: carousel.wgmma.commit
  // CHECK: carousel.wgmma.wait 0
  // CHECK: carousel.ring.release
  // CHECK: carousel.ring.wait
  gpu.func @waits_again(%q: !factor, %o: !sums, %k: index, %out: memref<1x8x2x2xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %x = carousel.ring.tile %ring[%k], 0 : !ring -> !x
    carousel.ring.wait %ring[%k] : !ring
    %s = carousel.multiply %q, %x[%c0], %o transpose_b {swizzle_b = #b128} : !factor, !x, !sums
    carousel.ring.release %ring[%k] : !ring
    %next = arith.addi %k, %c1 : index
    carousel.ring.wait %ring[%next] : !ring
    vector.transfer_write %s, %out[%c0, %c0, %c0, %c0] : !sums, memref<1x8x2x2xf32, #gl>
    gpu.return
  }

  // A part of 128 that is promoted, and begins at zero, is like any other product: scales are read while it is in flight,
  // and its sums are used as they are.
  // CHECK-LABEL: gpu.func @scaled_part
  // CHECK: carousel.ring.wait
  // CHECK-COUNT-4: carousel.wgmma.mma
  // CHECK: carousel.wgmma.commit
  // CHECK-NEXT: memref.load
  // CHECK: carousel.wgmma.wait 0
  // CHECK: carousel.ring.release
  // CHECK-NOT: arith.addf
  // CHECK: math.fma
  gpu.func @scaled_part(%n: index, %scale: memref<?xf32, #gl>, %out: memref<4xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : vector<1x1x2x2xf32>
    %none = arith.constant dense<0.0> : vector<4xf32>
    %ring = carousel.ring.create : !ring8
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, vector<4xf32>) {
      %x = carousel.ring.tile %ring[%k], 0 : !ring8 -> memref<64x128xf8E4M3FN, #ws>
      %w = carousel.ring.tile %ring[%k], 1 : !ring8 -> memref<8x128xf8E4M3FN, #ws>
      carousel.ring.wait %ring[%k] : !ring8
      %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128}
          : memref<64x128xf8E4M3FN, #ws>, memref<8x128xf8E4M3FN, #ws>, vector<1x1x2x2xf32>
      carousel.ring.release %ring[%k] : !ring8
      %flat = vector.shape_cast %part : vector<1x1x2x2xf32> to vector<4xf32>
      %s = memref.load %scale[%i] : memref<?xf32, #gl>
      %scales = vector.broadcast %s : f32 to vector<4xf32>
      %next = math.fma %flat, %scales, %acc : vector<4xf32>
      vector.store %next, %out[%c0] : memref<4xf32, #gl>, vector<4xf32>
      %use = arith.addi %k, %c1 : index
      scf.yield %use, %next : index, vector<4xf32>
    }
    gpu.return
  }
}
