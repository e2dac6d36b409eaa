// Loops, conditions and what they carry; no branch is a goto.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @control {
  gpu.func @loops(%x: memref<?xf32, 1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    // Bounds that aren't known are compared as signed.
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i] : memref<?xf32, 1>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %x[%c0] : memref<?xf32, 1>
    // Values that change places.
    %pair:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero, %b = %one) -> (f32, f32) {
      scf.yield %b, %a : f32, f32
    }
    memref.store %pair#0, %x[%c1] : memref<?xf32, 1>
    gpu.return
  }

  // A memref that a loop carries is a pointer, extents and strides.
  gpu.func @carried_memref(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%m = %x) -> (memref<?xf32, 1>) {
      memref.store %one, %m[%i] : memref<?xf32, 1>
      scf.yield %y : memref<?xf32, 1>
    }
    %d = memref.dim %m, %c0 : memref<?xf32, 1>
    memref.store %one, %m[%d] : memref<?xf32, 1>
    gpu.return
  }

  gpu.func @conditions(%x: memref<?xf32, 1>, %n: i32) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : i32
    %c9 = arith.constant 9 : i32
    %a = arith.constant 1.0 : f32
    %b = arith.constant 2.0 : f32
    %small = arith.cmpi slt, %n, %c4 : i32
    %v = scf.if %small -> (f32) {
      memref.store %a, %x[%c0] : memref<?xf32, 1>
      scf.yield %a : f32
    } else {
      %middle = arith.cmpi ult, %n, %c9 : i32
      %w = scf.if %middle -> (f32) {
        gpu.barrier
        scf.yield %b : f32
      } else {
        scf.yield %a : f32
      }
      scf.yield %w : f32
    }
    memref.store %v, %x[%c0] : memref<?xf32, 1>
    %k = arith.index_cast %n : i32 to index
    scf.index_switch %k
    case 3 {
      memref.store %a, %x[%c0] : memref<?xf32, 1>
      scf.yield
    }
    default {
      memref.store %b, %x[%c0] : memref<?xf32, 1>
    }
    gpu.return
  }

  gpu.func @halves(%x: memref<?xi32, 1>, %n: i32) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : i32
    %r = scf.while (%k = %n) : (i32) -> i32 {
      %more = arith.cmpi ugt, %k, %c2 : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      carousel.bulk.commit_group
      %half = arith.divui %k, %c2 : i32
      scf.yield %half : i32
    }
    memref.store %r, %x[%c0] : memref<?xi32, 1>
    gpu.return
  }
}
