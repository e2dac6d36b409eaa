// A loop that says it isn't to be unrolled stays one, for ptxas as well; one of a few turns doesn't, and what it keeps by turn is in registers.
// RUN: carousel-translate --mlir-to-ptx %s | FileCheck %s

#gl = #gpu.address_space<global>
#rolled = #llvm.loop_annotation<unroll = <disable = true>>

gpu.module @loops {
  // CHECK-LABEL: .entry rolled(
  // CHECK: .pragma "nounroll";
  // CHECK: ld.global
  // CHECK-NOT: ld.global
  // CHECK: bra
  gpu.func @rolled(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
      %p = arith.addi %thread, %i : index
      %v = memref.load %x[%p] : memref<?xf32, #gl>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    } {llvm.loop_annotation = #rolled}
    memref.store %sum, %x[%thread] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: .entry unrolled(
  // CHECK-NOT: local
  // CHECK-NOT: pragma
  // CHECK-NOT: bra
  // CHECK-COUNT-4: ld.global
  // CHECK-NOT: ld.global
  // CHECK: ret
  gpu.func @unrolled(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %kept = memref.alloca() : memref<4xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %p = arith.addi %thread, %i : index
      %v = memref.load %x[%p] : memref<?xf32, #gl>
      memref.store %v, %kept[%i] : memref<4xf32>
    }
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %kept[%i] : memref<4xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %x[%thread] : memref<?xf32, #gl>
    gpu.return
  }
}
