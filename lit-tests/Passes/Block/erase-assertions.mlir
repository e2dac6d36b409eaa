// Assertions go, with what is computed for them alone: values, reads, branches and loops. What others need stays.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-erase-assertions))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-erase-assertions,carousel-erase-assertions))' | FileCheck %s
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a | FileCheck %s --check-prefix=LOWERED
// RUN: carousel-opt %s --carousel-lower="chip=sm_90a debug-assertions" | FileCheck %s --check-prefix=KEPT

#gl = #gpu.address_space<global>
!n = memref<?xi32, #gl>

gpu.module @m {
  // DOC-EXAMPLE: --carousel-erase-assertions
  // CHECK-LABEL: func.func private @check
  // CHECK-NEXT: return
  func.func private @check(%offsets: !n, %i: index) {
    %c1 = arith.constant 1 : index
    %next = arith.addi %i, %c1 : index
    %begin = memref.load %offsets[%i] : !n
    %end = memref.load %offsets[%next] : !n
    %ascends = arith.cmpi sle, %begin, %end : i32
    cf.assert %ascends, "expected offsets that ascend"
    return
  }

  // A branch in a loop, with what is computed before it.
  // CHECK-LABEL: func.func private @nested
  // CHECK-NEXT: return
  func.func private @nested(%offsets: !n, %checks: i1, %count: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %count step %c1 {
      %next = arith.addi %i, %c1 : index
      %begin = memref.load %offsets[%i] : !n
      %end = memref.load %offsets[%next] : !n
      %ascends = arith.cmpi sle, %begin, %end : i32
      scf.if %checks {
        cf.assert %ascends, "expected offsets that ascend"
      }
    }
    return
  }

  // CHECK-LABEL: gpu.func @sums
  // CHECK-NOT: cf.assert
  // CHECK-NOT: scf.if
  // CHECK: %[[VALUE:.*]] = memref.load %{{.*}}[%[[I:.*]]]
  // CHECK-NEXT: memref.store %[[VALUE]], %{{.*}}[%[[I]]]
  // CHECK-NOT: scf.for
  // CHECK: gpu.return
  // LOWERED-LABEL: gpu.func @sums
  // LOWERED-NOT: cf.assert
  // LOWERED: gpu.return
  // KEPT-LABEL: gpu.func @sums
  // KEPT: cf.assert %{{.*}}, "expected a number"
  // KEPT: cf.assert %{{.*}}, "expected small numbers"
  gpu.func @sums(%x: !n {carousel.argument = #carousel.argument<"x", in>}, %y: !n {carousel.argument = #carousel.argument<"y", out>},
                 %all: i1) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %most = arith.constant dense<9> : vector<4xi32>
    %true = arith.constant true
    %i = gpu.block_id x
    scf.if %all {
      %first = memref.load %x[%c0] : !n
      %is = arith.cmpi sge, %first, %none : i32
      cf.assert %is, "expected a number"
    }
    %v = memref.load %x[%i] : !n
    memref.store %v, %y[%i] : !n
    scf.for %j = %c0 to %c4 step %c1 {
      %w = vector.transfer_read %x[%j], %none : !n, vector<4xi32>
      %small = arith.cmpi slt, %w, %most : vector<4xi32>
      %are = vector.multi_reduction <and>, %small, %true [0] : vector<4xi1> to i1
      cf.assert %are, "expected small numbers"
    }
    gpu.return
  }
}

// A kernel of the tile phase keeps its own.
gpu.module @tiles {
  // CHECK-LABEL: gpu.func @tile
  // CHECK: cf.assert %{{.*}}, "expected to be kept"
  // LOWERED-LABEL: gpu.func @tile
  // LOWERED: cf.assert %{{.*}}, "expected to be kept"
  gpu.func @tile(%x: memref<?xi32, #gpu.address_space<global>>, %is: i1) kernel {
    cf.assert %is, "expected to be kept"
    gpu.return
  }
}

// Those of programs compare extents.
// CHECK-LABEL: func.func @program
// CHECK: arith.cmpi
func.func @program(%n: index, %m: index) {
  %equal = arith.cmpi eq, %n, %m : index
  return
}
