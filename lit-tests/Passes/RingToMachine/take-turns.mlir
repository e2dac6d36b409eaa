// RUN: carousel-opt %s --carousel-take-turns | FileCheck %s
// RUN: carousel-opt %s --carousel-take-turns --remarks-filter=carousel-take-turns --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A warpgroup issues the products of an iteration when the one before it has issued its own, where threads compute with
// their sums.

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<64x64xbf16, #ws>
!ring = !carousel.ring<2 x memref<64x64xbf16, #ws>>
!matrix = !carousel.matrix_descriptor<bf16, k>
!numbers = vector<8x2x2xf32>
!sums = !carousel.wgmma_registers<vector<8x2x2xf32>>

gpu.module @m {
  // DOC-EXAMPLE: --carousel-take-turns
  // CHECK-LABEL: gpu.func @turns
  // CHECK: consumer threads(256)
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: %[[GROUP:.*]] = arith.divui %[[THREAD]]
  // CHECK: %[[N:.*]] = arith.addi %[[GROUP]]
  // CHECK: %[[OWN:.*]] = arith.index_castui %[[N]]
  // CHECK: %[[AFTER:.*]] = arith.remui
  // CHECK: %[[M:.*]] = arith.addi %[[AFTER]]
  // CHECK: %[[NEXT:.*]] = arith.index_castui %[[M]]
  // CHECK: scf.if
  // CHECK-NEXT: carousel.barrier.arrive 1 threads(256)
  // CHECK: scf.for
  // CHECK: carousel.ring.wait
  // CHECK: carousel.barrier.sync %[[OWN]] threads(256)
  // CHECK-NEXT: carousel.wgmma.fence
  // CHECK: carousel.wgmma.commit
  // CHECK-NEXT: carousel.barrier.arrive %[[NEXT]] threads(256)
  // CHECK-NEXT: carousel.wgmma.wait 0
  // CHECK-NOT: carousel.barrier
  // CHECK: scf.if
  // CHECK-NEXT: carousel.barrier.sync 1 threads(256)
  // REMARK: [Passed] Turns | {{.*}}Function=turns | Remark="a warpgroup issues products when the one before it has issued its own"
  gpu.func @turns(%lb: index, %ub: index, %step: index) kernel attributes {known_block_size = array<i32: 288, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !numbers
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
      carousel.ring.produce %ring[%c0] : !ring {
      }
    } consumer threads(256) {
      scf.for %i = %lb to %ub step %step {
        carousel.ring.wait %ring[%i] : !ring
        %tile = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
        %start = carousel.wgmma.fence(%zeros) : !numbers
        %s = carousel.wgmma.mma %d, %d, %start : !matrix, !matrix, !sums
        carousel.wgmma.commit
        %sums = carousel.wgmma.wait 0, %s : !sums
        %e = math.exp2 %sums : !numbers
        %f = arith.mulf %e, %sums : !numbers
        %g = arith.addf %f, %e : !numbers
        %h = arith.addf %g, %sums : !numbers
      }
    }
    gpu.return
  }

  // The sums of all iterations are added: threads have nothing to compute.
  // CHECK-LABEL: gpu.func @sums
  // CHECK-NOT: carousel.barrier
  // CHECK: gpu.return
  gpu.func @sums(%lb: index, %ub: index, %y: memref<8x2x2xf32, #gl>) kernel
      attributes {known_block_size = array<i32: 288, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !numbers
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
    } consumer threads(256) {
      %start = carousel.wgmma.fence(%zeros) : !numbers
      %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0, %t = %start) -> (index, !sums) {
        carousel.ring.wait %ring[%k] : !ring
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
        carousel.wgmma.fence
        %s = carousel.wgmma.mma %d, %d, %t : !matrix, !matrix, !sums
        carousel.wgmma.commit
        carousel.wgmma.wait 0
        carousel.ring.release %ring[%k] : !ring
        %use = arith.addi %k, %c1 : index
        scf.yield %use, %s : index, !sums
      }
      %sums = carousel.wgmma.wait 0, %r#1 : !sums
      vector.transfer_write %sums, %y[%c0, %c0, %c0] : !numbers, memref<8x2x2xf32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @alone
  // CHECK-NOT: carousel.barrier
  // CHECK: gpu.return
  // REMARK: [Missed] Turns | {{.*}}Function=alone | Remark="no turns: the role has 128 threads, and no two warpgroups"
  gpu.func @alone(%lb: index, %ub: index, %step: index) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !numbers
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
      carousel.ring.produce %ring[%c0] : !ring {
      }
    } consumer threads(128) {
      scf.for %i = %lb to %ub step %step {
        carousel.ring.wait %ring[%i] : !ring
        %tile = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
        %start = carousel.wgmma.fence(%zeros) : !numbers
        %s = carousel.wgmma.mma %d, %d, %start : !matrix, !matrix, !sums
        carousel.wgmma.commit
        %sums = carousel.wgmma.wait 0, %s : !sums
        carousel.ring.release %ring[%i] : !ring
        %e = math.exp2 %sums : !numbers
        %f = arith.mulf %e, %sums : !numbers
        %g = arith.addf %f, %e : !numbers
        %h = arith.addf %g, %sums : !numbers
      }
    }
    gpu.return
  }

  // Threads that fill the slots themselves run together.
  // CHECK-LABEL: gpu.func @fills
  // CHECK-NOT: carousel.barrier
  // CHECK: gpu.return
  gpu.func @fills(%x: memref<?x?xbf16, #gl>, %lb: index, %ub: index) kernel
      attributes {known_block_size = array<i32: 288, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !numbers
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
    } consumer threads(256) {
      %r = scf.for %i = %lb to %ub step %c1 iter_args(%k = %c0) -> (index) {
        carousel.ring.produce %ring[%k] : !ring {
          %to = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
          carousel.ring.load %x[%c0, %c0] to %to swizzle(b128) engine<vector, width = 2> : memref<?x?xbf16, #gl>, !tile
        }
        carousel.ring.wait %ring[%k] : !ring
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : !tile to !matrix
        %start = carousel.wgmma.fence(%zeros) : !numbers
        %s = carousel.wgmma.mma %d, %d, %start : !matrix, !matrix, !sums
        carousel.wgmma.commit
        %sums = carousel.wgmma.wait 0, %s : !sums
        carousel.ring.release %ring[%k] : !ring
        %e = math.exp2 %sums : !numbers
        %f = arith.mulf %e, %sums : !numbers
        %g = arith.addf %f, %e : !numbers
        %h = arith.addf %g, %sums : !numbers
        %use = arith.addi %k, %c1 : index
        scf.yield %use : index
      }
    }
    gpu.return
  }
}
