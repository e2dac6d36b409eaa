// A large prologue is folded into the main loop if no op between them waits for it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings{prologue-fold-threshold=0}))' | FileCheck %s --check-prefix=ALWAYS
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings{fold-prologues=false}))' | FileCheck %s --check-prefix=NEVER
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' --remarks-filter='carousel-lower-rings' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>
!ring = !carousel.ring<4 x memref<128xf32, #ws>>

gpu.module @prologues [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // The box may end behind x: its code stands once. The use and the offset are those of the fill, not of the iteration.
  // REMARK: remark: [Passed] Ring{{.*}}Function=clipped {{.*}}1 prologues folded
  // REMARK-NOT: Function=whole {{.*}}folded
  // CHECK-LABEL: gpu.func @clipped
  // CHECK-SAME: %[[LB:[^ ]*]]: index, %[[UB:[^ ]*]]: index, %[[S:[^ ]*]]: index, %[[STEADY:[^ ]*]]: index) kernel
  // CHECK: %[[ISSUING:.*]] = arith.cmpi ult, %{{.*}}, %c32_i32
  // CHECK-NOT: carousel.bulk.load
  // CHECK: scf.for %[[I:.*]] = %[[LB]] to %[[UB]] step %[[S]] iter_args(%[[K:.*]] = %c0)
  // CHECK: %[[AHEAD:.*]] = arith.cmpi slt, %[[I]], %[[STEADY]]
  // CHECK-NEXT: scf.if %[[ISSUING]] {
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %[[LB]]
  // CHECK: %[[LATER:.*]] = arith.addi %[[I]], %{{.*}}
  // CHECK: %[[NEXT:.*]] = arith.select %[[AHEAD]], %[[LATER]], %[[UB]]
  // CHECK: %[[BEGIN:.*]] = arith.select %[[FIRST]], %[[I]], %[[NEXT]]
  // CHECK: %[[BEHIND:.*]] = arith.addi %[[LATER]], %c1
  // CHECK: %[[END:.*]] = arith.select %[[AHEAD]], %[[BEHIND]], %[[UB]]
  // CHECK: %[[K3:.*]] = arith.addi %[[K]], %c3
  // CHECK: %[[USE:.*]] = arith.select %[[FIRST]], %[[K]], %[[K3]]
  // CHECK: scf.for %[[J:.*]] = %[[BEGIN]] to %[[END]] step %[[S]] iter_args(%[[U:.*]] = %[[USE]])
  // CHECK: carousel.bulk.load
  // CHECK: carousel.mbarrier.arrive
  // CHECK: %[[U1:.*]] = arith.addi %[[U]], %c1
  // CHECK: scf.yield %[[U1]]
  // CHECK-NEXT: } {llvm.loop_annotation = #[[ONCE:.*]]}
  // CHECK: carousel.mbarrier.wait
  // CHECK: } {llvm.loop_annotation = #[[ONCE]]}
  // NEVER-LABEL: gpu.func @clipped
  // NEVER: scf.for
  // NEVER: carousel.bulk.load
  // NEVER: scf.for {{.*}} = %arg1 to %arg2 step %arg3
  // NEVER: scf.if
  // NEVER: carousel.bulk.load
  gpu.func @clipped(%x: !vector, %lb: index, %ub: index, %s: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %distance = arith.muli %s, %c3 : index
    %first = arith.addi %lb, %distance : index
    %end = arith.minsi %first, %ub : index
    scf.for %i = %lb to %end step %s iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(3) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %i = %lb to %ub step %s iter_args(%k = %c0) -> (index) {
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %distance : index
        %k3 = arith.addi %k, %c3 : index
        carousel.ring.produce %ring[%k3] ahead(3) : !ring {
          %t = carousel.ring.tile %ring[%k3], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }

  // The box is known to be inside: the fill is short, and its code stays in two places. Folding would move store waits along.
  // CHECK-LABEL: gpu.func @whole
  // CHECK: scf.for
  // CHECK: carousel.bulk.load
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: carousel.bulk.load
  // ALWAYS-LABEL: gpu.func @whole
  // ALWAYS-NOT: carousel.bulk.load
  // ALWAYS: scf.for unsigned %{{.*}} = %arg1 to %arg2 step %c128
  // ALWAYS: scf.if
  // ALWAYS: scf.for unsigned
  // ALWAYS-SAME: iter_args(%[[U:.*]] = %{{[^,]*}})
  // ALWAYS: carousel.bulk.wait_group read 1
  // ALWAYS: carousel.bulk.load
  // ALWAYS: scf.yield
  // ALWAYS-NOT: carousel.bulk.load
  // ALWAYS: gpu.return
  gpu.func @whole(%x: !vector, %lb: index, %ub: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %first = arith.addi %lb, %c256 : index
    %end = arith.minui %first, %ub : index
    scf.for unsigned %i = %lb to %end step %c128 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(2) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for unsigned %i = %lb to %ub step %c128 iter_args(%k = %c0, %n = %c0) -> (index, index) {
      %ahead = arith.addi %i, %c256 : index
      %k2 = arith.addi %k, %c2 : index
      %more = arith.cmpi ult, %i, %steady : index
      // Something else of the loop's.
      %shift = arith.subi %n, %n : index
      %from = arith.addi %ahead, %shift : index
      scf.if %more {
        carousel.ring.wait_stores read 1
        carousel.ring.produce %ring[%k2] ahead(2) : !ring {
          %t = carousel.ring.tile %ring[%k2], 0 : !ring -> !tile
          carousel.ring.load %x[%from] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.submit {
        carousel.ring.store %t to %x[%i] in_bounds engine<bulk> : !tile, !vector
      }
      carousel.ring.release %ring[%k] : !ring
      %next = arith.addi %k, %c1 : index
      %sum = arith.addi %n, %c128 : index
      scf.yield %next, %sum : index, index
    }
    gpu.return
  }
}
